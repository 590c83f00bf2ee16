"""The emitted files of a layer held against its definition: what running them shows, and what compiling them does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import cast

from lngen.check import compiled
from lngen.check.derived import checkable
from lngen.check.evidence import Evidence, Report, verdict
from lngen.check.in_jax import in_jax
from lngen.check.in_torch import in_torch
from lngen.check.numbers import DTYPES
from lngen.check.on_device import OnDevice
from lngen.check.on_device import device as current_device
from lngen.check.runner import QUICK_SHAPES, check
from lngen.errors import LngenError
from lngen.files import loading, manifest
from lngen.files.loading import FRAMEWORKS, HOST_BACKENDS
from lngen.pipeline import Derived
from lngen.plan.cost import parse_dtype
from lngen.runtime.includes import inlined
from lngen.toolchain import device, nvrtc

BACKENDS = ("numpy", "cpu", "cuda", *FRAMEWORKS)


@dataclass(frozen=True)
class Asked:
    """What is checked of a layer: (rows, D), the row lengths that kernels are compiled for, storage types, the seed."""

    shapes: Sequence[tuple[int, int]] = QUICK_SHAPES
    features: Sequence[int] = compiled.DEFAULT_FEATURES
    dtypes: Sequence[str] = DTYPES
    seed: int = 0


def check_emitted(layer: Derived, folder: Path, backend: str, asked: Asked, note: Callable[[str], None]) -> Report:
    """All evidence about the files in `folder`, which should be those of the layer, for one of `BACKENDS`.

    What this machine cannot do, such as to run kernels, is left out, and `note` is told; where it can do nothing, the
    report has failed. Whatever the emitted code raises is a failure in the report.
    """
    drift = _drift_evidence(layer, folder)
    if backend in HOST_BACKENDS:
        return _on_host(layer, folder, backend, drift, asked)
    if backend in FRAMEWORKS:
        return _in_framework(layer, folder, backend, drift, asked)
    return _cuda(layer, folder, drift, asked, note)


def _drift_evidence(layer: Derived, folder: Path) -> Evidence:
    drifts = manifest.drift([layer.emission], folder.parent, every_layer=False)
    found = ", ".join(f"{entry.path} {entry.kind}" for entry in drifts)
    detail = f"{found}; run: lngen derive" if drifts else ""
    return verdict("contracts", "the files are what lngen emits", detail)


def _on_host(layer: Derived, folder: Path, backend: str, drift: Evidence, asked: Asked) -> Report:
    name = layer.definition.name
    try:
        module = loading.load(folder, backend)
    except Exception as error:  # whatever emitted code raises is its failure to report
        return Report(name, backend, asked.seed, (drift, _broken("the module imports", error)))
    report = check(checkable(layer.plan, module), asked.shapes, asked.dtypes, backend, asked.seed)
    return Report(name, backend, asked.seed, (*report.evidence, drift))


def _in_framework(layer: Derived, folder: Path, backend: str, drift: Evidence, asked: Asked) -> Report:
    name, found = layer.definition.name, {"torch": in_torch, "jax": in_jax}[backend]
    try:
        module = cast(ModuleType, loading.load(folder, backend))
    except Exception as error:  # whatever emitted code raises is its failure to report
        return Report(name, backend, asked.seed, (_broken("the module imports", error), drift))
    return Report(name, backend, asked.seed, (*found(layer.definition, module, asked.seed), drift))


def _cuda(layer: Derived, folder: Path, drift: Evidence, asked: Asked, note: Callable[[str], None]) -> Report:
    name, here = layer.definition.name, device.survey()
    evidence: list[Evidence] = []
    place = ""
    if here.pycuda_runs_on is not None:
        ran, place = _run(layer, folder, asked)
        evidence += ran
    else:
        note(f"{name}: kernels are not run: {here.next_step or here.summary}")
    if nvrtc.available():
        evidence += _compiled(folder, asked)
    else:
        note(f"{name}: not compiled for GPUs: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime")
    if not evidence:
        detail = "neither run nor compiled; `lngen device` says what to install"
        evidence.append(verdict("contracts", "the kernels", detail))
    return Report(name, "cuda", asked.seed, (*evidence, drift), place)


def _run(layer: Derived, folder: Path, asked: Asked) -> tuple[tuple[Evidence, ...], str]:
    """All evidence of the kernels where they run, and the name of that place."""
    place = ""
    try:
        with current_device() as here:
            place = here.name
            backend = importlib.import_module(f"{loading.load(folder).__name__}.cuda_backend")
            made = checkable(layer.plan, OnDevice(backend, [parse_dtype(dtype).name for dtype in asked.dtypes]))
            return check(made, asked.shapes, asked.dtypes, "cuda", asked.seed).evidence, place
    except Exception as error:  # what PyCUDA and the emitted code raise before a check begins
        return (_broken("the kernels run", error),), place


def _compiled(folder: Path, asked: Asked) -> Iterator[Evidence]:
    for path in sorted(folder.glob("*.cu")):
        try:
            yield from compiled.compile_evidence(inlined(path), asked.features, asked.dtypes)
        except (OSError, LngenError) as error:
            yield verdict(compiled.KIND, path.name, str(error))


def _broken(what: str, error: Exception) -> Evidence:
    return verdict("contracts", what, f"{type(error).__name__}: {error}")
