"""Emitted Python: expressions, and lines that know what they assign and in which cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

from lngen.algebra.numeric import COMPARE
from lngen.emit.array.expressions import ATOM, PRODUCT, SUM
from lngen.emit.layout import call, comment, listed, statement
from lngen.emit.numpy.presence import Cases
from lngen.plan.presence import ALWAYS, NEVER, Condition

_OPERATORS = {"add": ("+", SUM), "subtract": ("-", SUM), "multiply": ("*", PRODUCT), "divide": ("/", PRODUCT)}
_COMPARISONS: dict[str, str] = {function.__name__: cast(Any, relation).rel_op for relation, function in COMPARE.items()}
_LONGEST = 32
# No attribute, keyword or string is a variable.
_VARIABLE = re.compile(r'(?<![\w."])[A-Za-z_]\w*(?!\w|=[^=])')


class Code(str):
    """Expression, and how tightly its operator binds."""

    binds: int

    def __new__(cls, text: str, binds: int = ATOM) -> Code:
        made = super().__new__(cls, text)
        made.binds = binds
        return made


def reads(text: str) -> set[str]:
    """The variables that code reads.

    >>> sorted(reads('np.exp(x, out=_rows.memory(y, "float32"))'))
    ['_rows', 'np', 'x', 'y']
    """
    return set(_VARIABLE.findall(text))


def called(function: str, *operands: str, **keywords: str) -> Code:
    """The call of a function.

    >>> called("np.exp", "x", out="y")
    'np.exp(x, out=y)'
    """
    return Code(call(function, *operands, **keywords))


def operated(operation: str, left: Code, right: Code) -> Code | None:
    """An operation that Python has an operator for; None where it has none.

    >>> a, b = Code("a"), Code("b")
    >>> operated("divide", operated("add", a, b), operated("multiply", a, b))
    '(a + b) / (a * b)'
    """
    sign, binds = (_COMPARISONS[operation], -1) if operation in _COMPARISONS else _OPERATORS.get(operation, ("", 0))
    inside = [side if side.binds >= least else f"({side})" for side, least in ((left, binds), (right, binds + 1))]
    return Code(f" {sign} ".join(inside), binds) if sign else None


@dataclass(frozen=True)
class CodeLine:
    """Assignment `target = value`, which is done in some cases.

    It stays if nothing reads its target but it `acts`. A heading is a comment on the lines after it.
    """

    target: str
    value: str
    cases: Condition = ALWAYS
    heading: str = ""
    acts: bool = False

    @property
    def text(self) -> str:
        return f"{self.target} = {self.value}"


def that_count(lines: Sequence[CodeLine], cases: Cases, read: Iterable[str]) -> list[CodeLine]:
    """Return the lines without dead assignments; `read` are the names that are read after them.

    >>> lines = [CodeLine("r", "f(c)", acts=True), CodeLine("s", "x"), CodeLine("s", "0")]
    >>> [line.text for line in that_count(lines, Cases(()), ["c", "s"])]
    ['r = f(c)', 's = 0']
    """
    kept: list[CodeLine] = []
    wanted = dict.fromkeys(read, ALWAYS)
    for line in reversed(lines):
        if wanted.get(line.target, NEVER) & line.cases & cases.everything:
            wanted[line.target] &= ~line.cases
        elif not line.acts:
            continue
        for name in reads(line.value):
            wanted[name] = wanted.get(name, NEVER) | line.cases
        wanted |= dict.fromkeys(reads(cases.condition(line.cases)), ALWAYS)
        kept.append(line)
    return kept[::-1]


def read_by(lines: Iterable[CodeLine], cases: Cases) -> set[str]:
    """The variables that lines and their conditions read."""
    return {name for line in lines for name in reads(line.value) | reads(cases.condition(line.cases))}


def named_conditions(
    parts: Iterable[Sequence[CodeLine]], cases: Cases, fresh: Callable[[str], str]
) -> dict[Condition, str]:
    """Return names for long conditions that recur: `with_ddx_without_gamma`, or `needs_mu` where that would be long."""
    lines = [line for part in parts for line in part]
    runs = Counter(key for part in parts for key, _ in groupby(line.cases for line in part) if cases.is_long(key))
    first: dict[Condition, str] = {}
    for line in lines:
        first.setdefault(line.cases, line.target)
    names = {key: in_words(cases.condition(key)) or f"needs_{first[key]}" for key, count in runs.items() if count > 1}
    return {key: fresh(name) for key, name in names.items()}


def in_words(condition: str) -> str:
    """Return a name for a condition of one kind of tests; nothing for others, and where it would be long.

    >>> in_words("ddx_rows is not None and gamma is None"), in_words("ddx is not None or ddgamma is not None")
    ('with_ddx_without_gamma', 'with_ddx_or_ddgamma')
    >>> in_words("a is not None and (b is not None or c is not None)")
    ''
    """
    tests = re.findall(r"(\w+) is (not )?None", condition)
    there, absent = ([name.removesuffix("_rows") for name, sign in tests if bool(sign) == is_] for is_ in (True, False))
    link = "_or_" if " or " in condition else "_and_"
    if "(" in condition or (absent and (link == "_or_" or not there)):
        return ""
    name = f"with_{link.join(there)}" + f"_without_{'_or_'.join(absent)}" * bool(absent)
    return name if len(name) <= _LONGEST else ""


def laid_out(lines: Iterable[CodeLine], cases: Cases, names: Mapping[Condition, str], indent: int) -> list[str]:
    """Lines with their conditions written out, neighbours under one `if`, comments above, none longer than 88.

    >>> b = Cases(("b",)).present("b")
    >>> lines = [CodeLine("t", "x + b", b, "step 1: t = b + x"), CodeLine("t", "x", ~b)]
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
