"""A walk over an expression: each head has its method, a shared part is walked once, and an unknown head is refused."""

from typing import Any

import numpy as np
import pytest
import sympy

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.fold import _METHODS, _method
from lngen.algebra.normal import NormalDensity, Phi
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
