"""Provenance of the lines of a layer's programs: the derivation step of each, and the pass that rewrote it, if any.

A line either equals the equation of its step, with each reduction on a line of its own, or a pass made it. Emitted code
names the step and, after it, the number of the line that a pass made: `step 2, pass 3`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from sympy import Expr

from lngen.algebra.symbols import TypedSymbol
from lngen.plan.program import Line, PassLine, RowProgram

Passes = Callable[[RowProgram], Iterator[tuple[str, RowProgram]]]
"""Passes of a group of backends: one or more, each yielded as its rule and the program after it."""

_Key = tuple[int, TypedSymbol, Expr]


class _Said(Protocol):
    @property
    def symbol(self) -> TypedSymbol: ...
    @property
    def expression(self) -> Expr: ...


class History:
    """The rule by which each line came about, `""` for those of the derivation.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> from lngen.plan.program import Assignment
    >>> x, y = RowSymbol("x"), RowSymbol("y")
    >>> history = History()
    >>> history.saw("", [Assignment(y, 2*x, 1)])
    >>> history.saw("once a row", [Assignment(y, 2*x, 1), Assignment(x, y, 1)])
    >>> history.rule(Assignment(y, 2*x, 1)), history.rule(Assignment(x, y, 1))
    ('', 'once a row')
    """

    def __init__(self) -> None:
        self._rules: dict[tuple[TypedSymbol, Expr], str] = {}

    def saw(self, rule: str, lines: Iterable[_Said]) -> None:
        """Record the lines of a program after a pass: the pass made the lines that no earlier program had."""
        for line in lines:
            self._rules.setdefault((line.symbol, line.expression), rule)

    def rule(self, line: _Said) -> str:
        """Return the rule that made a line."""
        return self._rules[line.symbol, line.expression]


def numbered(programs: Sequence[RowProgram], history: History, passes: Mapping[str, Passes]) -> tuple[RowProgram, ...]:
    """Return the programs with a number for each line that a pass made, in the plan or for a group of backends.

    The same line of the same step has one number in all directions. Without `passes` only the lines of the plan are
    numbered.
    """
    made: dict[_Key, PassLine] = {}
    keys = []
    for program in programs:
        found: dict[_Key, None] = {}
        for backends, pass_ in (passes or {"": _no_pass}).items():
            for rule, last in pass_(program):
                history.saw(rule, last.lines())
            for line in last.lines():
                if rule := history.rule(line):
                    key = _key(line)
                    first = made.get(key) or PassLine(len(made) + 1, rule, *key, ())
                    made[key] = replace(first, backends=tuple(dict.fromkeys((*first.backends, backends))))
                    found[key] = None
        keys.append(found)
    return tuple(
        with_sources(replace(program, passes=tuple(made[key] for key in found)))
        for program, found in zip(programs, keys, strict=True)
    )


def _key(line: Line | PassLine) -> _Key:
    return line.step, line.symbol, line.expression


def _no_pass(program: RowProgram) -> Iterator[tuple[str, RowProgram]]:
    yield "", program


@lru_cache(maxsize=64)
def after(passes: Passes, program: RowProgram) -> RowProgram:
    """Return a program after the passes of a group of backends, each line with its source.

    It is kept: proofs, the check of emitted text and several printers ask for the same one.
    """
    *_, (_, last) = passes(program)
    return with_sources(last)


def with_sources(program: RowProgram) -> RowProgram:
    """The same program, each line with the number of the pass that made it, or 0."""
    numbers = {_key(line): line.number for line in program.passes}
    return program.mapped(lambda line: replace(line, made_by=numbers.get(_key(line), 0)))
