"""Numbers for symbolic expressions: the interpreter behind the 50-digit checks and the second derivation.

It evaluates what a derivation says, over mpmath or any NumPy float type. The oracle of a check is
`lngen.language.oracle.evaluate`, which walks the definition and knows nothing of this module.

Shapes: a row value is (rows, D), a row scalar (rows, 1), a Feature (D,), a Scalar ().
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr, Pow, Symbol
from sympy.core.relational import Relational

from lngen.algebra.equations import Equation
from lngen.algebra.fold import Fold
from lngen.algebra.normal import in_elementary
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    AttainsFirst,
    D,
    Mean,
    Power,
    Reduction,
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
        return reduce(np.add, map(walk, e.args))

    def is_constant(self, e: Expr) -> bool:
        """Test whether a power or a function is taken as one number, and not by its operands."""
        return False

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The value of a product."""
        return reduce(np.multiply, map(walk, e.args))

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power."""
        return _power(base, exponent, self)

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return _over(_MPMATH.raised, base, exponent) if self.digits else np.power(base, exponent)

    def places(self, count: int) -> Any:
        """The number of each entry of a row."""
        return np.arange(count).astype(self.dtype)

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
    with np.errstate(all="ignore"):
        return _NumericWalk(environment, arithmetic).of(expression)


class _NumericWalk(Fold[Any]):
    cannot, refusal = "no numeric meaning for", TypeError

    def __init__(self, environment: Mapping[Any, Any], arithmetic: Arithmetic) -> None:
        self.environment, self.arithmetic = environment, arithmetic

    def symbol(self, e: Symbol) -> Any:
        if e == PLACE:
            return self.arithmetic.places(int(self.environment[D]))
        return self.environment[e]

    def number(self, e: Expr) -> Any:
        return self.arithmetic.number(e)

    def add(self, e: Expr) -> Any:
        return self.arithmetic.add(e, self.of)

    def multiply(self, e: Expr) -> Any:
        return self.arithmetic.multiply(e, self.of)

    def power(self, e: Pow) -> Any:
        if self.arithmetic.is_constant(e):
            return self.arithmetic.number(e)
        if isinstance(e, Power):
            return self.arithmetic.raised(self.of(e.base), self.of(e.exp))
        return self.arithmetic.power(self.of(e.base), e.exp)

    def relation(self, e: Relational) -> Any:
        return COMPARE[type(e)](*map(self.of, e.args))

    def where(self, e: Where) -> Any:
        condition, chosen, otherwise = map(self.of, e.args)
        return np.where(np.asarray(condition, dtype=bool), chosen, otherwise)

    def stop_gradient(self, e: StopGradient) -> Any:
        # Where inputs are moved, what no gradient flows through has a value of its own.
        return self.environment[e] if e in self.environment else self.of(e.args[0])

    def function(self, e: Expr) -> Any:
        if self.arithmetic.is_constant(e):
            return self.arithmetic.number(e)
        return self.arithmetic.apply(ENTRY_OF[type(e)].name, self.of(e.args[0]))

    def normal(self, e: Expr) -> Any:
        return self.of(in_elementary(e))

    def sum_rows(self, e: SumRows) -> Any:
        return np.sum(np.asanyarray(self.of(e.args[0])), axis=0 if axes(e.args[0]).features else None)

    def attains_first(self, e: AttainsFirst) -> Any:
        body, extreme = e.args
        hits = np.asarray(self._whole_row(body) == np.asanyarray(self.of(extreme)), dtype=bool)
        first = hits & (np.cumsum(hits, axis=-1) == 1)
        return np.where(first, self.arithmetic.number(sympy.S.One), self.arithmetic.number(sympy.S.Zero))

    def reduction(self, e: Reduction) -> Any:
        values, keep = self._whole_row(e.args[0]), axes(e.args[0]).rows
        if isinstance(e, (RowMax, RowMin)):
            found = (np.max if isinstance(e, RowMax) else np.min)(values, axis=-1, keepdims=keep)
            # Of objects, NumPy passes over what is not a number.
            undefined = np.any(values != values, axis=-1, keepdims=keep)
            return np.where(undefined, np.nan * self.arithmetic.number(sympy.S.One), found)
        total = self.arithmetic.total(values, keep)
        return total / int(self.environment[D]) if isinstance(e, Mean) else total

    def _whole_row(self, body: Expr) -> Any:
        """A value with all its features: it may turn out to be the same for all rows or features, such as zero."""
        value = np.asanyarray(self.of(body))
        rows = (value.shape[0] if value.ndim == 2 else 1,) if axes(body).rows else ()
        return np.broadcast_to(value, (*rows, int(self.environment[D])), subok=True)


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


def evaluate_equations(equations: Iterable[Equation], environment: Environment, arithmetic: Arithmetic) -> Environment:
    """The environment with every equation's value added, in order."""
    result = dict(environment)
    for equation in equations:
        result[equation.symbol] = evaluate_expression(equation.expression, result, arithmetic)
    return result
