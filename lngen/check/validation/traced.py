"""Numbers that know how they were computed: an expression, and its value at one point.

Arrays of NumPy hold them as objects, so that emitted functions run on them unchanged, in the memory that they share and
overwrite. What looks at a number, as a comparison does, sees its value. The expression is then that of the region in
which the point lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.numeric import Arithmetic
from lngen.algebra.symbols import HEADS, Power, Sigmoid
from lngen.language.oracle.multiprecision import Functions

_DIGITS = 40
_ZERO = mpmath.mpf(10) ** -25
_LARGEST_DENOMINATOR, _ULPS = 1000, 4
_CONTEXT = mpmath.mp.clone()
_CONTEXT.dps = _DIGITS
_FUNCTIONS = Functions(_CONTEXT)


class Traced:
    """A number: its expression, and its value.

    >>> x, y = Traced.symbol("x", 0.5), Traced.symbol("y", -2.0)
    >>> (x*y + 1).expression, abs(y).expression, max(x, y).expression, np.sqrt(np.array([x])).tolist()
    (x*y + 1, -y, x, [sqrt(x)])
    """

    __slots__ = ("expression", "value")

    def __init__(self, expression: Expr, value: Any) -> None:
        self.expression, self.value = expression, value

    @classmethod
    def symbol(cls, name: str, value: Any, **facts: bool) -> Traced:
        """Return a number of which nothing is known besides a value."""
        return cls(sympy.Symbol(name, real=True, **facts), _CONTEXT.mpf(value))

    @classmethod
    def of(cls, value: Any) -> Traced:
        """Return a number of a text: the exact one that it is the nearest float to.

        It is a fraction of small numbers, or one of those that `constants` names.

        >>> Traced.of(1/3 - 1), Traced.of(0.1), Traced.of(0.12345).expression == sympy.Rational(0.12345)
        (-2/3, 1/10, True)
        """
        if isinstance(value, Traced):
            return value
        if isinstance(value, np.ndarray) and not value.ndim:
            return cls.of(value.item())
        if isinstance(value, Expr):
            return cls(value, _value_of(value))
        if isinstance(value, str):
            value = float(value)
        if isinstance(value, (bool, int, np.integer, np.bool_)):
            exact: Expr = sympy.Integer(int(value))
        elif isinstance(value, (float, np.floating)):
            exact = _exact(float(value), _constants[-1])
        else:
            raise TypeError(f"memory that was never written is read: {value!r}")
        return cls(exact, _value_of(exact))

    def __repr__(self) -> str:
        return str(self.expression)

    # ---- arithmetic

    def _with(self, other: Any, made: Callable[[Traced, Traced], Traced]) -> Any:
        """Apply an operator to two numbers; NumPy applies it to the entries of an array."""
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        right = Traced.of(other)
        return UNCOMPUTED if self is UNCOMPUTED or right is UNCOMPUTED else made(self, right)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Traced(a.expression + b.expression, a.value + b.value))

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Traced(a.expression - b.expression, a.value - b.value))

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Traced(a.expression * b.expression, a.value * b.value))

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, _quotient)

    def __pow__(self, other: Any) -> Any:
        return self._with(other, _power)

    def __radd__(self, other: Any) -> Any:
        return Traced.of(other) + self

    def __rsub__(self, other: Any) -> Any:
        return Traced.of(other) - self

    def __rmul__(self, other: Any) -> Any:
        return Traced.of(other) * self

    def __rtruediv__(self, other: Any) -> Any:
        return Traced.of(other) / self

    def __rpow__(self, other: Any) -> Any:
        return Traced.of(other) ** self

    def __neg__(self) -> Any:
        return self if self is UNCOMPUTED else Traced(-self.expression, -self.value)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Any:
        return self if self is UNCOMPUTED else -self if self < 0 else self

    def conjugate(self) -> Traced:
        """Return the number itself; NumPy asks for it in products of rows."""
        return self

    # ---- what looks at the value

    @property
    def is_zero(self) -> bool:
        """Test whether the value is zero, but for rounding."""
        return bool(abs(self.value) < _ZERO)

    @property
    def is_infinite(self) -> bool:
        """Test whether the value has no bound, as the logarithm of zero."""
        return bool(self.expression.has(sympy.zoo, sympy.oo, -sympy.oo))

    def _less(self, other: Any) -> int:
        """Return the sign of the difference from another number, or 2 if there is none."""
        right = Traced.of(other)
        if self is UNCOMPUTED or right is UNCOMPUTED:
            raise TypeError("a value that a ufunc left out is looked at")
        difference = self.value - right.value
        if difference != difference:
            return 2
        return 0 if abs(difference) < _ZERO else 1 if difference > 0 else -1

    def _compared(self, other: Any, *signs: int) -> Any:
        """Test whether the difference has one of some signs; NumPy compares the entries of an array."""
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        return self._less(other) in signs

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, -1)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, -1, 0)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, 1)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, 1, 0)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, 0)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, -1, 1, 2)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return not self.is_zero

    # ---- functions: NumPy calls the method of a ufunc's name

    def __getattr__(self, name: str) -> Callable[[], Traced]:
        if name not in HEADS and name not in ("sqrt", "square"):
            raise AttributeError(name)
        return lambda: function(name, self)


UNDEFINED = Traced(sympy.nan, _CONTEXT.nan)
"""The number that a division by zero gives."""

UNCOMPUTED = Traced.symbol("uncomputed", "nan")
"""A number that a ufunc left out with `where`, and what is computed of it: a later select has to drop it."""


def _quotient(a: Traced, b: Traced) -> Traced:
    if b.is_zero:
        return UNDEFINED
    rest = b.expression - 1
    if isinstance(rest, sympy.exp) and a.expression == 1:
        # The runtime computes a sigmoid so. Named, it is short, and proofs know its slope.
        return Traced(Sigmoid(-rest.args[0]), a.value / b.value)
    return Traced(a.expression / b.expression, a.value / b.value)


def _power(base: Traced, exponent: Traced) -> Traced:
    is_whole = exponent.expression.is_Integer
    if (base.is_zero and exponent.value < 0) or (base.value < 0 and not is_whole):
        return UNDEFINED
    if not exponent.expression.is_Rational:
        return Traced(Power(base.expression, exponent.expression), _FUNCTIONS.raised(base.value, exponent.value))
    value = base.value ** int(exponent.expression) if is_whole else _CONTEXT.power(base.value, exponent.value)
    return Traced(base.expression**exponent.expression, value)


def function(name: str, operand: Any) -> Traced:
    """Apply a function of the language to a number.

    >>> function("exp", Traced.symbol("x", 0)), function("log", Traced.of(-1))
    (exp(x), nan)
    """
    of = Traced.of(operand)
    if of is UNCOMPUTED:
        return UNCOMPUTED
    if of.value != of.value:
        return UNDEFINED
    if name in ("square", "abs"):
        found: Traced = of * of if name == "square" else abs(of)
        return found
    if name == "sign":
        return Traced.of(0 if of.is_zero else 1 if of > 0 else -1)
    value = _CONTEXT.sqrt(of.value) if name == "sqrt" and of.value >= 0 else None
    if name != "sqrt":
        value = getattr(_FUNCTIONS, name)(of.value)
    if value is None or value != value:
        return UNDEFINED
    head = sympy.sqrt if name == "sqrt" else HEADS[name]
    return Traced(head(of.expression), value)


_constants: list[tuple[tuple[float, Expr], ...]] = [()]


@contextmanager
def constants(exact: Iterable[Expr]) -> Iterator[None]:
    """Read floats of a text as these numbers, where they are the nearest ones to them.

    >>> with constants([sympy.sqrt(2)]):
    ...     Traced.of(2**0.5), Traced.of(0.5)
    (sqrt(2), 1/2)
    """
    _constants.append(tuple((float(each), each) for each in exact))
    try:
        yield
    finally:
        _constants.pop()


def numbers_in(bodies: Iterable[Expr]) -> Iterator[Expr]:
    """Yield the real numbers in expressions, and those that products begin with.

    >>> x = sympy.Symbol("x")
    >>> list(numbers_in([x/sympy.sqrt(3)]))[0]
    sqrt(3)/3
    """
    for part in (part for body in bodies for part in sympy.preorder_traversal(body) if isinstance(part, Expr)):
        number = part.as_independent(*part.free_symbols, as_Add=False)[0] if part.is_Mul else part
        if number.is_comparable and number.is_finite:
            yield number


def traced(array: Any) -> np.ndarray[Any, Any]:
    """Return an array, or a number, as one of traced numbers. Raises TypeError for memory that was never written."""
    given = np.asarray(array, object)
    found = np.empty(given.shape, object)
    for place, value in np.ndenumerate(given):
        found[place] = Traced.of(value)
    return found


class TracedType:
    """The type of arrays of traced numbers, for text that makes arrays and numbers of a type.

    >>> np.empty(2, TracedType()).dtype, TracedType().type("0.1")
    (dtype('O'), 1/10)
    """

    dtype = np.dtype(object)
    itemsize, name = 8, "float64"
    type = staticmethod(Traced.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TracedType) or bool(other == self.dtype)

    def __hash__(self) -> int:
        return hash(self.dtype)


class TracedArithmetic(Arithmetic):
    """Arithmetic of traced numbers, with which `evaluate_expression` gives expressions."""

    def __init__(self) -> None:
        super().__init__(dtype=object)

    def number(self, value: Expr) -> Any:
        """An exact constant."""
        return Traced(value, _value_of(value))

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        (argument,) = arguments
        return np.frompyfunc(lambda each: function(name, each), 1, 1)(argument)

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return np.frompyfunc(lambda a, b: Traced.of(a) ** Traced.of(b), 2, 1)(base, exponent)

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power."""
        return self.raised(base, self.number(exponent))


@cache
def _exact(value: float, known: tuple[tuple[float, Expr], ...]) -> Expr:
    """Return the number that a float stands for, which a text may have computed in a few roundings, as 1/3 - 1."""
    within = _ULPS * float(np.spacing(abs(value)))
    for rounded, exact in known:
        if abs(value - rounded) <= within:
            return exact
    near = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    if abs(value - float(near)) <= within:
        return sympy.Rational(near.numerator, near.denominator)
    for rounded, exact in known:
        times = Fraction(value / rounded).limit_denominator(_LARGEST_DENOMINATOR)
        if times and abs(value - float(times) * rounded) <= within:
            return sympy.Rational(times.numerator, times.denominator) * exact
    return sympy.Rational(value)


@cache
def _value_of(exact: Expr) -> Any:
    if exact.is_Rational:
        return _CONTEXT.mpf(exact.p) / exact.q
    return _CONTEXT.mpf(str(sympy.N(exact, _DIGITS)))
