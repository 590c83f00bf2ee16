"""First place of a row's extreme, as a reduction of its own.

`AttainsFirst(body, m)` needs the whole row. It becomes a row scalar, the place of the entry nearest to `m`, and a
comparison of each place with it. A test for equality would not do: a compiler may contract the body differently where
`m` was computed, and no entry might be equal. The nearest always exists; of equals, the first counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import sympy
from sympy import Expr

from lngen.algebra.equations import Names
from lngen.algebra.reductions import innermost_first
from lngen.algebra.symbols import PLACE, AttainsFirst, RowScalarSymbol, ScalarSymbol, TypedSymbol, Where
from lngen.plan.program import Assignment, FeatureReduction, RowProgram, Stage


def there(first: TypedSymbol) -> Expr:
    """1 at the entry whose place is `first`, 0 elsewhere."""
    return Where(sympy.Eq(PLACE, first), 1, 0)


def distance(attained: Expr) -> Expr:
    """Return the distance of an entry from the extreme; exactly 0 if they are equal, also if both are infinite."""
    body, extreme = attained.args
    return Where(sympy.Eq(body, extreme), 0, sympy.Abs(body - extreme))


def with_places(program: RowProgram) -> RowProgram:
    """The same program, each `AttainsFirst` a line or a stage of its own before its readers: the place that it is 1 at.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, dx, dm, m = *map(RowSymbol, ("x", "dx")), *map(RowScalarSymbol, ("dm", "m"))
    >>> stage = Stage((Assignment(dx, dm*AttainsFirst(x, m), 1),))
    >>> changed = with_places(RowProgram("f", "backward", 1, (), (), (), (stage,), (), (), (), ()))
    >>> for line in changed.lines():
    ...     print(line.symbol, "=", line.body)
    first = AttainsFirst(x, m)
    dx = dm*Where(Eq(index(), first), 1, 0)
    """
    names = program.names()
    stages: list[Stage] = []
    waiting = list(program.stages)
    while waiting:
        stage = waiting[0]
        found = {atom for line in stage.lines() for atom in line.body.atoms(AttainsFirst)}
        innermost = [atom for atom in found if not any(part.has(AttainsFirst) for part in atom.args)]
        if not innermost:
            stages.append(waiting.pop(0))
            continue
        reductions = []
        for atom in sorted(innermost, key=sympy.sstr):
            first = RowScalarSymbol(names.fresh("first"))
            step = next(line.step for line in stage.lines() if line.body.has(atom))
            reductions.append(FeatureReduction(first, "min", atom, step))
            waiting = [later.replaced({atom: there(first)}) for later in waiting]
        stages.append(Stage(reductions=tuple(reductions)))
    return replace(
        program,
        prologue=_places_apart(program.prologue, names),
        stages=tuple(stages),
        epilogue=_places_apart(program.epilogue, names),
    )


def _places_apart(assignments: Sequence[Assignment], names: Names) -> tuple[Assignment, ...]:
    lines: list[Assignment] = []

    def place(attained: Expr, line: Assignment) -> Expr:
        symbol = ScalarSymbol(names.fresh(f"{line.symbol.name}_first"))
        lines.append(Assignment(symbol, attained, line.step))
        return there(symbol)

    for line in assignments:
        expression = innermost_first(line.expression, (AttainsFirst,), partial(place, line=line))
        lines.append(Assignment(line.symbol, expression, line.step))
    return tuple(lines)
