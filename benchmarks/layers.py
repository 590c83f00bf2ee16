"""The shipped layers as work to be timed: buffers, calls of the emitted CUDA module, and a look at its results."""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.device import Device
from benchmarks.grid import Case
from lngen.files import loading, paths
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.pipeline import planned
from lngen.plan import cost

_U = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 0.0, "f64": 0.0}
"""Two results that are close may be stored as neighbours: the distance of those, relative to the largest entry."""


class WrongResult(Exception):
    """What was about to be timed does not compute what the NumPy module does."""


def numpy_dtype(name: str) -> Any:
    """NumPy's type for a name such as `bf16`."""
    if name == "bf16":
        from ml_dtypes import bfloat16

        return np.dtype(bfloat16)
    return np.dtype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[name])


FEW = ("layer_norm", "rms_norm", "add_layer_norm")
"""Enough to see that everything runs: two that others have too, and one with two inputs and two outputs."""


def names(*, quick: bool = False) -> tuple[str, ...]:
    """The layers that lngen ships, or a few; those that others have too stand first."""
    return FEW if quick else (*FEW, *(name for name in loading.available() if name not in FEW))


@functools.cache
def definition(name: str) -> Definition:
    """The definition of a shipped layer."""
    return load(paths.derive_folder() / f"{name}.py")


@functools.cache
def tensors(name: str) -> tuple[int, int]:
    """Row tensors that forward and backward have to move, from the layer's plan."""
    plan = planned(definition(name), proved=False)
    return cost.cost(plan.forward).tensors, cost.cost(plan.backward).tensors


def backend(name: str, which: str) -> Any:
    """The emitted module of a layer, `which` is "cuda" or "numpy"."""
    return importlib.import_module(f"{loading.load(name).__name__}.{which}_backend")


@dataclass
class Buffers:
    """One set: inputs and cotangents by name, and where the results go."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    cotangents: dict[str, Any]
    gradients: dict[str, Any]
    workspaces: dict[str, Any] = field(default_factory=dict)
    saved: Any = None


class Calls:
    """A layer's calls on several sets of buffers that are all there: nothing is allocated while they are timed."""

    def __init__(self, name: str, case: Case, device: Device, sets: int = 1) -> None:
        self.name, self.case, self.device = name, case, device
        self.cuda: Any = backend(name, "cuda")
        self.definition = definition(name)
        self.inputs = list(self.definition.positional)
        self.sets = [self._buffers(seed) for seed in range(sets)]
        for chosen in range(sets):
            self.forward(chosen)
            buffers = self.sets[chosen]
            size = self.cuda.workspace_bytes("backward", buffers.saved, *buffers.cotangents.values())
            buffers.workspaces["backward"] = device.gpuarray.empty(max(size, 16), np.uint8)
            self.backward(chosen)

    def forward(self, chosen: int) -> None:
        """Forward on one set."""
        buffers = self.sets[chosen]
        outputs = tuple(buffers.outputs.values())
        _, buffers.saved = self.cuda.forward(
            *buffers.inputs.values(),
            out=outputs[0] if len(outputs) == 1 else outputs,
            workspace=buffers.workspaces["forward"],
        )

    def backward(self, chosen: int) -> None:
        """Backward on one set, after its forward."""
        buffers = self.sets[chosen]
        self.cuda.backward(
            buffers.saved,
            *buffers.cotangents.values(),
            out=tuple(buffers.gradients.values()),
            workspace=buffers.workspaces["backward"],
        )

    def rows(self, chosen: int) -> tuple[int, int, int]:
        """Addresses of three different tensors of rows: two that are read, one that is written."""
        buffers = self.sets[chosen]
        leading = next(entry.name for entry in self.inputs if entry.kind is Kind.ROW)
        other = max(buffers.cotangents.values(), key=lambda array: array.nbytes)
        return buffers.inputs[leading].ptr, other.ptr, buffers.gradients[f"d{leading}"].ptr

    def verify(self) -> float:
        """The largest error on some rows against the NumPy module in float64, over its bound. Raises WrongResult.

        The bound is that of sums taken one after the other: D rounding errors of the type that is computed in.
        It finds another function than the layer's, and is no measure of the digits: the tests are.
        """
        self.forward(0)
        self.backward(0)
        rows = sorted({0, self.case.rows // 2, self.case.rows - 1})
        worst = 0.0
        for name, (found, exact) in self._some_rows(rows).items():
            scale = max(1.0, float(np.abs(exact).max()))
            unit = 2.0**-53 if self.case.dtype == "f64" else 2.0**-24
            bound = (450 + 2 * self.case.features) * unit + _U[self.case.dtype]
            ratio = float(np.abs(found - exact).max()) / scale / bound
            if not ratio <= 1:
                raise WrongResult(f"{name} of {self.name}, {self.case}: {ratio:.3g} times the error that is allowed")
            worst = max(worst, ratio)
        return worst

    def _some_rows(self, rows: list[int]) -> dict[str, tuple[Any, Any]]:
        """Outputs and row gradients in some rows, each beside what the NumPy module has for it."""
        buffers = self.sets[0]

        def fetched(array: Any, kind: Kind) -> Any:
            if not kind.over_rows:
                return array.get().astype(np.float64)
            return np.stack([array[row].get() for row in rows]).astype(np.float64)

        kinds = self._output_kinds()
        exact: Any = backend(self.name, "numpy")
        inputs = [fetched(buffers.inputs[entry.name], entry.kind) for entry in self.inputs]
        outputs, saved = exact.forward(*inputs)
        cotangents = [fetched(buffers.cotangents[f"d{name}"], kinds[name]) for name in kinds]
        gradients = exact.backward(saved, *cotangents)
        expected = dict(zip(kinds, outputs if len(kinds) > 1 else [outputs], strict=True))
        pairs = {name: (fetched(buffers.outputs[name], kind), expected[name]) for name, kind in kinds.items()}
        for entry in self.inputs:
            if entry.kind.over_rows:
                name = f"d{entry.name}"
                pairs[name] = fetched(buffers.gradients[name], entry.kind), getattr(gradients, name)
        return pairs

    def _output_kinds(self) -> dict[str, Kind]:
        kinds = {entry.name: entry.kind for entry in self.definition.inputs}
        kinds |= {statement.name: statement.kind for statement in self.definition.statements}
        return {name: kinds[name] for name in self.definition.outputs}

    def _buffers(self, seed: int) -> Buffers:
        dtype = numpy_dtype(self.case.dtype)
        sources = iter(range(1000 * seed, 1000 * (seed + 1)))

        def filled(kind: Kind) -> Any:
            return self.device.filled(self._shape(kind), dtype, next(sources))

        def empty(kind: Kind) -> Any:
            return self.device.gpuarray.empty(self._shape(kind), dtype)

        kinds = self._output_kinds()
        buffers = Buffers(
            inputs={entry.name: filled(entry.kind) for entry in self.inputs},
            outputs={name: empty(kind) for name, kind in kinds.items()},
            cotangents={f"d{name}": filled(kind) for name, kind in kinds.items()},
            gradients={f"d{entry.name}": empty(entry.kind) for entry in self.inputs},
        )
        size = self.cuda.workspace_bytes("forward", *buffers.inputs.values())
        buffers.workspaces["forward"] = self.device.gpuarray.empty(max(size, 16), np.uint8)
        return buffers

    def _shape(self, kind: Kind) -> tuple[int, ...]:
        rows = (self.case.rows,) if kind.over_rows else ()
        return (*rows, self.case.features) if kind.over_features else rows


def set_bytes(name: str, case: Case) -> int:
    """About how much memory a set of buffers takes."""
    found = definition(name)
    inputs = sum(entry.kind is Kind.ROW for entry in found.inputs)
    return 2 * (inputs + len(found.outputs)) * case.tensor_bytes


def sets_for(name: str, case: Case, device: Device) -> int:
    """How many sets of buffers: two at least, and so many that all take four times what the L2 cache holds.

    Eight are the most; the grid's tensors need no more, and those of a toy grid would need thousands.
    """
    return min(8, max(2, -(-4 * device.l2_bytes // max(1, set_bytes(name, case)))))
