"""Small pieces of sentences that several sections share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lngen.algebra.notation import text
from lngen.errors import counted
from lngen.plan.program import FeatureReduction, RowProgram

_FEW = 5


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed("abc")
    ('a', 'a and b', 'a, b and c')
    """
    *most, last = list(words) or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def several(names: Sequence[str], noun: str) -> str:
    """Names where they are few, else how many there are.

    >>> several(["a", "b"], "value"), several(list("abcdef"), "value")
    ('a and b', '6 values')
    """
    return listed(names) if len(names) <= _FEW else counted(len(names), noun)


def verb(number: int, one: str, more: str) -> str:
    """The form of a verb for so many."""
    return one if number == 1 else more


def leading(value: float) -> float:
    """A number rounded to one significant digit.

    >>> leading(256.0), leading(6.2e-08)
    (300.0, 6e-08)
    """
    return float(f"{value:.0e}")


def magnitude(value: float) -> str:
    """A number to one significant digit, at most.

    >>> magnitude(1e19), magnitude(256.0), magnitude(6.2e-08)
    ('1e+19', '300', '6e-08')
    """
    return f"{leading(value):g}"


def reduction_line(reduction: FeatureReduction, order: tuple[str, ...]) -> str:
    """A reduction as a formula."""
    return f"{reduction.symbol.name} = {text(reduction.expression, order)}"


def reductions(program: RowProgram) -> list[list[FeatureReduction]]:
    """The reductions of a program by stage, without those that only measure rounding."""
    found = [[*stage.reductions] for stage in program.stages if stage.reductions and not stage.correction]
    return [each for each in found if each]
