"""Check of a layer's emitted files against its definition, by running and by compiling them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lngen.checks import compiled
from lngen.checks.apart import Ended, apart
from lngen.checks.evidence import Evidence, Report, verdict
from lngen.checks.in_triton import INTERPRETED
from lngen.checks.running import CheckRequest, Ran, broken, run_emitted
from lngen.checks.toolchain import device, nvrtc
from lngen.errors import LngenError
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.files.loading import FRAMEWORKS
from lngen.pipeline.stages import Derived
from lngen.runtime.emitted import BACKENDS
from lngen.runtime.includes import inlined
from lngen.runtime.native import compiler as host_compiler

__all__ = ["BACKENDS", "CheckRequest", "check_emitted", "hindrance"]


UNCHANGED = "the files are what lngen emits"


def check_emitted(
    layer: Derived, folder: Path, backend: str, asked: CheckRequest, note: Callable[[str], None]
) -> Report:
    """Yield all evidence about the files in `folder`, which should be those of the layer, for one of `BACKENDS`.

    Compiled kernels run in a process of their own. A crash of it, and any error of the emitted code, is a failure in
    the report. If this machine cannot run the code, the report gives the reason as `not_run`, and `note` gets it too.
    """
    name, not_run = layer.definition.name, hindrance(folder, backend)
    ran = Ran(())
    if not_run:
        note(f"{name}: {backend} is not run: {not_run}")
    elif backend == "numpy":
        ran = run_emitted(layer, folder, backend, asked, lambda what: None)
    else:
        ran = _run_apart(layer, folder, backend, asked)
    evidence = ran.evidence
    if backend == "cuda":
        if nvrtc.available():
            evidence += tuple(_compiled(folder, asked))
        else:
            note(f"{name}: not compiled for GPUs: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime")
    return Report(
        name, backend, asked.seed, (*evidence, _drift_evidence(layer, folder, asked.word)), ran.place, not_run
    )


def hindrance(folder: Path, backend: str) -> str:
    """Return the reason why this machine cannot run a backend's code in a folder; empty if it can."""
    if backend == "cuda":
        here = device.survey()
        return "" if here.pycuda_runs_on is not None else here.next_step or here.summary
    for each in ("torch", "triton") if backend == "triton" else {backend} & {*FRAMEWORKS}:
        if not loading.is_installed(each):
            return f"{FRAMEWORKS.get(each, 'Triton')} is not installed"
    if backend == "cpu" and not host_compiler.can_run(folder):
        try:
            host_compiler.compiler()
        except host_compiler.NoCompiler as missing:
            return str(missing)
    return ""


def _run_apart(layer: Derived, folder: Path, backend: str, asked: CheckRequest) -> Ran:
    """Evidence of running the code; where its process ends early, a line that says so."""
    within = INTERPRETED if backend == "triton" else {}
    found = apart(partial(run_emitted, layer, folder, backend, asked), asked.seconds, within)
    return Ran((broken("the code runs to its end", found),)) if isinstance(found, Ended) else found


def _drift_evidence(layer: Derived, folder: Path, word: str) -> Evidence:
    """Compare the files of the layer, and those shared by all layers, with the text that lngen emits."""
    emissions = [manifest.shared_emission([layer.emission], folder.parent), layer.emission]
    drifts = manifest.drift(emissions, folder.parent, every_layer=False)
    found = ", ".join(f"{entry.path} {entry.kind}" for entry in drifts)
    detail = f"{found}; run: lngen derive {word}".rstrip() if drifts else ""
    return verdict("contracts", UNCHANGED, detail)


def _compiled(folder: Path, asked: CheckRequest) -> Iterator[Evidence]:
    for path in sorted(folder.glob("*.cu")):
        try:
            yield from compiled.compile_evidence(inlined(path), asked.features, asked.dtypes)
        except (OSError, LngenError) as error:
            yield verdict(compiled.KIND, path.name, str(error))
