"""The shipped layers as work to be timed: buffers, and calls of the emitted CUDA module in every direction."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks.device import Device
from benchmarks.grid import BESIDE, FULL, Case
from benchmarks.lying import Axes
from lngen import paths
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.pipeline.files import loading
from lngen.pipeline.files.loading import available
from lngen.pipeline.stages import planned
from lngen.plan import cost
from lngen.runtime.protocol import casts


def numpy_dtype(name: str) -> Any:
    """NumPy's type for a name such as `bf16`."""
    if name == "bf16":
        from ml_dtypes import bfloat16

        return np.dtype(bfloat16)
    return np.dtype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[name])


DIRECTIONS = ("forward", "backward", "jvp", "backward_backward")
"""Directions in order: each needs the saved values of the first."""


def names() -> tuple[str, ...]:
    """The layers that lngen ships; those that the grid measures most stand first."""
    first = (*FULL, *BESIDE)
    return (*first, *(name for name in available() if name not in first))


@functools.cache
def definition(name: str) -> Definition:
    """The definition of a shipped layer."""
    return load(paths.derive_folder() / f"{name}.py")


@functools.cache
def tensors(name: str) -> dict[str, tuple[int, int]]:
    """Return the row tensors that each direction has to read and to write, from the layer's plan."""
    plan = planned(definition(name), proved=False)
    costs = {direction: cost.cost(program) for direction in DIRECTIONS if (program := getattr(plan, direction))}
    return {direction: (found.rows_read, found.rows_written) for direction, found in costs.items()}


def backend(name: str, which: str) -> Any:
    """The emitted module of a layer, `which` is "cuda" or "numpy"."""
    return importlib.import_module(f"{loading.load(name).__name__}.{which}_backend")


@dataclass
class Buffers:
    """One set of arrays by name: what the directions are given, where their results go, workspaces.

    `tangents` of the inputs are those of `jvp`, and in `backward_backward` the cotangents of their gradients. What the
    outputs move by in `jvp` and the gradients of their cotangents share memory, and so do the gradients of both orders.
    """

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    cotangents: dict[str, Any]
    gradients: dict[str, Any]
    tangents: dict[str, Any] = field(default_factory=dict)
    moved: dict[str, Any] = field(default_factory=dict)
    workspaces: dict[str, Any] = field(default_factory=dict)
    saved: Any = None


class Calls:
    """A layer's calls on several sets of buffers that are all there: nothing is allocated while they are timed.

    `results` has for each direction the names of what it computes and its kind, `kinds` those of inputs and outputs.
    """

    def __init__(
        self, name: str, case: Case, device: Device, sets: int = 1, directions: Sequence[str] = DIRECTIONS
    ) -> None:
        self.name, self.case, self.device = name, case, device
        self.cuda: Any = backend(name, "cuda")
        self.definition = definition(name)
        exact = backend(name, "numpy").INTERFACE
        self.axes = Axes(exact, case) if "layout" in exact else None
        self.casts = {each["name"]: casts.dtype(each["cast"]) for each in exact["outputs"] if "cast" in each}
        self.kinds = {entry.name: entry.kind for entry in self.definition.positional}
        self.output_kinds = self._output_kinds()
        self.with_gradient = [name for name, kind in self.kinds.items() if kind.has_gradient]
        there = self.cuda.INTERFACE["directions"]
        self.directions = tuple(direction for direction in directions if direction in there)
        self.results = {direction: self._results(direction) for direction in self.directions}
        self.sets = [self._buffers(seed) for seed in range(sets)]
        for chosen in range(sets):
            for direction in self.directions:
                self._make_room(direction, chosen)
                self.run(direction, chosen)

    def run(self, direction: str, chosen: int) -> None:
        """One direction on one set; forward comes before any other."""
        found = self.call(direction, chosen)()
        if direction == "forward":
            _, self.sets[chosen].saved = found

    def call(self, direction: str, chosen: int) -> Callable[[], Any]:
        """A call of one direction on one set, all that it is given at hand."""
        buffers = self.sets[chosen]
        results = tuple(self.targets(direction, chosen).values())
        out = results[0] if direction in ("forward", "jvp") and len(results) == 1 else results
        given = self._given(direction, buffers)
        return partial(getattr(self.cuda, direction), *given, out=out, workspace=buffers.workspaces[direction])

    def targets(self, direction: str, chosen: int) -> dict[str, Any]:
        """Return the result arrays of a direction, by their names."""
        buffers = self.sets[chosen]
        if direction == "forward":
            return buffers.outputs
        if direction == "jvp":
            return {f"{name}_dot": array for name, array in buffers.moved.items()}
        of_cotangents = {f"dd{name}": array for name, array in buffers.moved.items()}
        found = {**buffers.gradients, **of_cotangents}
        return {name: found[name] for name in self.results[direction]}

    def compared(self, direction: str, rows: Sequence[int] | None) -> list[str]:
        """The results of a direction that some rows tell of; all of them where no rows are named."""
        return [name for name, kind in self.results[direction].items() if rows is None or kind.over_rows]

    def rows(self, chosen: int) -> tuple[int, int, int]:
        """Addresses of three different tensors of rows: two that are read, one that is written."""
        buffers = self.sets[chosen]
        leading = next(name for name, kind in self.kinds.items() if kind is Kind.ROW)
        one, target = buffers.inputs[leading], buffers.gradients[f"d{leading}"]
        of_rows = [
            array for array in (*buffers.cotangents.values(), *buffers.tangents.values()) if array.nbytes >= one.nbytes
        ]
        return one.ptr, (of_rows[0] if of_rows else one).ptr, target.ptr

    def _given(self, direction: str, buffers: Buffers) -> list[Any]:
        cotangents = list(buffers.cotangents.values())
        if direction == "forward":
            return list(buffers.inputs.values())
        if direction == "backward":
            return [buffers.saved, *cotangents]
        tangents = list(buffers.tangents.values())
        if direction == "jvp":
            return [buffers.saved, *tangents]
        return [buffers.saved, cotangents[0] if len(cotangents) == 1 else tuple(cotangents), *tangents]

    def _make_room(self, direction: str, chosen: int) -> None:
        buffers = self.sets[chosen]
        size = self.cuda.workspace_bytes(direction, *self._given(direction, buffers))
        buffers.workspaces[direction] = self.device.gpuarray.empty(max(size, 16), np.uint8)

    def _results(self, direction: str) -> dict[str, Kind]:
        if direction == "forward":
            return self.output_kinds
        if direction == "jvp":
            return {f"{name}_dot": kind for name, kind in self.output_kinds.items()}
        found = {f"d{name}": self.kinds[name] for name in self.with_gradient}
        if direction == "backward":
            return found
        found |= {f"dd{name}": kind for name, kind in self.output_kinds.items()}
        return {name: found[name] for name in self.cuda.SecondGradients._fields}

    def _output_kinds(self) -> dict[str, Kind]:
        kinds = dict(self.kinds)
        kinds |= {statement.name: statement.kind for statement in self.definition.statements}
        return {name: kinds[name] for name in self.definition.outputs}

    def _buffers(self, seed: int) -> Buffers:
        dtype, gpuarray = numpy_dtype(self.case.dtype), self.device.gpuarray
        sources = iter(range(1000 * seed, 1000 * (seed + 1)))

        def filled(kind: Kind, name: str = "") -> Any:
            source = next(sources)
            if kind is Kind.INT_NUMBER:
                return 3
            if kind.is_integer:  # places in a row
                places = np.random.default_rng(source).integers(0, self.case.features, self._shape(kind))
                return gpuarray.to_gpu(places.astype(np.int32))
            if self.axes and self.axes.lacks(name):
                return self.axes.lying(gpuarray, name, dtype, np.random.default_rng(source))
            return self.device.filled(self._shape(kind), dtype, source)

        def empty(kind: Kind, name: str = "") -> Any:
            return gpuarray.empty(self._shape(kind), self.casts.get(name, dtype))

        second = "jvp" in self.directions or "backward_backward" in self.directions
        return Buffers(
            inputs={name: filled(kind, name) for name, kind in self.kinds.items()},
            outputs={name: empty(kind, name) for name, kind in self.output_kinds.items()},
            cotangents={f"d{name}": filled(kind) for name, kind in self.output_kinds.items()},
            gradients={f"d{name}": empty(self.kinds[name]) for name in self.with_gradient},
            tangents={f"d{name}": filled(self.kinds[name], name) for name in self.with_gradient} if second else {},
            moved={name: empty(kind) for name, kind in self.output_kinds.items()} if second else {},
        )

    def _shape(self, kind: Kind) -> tuple[int, ...]:
        rows = (self.axes.rows if self.axes else (self.case.rows,)) if kind.over_rows else ()
        return (*rows, self.case.features) if kind.over_features else rows


def set_bytes(name: str, case: Case) -> int:
    """About how much memory a set of buffers takes."""
    found = definition(name)
    inputs = sum(entry.kind is Kind.ROW for entry in found.inputs)
    return 3 * (inputs + len(found.outputs)) * case.tensor_bytes


def sets_for(name: str, case: Case, device: Device) -> int:
    """Return the number of sets of buffers: at least two, so that all take four times the size of the L2 cache.

    Eight are the most; the grid's tensors need no more, and those of a toy grid would need thousands.
    """
    return min(8, max(2, -(-4 * device.l2_bytes // max(1, set_bytes(name, case)))))
