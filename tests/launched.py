"""Emitted Triton kernels on rows, in Triton's interpreter, beside the emitted NumPy backend.

Triton reads from the environment, as it is imported, whether it interprets: a process of its own does.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from zlib import crc32

import numpy as np

from lngen.checks.in_triton import INTERPRETED
from lngen.checks.inputs import ordinary
from lngen.emit import numpy as numpy_backend
from lngen.emit import triton as triton_backend
from lngen.emit.cpp.kernels import handed
from lngen.emit.interface import interface
from lngen.emit.spelling import marked, marked_program, reading
from lngen.emit.triton.arrays import Argument, Places
from lngen.language.syntax import Kind
from lngen.pipeline.files.loading import module_from_files
from lngen.plan.planner import Plan
from lngen.report.heading import notes
from lngen.runtime.triton import sizes as sizes_of
from tests import beyond_rows, corpus, derivatives

TEXTS = {**beyond_rows.DEFINITIONS, **corpus.FILES, **corpus.TEXTS}
"""Definitions by their names: those of `derive/`, and those of the tests."""

AXES = {"b": 2, "n": 2, "...": 2, "t": 3, "h": 3, "g": 2, "q": 4, "c": 3, "w": 2}
"""Sizes of named axes; the last of a row has the entries that are left."""

BITS = {"float8_e4m3fn": "uint8", "float8_e5m2": "uint8", "int8": "uint8", "uint8": "uint8"}
BITS |= {"float16": "int16", "bfloat16": "int16", "float32": "float32"}
"""Types of the arrays that casts are stored in."""

_FOLDER = tempfile.TemporaryDirectory(prefix="lngen-triton-")


@functools.cache
def _interpreter() -> ProcessPoolExecutor:
    # Threads of the framework do not outlive a fork.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, context, initializer=_interpret)


def _interpret() -> None:
    os.environ |= INTERPRETED


def in_interpreter(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of this module returns in the process that interprets."""
    return _interpreter().submit(function, *arguments).result()


@dataclass(frozen=True)
class Shape:
    """Numbers of rows and of entries, and the sizes of the axes."""

    rows: int
    features: int
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Layer:
    """A layer as its kernels in Triton, and on rows in NumPy."""

    plan: Plan
    kernels: Mapping[str, triton_backend.Kernel]
    functions: ModuleType
    numpy: Any
    places: Places

    @property
    def kept(self) -> list[str]:
        """The outputs that other directions read."""
        read = {row.name for program in self.plan.programs()[1:] for row in program.rows if "output" in row.origin}
        return [name for store in self.plan.forward.results for name in store.names if name in read]

    def shape(self, rows: int, features: int) -> Shape:
        """The shape of so many rows and entries, or of about so many entries where axes have names."""
        layout = self.places.layout
        if not layout.named:
            return Shape(rows, features, dict(zip(layout.names, (rows, features), strict=True)))
        sizes = {axis: AXES.get(axis, 2) for axis in layout.names}
        sizes[layout.features[-1]] = max(1, features // math.prod(sizes[axis] for axis in layout.features[:-1]))
        return Shape(*(math.prod(sizes[axis] for axis in axes) for axes in (layout.rows, layout.features)), sizes)

    def axes(self, kind: Kind) -> tuple[str, ...]:
        """The axes of rows, of row scalars or of features."""
        return (*self.places.layout.rows * kind.over_rows, *self.places.layout.features * kind.over_features)

    def own(self, name: str) -> tuple[str, ...]:
        """The axes of an array in memory."""
        return self.places.memory.get(marked(name), ())

    def in_memory(self, name: str, value: Any, kind: Kind, shape: Shape) -> Any:
        """Rows as the array that a caller has; along an axis that it lacks, the first entries."""
        over, own = self.axes(kind), self.own(name)
        whole = np.asarray(value).reshape([shape.sizes[axis] for axis in over])
        part = whole[tuple(slice(None) if axis in own else 0 for axis in over)]
        kept = [axis for axis in over if axis in own]
        return np.array(np.transpose(part, [kept.index(axis) for axis in own]))

    def as_rows(self, name: str, value: Any, kind: Kind, shape: Shape) -> Any:
        """The array that a caller has as rows."""
        over, own = self.axes(kind), self.own(name)
        spread = np.transpose(value, [own.index(axis) for axis in over if axis in own])
        spread = spread.reshape([shape.sizes[axis] if axis in own else 1 for axis in over])
        wide = np.broadcast_to(spread, [shape.sizes[axis] for axis in over])
        size = [n for n, has in ((shape.rows, kind.over_rows), (shape.features, kind.over_features)) if has]
        return np.array(wide).reshape(size)


@functools.cache
def layer(text: str, changes: tuple[tuple[str, str], ...] = ()) -> Layer:
    """The layer of a name in `TEXTS`, or of a text; `changes` are patterns and what stands for them in its kernels."""
    plan = derivatives.planned(TEXTS.get(text, text))
    programs, texts = plan.programs(), notes(plan, "numpy")
    (page,) = triton_backend.emit(programs, texts).values()
    for old, new in changes:
        page, count = re.subn(old, new, page)
        assert count, old
    path = Path(_FOLDER.name) / f"kernels_{len([*Path(_FOLDER.name).iterdir()])}.py"
    path.write_text(page, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernels = {kernel.name: kernel for kernel in triton_backend.kernels(programs, texts)}
    numpy = module_from_files(numpy_backend.emit(programs, texts.of_rows()), plan.forward.layer)
    return Layer(plan, kernels, module, numpy, Places(interface(marked_program(handed(plan.forward)), texts)))


# ---- launches


@dataclass
class Launcher:
    """Launches of a layer's kernels on tensors, whose results begin as NaN.

    `tile` is the number of entries of a tile that holds no whole row; 0 takes the sizes of the runtime.
    """

    layer: Layer
    shape: Shape
    dtype: Any
    tile: int = 0
    programs: int = 3
    saved: dict[str, Any] = field(default_factory=dict)

    def run(self, direction: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the results of a direction by name; what forward saves stays here."""
        made: dict[str, Any] = {}
        name = f"{self.layer.plan.forward.layer}_{direction}"
        kernel, totals = self.layer.kernels[name], self.layer.kernels.get(f"{name}_totals")
        sums = self._nan((self.programs, kernel.sums[0] * self.shape.features + kernel.sums[1]), self._compute)
        self._launch(kernel, values, made, sums, self.shape.rows)
        if totals:
            self._launch(totals, values, made, sums, self.programs)
        return made

    @property
    def _compute(self) -> Any:
        import torch

        return torch.float64 if self.dtype == torch.float64 else torch.float32

    @staticmethod
    def _nan(size: Iterable[int], dtype: Any) -> Any:
        import torch

        return torch.full(tuple(size), math.nan, dtype=dtype)

    def _launch(
        self, kernel: triton_backend.Kernel, values: Mapping[str, Any], made: dict[str, Any], sums: Any, count: int
    ) -> None:
        import triton.language as tl

        strides: list[int] = []
        even, arguments = [self.shape.features], []
        for each in kernel.arguments:
            part, own = reading(each.part), reading(each.part).rpartition(" ")[2]
            if part.startswith("out saved "):
                value = self.saved[own] = self._nan((self.shape.rows,), self._compute)
            elif part.startswith("saved "):
                value = self.saved[own]
            elif part.startswith("out "):
                value = made[own] = self._result(each)
            else:
                value = sums if part == "sums" else values.get(part)
            arguments.append(value)
            steps = self._strides(each, value)
            strides += steps
            even += [step for step, name in zip(steps, each.strides, strict=True) if name in each.even]
        sizes = sizes_of(self.shape.features, self._compute.itemsize, kernel.held, kernel.sums[0])
        known: dict[str, Any] = {**sizes._asdict(), "A": getattr(tl, str(self._compute).rpartition(".")[2])}
        known |= {"SAVE": True, "AT_ONCE": 2, "EVEN": math.gcd(16, *even)}
        known |= {"ROWS": 2, "TILE": self.tile, "WHOLE": False} if self.tile else {}
        known |= {"TILE": 16} if "AT_ONCE" in kernel.constants else {}
        known |= {f"HAS_{flag}": values.get(reading(flag)) is not None for flag in kernel.flags}
        counts = [*(self.shape.sizes[axis] for axis in kernel.axes), count, self.shape.features]
        launch = getattr(self.layer.functions, reading(kernel.name))[(self.programs,)]
        launch(*arguments, *strides, *counts, *(known[name] for name in kernel.constants))

    def _strides(self, each: Argument, value: Any) -> list[int]:
        if value is None:
            return [0] * len(each.strides)
        memory = self.layer.places.memory.get(each.part.removeprefix("out "), ())
        entries = [axis or self.layer.places.layout.features[-1] for axis in each.entries]
        return [value.stride(memory.index(axis)) for axis in (*each.axes, *entries)]

    def _result(self, each: Argument) -> Any:
        import torch

        size = {"row": (self.shape.rows, self.shape.features), "row scalar": (self.shape.rows,)}.get(
            each.role, (self.shape.features,) * (each.role == "Feature")
        )
        if each.strides:
            size = tuple(self.shape.sizes[axis] for axis in self.layer.places.memory[each.part.removeprefix("out ")])
        return torch.zeros(size, dtype=getattr(torch, BITS[each.cast])) if each.cast else self._nan(size, self.dtype)


# ---- beside NumPy


def absences(name: str) -> list[frozenset[str]]:
    """Sets of arguments that may be left out: nothing, each argument alone, and all others of a direction."""
    found = {frozenset[str]()}
    for program in layer(name).plan.programs():
        cotangents = program.cotangents()
        names = {each for each in program.neutral() if each not in cotangents or len(cotangents) > 1}
        found |= {frozenset({each}) for each in names} | {frozenset(names - {each}) for each in names}
    return sorted(found, key=sorted)


@dataclass
class Comparison:
    """All directions of a layer on ordinary values of a type, without what is left out."""

    own: Layer
    shape: Shape
    dtype: str
    left_out: frozenset[str] = frozenset()
    given: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        import torch

        definition = self.own.plan.derivation.definition
        case = ordinary(definition, self.shape.rows, self.shape.features, self.seed)
        self.constants = {entry.name: case.inputs[entry.name] for entry in definition.constants}
        self.kinds = {entry.name: entry.kind for entry in definition.passed}
        self.outputs = {name: definition.output_kind(name) for name in definition.outputs}
        self.smooth = [entry.name for entry in definition.differentiable]
        self.positional = [entry.name for entry in definition.positional]
        self.tensors: dict[str, Any] = {}
        self.rows: dict[str, Any] = {}
        for name in self.positional:
            self._take(name, name, self.given.get(name, case.inputs[name]), self.kinds[name])
        draw = np.random.default_rng(self.seed)
        moved = [(f"d{name}", name, kind) for name, kind in self.outputs.items()]
        moved += [(f"{n}_dot", n, self.kinds[n]) for n in self.smooth if n in self.rows]
        moved += [(f"dd{n}", n, self.kinds[n]) for n in self.smooth if n in self.rows]
        self.moved_outputs = {name: kind for name, _, kind in moved[: len(self.outputs)]}
        for name, of, kind in moved:
            size = (*(self.shape.rows,) * kind.over_rows, *(self.shape.features,) * kind.over_features)
            self._take(name, of, draw.standard_normal(size), kind)
        self.torch = torch

    def _take(self, name: str, of: str, value: Any, kind: Kind) -> None:
        import torch

        if name in self.left_out:
            return
        own = torch.tensor(self.own.in_memory(of, value, kind, self.shape))
        own = own if kind.is_integer else own.to(getattr(torch, self.dtype))
        # The entries of a row lie at equal distances.
        is_free = kind.over_rows and len(self.own.places.layout.features) == 1
        self.tensors[name] = laid_out(own, crc32(name.encode())) if is_free else own
        numbers = own.numpy() if kind.is_integer else self.tensors[name].to(torch.float64).numpy()
        self.rows[name] = self.own.as_rows(of, numbers, kind, self.shape)

    @property
    def directions(self) -> list[str]:
        """The directions that something moves."""
        cotangents, tangents = ([name in self.rows for name in names] for names in (self._named("d"), self._dots()))
        has = {"forward": True, "backward": any(cotangents), "jvp": any(tangents)}
        has["backward_backward"] = any(cotangents) and any(f"dd{name}" in self.rows for name in self.smooth)
        return [program.direction for program in self.own.plan.programs() if has[program.direction]]

    def _named(self, before: str) -> list[str]:
        return [before + name for name in self.outputs]

    def _dots(self) -> list[str]:
        return [f"{name}_dot" for name in self.smooth]

    def launched(self, tile: int) -> dict[str, Any]:
        """Return the results of the kernels on rows, by direction and name, and keep outputs that are read."""
        launcher = Launcher(self.own, self.shape, getattr(self.torch, self.dtype), tile)
        values, found = {**self.tensors, **self.constants}, {}
        casts = dict(self.own.plan.forward.casts)
        for direction in self.directions:
            program = next(each for each in self.own.plan.programs() if each.direction == direction)
            made = launcher.run(direction, values)
            if direction == "forward":
                values |= {name: made[name] for name in self.own.kept}
            for store in program.results:
                value = made.get(store.names[0])
                if value is None:
                    continue
                for name in store.names:
                    cast = casts.get(name, "") if direction == "forward" else ""
                    value = value.view(getattr(self.torch, cast)) if cast else value
                    numbers = value.to(self.torch.float64).numpy()
                    kind = {"RowSymbol": Kind.ROW, "RowScalarSymbol": Kind.ROW_SCALAR}.get(type(store.symbol).__name__)
                    # One that lacks axes is written for all rows.
                    if kind and {*self.own.axes(kind)} <= {*self.own.own(name)}:
                        numbers = self.own.as_rows(name, numbers, kind, self.shape)
                    found[f"{direction} {name}"] = numbers
        self.kept = {name: found[f"forward {name}"] for name in self.own.kept}
        return found

    def expected(self, of: Any) -> dict[str, Any]:
        """Return the results of NumPy computed in a type, for the outputs that kernels made."""

        def typed(name: str) -> Any:
            value = self.rows.get(name)
            return value if value is None or value.dtype.kind in "iu" else value.astype(of)

        def several(direction: str, values: Any, names: Iterable[str]) -> dict[str, Any]:
            values = values if isinstance(values, tuple) else (values,)
            return {f"{direction} {n}": v for n, v in zip(names, values, strict=True) if v is not None}

        with np.errstate(all="ignore"):
            outputs, saved = self.own.numpy.forward(*map(typed, self.positional), **self.constants)
            made = several("forward", outputs, self.outputs)
            kept = {name: value.astype(of) for name, value in self.kept.items() if name in saved._fields}
            saved = saved._replace(**kept)
            cotangents = [typed(name) for name in self._named("d")]
            gradients = [f"d{name}" for name in self.smooth]
            if "backward" in self.directions:
                made |= several("backward", self.own.numpy.backward(saved, *cotangents), gradients)
            if "jvp" in self.directions:
                dots = {name: typed(name) for name in self._dots() if name in self.rows}
                made |= several("jvp", self.own.numpy.jvp(saved, **dots), [f"{name}_dot" for name in self.outputs])
            if "backward_backward" in self.directions:
                second = {f"dd{name}": typed(f"dd{name}") for name in self.smooth if f"dd{name}" in self.rows}
                each = cotangents[0] if len(cotangents) == 1 else tuple(cotangents)
                names = [*gradients, *self._named("dd")]
                made |= several("backward_backward", self.own.numpy.backward_backward(saved, each, **second), names)
        return made


def errors(
    name: str,
    rows: int,
    features: int,
    dtype: str = "float64",
    left_out: frozenset[str] = frozenset(),
    tile: int = 0,
    changes: tuple[tuple[str, str], ...] = (),
    given: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, tuple[float, ...]]:
    """The error of each result, of its largest entry, and that of NumPy in float32 on the same numbers.

    Inputs are ordinary, but for those `given`.
    """
    own = layer(name, changes)
    comparison = Comparison(own, own.shape(rows, features), dtype, left_out, given)
    found = comparison.launched(tile)
    wanted, narrow = comparison.expected(np.float64), comparison.expected(np.float32)
    most = float(comparison.torch.finfo(getattr(comparison.torch, dtype)).max)
    # In a row of one entry, gradients are differences of equal numbers of order one.
    least = 1.0 if comparison.shape.features == 1 else 1e-30
    return {key: tuple(error(of[key], value, most, least) for of in (found, narrow)) for key, value in wanted.items()}


def bits_alone(name: str, features: int, dtype: str, tile: int) -> list[str]:
    """The results of a row whose bits are others among seven rows than alone, of each of three rows."""
    own = layer(name)
    among = Comparison(own, own.shape(7, features), dtype)
    together, wrong = among.launched(tile), []
    for row in (0, 3, 6):
        alone = Comparison(own, own.shape(1, features), dtype)
        alone.constants = among.constants
        for key, value in among.tensors.items():
            kind = among.kinds.get(key.removesuffix("_dot").removeprefix("dd"), Kind.ROW)
            is_row = kind.over_rows if key not in among.moved_outputs else among.moved_outputs[key].over_rows
            alone.tensors[key] = value[row : row + 1] if is_row else value
        for key, value in alone.launched(tile).items():
            if value.ndim and len(value) == 1 and len(together[key]) == 7:
                wrong += [key] * (value.tobytes() != together[key][row : row + 1].tobytes())
    return wrong


def far_apart(features: int, strides: tuple[int, int]) -> float:
    """The largest difference of results of two rows from those of the same, whose entries lie 2**31 entries apart."""
    import torch

    own, shape = layer("rms_norm"), Shape(2, features, {"rows": 2, "D": features})
    near = torch.randn(2, features).to(torch.float16)
    far = torch.empty(2**31 + features, dtype=torch.float16).as_strided((2, features), strides)
    far.copy_(near)
    made = [Launcher(own, shape, torch.float16).run("forward", {"x": x, "eps": 0.1})["y"] for x in (near, far)]
    return float((made[0] - made[1]).abs().max())


def laid_out(tensor: Any, how: int) -> Any:
    """The same numbers in memory of one of four layouts: without gaps, rows apart, entries apart, or transposed."""
    import torch

    if how % 4 == 0 or not tensor.ndim:
        return tensor
    if how % 4 == 3:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    apart = 2 - how % 4
    space = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] * (2 - apart) + 3 * apart, dtype=tensor.dtype)
    view = space[..., : tensor.shape[-1]] if apart else space[..., ::2]
    view.copy_(tensor)
    return view


def error(found: Any, wanted: Any, most: float, least: float) -> float:
    """The largest error, of the largest entry, or of the `least` one; numbers above `most` are infinite."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    if found.shape != wanted.shape:
        return math.inf
    wanted = np.where(np.abs(wanted) > most, np.sign(wanted) * math.inf, wanted)
    is_number = np.isfinite(wanted)
    if (
        not np.array_equal(found[~is_number], wanted[~is_number], equal_nan=True)
        or not np.isfinite(found[is_number]).all()
    ):
        return math.inf
    scale = np.max(np.abs(wanted[is_number]), initial=0)
    return float(np.max(np.abs(found - wanted)[is_number], initial=0) / max(scale, least))
