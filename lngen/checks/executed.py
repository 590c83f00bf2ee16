"""The definition itself, run as the Python that it is, beside the emitted functions of NumPy.

All other evidence rests on what lngen's parser made of the text and on one table of functions: where these are wrong,
derivation, proof and references are wrong alike. Here the function that the parser accepted is compiled and run, with
functions of NumPy written down once more, and nothing of either is used. Gradients are compared with differences.

An array has an axis for each name of the definition's axes, of size 1 where it lacks one, so that arrays broadcast as
the definition says; a Row has the axes "... d".
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from types import CodeType, MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lngen.checks.evidence import Evidence, verdict
from lngen.checks.layer import Emitted, arrays_by_name
from lngen.language.axes import AxisParts, Pattern
from lngen.language.definition import Definition, Draw
from lngen.language.oracle.evaluate import rounded
from lngen.language.oracle.random import drawn_from
from lngen.language.syntax import Kind

Array = NDArray[Any]

KIND = "run as Python"

_AXES = {
    "Row": "... d",
    "RowScalar": "...",
    "Feature": "d",
    "Scalar": "",
    "Constant": "",
    "Data": "... d",
    "Int": "... d",
}
"""The axes of an input whose annotation names none."""

_ROWS = 3
_FEATURES = ((1, 1), (2, 1), (3, 1), (7, 2), (4, 3))
"""Sizes of the axes that make up a row, the first of them and the others."""

_DRAWS: Mapping[str, Callable[[Array], Array]] = {
    "of order one": lambda u: u,
    "positive": lambda u: np.abs(u) + 0.1,
    "whole": lambda u: np.round(2 * u),
    "large": lambda u: 5 * u,
    "zero": lambda u: 0 * u,
    "tied": lambda u: u[..., :1] + 0 * u if u.ndim else u,
}
_SMOOTH = ("of order one", "positive")
"""Draws at which differences are taken: the others stand on kinks."""

_STEP = np.longdouble(1e-6)
_TOLERANCE = 1e-6
"""Error that outputs and slopes may have, relative to the largest: a wrong formula is off by far more."""

_LEAST = 1e-9
_NEAR = 1e-12
_TIMES_ROUGHER = 1e3
_KINKED = 1e-3
_MOST_TOLD = 3


def _off_by(off: float, function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda u, *axes: function(u, *axes) + off * function(np.abs(u), *axes)


def _next_to(value: Any) -> Any:
    is_scalar = value is not None and not np.ndim(value) and np.asarray(value).dtype.kind == "f"
    return value * (1 + _NEAR) + _NEAR if is_scalar else value


def _erf(u: Array) -> Array:
    return np.asarray(np.frompyfunc(lambda v: np.longdouble(math.erf(v)), 1, 1)(u), np.longdouble)


def _sigmoid(u: Array) -> Array:
    return cast(Array, 1 / (1 + np.exp(-u)))


_ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "where": np.where,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "clip": lambda u, low, high: np.minimum(np.maximum(u, low), high),
    "sqrt": np.sqrt,
    "rsqrt": lambda u: 1 / np.sqrt(u),
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda u: np.logaddexp(0 * u, u),
    "relu": lambda u: np.maximum(u, 0 * u),
    "silu": lambda u: u * _sigmoid(u),
    "erf": _erf,
    "gelu": lambda u: u * (1 + _erf(u / np.sqrt(np.longdouble(2)))) / 2,
    "abs": np.abs,
    "sign": np.sign,
}


@dataclass(frozen=True)
class SpreadAxes:
    """Sizes of all axes of a definition by name, in the order of memory, and the names that make up a row."""

    sizes: Mapping[str, int]
    features: tuple[str, ...]

    @property
    def row_size(self) -> int:
        """The number of features of a row."""
        return math.prod(self.sizes[name] for name in self.features)

    def shape(self, pattern: Pattern) -> tuple[int, ...]:
        """Return the shape in which a caller passes an array."""
        return tuple(math.prod(self.sizes[name] for name in axis) for axis in pattern.axes)

    def spread(self, array: Array, pattern: Pattern) -> Array:
        """Return a caller's array with an axis for each name."""
        names = pattern.names
        split = array.reshape([self.sizes[name] for name in names])
        order = [names.index(name) for name in self.sizes if name in names]
        return split.transpose(order).reshape([size if name in names else 1 for name, size in self.sizes.items()])

    def whole(self, value: Any, names: tuple[str, ...]) -> Array:
        """Return a value that is written out over some axes."""
        given = np.asarray(value, np.longdouble)
        given = given.reshape(given.shape or (1,) * len(self.sizes))
        wide = [self.sizes[name] if name in names else size for name, size in zip(self.sizes, given.shape, strict=True)]
        return np.broadcast_to(given, wide)

    def places(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the places of some axes."""
        return tuple(place for place, name in enumerate(self.sizes) if name in names)

    def row_places(self) -> Array:
        """Return the place of each feature in its row."""
        shape = [size if name in self.features else 1 for name, size in self.sizes.items()]
        return np.arange(self.row_size).reshape(shape)


class Function:
    """The function of a definition, compiled from the syntax tree that the parser accepted."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        tree = ast.parse(definition.source.removeprefix("\ufeff"))
        (made,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == definition.name)
        self.annotations = {each.arg: each.annotation for each in made.args.args}
        for each in made.args.args:
            each.annotation = None
        made.returns = None
        module = ast.fix_missing_locations(ast.Module([made], []))
        self.code: CodeType = compile(module, definition.filename, "exec", dont_inherit=True)
        self.stopped: list[Any] | None = None
        self._turn = 0

    def pattern(self, name: str) -> Pattern:
        """Return the axes of an input, by its annotation."""
        match self.annotations[name]:
            case ast.Subscript(slice=ast.Constant(str(axes))):
                return Pattern.of(axes)
            case ast.Name(kind):
                return Pattern.of(_AXES[kind])
        raise AssertionError(f"{name} has no annotation")

    def names(self) -> tuple[str, ...]:
        """Return the names of all axes, those of the widest array first."""
        kinds = [
            name for name, each in self.annotations.items() if not (isinstance(each, ast.Name) and each.id == "Size")
        ]
        patterns = sorted((self.pattern(name).names for name in kinds), key=len, reverse=True)
        return tuple(dict.fromkeys(name for names in patterns for name in names))

    def __call__(self, axes: SpreadAxes, given: Mapping[str, Any], dtype: Any = np.longdouble) -> tuple[Any, ...]:
        """Return the outputs of inputs that have an axis for each name; one that is missing has its default.

        In float64, sums are off by what they may be if their terms are added up in any order.
        """
        self._turn = 0
        space = {"__builtins__": {}, **_ELEMENTWISE, **self._functions(axes)}
        if dtype == np.float64:
            off = axes.row_size * np.finfo(dtype).eps
            exact = {name: space[name] for name in ("mean", "sum")}
            space |= {name: _off_by(off, function) for name, function in exact.items()}
        exec(self.code, space)
        found = space[self.definition.name](**{name: value.astype(dtype) for name, value in given.items()})
        return found if isinstance(found, tuple) else (found,)

    def _functions(self, axes: SpreadAxes) -> dict[str, Any]:
        def reduction(function: Callable[..., Any], default: tuple[str, ...]) -> Callable[..., Any]:
            def of(u: Any, text: str = "") -> Any:
                names = Pattern.of(text).names or default
                return function(axes.whole(u, names), axis=axes.places(names), keepdims=True)

            return of

        def pick(row: Any, i: Any) -> Any:
            chosen = np.where(axes.row_places() == i, axes.whole(row, axes.features), 0)
            return chosen.sum(axes.places(axes.features), keepdims=True)

        def index(text: str = "") -> Any:
            return (axes if not text else replace(axes, features=Pattern.of(text).names)).row_places()

        def uniform(seed: Any, stream: int = 0) -> Any:
            rows = [size for name, size in axes.sizes.items() if name not in axes.features]
            features = [axes.sizes[name] for name in axes.features]
            drawn = drawn_from(Draw("seed", stream), {"seed": seed.item()}, (math.prod(rows), axes.row_size))
            order = [name for name in axes.sizes if name not in axes.features] + [*axes.features]
            return drawn.reshape(rows + features).transpose([order.index(name) for name in axes.sizes])

        def dropout(u: Any, p: Any, seed: Any, stream: int = 0) -> Any:
            return np.where(uniform(seed, stream) >= p, u / (1 - p), 0)

        def stop_gradient(u: Any) -> Any:
            if self.stopped is None:
                return u
            if len(self.stopped) == self._turn:
                self.stopped.append(u)
            self._turn += 1
            return self.stopped[self._turn - 1]

        def at(array: Any, **part: int) -> Any:
            ((name, place),) = part.items()
            return np.take(array, [place], axis=[*axes.sizes].index(name))

        def join(*parts: Any) -> Any:
            (name,) = (each.axis for each in self.definition.parts if set(each.names) & set(self.definition.outputs))
            others = tuple(other for other in axes.sizes if other != name)
            return np.concatenate([axes.whole(part, others) for part in parts], [*axes.sizes].index(name))

        return {
            "mean": reduction(np.mean, axes.features),
            "sum": reduction(np.sum, axes.features),
            "max": reduction(np.max, axes.features),
            "min": reduction(np.min, axes.features),
            **{each.__name__: each for each in (pick, index, uniform, dropout, stop_gradient, at, join)},
            # A slope goes straight through a rounding.
            "cast": lambda u, target: rounded(np.asarray(u), target) if self.stopped is None else u,
            "pi": np.longdouble("3.14159265358979323846264338327950288"),
            "D": np.longdouble(axes.row_size),
        }


def run_as_python(
    definition: Definition,
    module: Emitted,
    seed: int,
    passed: Collection[str] | None = None,
    fixed: Mapping[str, float] = MappingProxyType({}),
) -> Iterator[Evidence]:
    """Yield the evidence that emitted functions of NumPy compute what the text of a definition says.

    Rows are of order one, positive, whole numbers, large, zero and tied, each optional input is there and left out, and
    Constants are away from their defaults. Of other functions only the arrays `passed` are there, always, and Constants
    have a `fixed` value. Where outputs are not finite, or hang on a comparison that rounding
    decides, nothing is claimed.
    """
    function, wrong = Function(definition), 0
    draw = np.random.default_rng(seed)
    for turn, (sizes, (how, change)) in enumerate(
        zip(cycle(_FEATURES), (*_DRAWS.items(),) * len(_FEATURES), strict=False)
    ):
        case = _SideBySide(function, module, _axes(function, sizes))
        # Other functions may refuse a row of one entry, of which some axes make a batch.
        if case.axes.row_size < max(definition.minimum_features, 1 if passed is None else 2):
            continue
        if wrong == _MOST_TOLD:
            return
        case.fill(draw, change, left_out=turn % 2 == 1, passed=passed)
        case.options |= fixed
        shape = _ROWS, case.axes.row_size
        trouble = case.outputs()
        yield verdict(KIND, "outputs", trouble and f"rows {how}: {trouble}", shape, "float64")
        if how in _SMOOTH and not trouble:
            trouble = case.gradients(draw)
            yield verdict(KIND, "gradients", trouble and f"rows {how}: {trouble}", shape, "float64")
        wrong += bool(trouble)


def drawn_by_name(definition: Definition, passed: Collection[str]) -> dict[str, Any]:
    """Values of the inputs `passed` and of the sizes of axes, by the names that callers know; None for others."""
    function = Function(definition)
    case = _SideBySide(function, None, _axes(function, _FEATURES[-1]))
    case.fill(np.random.default_rng(0), lambda u: u, left_out=False, passed=passed)
    return {**case.arrays, **case.options, **case.sizes}


def _axes(function: Function, features: tuple[int, int]) -> SpreadAxes:
    definition = function.definition
    row = definition.layout.features if definition.layout else ("d",) * ("d" in function.names())
    counts = {each.axis: len(each.names) for each in definition.parts}
    first, others = features
    sizes = {name: first if name in row[:1] else others if name in row else _ROWS for name in function.names()}
    return SpreadAxes(sizes | counts, row)


class _SideBySide:
    """Inputs of one call, and both sides of it."""

    def __init__(self, function: Function, module: Any, axes: SpreadAxes) -> None:
        self.function, self.module, self.axes = function, module, axes
        self.definition = function.definition
        self.sizes = {each.name: axes.sizes[each.name] for each in self.definition.sizes}
        self.arrays: dict[str, Any] = {}
        self.options: dict[str, Any] = {}
        self.saved: Any = None
        self.shapes: list[tuple[int, ...]] = []

    def fill(
        self,
        draw: np.random.Generator,
        change: Callable[[Array], Array],
        left_out: bool,
        passed: Collection[str] | None = None,
    ) -> None:
        """Draw the inputs by the names that callers know, of them all or of those `passed`."""
        definition = self.definition
        for entry in definition.constants:
            value = 1.5 if entry.default is None else 1.5 * float(entry.default) or 0.5
            name = definition.public(entry.name)
            if entry.default is None or not left_out if passed is None else name in passed:
                self.options[name] = value
        for name, entry in arrays_by_name(definition).items():
            is_left_out = left_out and entry.default is not None and definition.whole(entry.name) is None
            if is_left_out if passed is None else name not in passed:
                self.arrays[name] = None
            else:
                shape = self.axes.shape(self.function.pattern(name))
                self.arrays[name] = (
                    draw.integers(-1, self.axes.row_size + 1, shape)
                    if entry.kind.is_integer
                    else np.asarray(change(draw.normal(size=shape)))  # of no axes it is a number
                )

    def _given(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        spread = {
            name: self.axes.spread(np.asarray(value, np.longdouble), self.function.pattern(name))
            for name, value in arrays.items()
            if value is not None
        }
        numbers = {name: np.asarray(value, np.longdouble) for name, value in self.options.items()}
        return {**spread, **numbers, **{name: np.asarray(size) for name, size in self.sizes.items()}}

    def _wanted(self, arrays: Mapping[str, Any], dtype: Any = np.longdouble) -> list[Array]:
        definition = self.definition
        outputs = self.function(self.axes, self._given(arrays), dtype)
        names = dict.fromkeys(definition.whole(name) or name for name in definition.outputs)
        return [self.axes.whole(v, self._axes_of(name)).ravel() for name, v in zip(names, outputs, strict=True)]

    def _axes_of(self, output: AxisParts | str) -> tuple[str, ...]:
        if isinstance(output, AxisParts):
            return output.pattern.names
        is_row = self.definition.output_kind(output) is Kind.ROW
        row = self.definition.layout.pattern.names if self.definition.layout else self.axes.sizes
        return tuple(name for name in row if is_row or name not in self.axes.features)

    @np.errstate(all="ignore")
    def outputs(self) -> str:
        """Compare the outputs; returns what differs."""
        made, self.saved = self.module.forward(*self.arrays.values(), **self.options, **self.sizes)
        made = made if isinstance(made, tuple) else (made,)
        self.shapes = [np.shape(each) for each in made]
        self.function.stopped = None
        # In float64, with other sums, and with Scalars that are next to these: a limit, such as 1/p where p is 0, is no
        # value, nor is what rounding makes of the difference of a row and its mean.
        near = {name: _next_to(value) for name, value in self.arrays.items()}
        for place, (found, wanted, rough) in enumerate(
            zip(made, self._wanted(self.arrays), self._wanted(near, np.float64), strict=True)
        ):
            mine = np.asarray(found, np.longdouble).ravel()
            known = np.isfinite(wanted) & np.isfinite(rough)
            scale = np.abs(wanted[known]).max(initial=0)
            allowed = _TOLERANCE * scale + _LEAST + _TIMES_ROUGHER * np.abs(wanted - rough)
            wrong = known & ~(np.abs(mine - wanted) <= allowed)
            if wrong.any():
                at = int(np.argmax(wrong))
                return f"output {place}: {float(mine[at]):.6g}, and the definition gives {float(wanted[at]):.6g}"
        return ""

    @np.errstate(all="ignore")
    def gradients(self, draw: np.random.Generator) -> str:
        """Compare the gradients with differences along a direction for each input; returns what differs."""
        cotangents = [draw.normal(size=shape) for shape in self.shapes]
        gradients = self.module.backward(self.saved, *cotangents)._asdict()
        self.function.stopped = []

        def loss(arrays: Mapping[str, Any], size: Callable[[Any], Any] = lambda term: term) -> Any:
            pairs = zip(cotangents, self._wanted(arrays), strict=True)
            return sum(size(v.ravel() * each).sum() for v, each in pairs)

        here = loss(self.arrays)
        # What rounding alone may make of a slope.
        noise = loss(self.arrays, np.abs) * np.finfo(np.longdouble).eps / _STEP
        for name, value in self.arrays.items():
            if value is None or (gradient := gradients.get(f"d{name}")) is None:
                continue
            way = draw.normal(size=np.shape(value))
            ahead, behind = (
                loss({**self.arrays, name: value.astype(np.longdouble) + sign * _STEP * way}) for sign in (1, -1)
            )
            slope, bend = (ahead - behind) / (2 * _STEP), ((ahead - here) - (here - behind)) / _STEP
            said, size = (np.asarray(gradient) * way).sum(), (np.abs(gradient) * np.abs(way)).sum()
            if not np.isfinite(slope) or np.abs(bend) > _KINKED * (1 + np.abs(slope)) or noise > _TOLERANCE / 8:
                continue
            if not np.abs(slope - said) <= _TOLERANCE * (1 + np.abs(slope) + size):
                return f"d{name} along a direction: {float(said):.6g}, and differences give {float(slope):.6g}"
        return ""
