"""Batch invariance: the bits of a row's results do not depend on the rows beside it, nor on how many there are.

Rows of a call of 4096 are computed again alone and among 7, in forward, backward and jvp, by NumPy, in C++ and in CUDA,
on a GPU or the emulator. A layer with named axes is called on its rows.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np
import pytest

from lngen.checks.inputs import ordinary
from lngen.checks.layer import Checkable, positional
from lngen.checks.on_device import OnDevice, device
from lngen.checks.on_rows import on_rows
from lngen.language.definition import Definition
from lngen.language.parsing import load
from tests.pairwise import pairwise
from tests.requirements import needs_gxx, needs_pycuda
from tests.shipped import LAYERS, ROOT

ROWS, FEATURES = 4096, 130
PLACES = (0, 2, ROWS - 1)
"""Rows that are computed alone; with six that follow, or as the last of seven."""
TYPES = {"float64": "f64", "float32": "f32", "float16": "f16"}
BACKENDS: dict[str, tuple[Any, ...]] = {
    "numpy": (),
    "cpu": (needs_gxx,),
    "cuda": (needs_gxx, needs_pycuda, pytest.mark.cuda),
}

Results = dict[str, Any]


def module_of(backend: str, layer: str, dtype: str) -> Any:
    """The functions of a layer on rows, and the context that they need."""
    module = importlib.import_module(f"generated.{layer}.{backend}_backend")
    return OnDevice(module, (TYPES[dtype],)) if backend == "cuda" else on_rows(module)


@cache
def definition_of(layer: str) -> Definition:
    return load(ROOT / "derive" / f"{layer}.py")


class RowsOfLayer:
    """Inputs, cotangents and tangents of a layer for many rows, of which some can be computed."""

    def __init__(self, layer: str, dtype: str) -> None:
        self.definition = definition = definition_of(layer)
        features = max(FEATURES, definition.minimum_features)
        case, moved = (ordinary(definition, ROWS, features, seed).astype(np.dtype(dtype)) for seed in (0, 1))
        inputs, self.constants = positional(Checkable(definition, None), case)  # type: ignore[arg-type]
        of_rows = [entry.kind.over_rows for entry in definition.positional]
        self.inputs = list(zip(inputs, of_rows, strict=True))
        outputs = [definition.output_kind(name) for name in definition.outputs]
        self.cotangents = list(zip(case.cotangents.values(), [kind.over_rows for kind in outputs], strict=True))
        gradients = [(entry.name, entry.kind) for entry in definition.differentiable]
        self.tangents = [(moved.inputs[name], kind.over_rows) for name, kind in gradients]
        self.names = {
            "forward": [*zip(definition.outputs, outputs, strict=True)],
            "backward": [(f"d{name}", kind) for name, kind in gradients],
            "jvp": [(f"{name}_dot", kind) for name, kind in zip(definition.outputs, outputs, strict=True)],
        }
        # Random numbers go by the number of the row.
        self.places = (0,) if any(entry.draws for entry in definition.inputs) else PLACES

    def results(self, module: Any, rows: slice) -> Results:
        """The results of some rows that have an entry for each of them."""

        def some(values: list[tuple[Any, bool]]) -> list[Any]:
            return [np.ascontiguousarray(value[rows]) if of_rows else value for value, of_rows in values]

        with np.errstate(all="ignore"):
            outputs, saved = module.forward(*some(self.inputs), **self.constants)
            found = {"forward": outputs, "backward": module.backward(saved, *some(self.cotangents))}
            if hasattr(module, "jvp"):
                found["jvp"] = module.jvp(saved, *some(self.tangents))
        return {
            name: value
            for direction, values in found.items()
            for (name, kind), value in zip(self.names[direction], as_tuple(values), strict=True)
            if kind.over_rows
        }

    def parts(self) -> Iterator[slice]:
        """Rows alone, and seven of them."""
        for place in self.places:
            yield slice(place, place + 1)
            first = min(place, ROWS - 7)
            yield slice(first, first + 7)


def as_tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, tuple) else (values,)


def differing(whole: Results, some: Results, rows: slice) -> list[str]:
    """The results of some rows that have other bits than those of all."""
    return [name for name, value in some.items() if value.tobytes() != whole[name][rows].tobytes()]


def dependent_on_others(backend: str, layer: str, dtype: str) -> list[tuple[str, slice]]:
    """The results whose bits depend on the rows beside, with the rows of which they do."""
    of, context = RowsOfLayer(layer, dtype), device() if backend == "cuda" else nullcontext()
    with context:
        module = module_of(backend, layer, dtype)
        whole = of.results(module, slice(0, ROWS))
        assert whole
        return [(name, rows) for rows in of.parts() for name in differing(whole, of.results(module, rows), rows)]


FEW = ("layer_norm", "softmax", "dropout_add_layer_norm", "label_cross_entropy", "group_norm", "layer_norm_gelu")
"""A variance, exponentials, random numbers, integers, named axes, a function."""


def named(case: Mapping[str, str], *marks: Any) -> Any:
    return pytest.param(case, id="-".join(case.values()), marks=[*BACKENDS[case["backend"]], *marks])


def in_ci(case: Mapping[str, str]) -> tuple[Any, ...]:
    return () if case["backend"] == "numpy" else (pytest.mark.ci,)


SAMPLE = pairwise({"backend": [*BACKENDS], "layer": FEW, "dtype": [*TYPES]})
EVERY = [
    {"backend": backend, "layer": layer, "dtype": dtype}
    for backend, layer, dtype in itertools.product(BACKENDS, LAYERS, TYPES)
]


@pytest.mark.ci
@pytest.mark.parametrize("case", [named(case, *in_ci(case)) for case in SAMPLE])
def test_a_row_has_the_same_bits_alone_and_among_others(case: Mapping[str, str]) -> None:
    assert dependent_on_others(**case) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", [named(case) for case in EVERY])
def test_a_row_of_every_layer_has_the_same_bits_alone_and_among_others(case: Mapping[str, str]) -> None:
    assert dependent_on_others(**case) == []


def test_a_sum_in_another_order_where_rows_are_many_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = importlib.import_module("generated._runtime.numpy.rows")
    right: Callable[[Any, Any], Any] = rows.row_dot

    def planted(a: Any, b: Any) -> Any:
        return right(np.ascontiguousarray(a[:, ::-1]), b) if len(a) > 7 else right(a, b)

    monkeypatch.setattr(rows, "row_dot", planted)
    assert {name for name, _ in dependent_on_others("numpy", "layer_norm", "float32")} >= {"y", "dx"}


@pytest.mark.ci
@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_a_kernel_of_another_layout_where_rows_are_few_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = importlib.import_module("generated._runtime.cuda.kernels")
    right = kernels._module

    def planted(on: Any, plan: Any) -> Any:
        return kernels._loaded(on, plan, narrow=True) if plan.count < 7 else right(on, plan)

    monkeypatch.setattr(kernels, "_module", planted)
    monkeypatch.setattr(kernels.devices, "DEVICES", {})
    assert {name for name, _ in dependent_on_others("cuda", "layer_norm", "float32")} >= {"y", "dx"}
