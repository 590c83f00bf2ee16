"""Run the NumPy files of a layer on intervals: `tools/verify.py --code FOLDER` starts this, and judges what it gives.

It is a process of its own, because the emitted code runs here, unchanged, and may do anything. It reads points as JSON,
one a line, and writes what the four functions make of each. Nothing of lngen is imported. Five functions of NumPy and
of the runtime do not run as they stand: `isinf` and `isnan` (nothing is either), `logaddexp` (softplus), `erf`, casts.
"""

import importlib
import json
import resource
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from mpmath import iv, mp, mpf
from mpmath.libmp import MPZ

iv.prec = mp.prec = 400
INCREASING, ULPS, SHORT = ("erf", "asin", "atan"), 4, 12
MODULES = {
    "forward": "numpy_kernels",
    "backward": "numpy_kernels",
    "jvp": "numpy_second_order",
    "backward_backward": "numpy_second_order",
}


def number(value: Any) -> Any:
    """An interval around a number of the code: a float that is no short decimal has a few roundings behind it."""
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return iv.mpf(int(value))
    if not isinstance(value, (float, np.floating, str)):
        raise TypeError(f"memory that was never written is read: {value!r}")
    text = value if isinstance(value, str) else repr(float(value))
    exact = iv.mpf(Fraction(text).numerator) / Fraction(text).denominator
    is_short = len(text.partition("e")[0].strip("-0.")) <= SHORT
    return exact if is_short else exact * (1 + ULPS * iv.mpf([-1, 1]) * iv.mpf(2) ** -52)


class Interval:
    """A number of emitted code, with the operators and methods that NumPy asks objects for.

    A comparison that its ends do not decide is false: the results are judged, and not the way to them.
    """

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of.of if isinstance(of, Interval) else of if isinstance(of, type(iv.zero)) else number(of)

    def conjugate(self) -> "Interval":
        """The number itself, for products of rows."""
        return self

    def __abs__(self) -> "Interval":
        return Interval(abs(self.of))

    def __neg__(self) -> "Interval":
        return Interval(-self.of)

    def __bool__(self) -> bool:
        return not bool(self.of == 0)

    def __getattr__(self, name: str) -> Callable[[], "Interval"]:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return lambda: Interval(FUNCTIONS[name](self.of))

    __hash__ = None  # type: ignore[assignment]


def _operator(name: str) -> Callable[[Interval, Any], Any]:
    def apply(self: Interval, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        right = Interval(other.item() if isinstance(other, np.ndarray) else other).of
        made = raised(self.of, right) if name == "__pow__" else getattr(self.of, name)(right)
        return made is True if name in COMPARED else Interval(made)

    return apply


def _reflected(name: str) -> Callable[[Interval, Any], Any]:
    return lambda self, other: getattr(Interval(other), name)(self)


COMPARED = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
for _name in (*COMPARED, "__add__", "__sub__", "__mul__", "__truediv__", "__pow__"):
    setattr(Interval, _name, _operator(_name))
for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Interval, f"__r{_name}__", _reflected(f"__{_name}__"))

UNKNOWN = iv.mpf(["-inf", "inf"])


def raised(base: Any, exponent: Any) -> Any:
    """A power: of any base by a whole number, else of one that is not negative."""
    whole = int(mpf(exponent.a)) if exponent.delta == 0 and mpf(exponent.a) == int(mpf(exponent.a)) else None
    return base**whole if whole is not None else iv.exp(exponent * iv.log(base)) if base > 0 else UNKNOWN


def increasing(name: str) -> Callable[[Any], Any]:
    """A function that increases, by mpmath's for numbers at both ends, whose last digits do not count."""
    last = 1 + iv.mpf([-1, 1]) * iv.mpf(2) ** -390
    return lambda u: iv.mpf([getattr(mp, name)(mpf(end)) for end in (u.a, u.b)]) * last


def joined(u: Any, v: Any) -> Any:
    """An interval that holds two."""
    return iv.mpf([min(u.a, v.a), max(u.b, v.b)])


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(iv, name) for name in ("exp", "sin", "cos")},
    **{name: increasing(name) for name in INCREASING},
    "log": lambda u: iv.log(u) if u > 0 else UNKNOWN,
    "sqrt": lambda u: iv.sqrt(u) if u >= 0 else UNKNOWN,
    "square": lambda u: abs(u) ** 2,
    "log1p": lambda u: FUNCTIONS["log"](1 + u),
    "expm1": lambda u: iv.exp(u) - 1,
    "softplus": lambda u: iv.log(1 + iv.exp(u)),
    "sigmoid": lambda u: 1 / (1 + iv.exp(-u)),
    "tanh": lambda u: 1 - 2 / (iv.exp(2 * u) + 1),
    "arcsin": lambda u: FUNCTIONS["asin"](u),
    "arccos": lambda u: iv.pi / 2 - FUNCTIONS["asin"](u),
    "arctan": lambda u: FUNCTIONS["atan"](u),
    "sign": lambda u: iv.mpf(1 if u > 0 else -1) if u > 0 or u < 0 else joined(iv.mpf(-1), iv.mpf(1)) * (u != 0),
}


def intervals(values: Any) -> Any:
    """An array, or a number, as one of intervals."""
    return np.frompyfunc(Interval, 1, 1)(values)


class OnIntervals:
    """NumPy for the emitted code; what a ufunc leaves out by `where` is unknown."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return _on_intervals(found) if isinstance(found, np.ufunc) else found

    @staticmethod
    def isinf(values: Any) -> Any:
        return np.zeros(np.shape(values), bool)

    isnan = isinf

    @staticmethod
    def logaddexp(values: Any, zero: Any, out: Any = None) -> Any:
        return each("softplus", values, out)


def _on_intervals(ufunc: np.ufunc) -> Any:
    class Wrapped:
        def __getattr__(self, name: str) -> Any:
            return getattr(ufunc, name)

        def __call__(self, *given: Any, where: Any = True, **more: Any) -> Any:
            read = [intervals(v) if isinstance(v, np.ndarray) and v.dtype == object else v for v in given[: ufunc.nin]]
            made = ufunc(*read, *given[ufunc.nin :], **({} if where is True else {"where": where}), **more)
            if where is not True:
                made[~np.broadcast_to(where, made.shape)] = Interval(UNKNOWN)
            return made

    return Wrapped()


def each(name: str, values: Any, out: Any = None) -> Any:
    """A function of each entry, in memory that is given, if any."""
    made = np.frompyfunc(lambda u: Interval(FUNCTIONS[name](Interval(u).of)), 1, 1)(values)
    if out is None:
        return made
    out[...] = made
    return out


class IntervalType:
    """The type that the code is to compute in."""

    dtype, itemsize, name, type = np.dtype(object), 8, "float64", Interval

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntervalType) or bool(other == self.dtype)

    def __hash__(self) -> int:
        return hash(self.dtype)


def imported(folder: Path) -> tuple[dict[str, ModuleType], Any]:
    """The modules of a layer, and its protocol."""
    root = ModuleType("emitted")
    root.__path__ = [str(folder.parent)]
    sys.modules["emitted"] = root
    names = {"numpy_backend", *MODULES.values()}
    found = {name: importlib.import_module(f"emitted.{folder.name}.{name}") for name in names}
    for name, module in list(sys.modules.items()):
        if name.startswith("emitted.") and getattr(module, "np", None) is np:
            module.np = OnIntervals()  # type: ignore[attr-defined]
    for name, where, new in (("functions", "erf", lambda v, out=None: each("erf", v, out)), ("casts", "cast", _as_is)):
        if (runtime := sys.modules.get(f"emitted._runtime.numpy.{name}")) is not None:
            setattr(runtime, where, new)
    protocol = importlib.import_module("emitted._runtime.protocol.directions")
    axes = importlib.import_module("emitted._runtime.protocol.axes")
    return found, protocol.LayerProtocol(axes.without_axes(found["numpy_backend"].INTERFACE))


def _as_is(values: Any, _: str) -> Any:
    return values


class RunOnIntervals:
    """One run of the four functions of a layer on two rows."""

    def __init__(self, layer: Any, point: dict[str, Any]) -> None:
        self.features, self.in_blocks, self.layer = point["features"], point["in_blocks"], layer
        self.known = {name: _table(rows) for name, rows in point["values"].items()}
        self.made: dict[str, list[list[Any]]] = {}

    def shape(self, entry: Any) -> tuple[int, ...]:
        """The shape of a value, by the number that the protocol has for its kind."""
        return {0: (2, self.features), 1: (2,), 2: (self.features,)}.get(entry.part, ())

    def given(self, entry: Any) -> Any:
        """An argument of the point."""
        table = self.known[entry.symbol]
        if entry.is_integer:
            table = np.frompyfunc(lambda u: int(mpf(u.of.a)), 1, 1)(table).astype(np.int64)
        shape = self.shape(entry)
        return table[: 2 if entry.part < 2 else 1, : self.features if entry.part in (0, 2) else 1].reshape(shape)

    def take(self, function: Callable[..., Any], takes: Any, at_once: bool) -> None:
        """Call a function, and keep what it makes."""
        makes = (*takes.results, *takes.row_scalars)
        rooms = [np.empty(self.shape(each), object) for each in makes]
        arguments: list[Any] = [[self.given(each) for each in takes.arguments]]
        if not takes.is_forward:
            arguments.append([self.saved[each.symbol.removeprefix("saved ")] for each in takes.fields])
        is_at_once = at_once and not self.in_blocks
        memory = [None] * len(rooms) if is_at_once and takes.is_forward else rooms
        found = function(*arguments, memory, ((2, self.features), IntervalType(), int(not is_at_once)))
        values = [value if value is not None else room for value, room in zip_longest(found or (), rooms)]
        made = {each.symbol.removeprefix("saved "): value for each, value in zip(makes, values, strict=True)}
        if takes.is_forward:
            self.saved = {each.symbol: self.given(each) for each in takes.arguments} | made
        for each in takes.results:
            is_second = takes.name == "backward_backward" and each.owner in self.layer.inputs
            name = f"d2{each.owner.symbol}" if is_second else each.symbol
            self.made[name] = _rows(made[each.symbol], each.part, self.features)


def _table(rows: list[list[Any]]) -> Any:
    found = np.empty((2, len(rows[0])), object)
    for i, j in np.ndindex(found.shape):
        found[i, j] = Interval(iv.make_mpf(tuple((sign, MPZ(man), exp, bits) for sign, man, exp, bits in rows[i][j])))
    return found


def _rows(value: Any, part: int, features: int) -> list[list[Any]]:
    """A result as two rows of the ends of intervals."""
    value = np.asarray(value, object)
    table = np.broadcast_to(value[:, None] if part == 1 else value, (2, features))
    return [[[[int(word) for word in end] for end in Interval(u).of._mpi_] for u in row] for row in table]


def main() -> None:
    """Answer points until there is no other; an error of the code is an answer."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]),) * 2)
    modules, layer = imported(Path(sys.argv[1]))
    for line in sys.stdin:
        answer: dict[str, Any] = {}
        try:
            run = RunOnIntervals(layer, json.loads(line))
            for name, takes in layer.directions.items():
                at_once = getattr(modules["numpy_backend"], f"_{name.upper()}").at_once
                run.take(getattr(modules[MODULES[name]], name), takes, at_once)
            answer["made"] = run.made
        except Exception as fault:
            answer["fault"] = f"{type(fault).__name__}: {fault}"
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
