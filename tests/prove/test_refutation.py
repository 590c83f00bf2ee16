"""Points at which two expressions differ: floats are asked first, and hide nothing."""

import pytest
import sympy

from lngen.algebra.budget import Budget
from lngen.algebra.symbols import D, FeatureSum, Mean, RowMax, RowSymbol, Where
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra

X = RowSymbol("x")
TINY = sympy.Rational(1, 10**9)


def differ(left, right):
    names = Meanings(RowAlgebra(Budget()))
    return [ask(left, right, frozenset()) for ask in (names.differ_at_random_points, names.differ_at_whole_numbers)]


@pytest.mark.parametrize("right", [X * (1 + TINY), X + TINY * X**2, X - TINY * Mean(X), Mean(X)])
def test_what_floats_nearly_agree_on_is_told_apart(right):
    assert differ(X, right) == [True, True]


@pytest.mark.parametrize("right", [X + X**2 * TINY - TINY * X * X, (X * (1 + TINY)) / (1 + TINY)])
def test_what_is_equal_but_for_rounding_is_not(right):
    assert differ(X, right) == [False, False]


def test_what_differs_at_a_tie_alone_is_seen_at_whole_numbers():
    ties = Where(sympy.Ge(X, RowMax(X)), X, 0), Where(sympy.Gt(X, RowMax(X)), X, 0)
    assert differ(*ties) == [True, True]
    assert differ(Where(sympy.Ge(X, 0), 1, 0), Where(sympy.Gt(X, 0), 1, 0)) == [False, True]


def test_a_comparison_that_floats_round_away_is_made_in_many_digits():
    less = Where(sympy.Gt(X + Mean(X) / 10**20, X, evaluate=False), 1, 0)
    assert differ(less, sympy.Integer(0))[1]


def test_a_comparison_that_rounding_decides_tells_nothing():
    assert differ(Where(sympy.Ne(D * Mean(X), FeatureSum(X), evaluate=False), 1, 0), sympy.Integer(0)) == [False, False]


@pytest.mark.parametrize("side", [sympy.log(X), 1 / X, sympy.log(X) - RowMax(sympy.log(X))])
def test_what_has_no_number_at_a_point_tells_nothing_there(side):
    """A warning of NumPy would be an error here."""
    switch = Where(sympy.Ge(side, Mean(side), evaluate=False), X, 0)
    assert differ(switch, switch + X - X * 1) == [False, False]
