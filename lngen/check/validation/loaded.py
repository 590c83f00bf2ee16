"""Emitted files of NumPy, imported once more under a name of their own, on numbers that know how they were computed.

The text runs unchanged. What stands in for something of it is listed in `STAND_INS`: functions of NumPy that take no
objects, and functions of the runtime that compute by a fit, by random words, or by a type's grid.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lngen.check.validation.traced import UNCOMPUTED, Traced, function, traced

STAND_INS = {
    "numpy.isinf, isnan": "no number is infinite or undefined",
    "numpy.logaddexp": "the logarithm of a sum of exponentials",
    "functions.erf": "the error function, for its fits",
    "random.uniform": "a number in [0, 1) for each entry, for its words",
    "casts.cast": "the value itself, for the nearest one of a type",
}
"""Functions whose text does not run, and their meaning."""

SMALL = {"BLOCK_BYTES": 1, "PIECE": 2, "WHOLE_ROW": 4, "CHUNKS": 2, "SHORT_ROW": 8}
"""Sizes of the runtime at which few short rows are taken in several blocks, and summed in pieces."""

_NAMES = count()


class _Ufunc:
    """A ufunc of traced numbers, whose entries that `where` leaves out are no values, whatever was there before."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def __call__(self, *arguments: Any, where: Any = True, **others: Any) -> Any:
        # Of a number that is none of ours, NumPy finds no method.
        given = arguments[: self._ufunc.nin]
        arguments = (*(traced(each) if _is_objects(each) else each for each in given), *arguments[len(given) :])
        if where is True:
            return self._ufunc(*arguments, **others)
        made = self._ufunc(*arguments, where=where, **others)
        made[~np.broadcast_to(where, made.shape)] = UNCOMPUTED
        return made


class _NumPyOfObjects:
    """NumPy, but for functions that take no objects."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return _Ufunc(found) if isinstance(found, np.ufunc) else found

    @staticmethod
    def isinf(values: Any) -> Any:
        return np.zeros(np.shape(values), bool)

    isnan = isinf

    @staticmethod
    def logaddexp(a: Any, b: Any, out: Any = None) -> Any:
        if b != 0:
            raise TypeError("logaddexp of something else than 0")
        return _each("softplus", a, out)


def _is_objects(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def _each(name: str, values: Any, out: Any = None) -> Any:
    """Apply a function to each number, in memory that is given, if any."""
    made = np.frompyfunc(lambda each: function(name, each), 1, 1)(values)
    if out is None:
        return made
    out[...] = made
    return out


def random_symbols(stream: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return a number for each entry of the rows, by the row's number and its place, of a stream of random numbers."""
    rows, features = int(np.prod(shape[:-1])), shape[-1]
    draw = np.random.default_rng(stream)
    found = np.empty((rows, features), object)
    for place in np.ndindex(rows, features):
        found[place] = Traced.symbol(f"random{stream}[{place[0]},{place[1]}]", draw.uniform(0.05, 0.95))
    return found


class _SourceLoader(SourceFileLoader):
    """Compile a file's text each time, and neither read nor write its cache of bytecode.

    Python takes a cache for the file's own if time and size agree. A text that was changed within the clock's second,
    to one of the same length, would be validated as it was before.
    """

    def path_stats(self, path: Any) -> Any:
        raise OSError(f"the cache of {path} is not asked")


class _SourceFinder:
    """Find the modules below a package by their texts."""

    def __init__(self, root: str) -> None:
        self._root = root

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(f"{self._root}."):
            return None
        finders = (FileFinder(folder, (_SourceLoader, SOURCE_SUFFIXES)) for folder in path or ())
        return next(filter(None, (finder.find_spec(name) for finder in finders)), None)


@contextmanager
def imported(folder: Path, modules: Iterable[str]) -> Iterator[dict[str, ModuleType]]:
    """Import modules of an emitted layer, and the runtime beside it, once more, for traced numbers."""
    root = f"_lngen_validated_{next(_NAMES)}"
    package = ModuleType(root)
    package.__path__ = [str(folder.parent)]
    sys.modules[root] = package
    finder = _SourceFinder(root)
    sys.meta_path.insert(0, finder)
    try:
        found = {name: importlib.import_module(f"{root}.{folder.name}.{name}") for name in modules}
        numpy: Any = _NumPyOfObjects()
        for name, each in list(sys.modules.items()):
            if name.startswith(f"{root}.") and getattr(each, "np", None) is np:
                each.np = numpy  # type: ignore[attr-defined]
        runtime = f"{root}._runtime.numpy"
        _replace(runtime, "functions", "erf", partial(_each, "erf"))
        _replace(runtime, "random", "uniform", lambda seed, stream, call: _of_call(stream, call))
        _replace(runtime, "casts", "cast", lambda values, name: values)
        yield found
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name == root or name.startswith(f"{root}.")]:
            del sys.modules[name]


def _of_call(stream: int, call: tuple[Any, ...]) -> Any:
    made = random_symbols(stream, call[0])
    return made if call[2] else made.reshape(call[0])


def _replace(package: str, module: str, name: str, new: Callable[..., Any]) -> None:
    if (found := sys.modules.get(f"{package}.{module}")) is not None:
        setattr(found, name, new)


@contextmanager
def small(module: ModuleType) -> Iterator[None]:
    """Let few short rows be several blocks, and pieces of a row, for a loaded module."""
    root = module.__name__.partition(".")[0]
    rows = sys.modules[f"{root}._runtime.numpy.rows"]
    before = {name: getattr(rows, name) for name in SMALL if hasattr(rows, name)}
    try:
        for name in before:
            setattr(rows, name, SMALL[name])
        yield
    finally:
        for name, value in before.items():
            setattr(rows, name, value)
