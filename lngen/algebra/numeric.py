"""Numbers for symbolic expressions: the interpreter behind the 50-digit checks and the second derivation.

It evaluates what a derivation says, over mpmath or any NumPy float type. The oracle of a check is
`lngen.language.oracle.evaluate`, which walks the definition and knows nothing of this module.

Shapes: a row value is (rows, D), a row scalar (rows, 1), a Feature (D,), a Scalar ().
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr
from sympy.core.relational import Relational

from lngen.algebra.equations import Equation
from lngen.algebra.normal import NormalDensity, Phi, in_elementary
from lngen.algebra.symbols import (
    ENTRY_OF,
    AttainsFirst,
    D,
    FeatureSum,
    Mean,
    RowMax,
    RowMin,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    axes,
)
from lngen.language.oracle import multiprecision, real_functions

Environment = dict[TypedSymbol, Any]
Walk = Callable[[Any], Any]


class Arithmetic:
    """One number type: its constants, functions, and the order in which it adds and multiplies.

    `digits` is None for NumPy floats.
    """

    def __init__(self, digits: int | None = None, dtype: Any = np.float64) -> None:
        self.digits = digits
        self.dtype = np.dtype(object) if digits else np.dtype(dtype)

    def number(self, value: Expr) -> Any:
        """An exact constant, correctly rounded."""
        if self.digits:
            return mpmath.mpf(value.p) / value.q if value.is_Rational else value._to_mpmath(mpmath.mp.prec)
        if value.is_Rational:
            return self.dtype.type(value.p) / self.dtype.type(value.q)
        return self.dtype.type(str(sympy.N(value, 40)))

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        if self.digits:
            return _over(getattr(_MPMATH, name), *arguments)
        return np.asarray(real_functions.function(name)(*map(np.asarray, arguments))).astype(self.dtype)

    def add(self, e: Expr, walk: Walk) -> Any:
        """The value of a sum; `walk` gives that of a part of it."""
        return _fold(np.add, [walk(a) for a in e.args])

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The value of a product."""
        return _fold(np.multiply, [walk(a) for a in e.args])

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power."""
        return _power(base, exponent, self)

    def total(self, values: Any, keep: bool) -> Any:
        """The sum over the feature axis, which stays with length 1 to `keep` it."""
        return np.sum(values, axis=-1, keepdims=keep)


_MPMATH = multiprecision.Functions(mpmath.mp)


def _over(function: Any, *arguments: Any) -> Any:
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


COMPARE: dict[type, Any] = {
    sympy.StrictGreaterThan: np.greater,
    sympy.GreaterThan: np.greater_equal,
    sympy.StrictLessThan: np.less,
    sympy.LessThan: np.less_equal,
    sympy.Equality: np.equal,
    sympy.Unequality: np.not_equal,
}
"""Function of each relation."""


def evaluate_expression(expression: Expr, environment: Mapping[Any, Any], arithmetic: Arithmetic) -> Any:
    """The value of an expression, of the shape its axes call for.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> evaluate_expression(x - Mean(x), {x: np.array([[1.0, 3.0]]), D: 2}, Arithmetic())
    array([[-1.,  1.]])
    """
    memo: dict[Expr, Any] = {}

    def walk(e: Expr) -> Any:
        if e not in memo:
            memo[e] = compute(e)
        return memo[e]

    def compute(e: Expr) -> Any:
        if isinstance(e, sympy.Symbol):
            return environment[e]
        if e.is_Number or isinstance(e, sympy.NumberSymbol):
            return arithmetic.number(e)
        if isinstance(e, sympy.Add):
            return arithmetic.add(e, walk)
        if isinstance(e, sympy.Mul):
            return arithmetic.multiply(e, walk)
        if isinstance(e, sympy.Pow):
            return arithmetic.power(walk(e.base), e.exp)
        if isinstance(e, Relational):
            return COMPARE[type(e)](walk(e.args[0]), walk(e.args[1]))
        if isinstance(e, Where):
            return np.where(np.asarray(walk(e.args[0]), dtype=bool), walk(e.args[1]), walk(e.args[2]))
        if isinstance(e, StopGradient):
            return walk(e.args[0])
        if type(e) in ENTRY_OF:
            return arithmetic.apply(ENTRY_OF[type(e)].name, walk(e.args[0]))
        if isinstance(e, (NormalDensity, Phi)):
            return walk(in_elementary(e))
        if isinstance(e, SumRows):
            return _sum_rows(e, walk)
        if isinstance(e, AttainsFirst):
            first = _attains_first(_whole_row(e.args[0], walk, environment), np.asarray(walk(e.args[1])))
            return np.where(first, arithmetic.number(sympy.S.One), arithmetic.number(sympy.S.Zero))
        if isinstance(e, (Mean, FeatureSum, RowMax, RowMin)):
            return _reduce(e, walk, environment, arithmetic)
        raise TypeError(f"no numeric meaning for {type(e).__name__}")

    with np.errstate(all="ignore"):
        return walk(expression)


def _fold(operation: Any, values: list[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = operation(total, value)
    return total


def _power(base: Any, exponent: Expr, arithmetic: Arithmetic) -> Any:
    if exponent.is_Integer:
        n = int(exponent)
        return base**n if n > 0 else _reciprocal(base ** (-n), arithmetic)
    if exponent.q == 2:
        root = arithmetic.apply("sqrt", base)
        return root**exponent.p if exponent.p > 0 else _reciprocal(root ** (-exponent.p), arithmetic)
    number = arithmetic.number(exponent)
    return _over(multiprecision.real(mpmath.mp, mpmath.power), base, number) if arithmetic.digits else base**number


def _reciprocal(value: Any, arithmetic: Arithmetic) -> Any:
    if not arithmetic.digits:
        return 1 / value
    # mpmath raises where IEEE arithmetic goes on.
    return _over(lambda v: mpmath.nan if v == 0 else 1 / v, value)


def _features(environment: Mapping[Any, Any]) -> int:
    return int(environment[D])


def _reduce(e: Expr, walk: Any, environment: Mapping[Any, Any], arithmetic: Arithmetic) -> Any:
    value = _whole_row(e.args[0], walk, environment)
    keep = axes(e.args[0]).rows
    if isinstance(e, (RowMax, RowMin)):
        return (np.max if isinstance(e, RowMax) else np.min)(value, axis=-1, keepdims=keep)
    total = arithmetic.total(value, keep)
    return total / _features(environment) if isinstance(e, Mean) else total


def _whole_row(body: Expr, walk: Any, environment: Mapping[Any, Any]) -> Any:
    """A value with all its features: it may turn out to be the same for all rows or features, such as zero."""
    value = np.asarray(walk(body))
    rows = (value.shape[0] if value.ndim == 2 else 1,) if axes(body).rows else ()
    return np.broadcast_to(value, (*rows, _features(environment)))


def _sum_rows(e: Expr, walk: Any) -> Any:
    value = np.asarray(walk(e.args[0]))
    if axes(e.args[0]).features:
        return np.sum(value, axis=0)
    return np.sum(value)


def _attains_first(body: Any, extreme: Any) -> Any:
    hits = np.asarray(body == extreme, dtype=bool)
    return hits & (np.cumsum(hits, axis=-1) == 1)


def evaluate_equations(equations: Iterable[Equation], environment: Environment, arithmetic: Arithmetic) -> Environment:
    """The environment with every equation's value added, in order."""
    result = dict(environment)
    for equation in equations:
        result[equation.symbol] = evaluate_expression(equation.expression, result, arithmetic)
    return result
