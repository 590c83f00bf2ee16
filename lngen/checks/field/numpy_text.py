"""The text of NumPy in exact arithmetic: emitted modules, and the runtime that they call, on arrays of residues.

Text and runtime run as they are, by the name `numpy` for `arrays.NUMPY`. What stands in for something is in
`_STAND_INS`. Few short rows are several blocks, and pieces of a row, by the sizes in `_SMALL`.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location, spec_from_loader
from itertools import count, islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lngen import runtime
from lngen.checks.field import arrays
from lngen.checks.field.absence import NOTHING, Absence, absences, has_folded, is_call
from lngen.checks.field.calls import FieldCall, FieldResult, casts_not_compared, outcome
from lngen.checks.on_rows import on_rows
from lngen.checks.thresholds.side import lowered
from lngen.emit.numpy import handed
from lngen.paths import RUNTIME
from lngen.pipeline.cache.results import kept
from lngen.pipeline.stages import Derived, evidence_error
from lngen.plan.program import RowProgram
from lngen.runtime.cache import digest
from lngen.runtime.protocol.casts import dtype as cast_type
from lngen.runtime.protocol.directions import Entry, LayerProtocol

BACKEND = "numpy_backend.py"
"""The file of a layer that has its functions on NumPy."""

_SMALL = {"FAST_PATH_BYTES": 0, "BLOCK_BYTES": 1, "CHUNKS": 2, "SHORT_ROW": 8, "PIECE": 2, "WHOLE_ROW": 2}
_LARGEST = 4
_NAMES = count()


@dataclass(frozen=True)
class NumpyCase:
    """Rows of a call, what it is without, and whether they are taken in blocks or at once."""

    rows: int
    features: int
    absence: Absence = NOTHING
    in_blocks: bool = True

    @property
    def words(self) -> str:
        """Describe the case."""
        how = "in blocks" if self.in_blocks else "at once"
        return f"{self.rows} x {self.features} {how}{self.absence.words}"


class NumpyInField:
    """A layer whose text of NumPy computes modulo a prime; `texts` are its files by name."""

    def __init__(self, texts: Mapping[str, str], programs: Sequence[RowProgram], folder: Path | None = None) -> None:
        backend, self._sizes = _loaded({name: text for name, text in texts.items() if name.endswith(".py")}, folder)
        self.functions, self.has_axes = on_rows(backend), "layout" in vars(backend)["INTERFACE"]
        self.protocol = LayerProtocol(self.functions.INTERFACE)
        self.programs: dict[str, RowProgram] = {each.direction: handed(each) for each in programs}
        self.smallest = self.programs["forward"].minimum_features
        optional = [name for name, _ in self.programs["forward"].optional]
        every = [*absences(optional, self.protocol)]
        self.folded = [each for each in every if any(has_folded(one, each) for one in self.programs.values())]
        self.absences = [each for each in every if each not in self.folded]

    def results(self, case: NumpyCase, seed: int = 0) -> Iterator[FieldResult]:
        """Yield the outcome of each direction that has a call; a divisor that is 0 by chance is drawn anew."""
        for turn in range(seed, seed + _TURNS):
            arrays.ResidueArray.divided_by_zero = False
            with np.errstate(all="ignore"), lowered(self._sizes, **(_SMALL if case.in_blocks else {})):
                found = [*self._results(case, turn)]
            if not arrays.ResidueArray.divided_by_zero:
                break
        yield from found

    def _results(self, case: NumpyCase, seed: int) -> Iterator[FieldResult]:
        call = FieldCall(self.programs, case.rows, case.features, case.absence, seed, field=arrays.SHORT)
        saved: Any = None
        read: dict[Entry, Any] = {}
        for takes in (each for name, each in self.protocol.directions.items() if name in self.programs):
            arguments = call.arguments(takes)
            if not is_call(takes, arguments):
                continue
            own = [each for each in takes.arguments if each.kind != "Constant"]
            given = [_given(arguments[each.symbol]) for each in own]
            if takes.is_forward:
                numbers = {each.name: call.numbers[each.symbol] for each in takes.constants}
                made, saved = self.functions.forward(*given, **numbers)
                kept = [_plain(value).copy() if isinstance(value, np.ndarray) else value for value in saved]
            else:
                made = getattr(self.functions, takes.name)(saved, *takes.passed(given))
            row_scalars = [None] * len(takes.row_scalars)
            found = outcome(call, takes, [[*map(_plain, takes.several(made)), *row_scalars]])
            read |= {each: value for each, value in zip(own, given, strict=True) if value is not None}
            written = [each.name for each, value in read.items() if np.any(_plain(value) != _plain(call.given(each)))]
            of_saved = zip(saved._fields, saved, kept, strict=True)
            written += [
                name for name, value, was in of_saved if isinstance(was, np.ndarray) and np.any(_plain(value) != was)
            ]
            yield replace(found, wrong=found.wrong | {f"the argument {name}": 1 for name in written})


_TURNS = 5


def _given(value: Any) -> Any:
    """Return an argument as the text takes it; what it saves of it is not written to."""
    return value.view(arrays.ResidueArray).copy() if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def cases(layer: NumpyInField) -> Iterator[NumpyCase]:
    """Yield small calls: every number of features in blocks and at once, and each that something is left out of."""
    first = max(1, layer.smallest)
    for features in range(first, max(first + 1, _LARGEST) + 1):
        yield NumpyCase(5, features)
        yield NumpyCase(2, features, in_blocks=False)
    for absence in layer.absences:
        yield NumpyCase(5, first + 2, absence)


def faults(layer: NumpyInField) -> Iterator[str]:
    """Yield what is wrong with the text of a layer, a sentence for each direction and call."""
    for case in cases(layer):
        try:
            for found in layer.results(case):
                if found.wrong:
                    yield f"{found.direction}, {case.words}: {', '.join(found.wrong)} differs"
        except arrays.NotCoveredError:
            raise
        except Exception as error:  # of the text, whatever it is
            yield f"{case.words}: {type(error).__name__}: {error}"


def not_covered(layer: NumpyInField) -> Iterator[str]:
    """Yield what of a layer's text is run by no call here, or not compared."""
    yield from casts_not_compared(layer.protocol)
    if layer.folded:
        yield f"functions of neutral values{layer.folded[0].words}"
    if layer.has_axes:
        yield "how arrays whose axes have names are read as rows"


def require_exact_text(layer: Derived) -> None:
    """Raise EvidenceError if the text of NumPy makes anything else than its programs, in small calls.

    What has passed is cached. A function that has no meaning modulo a prime keeps a text from being looked at.
    """
    if BACKEND not in layer.files:
        return
    texts = {name: text for name, text in layer.emission.files if name.endswith(".py")}
    name = digest(f"{path}\n{text}" for path, text in sorted(texts.items()))

    def passed() -> bool:
        found = NumpyInField(texts, layer.plan.programs())
        try:
            wrong = [*islice(faults(found), _MOST_TOLD)]
        except arrays.NotCoveredError:  # which `lngen check` tells
            return True
        if wrong:
            what = f"the text of NumPy for {layer.emission.name} does not compute its programs"
            raise evidence_error(layer.plan, what, wrong)
        return True

    kept(f"text of NumPy {name}", layer.definition, passed, lambda _: b"equal", lambda _: True)


_MOST_TOLD = 5


# ---- modules


_BUILTINS = vars(builtins).copy()
_IMPORT = builtins.__import__


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    if level == 0 and name.partition(".")[0] == "numpy":
        return arrays.NUMPY
    return _IMPORT(name, globals, locals, fromlist, level)


_BUILTINS["__import__"] = _import


class _FileLoader(SourceFileLoader):
    """Loader of a file of the runtime, for which NumPy is `arrays.NUMPY`."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _BUILTINS
        super().exec_module(module)
        module.__dict__.update(_STAND_INS.get(module.__name__.partition(f".{RUNTIME}.")[2], {}))


class _TextLoader:
    """Loader of the text of an emitted file."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _BUILTINS
        exec(compile(self._text, self._name, "exec", dont_inherit=True), module.__dict__)


class _Finder:
    """Finder of the modules of layers and of their runtimes, below packages of their own."""

    def __init__(self) -> None:
        self.runtimes: dict[str, Path] = {}
        self.texts: dict[str, str] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name in self.texts:
            file = ".".join(name.split(".")[1:])
            return spec_from_loader(name, _TextLoader(f"<{file} modulo a prime>", self.texts[name]))  # type: ignore[arg-type]
        root, _, rest = name.partition(".")
        if root not in self.runtimes or rest.partition(".")[0] != RUNTIME:
            return None
        place = self.runtimes[root].joinpath(*rest.split(".")[1:])
        is_package = place.is_dir()
        file_ = place / "__init__.py" if is_package else place.with_suffix(".py")
        found = [str(place)] if is_package else None
        return spec_from_file_location(
            name, file_, loader=_FileLoader(name, str(file_)), submodule_search_locations=found
        )


_FINDER = _Finder()


@cache
def _root(folder: Path) -> str:
    """Make a package, in which the runtime of a folder is."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    root = f"_lngen_in_field_{next(_NAMES)}"
    _package(root)
    _FINDER.runtimes[root] = folder
    return root


def _package(name: str) -> ModuleType:
    sys.modules[name] = made = ModuleType(name)
    made.__path__ = []
    return made


def _no_cast(values: Any, name: str) -> Any:
    return np.zeros(np.shape(values), cast_type(name)).view(arrays.ResidueArray)


_STAND_INS: Mapping[str, Mapping[str, Any]] = {
    "numpy.functions": {"erf": partial(arrays.apply, "erf")},
    "numpy.casts": {"cast": _no_cast},
}
"""The error function is any function, as it is not the fits; a cast is 0, and its output is not compared."""


def _loaded(texts: Mapping[str, str], folder: Path | None) -> tuple[ModuleType, ModuleType]:
    """Return the module of a layer's functions, and that of the runtime that has the sizes."""
    root = _root(Path(runtime.__path__[0]) if folder is None else folder.resolve())
    package = f"{root}.layer{next(_NAMES)}"
    _package(package)
    _FINDER.texts = {f"{package}.{name.removesuffix('.py')}": text for name, text in texts.items()}
    try:
        backend = importlib.import_module(f"{package}.{BACKEND.removesuffix('.py')}")
    finally:
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
    return backend, sys.modules[f"{root}.{RUNTIME}.numpy.rows"]
