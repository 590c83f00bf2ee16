"""Emitted Python as data: expressions that know what they read, and lines that know what they assign and when.

Text is made of them once, at the end (`laid_out`), and is never read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast

from lngen.algebra.numeric import COMPARE
from lngen.emit.layout import call, comment, statement, tuple_of
from lngen.emit.numpy.presence import Cases
from lngen.plan.presence import ALWAYS, NEVER, Condition

_SUM, _PRODUCT, _WHOLE = range(3)
_OPERATORS = {"add": ("+", _SUM), "subtract": ("-", _SUM), "multiply": ("*", _PRODUCT), "divide": ("/", _PRODUCT)}
_COMPARISONS: dict[str, str] = {function.__name__: cast(Any, relation).rel_op for relation, function in COMPARE.items()}


@dataclass(frozen=True)
class Code:
    """Expression: its text, the variables that it reads, and how tightly its operator binds."""

    text: str
    reads: frozenset[str] = frozenset()
    binds: int = _WHOLE

    @classmethod
    def of(cls, *names: str) -> Code:
        """A variable, or several of them with commas."""
        return cls(", ".join(names), frozenset(names))


def called(function: str, *operands: Code, **keywords: Code) -> Code:
    """The call of a function.

    >>> called("np.exp", Code.of("x"), out=Code.of("y")).text
    'np.exp(x, out=y)'
    """
    text = call(function, *(each.text for each in operands), **{name: each.text for name, each in keywords.items()})
    return Code(text, frozenset().union(*(each.reads for each in (*operands, *keywords.values()))))


def operated(operation: str, left: Code, right: Code) -> Code | None:
    """An operation that Python has an operator for; None where it has none.

    >>> a, b = Code.of("a"), Code.of("b")
    >>> operated("divide", operated("add", a, b), operated("multiply", a, b)).text
    '(a + b) / (a * b)'
    """
    if operation in _COMPARISONS:
        return Code(f"{_inside(left, 0)} {_COMPARISONS[operation]} {_inside(right, 0)}", left.reads | right.reads, -1)
    if operation not in _OPERATORS:
        return None
    sign, binds = _OPERATORS[operation]
    return Code(f"{_inside(left, binds)} {sign} {_inside(right, binds + 1)}", left.reads | right.reads, binds)


def _inside(operand: Code, binds: int) -> str:
    return operand.text if operand.binds >= binds else f"({operand.text})"


@dataclass(frozen=True)
class CodeLine:
    """Statement that is done in some cases: `target = value`, or the value alone where there is no target.

    It stays without its target if nothing reads that and it also `acts`. A heading is a comment on the lines after it.
    """

    target: str
    value: Code
    cases: Condition = ALWAYS
    heading: str = ""
    acts: bool = False

    @property
    def text(self) -> str:
        return f"{self.target} = {self.value.text}" if self.target else self.value.text


def that_count(lines: Sequence[CodeLine], cases: Cases, read: Iterable[str]) -> list[CodeLine]:
    """Return the lines without dead assignments; `read` are the names that are read after them.

    >>> acts = CodeLine("r", called("f", Code.of("c")), acts=True)
    >>> lines = [acts, CodeLine("s", Code.of("x")), CodeLine("s", Code("0"))]
    >>> [line.text for line in that_count(lines, Cases(()), ["c", "s"])]
    ['f(c)', 's = 0']
    """
    kept: list[CodeLine] = []
    wanted = dict.fromkeys(read, ALWAYS)
    for line in reversed(lines):
        if line.target:
            if wanted.get(line.target, NEVER) & line.cases & cases.everything:
                wanted[line.target] &= ~line.cases
            elif line.acts:
                line = replace(line, target="")
            else:
                continue
        for name in line.value.reads:
            wanted[name] = wanted.get(name, NEVER) | line.cases
        wanted |= dict.fromkeys(cases.reads(line.cases), ALWAYS)
        kept.append(line)
    return kept[::-1]


def read_by(lines: Iterable[CodeLine], cases: Cases) -> set[str]:
    """The variables that lines and their conditions read."""
    return {name for line in lines for name in line.value.reads | cases.reads(line.cases)}


def named_conditions(
    parts: Iterable[Sequence[CodeLine]], cases: Cases, fresh: Callable[[str], str]
) -> dict[Condition, str]:
    """Names for long conditions that recur: `needs_mu` for that of the computation of `mu`."""
    lines = [line for part in parts for line in part]
    runs = Counter(key for part in parts for key, _ in groupby(line.cases for line in part) if cases.is_long(key))
    first: dict[Condition, str] = {}
    for line in lines:
        if line.target:
            first.setdefault(line.cases, line.target)
    return {key: fresh(f"needs_{first[key]}") for key, count in runs.items() if count > 1 and key in first}


def laid_out(lines: Iterable[CodeLine], cases: Cases, names: Mapping[Condition, str], indent: int) -> list[str]:
    """Lines with their conditions written out, neighbours under one `if`, comments above, none longer than 88.

    >>> b = Cases(("b",)).present("b")
    >>> lines = [CodeLine("t", Code("x + b"), b, "step 1: t = b + x"), CodeLine("t", Code("x"), ~b)]
    >>> print("\\n".join(laid_out(lines, Cases(("b",)), {}, 0)))
    # step 1: t = b + x
    if b is not None:
        t = x + b
    else:
        t = x
    """
    result: list[str] = []
    everything, heading, before = cases.everything, "", ALWAYS
    may_have_else = False
    for line in lines:
        new_heading = line.heading and line.heading != heading
        heading = line.heading or heading
        own = line.cases & everything
        always = own == everything
        if own != before or always:
            if new_heading:
                result += comment(line.heading, indent)
            opposite = may_have_else and not new_heading and own == everything & ~before
            if not always:
                text = names.get(line.cases) or cases.condition(line.cases)
                result += [f"{' ' * indent}else:"] if opposite else statement(f"if {text}:", indent)
            may_have_else = not always and not opposite
            before = own
        elif new_heading:
            result += comment(line.heading, indent + 4)
        result += statement(line.text, indent if always else indent + 4)
    return result


def unpacked(names: Sequence[str], source: str, indent: int) -> list[str]:
    """The statement that unpacks a tuple.

    >>> unpacked(["x", "_"], "values", 0), unpacked(["x"], "values", 0)
    (['x, _ = values'], ['(x,) = values'])
    """
    return statement(f"{listed(names)} = {source}", indent)


def listed(names: Sequence[str]) -> str:
    """Several values, or a tuple of one."""
    return tuple_of(names) if len(names) == 1 else ", ".join(names)
