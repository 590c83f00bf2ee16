"""Hyperdual numbers: values with first and second derivatives, for plain forward-mode differentiation.

A hyperdual number is `value + first*e1 + second*e2 + mixed*e1*e2` with e1**2 = e2**2 = 0 (Fike & Alonso, 2011, AIAA
2011-886). Let `first` be the unit vector of one entry and `second` a direction in all inputs. One evaluation then gives
a column of the Jacobian, the tangent of the outputs, and an entry of the second derivative along the direction. It
shares nothing with differentiation, simplification or emission: one table has the slope and the curvature of each
function.

The arithmetic is that of a float type, each operation rounded to it, or mpmath's. Functions are computed in a wider
type and rounded once. The slopes of the sigmoid, tanh, expm1, erf and gelu come from rounded values, as they do in
PyTorch and JAX. Long double and mpmath are for true values, and have those slopes without a difference. With `noise`
each inexact operation goes to either neighbour at random. The change of the results shows the sensitivity of plain
arithmetic at a point, without luck (Parker, 1997, Monte Carlo arithmetic, UCLA CSD-970002).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from lngen.language.oracle.evaluate import Numbers, mp_numbers
from lngen.language.oracle.real_functions import function

_PARTS = ("value", "first", "second", "mixed")
_WIDER: dict[Any, Any] = {np.float32: np.float64, np.float64: np.longdouble, np.longdouble: np.longdouble}
_NOISE_BITS = 17
SHARE_OF_RANGE = 0.9
"""Share of a float type's exponents that a value may take: exp(80) in float32, and exp(640) in float64.

`room` is the factor that it has to leave besides.
"""

PLAIN_IS_RIGHT = 2.0**-10
"""Largest error of plain evaluation at which claims are made."""

CLOSE = 16
"""Distance of two entries, in units of the larger one, at which functions off by 4 ulp may tell either to be larger."""

OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}

_Call = Callable[[str, Any], Any]
_Derivatives = Callable[[_Call, Any, Any], tuple[Any, Any]]


def _arc_sine(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = f("rsqrt", (1 - u) * (1 + u))
    return slope, u * slope * slope * slope


def _tanh(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = f("1 - tanh**2", u)
    return slope, -2 * value * slope


def _sigmoid(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    rest = f("1 - sigmoid", u)
    return value * rest, value * rest * (rest - value)


def _silu(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    sigmoid, rest = f("sigmoid", u), f("1 - sigmoid", u)
    return sigmoid * (1 + u * rest), sigmoid * rest * (2 + u * (rest - sigmoid))


def _density(f: _Call, u: Any) -> Any:
    return f("exp(-u**2)", u / f("sqrt", 2 + 0 * u)) / f("root of pi", u) / f("sqrt", 2 + 0 * u)


def _gelu(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    return f("normal", u) + u * _density(f, u), _density(f, u) * (2 - u * u)


def _erf(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = 2 * f("exp(-u**2)", u) / f("root of pi", u)
    return slope, -2 * u * slope


_DERIVATIVES: Mapping[str, _Derivatives] = {
    "sqrt": lambda f, u, v: (0.5 / v, -0.25 / (u * v)),
    "rsqrt": lambda f, u, v: (-0.5 * v / u, 0.75 * v / u / u),
    "exp": lambda f, u, v: (v, v),
    "log": lambda f, u, v: (1 / u, -1 / u / u),
    "log1p": lambda f, u, v: (1 / (1 + u), -1 / (1 + u) / (1 + u)),
    "expm1": lambda f, u, v: (f("1 + expm1", u), f("1 + expm1", u)),
    "sin": lambda f, u, v: (f("cos", u), -v),
    "cos": lambda f, u, v: (-f("sin", u), -v),
    "asin": _arc_sine,
    "acos": lambda f, u, v: tuple(-each for each in _arc_sine(f, u, v)),
    "atan": lambda f, u, v: (1 / (1 + u * u), -2 * u / (1 + u * u) / (1 + u * u)),
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda f, u, v: (f("sigmoid", u), f("sigmoid", u) * f("1 - sigmoid", u)),
    "relu": lambda f, u, v: (np.where(u > 0, 1 + 0 * u, 0 * u), 0 * u),
    "silu": _silu,
    "gelu": _gelu,
    "erf": _erf,
    "abs": lambda f, u, v: (f("sign", u), 0 * u),
    "sign": lambda f, u, v: (0 * u, 0 * u),
    "stop_gradient": lambda f, u, v: (0 * u, 0 * u),
}
"""The slope and the curvature of each function of one argument: (functions, argument, value) -> both."""


def _normal(f: _Call, u: Any) -> Any:
    # In the lower tail the sum would cancel.
    tail = np.where(u < -1, u, -1 + 0 * u)
    return np.where(u < -1, f("gelu", tail) / tail, (1 + f("erf", u / f("sqrt", 2 + 0 * u))) / 2)


_COMPLEMENTS: Mapping[str, Callable[[_Call, Any], Any]] = {
    "1 - sigmoid": lambda f, u: f("sigmoid", -u),
    "1 - tanh**2": lambda f, u: 4 * f("sigmoid", 2 * u) * f("sigmoid", -2 * u),
    "1 + expm1": lambda f, u: f("exp", u),
    "exp(-u**2)": lambda f, u: f("exp", -u * u),
    "normal": _normal,
}
"""Parts of the true derivatives, without a difference that cancels."""


_SIZES: Mapping[str, _Derivatives] = {
    "sigmoid": lambda f, u, v: (v * f("1 - sigmoid", u), v * f("1 - sigmoid", u)),
    "silu": lambda f, u, v: (
        f("sigmoid", u) * (1 + np.abs(u) * f("1 - sigmoid", u)),
        f("sigmoid", u) * f("1 - sigmoid", u) * (2 + np.abs(u)),
    ),
    "gelu": lambda f, u, v: (
        (1 + np.abs(f("erf", u / f("sqrt", 2 + 0 * u)))) / 2 + np.abs(u) * _density(f, u),
        (2 + u * u) * _density(f, u),
    ),
}
"""Functions whose slope or curvature is a sum, with the magnitudes of its terms."""


class Hyperdual(Numbers):
    """Hyperdual numbers over a float type, as structured arrays.

    With `noise`, a seed, operations round to either neighbour by chance; `flipped` to the other one each. With an odd
    seed equal numbers round alike, so the largest of many is no luckier than one; with an even one ties come apart.
    """

    def __init__(self, dtype: Any, noise: int | None = None, flipped: bool = False) -> None:
        super().__init__(f"hyperdual {np.dtype(dtype).name}", [(part, dtype) for part in _PARTS])
        self.part = np.dtype(dtype)
        self.wide: Any = _WIDER.get(dtype, object)
        self.void: Any = False
        self.room = 1.0
        self.random = None if noise is None else np.random.default_rng(noise)
        if noise is not None:
            self.alike = noise % 2 == 1
            self.pool = (self.random.random(2**_NOISE_BITS) < 0.5) ^ flipped

    def array(self, value: Any) -> Any:
        given = np.asarray(value)
        return given if given.dtype == self.dtype else self.of(given)

    def of(self, value: Any, first: Any = 0, second: Any = 0, mixed: Any = 0) -> Any:
        """An array from its parts."""
        parts = (value, first, second, mixed)
        made = np.empty(np.broadcast_shapes(*(np.shape(part) for part in parts)), self.dtype)
        for name, part in zip(_PARTS, parts, strict=True):
            made[name] = self.lifted(part)
        return made

    def lifted(self, value: Any) -> Any:
        """Numbers as this type has them in each part."""
        return np.asarray(value).astype(self.part)

    def weight(self, value: Any) -> Any:
        """A direction, or what results are weighted with."""
        return self.lifted(value)

    def constant(self, value: Fraction) -> Any:
        return self.of(value.numerator / value.denominator)

    def negate(self, operand: Any) -> Any:
        return self.of(*(-operand[part] for part in _PARTS))

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        if sign == "/":
            self._has_digits(right)
        return self._in_range(self._combined(sign, left, right))

    def _combined(self, sign: str, left: Any, right: Any) -> Any:
        (a, a1, a2, a12), (b, b1, b2, b12) = ([operand[part] for part in _PARTS] for operand in (left, right))
        plus, minus, times, over = (partial(self.operate, sign) for sign in "+-*/")
        if sign in "+-":
            return self.of(*(self.operate(sign, left[part], right[part]) for part in _PARTS))
        if sign == "*":
            mixed = plus(plus(times(a12, b), times(a1, b2)), plus(times(a2, b1), times(a, b12)))
            return self.of(times(a, b), *(plus(times(u, b), times(a, v)) for u, v in ((a1, b1), (a2, b2))), mixed)
        q = over(a, b)
        q1, q2 = (over(minus(u, times(q, v)), b) for u, v in ((a1, b1), (a2, b2)))
        mixed = over(minus(minus(a12, times(q1, b2)), plus(times(q2, b1), times(q, b12))), b)
        return self.of(q, q1, q2, mixed)

    def argument(self, operand: Any) -> Any:
        """The argument of a function, in the wider type: its value is the same for every place that moves."""
        value = operand["value"]
        self._has_digits(operand)
        return (value[:1] if value.ndim == 3 else value).astype(self.wide)

    def power(self, base: Any, exponent: Fraction) -> Any:
        u = self.argument(base)
        p = exponent.numerator / exponent.denominator
        slopes = [p * self.raised(u, exponent - 1) if p else 0 * u]
        slopes += [p * (p - 1) * self.raised(u, exponent - 2) if p * (p - 1) else 0 * u]
        return self._chained(base, self.raised(u, exponent), *slopes)

    def function(self, name: str, operand: Any) -> Any:
        u = self.argument(operand)
        if name == "exp":
            u = self._shifted(u)
        if name in ("sin", "cos"):
            self._has_a_phase(u)
        if name in ("silu", "gelu"):
            self._has_a_product(u)
        value = self.call(name, u)
        if name == "stop_gradient":
            return self.of(operand["value"])
        return self._chained(operand, value, *self.derivatives(name)(self.call, u, value))

    def _shifted(self, values: Any) -> Any:
        """Return values that were rounded before, such as a shifted exponent: with noise, off by half a unit at
        random.
        """
        if self.random is None:
            return values
        half = self.wide(np.finfo(self.part).eps / 2) * self.random.choice([-1, 1], values.shape)
        return values * (1 + half)

    def derivatives(self, name: str) -> _Derivatives:
        """The slope and the curvature of a function."""
        return _DERIVATIVES[name]

    def order(self, values: Any) -> Any:
        return values["value"]

    def pick(self, name: str, row: Any) -> Any:
        self._look_at(row)
        best = super().pick(name, row)
        self._has_a_winner(row["value"], best["value"])
        return best

    def sum(self, row: Any) -> Any:
        self._look_at(row)
        return self.of(*(self.total(row[part])[..., np.newaxis] for part in _PARTS))

    def mean(self, row: Any) -> Any:
        """The mean of each row; with noise the sum of what each entry adds to it, which rounds where a sum may not."""
        if self.random is None:
            return super().mean(row)
        return self.sum(self.combine("*", row, self.constant(Fraction(1, row.shape[-1]))))

    def _look_at(self, row: Any) -> None:
        """Take down which rows have a reduction of what is infinite or NaN."""
        self._leave_out(~np.isfinite(row["value"].astype(self.part)))

    def _in_range(self, made: Any) -> Any:
        """Take down which rows have a value so large that hardly a number can be multiplied by it."""
        size = np.abs(made["value"])
        if size.ndim > 1:
            largest = float(np.finfo(self.part).max) ** SHARE_OF_RANGE / self.room
            self._leave_out((size > largest) & np.isfinite(size))
        return made

    def _has_digits(self, operand: Any) -> None:
        """Take down which rows divide by what is below the normal numbers, or have a function of it: many make it 0."""
        size = np.abs(operand["value"])
        if size.ndim > 1:
            self._leave_out((size > 0) & (size < float(np.finfo(self.part).smallest_normal)))

    def _has_a_winner(self, values: Any, best: Any) -> None:
        """Take down which rows have an entry that is not the largest, or the smallest, by some roundings alone."""
        near = np.abs(values - best) <= CLOSE * np.finfo(self.part).eps * np.abs(best)
        self._leave_out(near & (values != best))

    def _has_a_phase(self, angle: Any) -> None:
        """Take down which rows have a sine of what is rounded by some of a turn: a maximum may hide that."""
        if angle.ndim > 1:
            self._leave_out(np.abs(angle) * np.finfo(self.part).eps > PLAIN_IS_RIGHT)

    def _has_a_product(self, gate: Any) -> None:
        """Take down which rows multiply what is infinite by a gate that is 0 there."""
        if gate.ndim > 1:
            self._leave_out(np.abs(gate) == np.inf)

    def _leave_out(self, entries: Any) -> None:
        rows = entries.any(-1)
        self.void = self.void | (rows if rows.ndim < 2 else rows.any(0))

    def total(self, terms: Any) -> Any:
        """The sum of the parts of a row; with noise in pairs, and pairs of pairs, but for one entry, by chance.

        Sums of equal numbers in pairs alone would hardly ever round.
        """
        if self.random is None:
            return np.sum(terms, axis=-1)
        terms = terms[..., self.random.permutation(terms.shape[-1])]
        last, terms = terms[..., 0], terms[..., 1:]
        if not terms.shape[-1]:
            return last
        while terms.shape[-1] > 1:
            paired = self.operate("+", terms[..., 0:-1:2], terms[..., 1::2])
            terms = np.concatenate([paired, terms[..., -1:]], axis=-1) if terms.shape[-1] % 2 else paired
        return self.operate("+", last, terms[..., 0])

    def operate(self, sign: str, a: Any, b: Any) -> Any:
        """An operation on parts, rounded to the type."""
        if self.random is None:
            return OPERATIONS[sign](a, b)
        return self.rounded(OPERATIONS[sign](np.asarray(a).astype(self.wide), np.asarray(b).astype(self.wide)))

    def rounded(self, values: Any) -> Any:
        """Values of the wider type in the type itself; with noise to either neighbour of what it does not have."""
        nearest = np.asarray(values).astype(self.part)
        if self.random is None:
            return nearest
        # A place in the pool, from one by chance on: one per entry, or its bits, multiplied by an odd number.
        place = np.arange(nearest.size).reshape(nearest.shape)
        if self.alike:
            width = 8 * self.part.itemsize
            bits = nearest.view(f"u{self.part.itemsize}")
            place = bits * bits.dtype.type(0x9E3779B97F4A7C15 >> (64 - width)) >> (width - _NOISE_BITS)
        chance = self.pool.take(place.astype(np.int64) + self.random.integers(len(self.pool)), mode="wrap")
        below = nearest < values
        other = np.nextafter(nearest, np.where(below, self.part.type(np.inf), self.part.type(-np.inf)))
        return np.where(chance & (below | (nearest > values)), other, nearest)

    # What a number type says of its parts.

    def raised(self, u: Any, exponent: Fraction) -> Any:
        """u**exponent in the wider type."""
        whole = exponent.denominator == 1
        return u**exponent.numerator if whole else u ** self.wide(exponent.numerator / exponent.denominator)

    def call(self, name: str, u: Any) -> Any:
        """A function of the language in the wider type, or what the derivatives need besides."""
        if name == "root of pi":
            return np.sqrt(4 * np.arctan(self.wide(1)))
        if self.part == np.longdouble and name in _COMPLEMENTS:
            return _COMPLEMENTS[name](self.call, u)
        # As PyTorch and JAX have it, from the value of the function in the type itself.
        if name == "1 - sigmoid":
            return 1 - self._in_part("sigmoid", u)
        if name == "1 - tanh**2":
            value = self._in_part("tanh", u)
            return (1 - (value * value).astype(self.part)).astype(self.part)
        if name == "1 + expm1":
            return 1 + self._in_part("expm1", u)
        if name == "exp(-u**2)":
            return np.exp(-self._shifted(self.rounded(u * u).astype(self.wide)))
        if name == "normal":
            return ((1 + self._in_part("erf", u / np.sqrt(self.wide(2)))) / 2).astype(self.part)
        if name == "gelu" and self.part != np.longdouble:
            return u * self.call("normal", u)
        return function(name)(u)

    def _in_part(self, name: str, u: Any) -> Any:
        # No function is right to half a unit everywhere, nor off by nothing where that is what plain rounds by.
        return self.rounded(self._shifted(function(name)(u)))

    def _chained(self, operand: Any, value: Any, slope: Any, curvature: Any) -> Any:
        plus, times = (partial(self.operate, sign) for sign in "+*")
        f, f1, f2 = (self.rounded(part) for part in (value, slope, curvature))
        first, second, mixed = (operand[part] for part in _PARTS[1:])
        mixed = plus(times(f1, mixed), times(times(f2, first), second))
        return self._in_range(self.of(f, times(f1, first), times(f1, second), mixed))


class Magnitudes(Hyperdual):
    """Values in long double, with derivatives in which nothing cancels: of every sum the sum of the magnitudes.

    Their unit roundoff is what any order of the chain rule may lose, forward or reverse.
    """

    def __init__(self) -> None:
        super().__init__(np.longdouble)

    def weight(self, value: Any) -> Any:
        return np.abs(super().weight(value))

    def negate(self, operand: Any) -> Any:
        return self.of(-operand["value"], *(operand[part] for part in _PARTS[1:]))

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        turned = -1 if sign == "/" else 1
        sizes = (
            self.of(np.abs(operand["value"]), *(turn * operand[part] for part in _PARTS[1:]))
            for operand, turn in ((left, 1), (right, turned))
        )
        made = super().combine("+" if sign == "-" else sign, *sizes)
        made["value"] = OPERATIONS[sign](left["value"], right["value"])
        return made

    def derivatives(self, name: str) -> _Derivatives:
        return _SIZES.get(name, _DERIVATIVES[name])

    def _chained(self, operand: Any, value: Any, slope: Any, curvature: Any) -> Any:
        return super()._chained(operand, value, np.abs(slope), np.abs(curvature))


class RoundingSizes(Magnitudes):
    """Sizes of the roundings up to a value, in units of the roundoff, as its `second` part."""

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        return self._with_own(super().combine(sign, left, right))

    def sum(self, row: Any) -> Any:
        return self._with_own(super().sum(row))

    def _chained(self, operand: Any, value: Any, slope: Any, curvature: Any) -> Any:
        return self._with_own(super()._chained(operand, value, slope, curvature))

    def _with_own(self, made: Any) -> Any:
        made["second"] += np.abs(made["value"])
        return made


class ExactHyperdual(Hyperdual):
    """Hyperdual numbers over mpmath's, to any number of digits."""

    def __init__(self, digits: int) -> None:
        super().__init__(object)
        self.base = mp_numbers(digits)

    def _look_at(self, row: Any) -> None:
        """Accept every row, since no number here is infinite."""

    def _in_range(self, made: Any) -> Any:
        return made

    def _has_digits(self, operand: Any) -> None:
        """Accept every operand, since all have digits."""

    def _has_a_winner(self, values: Any, best: Any) -> None:
        """Accept every row, since its entries have all digits."""

    def _has_a_phase(self, angle: Any) -> None:
        """Accept every angle."""

    def lifted(self, value: Any) -> Any:
        return self.base.array(value)

    def constant(self, value: Fraction) -> Any:
        return self.of(self.base.constant(value))

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        return np.asarray(super().compare(sign, left, right)).astype(bool)

    def undefined(self, values: Any) -> Any:
        return np.asarray(values["value"] != values["value"]).astype(bool)

    def operate(self, sign: str, a: Any, b: Any) -> Any:
        return self.base.combine(sign, a, b)

    def raised(self, u: Any, exponent: Fraction) -> Any:
        return self.base.power(u, exponent)

    def call(self, name: str, u: Any) -> Any:
        if name == "root of pi":
            return self.base.function("sqrt", self.base.array(self.base.context.pi()))  # type: ignore[attr-defined]
        if name in _COMPLEMENTS:
            return _COMPLEMENTS[name](self.call, u)
        return self.base.function(name, u)
