"""A walk over an expression: each head has its method, a shared part is walked once, and an unknown head is refused."""

from typing import Any

import numpy as np
import pytest
import sympy

from lngen.algebra.fold import _METHODS, Fold, _method
from lngen.algebra.normal import NormalDensity, Phi
from lngen.algebra.notation import latex, text
from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import (
    HEADS,
    AttainsFirst,
    Complement,
    D,
    FeatureSum,
    Mean,
    RowMax,
    RowMin,
    RowSymbol,
    StopGradient,
    SumRows,
    Where,
)
from lngen.emit.cpp.expressions import CppPrinter
from lngen.errors import LngenError
from lngen.prove.budget import Budget, TooLargeError
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra

x, y = RowSymbol("x"), RowSymbol("y")

ONE_OF_EACH = [
    x,
    sympy.Rational(2, 3),
    sympy.pi,
    x + 1,
    x * y,
    x**3,
    x < y,
    Where(x > 0, x, y),
    *(head(x) for head in (Mean, FeatureSum, RowMax, RowMin, SumRows, StopGradient, Complement, NormalDensity, Phi)),
    AttainsFirst(x, RowMax(x)),
    *(head(x) for head in HEADS.values()),
]
UNKNOWN = sympy.zeta(x)


@pytest.mark.parametrize("e", ONE_OF_EACH, ids=str)
def test_head_of_a_derivation_has_a_method(e: Any) -> None:
    assert _method(type(e)) in {*_METHODS.values()}


def test_unknown_head_has_no_method() -> None:
    assert _method(type(UNKNOWN)) == _method(sympy.And) == "other"


class _Steps(Fold[int]):
    def __init__(self) -> None:
        self.taken = 0

    def other(self, e: Any) -> int:
        self.taken += 1
        return 1 + max(map(self.of, e.args), default=0)

    symbol = other


def test_part_that_occurs_twice_is_walked_once() -> None:
    e = x
    for _ in range(60):
        e = sympy.sin(e, evaluate=False) + sympy.cos(e, evaluate=False)
    walk = _Steps()
    assert walk.of(e) == 121
    assert walk.taken == 181


WALKS = {
    "numbers": (lambda e: evaluate_expression(e, {x: np.ones((1, 2)), D: 2}, Arithmetic()), TypeError),
    "polynomials": (Meanings(RowAlgebra(Budget())).form, TooLargeError),
    "C++": (CppPrinter({x: "x"}, {}).line, LngenError),
}


@pytest.mark.parametrize("walk", WALKS)
def test_unknown_head_inside_is_refused_by_name(walk: str) -> None:
    of, error = WALKS[walk]
    of(x + sympy.exp(x))
    with pytest.raises(error, match=r"zeta, which occurs in zeta\(x\)"):
        of(x + sympy.exp(UNKNOWN))


def test_unknown_head_is_written_for_readers() -> None:
    assert text(1 + UNKNOWN) == "1 + zeta(x)"
    assert latex(1 + UNKNOWN) == r"1 + \zeta(x)"
