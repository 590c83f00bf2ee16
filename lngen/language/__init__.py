"""The language of forward definitions, and its reference.

Takes: text of a definition; it is parsed and never run.
Gives: a `Definition`, and its values over any number type (`oracle`).
Knows nothing of: equations, and every later package.

A definition imports these names so that editors and linters resolve them. It is parsed and never run, so the
functions compute nothing; `lngen.run` gives the values of a definition. Their docstrings define them; *u* is the
argument, and a *row* is the D values of one sample.

Each value has a kind. A `Row` varies over rows and features, a `RowScalar` over rows, a `Feature` over features, a
`Scalar` over neither. An input that is `Data` is read as a Row, `Data["..."]` as a RowScalar, `Data["d"]` as a
Feature, and a `Constant` as a Scalar. `Int`, `Int["..."]`, `Int["d"]` and `Int[""]` are read as these four. None of
them has a gradient or a tangent. The result of an elementwise function or operator varies over all that its arguments
vary over. So a RowScalar broadcasts over its row, and a Feature over all rows. A reduction takes the feature axis away:
of a Row it is a RowScalar, of a Feature a Scalar.

Operators: `+ - * /`, unary minus, and `a ** b` with a number b of magnitude 64 at most. Any other b is the same for all
rows and features, as a Constant, a Scalar and D are, and a is then not negative. Where a is 0, derivatives are limits.
That by a is 0 for b > 1 and for b = 0, 1 for b = 1, and infinite otherwise; that by b is 0 for b > 0. A comparison
stands only in the condition of `where`, where `&`, `|` and `~` join comparisons, each in parentheses.

Integers are inputs of kind `Int`, `index()`, D, whole numbers, and what `+`, `-` and `*` make of these. A comparison of
two integers is exact. Everywhere else an integer is the nearest number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lngen.language.functions import TABLE, FunctionEntry, entry, not_run
from lngen.language.kinds import Array as Array
from lngen.language.kinds import Constant as Constant
from lngen.language.kinds import Data as Data
from lngen.language.kinds import Feature as Feature
from lngen.language.kinds import Int as Int
from lngen.language.kinds import Row as Row
from lngen.language.kinds import RowScalar as RowScalar
from lngen.language.kinds import Scalar as Scalar
from lngen.language.kinds import Size as Size

KIND_NAMES: tuple[str, ...] = ("Row", "RowScalar", "Feature", "Scalar", "Data", "Int", "Constant")
"""Annotations of inputs that are kinds of values."""

ANNOTATIONS: tuple[str, ...] = (*KIND_NAMES, "Array", "Size")
"""Annotations that an input may have."""


class _NumberName:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


D: Any = _NumberName("D")
"""The number of features of a row. A divisor such as `D - 1` makes 2 the smallest D that is accepted."""

pi: Any = _NumberName("pi")
"""The ratio of a circle's circumference to its diameter, exact in a derivation and rounded once in code."""

# Past these the function has left what a float can hold (exp) or has reached its limit (tanh, erf).
_LARGE = (-1e4, -750.0, -100.0, -40.0, 40.0, 100.0, 1e4)
_NEAR_ZERO = (-1e-8, -1e-300, 0.0, 1e-300, 1e-8)


@entry("every real row", role="reduction")
def mean(row: Any, axes: str = "d", /) -> Any:
    """The mean over the feature axis, or over axes that have names: `mean(x, "c h w")`.

    Its derivative is 1/D for every entry.
    """


@entry("every real row", role="reduction")
def sum(row: Any, axes: str = "d", /) -> Any:
    """The sum over the feature axis, or over axes that have names: `sum(x, "h")`.

    Its derivative is 1 for every entry.
    """


@entry("every real row", role="reduction")
def max(row: Any, axes: str = "d", /) -> Any:
    """The largest entry over the feature axis, or over axes that have names: `max(x, "h")`.

    Its derivative is 1 for the first entry that attains it and 0 for the others. For the larger of two values
    write `maximum`.
    """


@entry("every real row", role="reduction")
def min(row: Any, axes: str = "d", /) -> Any:
    """The smallest entry over the feature axis, or over axes that have names: `min(x, "h")`.

    Its derivative is 1 for the first entry that attains it and 0 for the others. For the smaller of two
    values write `minimum`.
    """


@entry("every real row; every integer i", role="reduction")
def pick(row: Any, i: Any, /) -> Any:
    """The entry of the row at the place i, counted from 0, and 0 where the row has no such place.

    i is an integer that is the same for all features. The derivative is 1 for that entry and 0 for the others.
    """


@entry("-", role="place")
def index(axes: str = "d", /) -> Any:
    """The place of a feature in the row, an integer from 0 to D - 1. Its derivative is 0.

    In a row of axes that have names they may be named, as in `index("k")`.
    """


@entry("every integer seed of 32 bits", role="draw")
def uniform(seed: Any, stream: int = 0, /) -> Any:
    """A random number in [0, 1) for each entry of a row, the same for the same seed. Its derivative is 0.

    The seed is an input `seed: Int[""]`. The numbers are multiples of 2**-24 and do not depend on the type of the rows
    or on the backend. They are never stored: backward makes them again. Other numbers of the same seed are those of
    another `stream`, a number from 0 to 2**31 - 1 such as `uniform(seed, 1)`.

    They are made by Philox 4x32-10 (Salmon et al., 2011): with the key (seed, stream), the counter (row % 2**32,
    row // 2**32, feature // 4, 0) gives four words, and the number is word[feature % 4] // 2**8 / 2**24. The row is
    the number of a row among all rows of the call, in the order of memory.
    """


@entry("every real u, every integer seed of 32 bits; 0 <= p <= 1", role="draw")
def dropout(u: Any, p: Any, seed: Any, stream: int = 0, /) -> Any:
    """0 with probability p, else u/(1 - p): `where(uniform(seed) >= p, u/(1 - p), 0)`.

    p is a number, a Constant or a Scalar; with p = 1 all is 0. The derivative is that of the select: it is 0 where the
    value is dropped, and 1/(1 - p) elsewhere. A further argument is the `stream` of `uniform`.
    """


@entry(
    "u >= 0; at 0 the derivative is infinite",
    (1e-300, 1e-8, 1.0, 1e300),
    lowest=0,
    slope=lambda f, u: 0.5 / f.np.sqrt(u),
)
def sqrt(u: Any, /) -> Any:
    """The square root. Its derivative is 1/(2*sqrt(u))."""


@entry(
    "u > 0",
    (1e-300, 1e-8, 1.0, 1e300),
    written=lambda f, u: u ** f.Rational(-1, 2),
    exact=lambda f, u: 1 / f.mp.sqrt(u) if u else f.mp.inf,
    lowest=0,
    real=lambda f, u: 1 / f.np.sqrt(u),
    slope=lambda f, u: -0.5 / (u * f.np.sqrt(u)),
)
def rsqrt(u: Any, /) -> Any:
    """The reciprocal of the square root, 1/sqrt(u). Its derivative is -rsqrt(u)**3/2."""


@entry(
    "u <= 709 in float64, 88 in float32",
    (-750.0, -40.0, *_NEAR_ZERO, 40.0, 700.0),
    head="exp",
    positive=True,
    far="no float",
    slope=lambda f, u: f.np.exp(u),
    curvature=lambda f, v, r: f.np.exp(v + r),
    roundings=8,
    latex=r"\exp\left({u}\right)",
)
def exp(u: Any, /) -> Any:
    """The exponential. It is its own derivative."""


@entry(
    "u > 0",
    (1e-300, 1 - 1e-8, 1.0, 1 + 1e-8, 1e300),
    head="log",
    lowest=0,
    slope=lambda f, u: 1 / u,
    curvature=lambda f, v, r: f.np.where(v > r, f.np.abs(v - r) ** -2.0, f.np.inf),
    roundings=8,
    latex=r"\log\left({u}\right)",
)
def log(u: Any, /) -> Any:
    """The natural logarithm. Its derivative is 1/u."""


@entry(
    "u > -1",
    (-1 + 1e-8, *_NEAR_ZERO, 1e300),
    head="Log1p",
    written=lambda f, u: f.log(1 + u),
    derivative=lambda f, u: 1 / (1 + u),
    exact=lambda f, u: f.mp.log1p(u),
    lowest=-1,
    real=lambda f, u: f.np.log1p(u),
    slope=lambda f, u: 1 / (1 + u),
    curvature=lambda f, v, r: f.np.where(1 + v - r > 0, f.np.abs(1 + v - r) ** -2.0, f.np.inf),
    roundings=8,
    latex=r"\log\left(1 + {u}\right)",
)
def log1p(u: Any, /) -> Any:
    """log(1 + u), exact near u = 0. Its derivative is 1/(1 + u)."""


@entry(
    "u <= 709 in float64, 88 in float32",
    (-750.0, -40.0, *_NEAR_ZERO, 40.0, 700.0),
    head="Expm1",
    written=lambda f, u: f.exp(u) - 1,
    # Not 1 plus the function, which would lose it where u is far below zero.
    derivative=lambda f, u: f.exp(u),
    exact=lambda f, u: f.mp.expm1(u),
    far="no float",
    real=lambda f, u: f.np.expm1(u),
    slope=lambda f, u: f.np.exp(u),
    curvature=lambda f, v, r: f.np.exp(v + r),
    roundings=8,
    latex=r"\left(\exp\left({u}\right) - 1\right)",
)
def expm1(u: Any, /) -> Any:
    """exp(u) - 1, exact near u = 0. Its derivative is exp(u)."""


@entry(
    "every real u",
    (*_NEAR_ZERO, math.pi / 2, math.pi, 1e4),
    head="sin",
    bounded=True,
    slope=lambda f, u: f.np.cos(u),
    curvature=1,
    roundings=8,
    latex=r"\sin\left({u}\right)",
)
def sin(u: Any, /) -> Any:
    """The sine. Its derivative is cos(u)."""


@entry(
    "every real u",
    (*_NEAR_ZERO, math.pi / 2, math.pi, 1e4),
    head="cos",
    bounded=True,
    slope=lambda f, u: -f.np.sin(u),
    curvature=1,
    roundings=8,
    latex=r"\cos\left({u}\right)",
)
def cos(u: Any, /) -> Any:
    """The cosine. Its derivative is -sin(u)."""


@entry(
    "-1 <= u <= 1; at the ends the derivative is infinite",
    (-1 + 1e-8, -0.5, *_NEAR_ZERO, 0.5, 1 - 1e-8),
    head="Asin",
    written=lambda f, u: f.atan2(u, f.sqrt((1 - u) * (1 + u))),
    # Not 1 - u**2, which has lost the digits of 1 - u near the ends.
    derivative=lambda f, u: 1 / f.sqrt((1 - u) * (1 + u)),
    exact=lambda f, u: f.mp.asin(u),
    lowest=-1,
    highest=1,
    real=lambda f, u: f.np.arcsin(u),
    slope=lambda f, u: 1 / f.np.sqrt((1 - u) * (1 + u)),
    curvature=lambda f, v, r: f.arc_curvature(v, r),
    roundings=8,
    numpy="np.arcsin",
    latex=r"\arcsin\left({u}\right)",
)
def asin(u: Any, /) -> Any:
    """The arc sine: the angle from -pi/2 to pi/2 whose sine is u. Its derivative is 1/sqrt((1 - u)*(1 + u))."""


@entry(
    "-1 <= u <= 1; at the ends the derivative is infinite",
    (-1 + 1e-8, -0.5, *_NEAR_ZERO, 0.5, 1 - 1e-8),
    head="Acos",
    written=lambda f, u: f.atan2(f.sqrt((1 - u) * (1 + u)), u),
    derivative=lambda f, u: -1 / f.sqrt((1 - u) * (1 + u)),
    exact=lambda f, u: f.mp.acos(u),
    lowest=-1,
    highest=1,
    real=lambda f, u: f.np.arccos(u),
    slope=lambda f, u: -1 / f.np.sqrt((1 - u) * (1 + u)),
    curvature=lambda f, v, r: f.arc_curvature(v, r),
    roundings=8,
    numpy="np.arccos",
    latex=r"\arccos\left({u}\right)",
)
def acos(u: Any, /) -> Any:
    """The arc cosine: the angle from 0 to pi whose cosine is u. Its derivative is -1/sqrt((1 - u)*(1 + u))."""


@entry(
    "every real u",
    (-1e300, -1e4, -1.0, *_NEAR_ZERO, 1.0, 1e4, 1e300),
    head="Atan",
    written=lambda f, u: f.atan2(u, 1),
    derivative=lambda f, u: 1 / (1 + u**2),
    bounded=True,
    exact=lambda f, u: f.mp.atan(u),
    real=lambda f, u: f.np.arctan(u),
    slope=lambda f, u: 1 / (1 + u * u),
    curvature=0.65,
    roundings=8,
    numpy="np.arctan",
    latex=r"\arctan\left({u}\right)",
)
def atan(u: Any, /) -> Any:
    """The arc tangent: the angle between -pi/2 and pi/2 whose tangent is u. Its derivative is 1/(1 + u**2)."""


@entry(
    "every real u",
    (*_LARGE, *_NEAR_ZERO),
    head="tanh",
    bounded=True,
    far="sign",
    slope=lambda f, u: 4 * f.sigmoid_slope(2 * u),
    curvature=0.77,
    roundings=8,
    latex=r"\tanh\left({u}\right)",
)
def tanh(u: Any, /) -> Any:
    """The hyperbolic tangent. Its derivative is 1 - tanh(u)**2."""


@entry(
    "every real u",
    (*_LARGE, *_NEAR_ZERO),
    head="Sigmoid",
    written=lambda f, u: 1 / (1 + f.exp(-u)),
    derivative=lambda f, u: f.sigmoid(u) * (1 - f.sigmoid(u)),
    positive=True,
    bounded=True,
    real=lambda f, u: f.sigmoid(u),
    slope=lambda f, u: f.sigmoid_slope(u),
    curvature=0.0963,
    roundings=16,
    numpy="_functions.sigmoid",
    latex=r"\sigma\left({u}\right)",
)
def sigmoid(u: Any, /) -> Any:
    """The logistic function, 1/(1 + exp(-u)). Its derivative is sigmoid(u)*sigmoid(-u)."""


@entry(
    "every real u",
    (*_LARGE, *_NEAR_ZERO),
    head="Softplus",
    written=lambda f, u: f.log(1 + f.exp(u)),
    derivative=lambda f, u: f.sigmoid(u),
    positive=True,
    exact=lambda f, u: (u if u > 0 else f.mp.zero) + f.mp.log1p(f.exp(-f.mp.fabs(u))),
    real=lambda f, u: f.np.where(u > 0, u, 0) + f.np.log1p(f.np.exp(-f.np.abs(u))),
    slope=lambda f, u: f.sigmoid(u),
    curvature=0.25,
    roundings=16,
    numpy="_functions.softplus",
)
def softplus(u: Any, /) -> Any:
    """log(1 + exp(u)). Its derivative is sigmoid(u)."""


@entry(
    "every real u",
    (-1e4, *_NEAR_ZERO, 1e4),
    written=lambda f, u: f.maximum(u, f.Integer(0)),
    exact=lambda f, u: 0 if u <= 0 else u,
    keeps_fractions=True,
    real=lambda f, u: f.np.where((u > 0) | f.np.isnan(u), u, 0).astype(u.dtype),
    slope=lambda f, u: (u > 0).astype(f.np.float64),
)
def relu(u: Any, /) -> Any:
    """The larger of u and 0. Its derivative is 1 for u > 0, and 0 for u <= 0."""


@entry(
    "every real u",
    (*_LARGE, *_NEAR_ZERO),
    written=lambda f, u: u * f.sigmoid(u),
    real=lambda f, u: f.times(u, f.sigmoid(u)),
    slope=lambda f, u: f.sigmoid(u) + f.times(u, f.sigmoid_slope(u)),
)
def silu(u: Any, /) -> Any:
    """u*sigmoid(u). Its derivative is sigmoid(u)*(1 + u*sigmoid(-u))."""


@entry(
    "every real u",
    (*_LARGE, *_NEAR_ZERO),
    written=lambda f, u: u * (1 + f.erf(u / f.sqrt(2))) / 2,
    exact=lambda f, u: u * f.mp.erfc(-u / f.mp.sqrt(2)) / 2,
    far="no float",
    real=lambda f, u: f.times(u, f.normal_cdf(u)),
    slope=lambda f, u: f.normal_cdf(u) + f.times(u, f.normal_density(u)),
)
def gelu(u: Any, /) -> Any:
    """The exact one, u*Phi(u) with Phi(u) = (1 + erf(u/sqrt(2)))/2.

    Its derivative is Phi(u) + u*phi(u), where phi is the density of the standard normal distribution.
    """


@entry(
    "every real u",
    (-1e4, -6.0, -3.0, *_NEAR_ZERO, 3.0, 6.0, 1e4),
    head="erf",
    bounded=True,
    far="sign",
    real=lambda f, u: f.erf(u),
    slope=lambda f, u: f.erf_slope(u),
    curvature=0.97,
    roundings=8,
    numpy="_functions.erf",
    reads_late=(0,),
)
def erf(u: Any, /) -> Any:
    """The error function. Its derivative is 2/sqrt(pi)*exp(-u**2)."""


@entry(
    "every real u",
    (-1e4, *_NEAR_ZERO, 1e4),
    head="Abs",
    exact=lambda f, u: u if u >= 0 else -u,
    keeps_fractions=True,
    slope=lambda f, u: f.np.sign(u),
    numpy="np.absolute",
    latex=r"\left|{u}\right|",
)
def abs(u: Any, /) -> Any:
    """The absolute value. Its derivative is sign(u), which is 0 at 0."""


@entry(
    "every real u",
    (-1e4, *_NEAR_ZERO, 1e4),
    head="sign",
    exact=lambda f, u: u if u != u else (u > 0) - (u < 0),
    keeps_fractions=True,
    bounded=True,
    slope=lambda f, u: f.np.zeros_like(u),
)
def sign(u: Any, /) -> Any:
    """-1, 0 or 1 with the sign of u. Its derivative is 0 everywhere."""


@entry(
    "every real a and b",
    (-1.0, 0.0, 1.0),
    exact=lambda f, a, b: a if a > b else b,
    keeps_fractions=True,
)
def maximum(a: Any, b: Any, /) -> Any:
    """The larger of two values.

    The derivative goes to the larger one; on a tie to the second, so that `maximum(x, 0)` has derivative 0
    at 0.
    """


@entry(
    "every real a and b",
    (-1.0, 0.0, 1.0),
    exact=lambda f, a, b: a if a < b else b,
    keeps_fractions=True,
)
def minimum(a: Any, b: Any, /) -> Any:
    """The smaller of two values.

    The derivative goes to the smaller one; on a tie to the second, so that `minimum(x, 0)` has derivative 0
    at 0.
    """


@entry(
    "every real u, low and high",
    (-1.0, 0.0, 1.0),
    written=lambda f, u, low, high: f.minimum(f.maximum(u, low), high),
)
def clip(u: Any, low: Any, high: Any, /) -> Any:
    """u where it lies between low and high, and the nearer of them elsewhere: `minimum(maximum(u, low), high)`.

    The derivative is 1 for u inside and 0 outside, where it goes to the end. At an end it goes to the end too, as on a
    tie of `maximum` and `minimum`; PyTorch's `clamp` gives it to u there.
    """


@entry(
    "every real a and b; the value that is not chosen may be anything",
    (-1.0, 0.0, 1.0),
    role="select",
    exact=lambda f, chosen, a, b: a if chosen else b,
)
def where(condition: Any, a: Any, b: Any, /) -> Any:
    """Select a where the condition holds, and b elsewhere.

    The condition is a comparison, `<`, `<=`, `>`, `>=`, `==` or `!=`, or made of comparisons in parentheses by `&`, `|`
    and `~`, as in `(x > 0) & ~(m == 0)`. With a NaN every comparison is false but `!=`, and `~` turns that. The
    derivative is that of the chosen value. The other value has no influence, even if it is infinite or not a number.
    (Only if a mean or another reduction of it is an operand may the gradient of its row be NaN.)
    """


@entry(
    "every real u",
    (-1.0, 0.0, 1.0),
    role="stop",
    exact=lambda f, u: u,
    keeps_fractions=True,
    real=lambda f, u: u,
    slope=lambda f, u: f.np.zeros_like(u),
)
def stop_gradient(u: Any, /) -> Any:
    """u itself, taken for a constant by differentiation: its derivative is 0."""


def cast(u: Any, type: str, /) -> Any:
    """u rounded to a type, as an output: to the nearest value, and of two that are equally near to the even one.

    The type is "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "float16", "bfloat16" or "float32", and the output has
    it whatever the types of the inputs. A larger value than the largest finite one of the type, infinity too, becomes
    that one. NaN stays NaN, and is 0 in an integer type. The derivative is 1, straight through the rounding.
    A cast is the whole of an output, as in `q = cast(y/s, "int8")`, which no other statement reads.
    """
    not_run("cast")


def at(x: Any, /, **part: int) -> Any:
    """A part of an array, counted from 0 along an axis whose size is an input: `gate = at(x, s=0)`.

    The array has that axis, as in `x: Array["... (s d)"]` with `s: Size = 2`, and is read in parts alone. The default
    of the size is the number of parts. The gradient of the array is made of those of its parts, and is 0 in a part that
    nothing reads.
    """
    not_run("at")


def join(*parts: Any) -> Any:
    """An output made of parts, each a Row: `y = join(a*c - b*s, b*c + a*s)`.

    It has the axes of the first array that is read in as many parts. A join is the whole of an output, which no other
    statement reads.
    """
    not_run("join")


FUNCTIONS: Mapping[str, FunctionEntry] = MappingProxyType(TABLE)
"""Every function of the language by name but those of STATEMENTS; no other module names them all."""

STATEMENTS: tuple[str, ...] = ("cast", "at", "join")
"""The functions that are no expressions."""


def public_names() -> tuple[str, ...]:
    """Return the names that a definition may import."""
    return ("D", "pi", *ANNOTATIONS, *FUNCTIONS, *STATEMENTS)
