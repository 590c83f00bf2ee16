"""The algebra of the proofs on explicit symbols, each of which is one number."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.symbols import Sigmoid, Where
from lngen.prove.facts import Facts
from lngen.prove.generators import UndefinedError
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra
from lngen.prove.vanishing import vanishes


class Numbers:
    """Expressions in numbers: which of them the algebra shows to be zero."""

    def __init__(self) -> None:
        self.names = Meanings(RowAlgebra(Budget()))

    def vanishes(self, difference: sympy.Expr) -> bool:
        """Test whether an expression is shown to be zero; raises TooLargeError or UndefinedError."""
        algebra = self.names.algebra
        facts = Facts(algebra, poles=self.names.poles([difference], frozenset()))
        return vanishes(self.names.form(difference), algebra, facts)

    def claim_not_negative(self, e: sympy.Expr) -> None:
        """Note that an expression is not negative, where it occurs as it is."""
        self.names.algebra.claim_not_negative(self.names.form(e))


a, b = sympy.symbols("a b", real=True)
eps = sympy.Symbol("eps", positive=True)
r = (a**2 + eps) ** sympy.Rational(-1, 2)

IDENTITIES = [
    # roots and their relations
    (r**2 * (a**2 + eps), 1),
    (sympy.sqrt(a**2 + eps) * r, 1),
    ((a**2 + eps) ** sympy.Rational(3, 4) / (a**2 + eps) ** sympy.Rational(1, 4), sympy.sqrt(a**2 + eps)),
    (r.diff(a), -a * r**3),
    # bases that differ by a number
    (sympy.sqrt(4 * a**2 + 4 * eps), 2 * sympy.sqrt(a**2 + eps)),
    (sympy.sqrt(8 * a**2 + 8 * eps), sympy.sqrt(2) * 2 * sympy.sqrt(a**2 + eps)),
    (sympy.sqrt(2) * sympy.sqrt(3), sympy.sqrt(6)),
    # a root under a fraction line
    (1 / (1 / r + eps), r / (1 + eps * r)),
    # exponentials add up, and leave a sum
    (sympy.exp(a + b), sympy.exp(a) * sympy.exp(b)),
    (sympy.exp(a - b) / (sympy.exp(a - b) + 1), sympy.exp(a) / (sympy.exp(a) + sympy.exp(b))),
    (1 / sympy.sqrt(sympy.exp(2 * a) + sympy.exp(2 * b)), sympy.exp(-a) / sympy.sqrt(1 + sympy.exp(2 * b - 2 * a))),
    (sympy.log(sympy.exp(a) + sympy.exp(b)), a + sympy.log(1 + sympy.exp(b - a))),
    (sympy.log(sympy.exp(a)), a),
    # an exponential of what itself has exponentials
    (sympy.exp(sympy.exp(a - b) / (1 + sympy.exp(a - b))), sympy.exp(sympy.exp(a) / (sympy.exp(a) + sympy.exp(b)))),
    # functions stand for themselves
    (Sigmoid(a).diff(a), Sigmoid(a) - Sigmoid(a) ** 2),
    (sympy.erf(a / sympy.sqrt(2)).diff(a), sympy.sqrt(2) / sympy.sqrt(sympy.pi) * sympy.exp(-(a**2) / 2)),
    # signs and selects, in every region
    (sympy.Abs(a * b), sympy.Abs(a) * sympy.Abs(b)),
    (sympy.sign(3 * a) * a, sympy.Abs(a)),
    (sympy.sign(a - b), -sympy.sign(b - a)),
    (sympy.sign(a**3 * r), sympy.sign(a)),
    (Where(a > b, a, b) + Where(a > b, b, a), a + b),
    (Where(a > b, a, b), (a + b + sympy.Abs(a - b)) / 2),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities(left: sympy.Expr, right: sympy.Expr) -> None:
    assert Numbers().vanishes(left - right)
    assert not Numbers().vanishes(left - right + a)
    assert not Numbers().vanishes(left - sympy.Rational(2) * right)


@pytest.mark.parametrize("base", [sympy.Integer(5), a**2 + eps])
def test_a_root_and_one_of_higher_order_are_not_independent(base: sympy.Expr) -> None:
    root, fourth = sympy.sqrt(base), sympy.root(base, 4)
    difference = base ** sympy.Rational(3, 4) / (b + root) - fourth * (1 - b / (b + root))
    algebra = Numbers()
    assert algebra.vanishes(b / (b + root) + 1 / (1 + b / root) - 1)
    assert algebra.vanishes(difference)
    assert not algebra.vanishes(difference + fourth)


def test_signs_of_what_cannot_be_negative() -> None:
    # A square of a sum is multiplied out, and told.
    above = sympy.expand((a - b) ** 2 + a**2) + eps
    assert not Numbers().vanishes(sympy.Abs(above, evaluate=False) - above)
    told = Numbers()
    told.claim_not_negative((a - b) ** 2 + a**2)
    assert told.vanishes(sympy.Abs(above, evaluate=False) - above)
    assert not told.vanishes(sympy.Abs(above - 2 * eps, evaluate=False) - above + 2 * eps)


@pytest.mark.ci
def test_work_is_bounded() -> None:
    symbols = sympy.symbols("x:12", real=True)
    with pytest.raises(TooLargeError, match="terms"):
        Numbers().vanishes(1 / sympy.sqrt(sum(symbols) ** 8 + 1) - 1)
    budget = Budget()
    with pytest.raises(TooLargeError):
        budget.spend(budget.left + 1)


def test_a_division_by_what_is_always_zero_is_undefined():
    zero = (a + b) ** 2 - a**2 - 2 * a * b - b**2
    for power in (-1, -2, sympy.Rational(-1, 2)):
        with pytest.raises(UndefinedError):
            Numbers().vanishes(b * zero**power)
