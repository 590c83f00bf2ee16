"""Arrays of numbers modulo a prime, on which the text of NumPy runs as it is.

A number is a float64 below 2**26, so that products and their sums are exact. A Python number that meets one is the
first convergent that is rounded to it, as in `residues`. `NUMPY` is NumPy to a text: the arrays that it makes are of
residues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from itertools import takewhile
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from sympy import Add, Expr

from lngen.algebra.numeric import Walk
from lngen.checks.field.residues import FUNCTIONS, PrimeField, ResidueArithmetic, modulo, rounded
from lngen.emit.expressions import terms_in_order

P = 2**26 - 5
"""The prime."""


class NotCoveredError(Exception):
    """A function that has no meaning modulo a prime."""


def _residue(value: float) -> float:
    return float(modulo(value, P))


class ResidueArray(np.ndarray[Any, Any]):
    """An array whose floats are residues; integers and truth values are as in any array."""

    divided_by_zero: ClassVar[bool] = False
    """True once a divisor was 0 modulo the prime, as one in 2**26 is by chance."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        into = out[0] if out else None
        if ufunc not in _FROM_INTEGERS and not any(_is_float(each) for each in inputs):
            values = map(_ordered if ufunc in _BY_ORDER else _plain, inputs)
            made = getattr(ufunc, method)(*values, **options)
        elif method == "__call__":
            where = options.pop("where", True)
            made = _called(ufunc, inputs, options)
            if into is not None and where is not True:
                np.copyto(_plain(into), made, where=_plain(where))
                return into
        else:
            made = _reduced(ufunc, method, inputs, options)
        if into is None:
            return np.asarray(made).view(ResidueArray)
        _plain(into)[...] = made
        return into

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        places = _VALUES.get(function.__name__, ())
        if places and any(map(_is_float, arguments)):
            arguments = tuple([residues(each) if place in places else each for place, each in enumerate(arguments)])
        return _wrapped(super().__array_function__(function, types, arguments, options))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return found if isinstance(found, np.ndarray) else np.asarray(found).view(ResidueArray)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, residues(value) if self.dtype.kind == "f" else value)

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> Any:
        """Return the numbers in another type."""
        made = super().astype(dtype, *arguments, **options)
        return of_numbers(_plain(made)) if made.dtype.kind == "f" != self.dtype.kind else made

    def fill(self, value: Any) -> None:
        """Set every entry."""
        self[...] = value

    def dot(self, other: Any, out: Any = None) -> Any:
        """Return the product of a vector or a matrix and a matrix, summed over its first axis."""
        product: Any = np.multiply(self[..., np.newaxis], other) if np.ndim(other) == 2 else np.multiply(self, other)
        return np.add.reduce(product, axis=self.ndim - 1, out=out)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, ResidueArray) else value


def _ordered(value: Any) -> Any:
    """Return integers in the order that residues have, in which none is below zero."""
    is_signed = type(value) is int or getattr(getattr(value, "dtype", None), "kind", "") == "i"
    return np.asarray(_plain(value)) % np.int64(P) if is_signed else _plain(value)


def _wrapped(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(map(_wrapped, value))
    return np.asarray(value).view(ResidueArray) if isinstance(value, (np.ndarray, np.generic)) else value


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def residues(value: Any) -> Any:
    """Return a number or an array as residues, in an array of NumPy."""
    if isinstance(value, ResidueArray):
        return _plain(value) if value.dtype.kind == "f" else value.view(np.ndarray) % P
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype.kind != "f"):
        if value.dtype.kind == "f":
            raise NotCoveredError("an array of floats that no function of `NUMPY` made")
        return value % P
    return np.float64(_residue(float(value)))


def of_numbers(values: Any) -> Any:
    """Return numbers, or integers, as residues."""
    values = _plain(np.asarray(values))
    made = np.vectorize(_residue, otypes=[float])(values) if values.dtype.kind == "f" else values % P
    return np.asarray(made, np.float64).view(ResidueArray)


# ---- functions of arrays


def _inverse(values: Any) -> Any:
    flat = np.asarray(values, np.float64).reshape(-1)
    if not flat.all():
        ResidueArray.divided_by_zero = True
    found = [float(pow(int(each), P - 2, P)) if each == each else each for each in flat.tolist()]
    return np.array(found).reshape(np.shape(values))


def _hashed(which: Any, values: Any) -> Any:
    """Return what any function gives for numbers, as `residues` does; undefined ones stay so."""
    flat = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        z = np.where(np.isnan(flat), 0, flat).astype(np.uint64) + np.asarray(which, np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found = ((z ^ (z >> np.uint64(31))) % np.uint64(P)).astype(np.float64)
    return np.where(np.isnan(flat), np.nan, found)


def _function(name: str) -> Callable[[Any], Any]:
    which = FUNCTIONS.index(name) + 1
    return lambda values: _hashed(which, values)


def _raised(base: Any, exponent: Any) -> Any:
    return _hashed(13 + _hashed(14, exponent), base)


def _integer_power(base: Any, exponent: int) -> Any:
    found = reduce(lambda made, _: made * base % P, range(abs(exponent)), np.ones_like(base))
    return _inverse(found) if exponent < 0 else found


def _softplus(values: Any) -> Any:
    return (values + _hashed(FUNCTIONS.index("log1p") + 1, _function("exp")(-values % P))) % P


def _log_of_sum(values: Any, zero: Any) -> Any:
    if np.any(zero != 0):
        raise NotCoveredError("logaddexp of something else than 0")
    return _softplus(values)


def _products(a: Any, b: Any, keepdims: bool = False) -> Any:
    return np.sum(a * b % P, axis=-1, keepdims=keepdims) % P


_CALLED: Mapping[Any, Callable[..., Any]] = {
    np.add: lambda a, b: (a + b) % P,
    np.subtract: lambda a, b: (a - b) % P,
    np.multiply: lambda a, b: a * b % P,
    np.divide: lambda a, b: a * _inverse(b) % P,
    np.negative: lambda a: -a % P,
    np.square: lambda a: a * a % P,
    np.reciprocal: _inverse,
    np.absolute: np.copy,
    np.sign: lambda a: np.sign(a),
    np.vecdot: _products,
    np.logaddexp: _log_of_sum,
    **{getattr(np, name, None): _function(name) for name in FUNCTIONS if name not in ("asin", "acos", "atan", "erf")},
    **{getattr(np, f"arc{name}"): _function(f"a{name}") for name in ("sin", "cos", "tan")},
}
_OF_ORDER: set[Any] = {np.maximum, np.minimum, np.greater, np.greater_equal, np.less, np.less_equal}
_OF_ORDER |= {np.equal, np.not_equal, np.isinf, np.isnan, np.isfinite, np.positive}
"""Functions of the numbers as they are stored; none is below zero."""

_BY_ORDER = {*_OF_ORDER, np.absolute, np.sign}
"""Functions that order numbers, or tell those below zero."""

_FROM_INTEGERS = {*_CALLED} - {np.add, np.subtract, np.multiply, np.negative, np.absolute, np.square, np.sign}
"""Functions that make floats of integers."""

_VALUES = {"copyto": (1,), "where": (1, 2), "put_along_axis": (2,), "full_like": (1,), "searchsorted": ()}
"""Places of the arguments of functions that may be numbers beside an array."""


def _called(ufunc: Any, inputs: Any, options: Any) -> Any:
    if ufunc is np.power:
        base, exponent = inputs
        if isinstance(exponent, (int, float)) and float(exponent).is_integer():
            return _integer_power(residues(base), int(exponent))
        return _raised(residues(base), residues(exponent))
    values = map(residues, inputs)
    if ufunc in _CALLED:
        return _CALLED[ufunc](*values, **options)
    if ufunc in _OF_ORDER:
        return ufunc(*values, **options)
    if ufunc.__name__.startswith("logical"):
        return ufunc(*values)
    raise NotCoveredError(f"np.{ufunc.__name__} of residues")


def _reduced(ufunc: Any, method: str, inputs: Any, options: Any) -> Any:
    if ufunc not in (np.add, np.maximum, np.minimum) and not ufunc.__name__.startswith("logical"):
        raise NotCoveredError(f"np.{ufunc.__name__}.{method} of residues")
    made = getattr(ufunc, method)(*map(_plain, inputs), **options)
    return made % P if ufunc is np.add else made


# ---- NumPy to a text


def _making(name: str) -> Callable[..., Any]:
    """Return a function of NumPy whose result is of residues; the values that it takes are, too."""

    def make(first: Any, *arguments: Any, **options: Any) -> Any:
        return _wrapped(getattr(np, name)(first, *arguments, **options))

    return make


def _converting(name: str) -> Callable[..., Any]:
    def convert(value: Any, dtype: Any = None, **options: Any) -> Any:
        is_array = isinstance(value, np.ndarray)
        made = getattr(np, name)(_plain(value), dtype, **options)
        if made.dtype.kind == "f" and not (is_array and _is_float(value)):
            return of_numbers(value)
        return made.view(ResidueArray)

    return convert


def _empty(shape: Any, dtype: Any = float, **options: Any) -> Any:
    """Return memory that nothing is in yet: what is read of it is undefined."""
    made = np.empty(shape, dtype, **options)
    made.fill(np.nan if made.dtype.kind == "f" else 1)
    return made.view(ResidueArray)


def _full(shape: Any, value: Any, dtype: Any = None) -> Any:
    made = _empty(shape, np.asarray(value).dtype if dtype is None else dtype)
    made[...] = value
    return made


def _broadcast_to(value: Any, shape: Any) -> Any:
    value = value if isinstance(value, ResidueArray) else of_numbers(value)
    return np.broadcast_to(value, shape, subok=True)


NUMPY: Any = ModuleType("numpy")
"""NumPy whose arrays are `ResidueArray`."""
vars(NUMPY).update(vars(np))
vars(NUMPY).update(
    {name: _making(name) for name in ("zeros", "ones", "arange")}
    | {name: _converting(name) for name in ("asarray", "ascontiguousarray", "array", "asanyarray")}
    | {"ndarray": ResidueArray, "empty": _empty, "full": _full, "broadcast_to": _broadcast_to}
)


# ---- programs


class ArrayArithmetic(ResidueArithmetic):
    """Arithmetic of arrays of residues."""

    def number(self, value: Expr) -> Any:
        """An exact constant, as the text rounds it."""
        return of_numbers(rounded(value))

    def add(self, e: Expr, walk: Walk) -> Any:
        """The value of a sum, whose first terms the text has as one if they are numbers."""
        terms = [sign * term for sign, term in terms_in_order(e)]
        first = [*takewhile(lambda term: term.is_number, terms)]
        return reduce(np.add, [*([self.number(Add(*first))] if first else []), *map(walk, terms[len(first) :])])

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        return apply(name, *arguments)

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return _raised(residues(base), residues(exponent)).view(ResidueArray)

    def places(self, count: int) -> Any:
        """The number of each entry of a row."""
        return of_numbers(np.arange(count))


_WRITTEN: Mapping[str, Callable[[Any], Any]] = {
    "abs": np.absolute,
    "sign": np.sign,
    "sigmoid": lambda values: np.reciprocal(np.add(np.exp(np.negative(values)), 1.0)),
    "softplus": lambda values: np.logaddexp(values, 0.0),
}


def apply(name: str, values: Any, out: Any = None) -> Any:
    """A function of the language, in memory that is given, if any."""
    if name not in (*_WRITTEN, *FUNCTIONS):
        raise NotCoveredError(f"{name} of residues")
    made = _WRITTEN[name](values) if name in _WRITTEN else _function(name)(residues(values))
    made = np.asarray(made).view(ResidueArray)
    if out is None:
        return made
    out[...] = made
    return out


SHORT = PrimeField(
    ArrayArithmetic(),
    lambda value: of_numbers(float(value)),
    of_numbers,
    lambda draw, shape: of_numbers(draw.integers(0, P, shape)),
    lambda values: np.array(residues(values), np.float64),
)
"""Numbers below 2**26, by the array."""
