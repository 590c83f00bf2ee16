"""Plain forward-mode differentiation of a definition: what anybody gets who evaluates it with its chain rule.

A hyperdual number is `value + first*e1 + second*e2 + mixed*e1*e2` with e1**2 = e2**2 = 0 (Fike & Alonso, AIAA 2011-886).
With `first` the unit vector of one entry and `second` a direction in all inputs, one evaluation gives a column of the
Jacobian, the tangent of the outputs, and an entry of the second derivative along the direction. It shares nothing with
differentiation, simplification or emission: one table has the slope and the curvature of each function.

The arithmetic is that of a float type, each operation rounded to it, or mpmath's. Functions are computed in a wider
type and rounded once. With `noise` each operation is off by up to an ulp more, by chance: how far results move by
that is how sensitive plain arithmetic is at a point, luck aside (Parker's Monte Carlo arithmetic, UCLA CSD-970002).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from lngen.check.layer import Case
from lngen.definition import Definition, Kind, parse
from lngen.evaluate import Numbers, evaluate, mp_numbers
from lngen.oracle.real_functions import FUNCTIONS
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point, Results
from tests.fuzz.tree import function_of

_PARTS = ("value", "first", "second", "mixed")
_WIDER: dict[Any, Any] = {np.float32: np.float64, np.float64: np.longdouble, np.longdouble: np.longdouble}
_NOISE = 2**17

_Call = Callable[[str, Any], Any]
_Derivatives = Callable[[_Call, Any, Any], tuple[Any, Any]]


def _tanh(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = 4 * f("sigmoid", 2 * u) * f("sigmoid", -2 * u)
    return slope, -2 * value * slope


def _sigmoid(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = value * f("sigmoid", -u)
    return slope, -slope * f("tanh", u / 2)


def _silu(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    sigmoid = f("sigmoid", u)
    slope = sigmoid * f("sigmoid", -u)
    return sigmoid + u * slope, slope * (2 - u * f("tanh", u / 2))


def _gelu(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    density = _erf(f, u / f("sqrt", 2 + 0 * u), value)[0] / f("sqrt", 8 + 0 * u)
    # In the lower tail the sum would cancel.
    below = np.where(u < -1, value / np.where(u < -1, u, -1 + 0 * u), (1 + f("erf", u / f("sqrt", 2 + 0 * u))) / 2)
    return below + u * density, density * (2 - u * u)


def _erf(f: _Call, u: Any, value: Any) -> tuple[Any, Any]:
    slope = 2 * f("exp", -u * u) / f("root of pi", u)
    return slope, -2 * u * slope


_DERIVATIVES: Mapping[str, _Derivatives] = {
    "sqrt": lambda f, u, v: (0.5 / v, -0.25 / (u * v)),
    "rsqrt": lambda f, u, v: (-0.5 * v / u, 0.75 * v / u / u),
    "exp": lambda f, u, v: (v, v),
    "log": lambda f, u, v: (1 / u, -1 / u / u),
    "log1p": lambda f, u, v: (1 / (1 + u), -1 / (1 + u) / (1 + u)),
    "expm1": lambda f, u, v: (f("exp", u), f("exp", u)),
    "sin": lambda f, u, v: (f("cos", u), -v),
    "cos": lambda f, u, v: (-f("sin", u), -v),
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda f, u, v: (f("sigmoid", u), f("sigmoid", u) * f("sigmoid", -u)),
    "relu": lambda f, u, v: (np.where(u > 0, 1 + 0 * u, 0 * u), 0 * u),
    "silu": _silu,
    "gelu": _gelu,
    "erf": _erf,
    "abs": lambda f, u, v: (f("sign", u), 0 * u),
    "sign": lambda f, u, v: (0 * u, 0 * u),
    "stop_gradient": lambda f, u, v: (0 * u, 0 * u),
}
"""The slope and the curvature of each function of one argument: (functions, argument, value) -> both."""


class Hyperdual(Numbers):
    """Hyperdual numbers over a float type, as structured arrays; with `noise`, each operation off by chance."""

    def __init__(self, dtype: Any, noise: int | None = None) -> None:
        super().__init__(f"hyperdual {np.dtype(dtype).name}", [(part, dtype) for part in _PARTS])
        self.part = np.dtype(dtype)
        self.wide: Any = _WIDER.get(dtype, object)
        self.random = None if noise is None else np.random.default_rng(noise)
        if self.random is not None:
            self.off = (1 + np.finfo(dtype).eps * self.random.uniform(-1, 1, _NOISE)).astype(dtype)

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

    def constant(self, value: Fraction) -> Any:
        return self.of(value.numerator / value.denominator)

    def negate(self, operand: Any) -> Any:
        return self.of(*(-operand[part] for part in _PARTS))

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        r = self.rounded
        (a, a1, a2, a12), (b, b1, b2, b12) = ([operand[part] for part in _PARTS] for operand in (left, right))
        if sign in "+-":
            plus = np.add if sign == "+" else np.subtract
            return self.of(*(r(plus(left[part], right[part])) for part in _PARTS))
        if sign == "*":
            mixed = r(r(r(a12 * b) + r(a1 * b2)) + r(r(a2 * b1) + r(a * b12)))
            return self.of(r(a * b), r(r(a1 * b) + r(a * b1)), r(r(a2 * b) + r(a * b2)), mixed)
        q = r(self.divided(a, b))
        q1, q2 = (r(self.divided(r(move - r(q * by)), b)) for move, by in ((a1, b1), (a2, b2)))
        mixed = r(self.divided(r(r(a12 - r(q1 * b2)) - r(r(q2 * b1) + r(q * b12))), b))
        return self.of(q, q1, q2, mixed)

    def power(self, base: Any, exponent: Fraction) -> Any:
        u = base["value"].astype(self.wide)
        p = exponent.numerator / exponent.denominator
        slopes = [p * self.raised(u, exponent - 1) if p else 0 * u]
        slopes += [p * (p - 1) * self.raised(u, exponent - 2) if p * (p - 1) else 0 * u]
        return self._chained(base, self.raised(u, exponent), *slopes)

    def function(self, name: str, operand: Any) -> Any:
        u = operand["value"].astype(self.wide)
        value = self.call(name, u)
        if name == "stop_gradient":
            return self.of(operand["value"])
        return self._chained(operand, value, *_DERIVATIVES[name](self.call, u, value))

    def order(self, values: Any) -> Any:
        return values["value"]

    def sum(self, row: Any) -> Any:
        noisy = (np.sum(self.rounded(row[part]), axis=-1, keepdims=True) for part in _PARTS)
        return self.of(*(self.rounded(part) for part in noisy))

    def rounded(self, values: Any) -> Any:
        """An operation's result, moved by up to an ulp where there is noise."""
        if self.random is None or not np.ndim(values):
            return values
        # Slices of one pool, from a place by chance, cost less than new numbers for each operation.
        places = (int(self.random.integers(_NOISE)) + np.arange(values.size)) % _NOISE
        return values * self.off[places].reshape(values.shape)

    # What a number type says of its parts.

    def divided(self, a: Any, b: Any) -> Any:
        """a/b of two parts."""
        return a / b

    def raised(self, u: Any, exponent: Fraction) -> Any:
        """u**exponent in the wider type."""
        whole = exponent.denominator == 1
        return u**exponent.numerator if whole else u ** self.wide(exponent.numerator / exponent.denominator)

    def call(self, name: str, u: Any) -> Any:
        """A function of the language in the wider type, or the root of pi."""
        if name == "root of pi":
            return np.sqrt(4 * np.arctan(self.wide(1)))
        return FUNCTIONS[name](u)

    def _chained(self, operand: Any, value: Any, slope: Any, curvature: Any) -> Any:
        r = self.rounded
        f, f1, f2 = (np.asarray(part).astype(self.part) for part in (value, slope, curvature))
        mixed = r(r(f1 * operand["mixed"]) + r(r(f2 * operand["first"]) * operand["second"]))
        return self.of(r(f), r(f1 * operand["first"]), r(f1 * operand["second"]), mixed)


class ExactHyperdual(Hyperdual):
    """Hyperdual numbers over mpmath's, to any number of digits."""

    def __init__(self, digits: int) -> None:
        super().__init__(object)
        self.base = mp_numbers(digits)

    def lifted(self, value: Any) -> Any:
        return self.base.array(value)

    def constant(self, value: Fraction) -> Any:
        return self.of(self.base.constant(value))

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        return np.asarray(super().compare(sign, left, right)).astype(bool)

    def undefined(self, values: Any) -> Any:
        return np.asarray(values["value"] != values["value"]).astype(bool)

    def divided(self, a: Any, b: Any) -> Any:
        return self.base.combine("/", a, b)

    def raised(self, u: Any, exponent: Fraction) -> Any:
        return self.base.power(u, exponent)

    def call(self, name: str, u: Any) -> Any:
        if name == "root of pi":
            return self.base.function("sqrt", self.base.array(self.base.context.pi()))  # type: ignore[attr-defined]
        return self.base.function(name, u)


def in_rows(text: str) -> Definition:
    """The layer of a text with parameters of each row's own: Features are Rows of it, Scalars are RowScalars.

    >>> print(in_rows("def f(x: Row, w: Feature = 1): return w * x").input("w").kind)
    Kind.ROW
    """
    function = function_of(ast.parse(text))
    own = {"Feature": "Row", "Scalar": "RowScalar"}
    for argument in function.args.args:
        assert isinstance(argument.annotation, ast.Name)
        argument.annotation.id = own.get(argument.annotation.id, argument.annotation.id)
    return parse(ast.unparse(function))


def differentiated(
    definition: Definition,
    rows: Definition,
    point: Point,
    numbers: Hyperdual,
    tangents_only: bool = False,
) -> Results:
    """Outputs, gradients, tangents and second gradients at a point, by plain differentiation.

    `rows` is `in_rows` of the definition's text. With `tangents_only` outputs and tangents, which take one column.
    """
    case, directions = point.case, point.directions
    there = [entry for entry in definition.differentiable if case.inputs.get(entry.name) is not None]
    places = [(entry.name, place) for entry in there for place in range(case.features if entry.kind.over_features else 1)]
    places = places[:1] if tangents_only else places
    given: dict[str, Any] = {}
    for entry in definition.inputs:
        value = case.inputs.get(entry.name)
        if entry.kind is Kind.CONSTANT or value is None:
            given[entry.name] = value
            continue
        shape = (case.rows, case.features) if entry.kind.over_features else (case.rows,)
        first = np.zeros((len(places), *shape), int)
        for number, (name, place) in enumerate(places):
            if name == entry.name:
                first[(number, ..., place) if entry.kind.over_features else number] = 1
        given[entry.name] = numbers.of(value, first, directions.get(entry.name, 0))
    with np.errstate(all="ignore"):
        outputs = evaluate(rows, given, numbers)
        results: Results = {(OUTPUT, name): value["value"][0] for name, value in outputs.items()}
        if not tangents_only:
            results |= _contracted(definition, case, numbers, outputs, places, GRADIENT)
        if directions:
            results |= {(TANGENT, name): value["second"][0] for name, value in outputs.items()}
        if directions and not tangents_only:
            results |= _contracted(definition, case, numbers, outputs, places, SECOND)
            given_cotangents = [name for name, value in case.cotangents.items() if value is not None]
            results |= {(SECOND_OF_COTANGENT, name): outputs[name]["second"][0] for name in given_cotangents}
    return results


def _contracted(
    definition: Definition, case: Case, numbers: Hyperdual, outputs: Any, places: list[tuple[str, int]], what: str
) -> Results:
    """The parts of the outputs that move with each input, contracted with the cotangents."""
    results: Results = {}
    part = "first" if what == GRADIENT else "mixed"
    for entry in definition.differentiable:
        mine = [number for number, (name, _) in enumerate(places) if name == entry.name]
        moved: Any = 0
        for name, value in case.cotangents.items():
            if mine and value is not None:
                terms = numbers.rounded(outputs[name][part][mine] * numbers.lifted(value))
                moved = numbers.rounded(moved + (terms.sum(-1) if terms.ndim == 3 else terms))
        if mine:
            moved = np.moveaxis(moved, 0, -1)  # (rows, places)
            moved = moved if entry.kind.over_rows else moved.sum(0)
            results[what, entry.name] = moved if entry.kind.over_features else moved[..., 0]
    return results
