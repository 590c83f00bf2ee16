"""Evidence of running the emitted files of a layer, backend by backend: in this process, or in one of its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lngen.checks import compiled, thresholds
from lngen.checks.apart import Tell
from lngen.checks.derived import checkable
from lngen.checks.evidence import Evidence, verdict
from lngen.checks.executed import KIND as KIND_OF_PYTHON
from lngen.checks.executed import run_as_python
from lngen.checks.field.evidence import in_field
from lngen.checks.frameworks import FrameworkAdapter, in_framework, of_framework
from lngen.checks.in_jax import InJax
from lngen.checks.in_torch import InTorch
from lngen.checks.in_triton import InTriton
from lngen.checks.layer import Emitted
from lngen.checks.named_axes import named_axes
from lngen.checks.numbers import DTYPES
from lngen.checks.on_device import OnDevice
from lngen.checks.on_device import device as current_device
from lngen.checks.runner import QUICK_SHAPES, check
from lngen.checks.toolchain.headers import precompiled_when_needed
from lngen.emit import backends
from lngen.errors import ToolchainMissing
from lngen.language.definition import Definition
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading
from lngen.pipeline.stages import Derived
from lngen.plan.cost import parse_dtype
from lngen.runtime.emitted import WITHIN
from lngen.runtime.native.compiler import NoCompiler


@dataclass(frozen=True)
class CheckRequest:
    """Extent of a check: (rows, D), the row lengths that kernels are compiled for, storage types, the seed.

    With `at_thresholds`, rows on both sides of each threshold of the code are checked too, in all types and directions
    if `thorough`. A claim in a process of its own may take so many `seconds`. A command that repeats a failure has the
    `word` for the layer, its name by default.
    """

    shapes: Sequence[tuple[int, int]] = QUICK_SHAPES
    features: Sequence[int] = compiled.DEFAULT_FEATURES
    dtypes: Sequence[str] = DTYPES
    seed: int = 0
    at_thresholds: bool = True
    thorough: bool = False
    seconds: float = 600.0
    word: str = ""


@dataclass(frozen=True)
class Ran:
    """The evidence, and the name of the device that kernels ran on, if any."""

    evidence: tuple[Evidence, ...]
    place: str = ""


def run_emitted(layer: Derived, folder: Path, backend: str, asked: CheckRequest, tell: Tell) -> Ran:
    """Run the files of a layer in a folder; an error of theirs is a failure among the evidence.

    `tell` gets a text about the next check.
    """
    tell("the import of its modules")
    if backend == "cuda":
        return _on_device(layer, folder, asked, tell)
    with ExitStack() as stack:
        try:
            module: Any = loading.load(folder, WITHIN.get(backend, backend))
            if backend == "cpu":
                package = module.__name__.rpartition(".")[0].rpartition(".")[0]
                compiler = importlib.import_module(f"{package}.{RUNTIME}.native.compiler")
                stack.enter_context(precompiled_when_needed(compiler))
            elif backend in _FRAMEWORKS:
                module = _FRAMEWORKS[backend](layer.definition, module, asked.seed)
            elif backend != "numpy":
                module = backends.adapter(backend)(module)
        except Exception as error:  # whatever emitted code raises is its failure to report
            return Ran((broken("the module imports", error),))
        if backend == "triton":
            return Ran((*_launched(layer, module, asked, tell), *_as_python(module.as_python)))
        if backend in _FRAMEWORKS:
            found = tuple(in_framework(checkable(layer.plan, module), asked.seed, tell))
            return Ran((*found, *_as_python(module.as_python)))
        found = _checked(layer, module, backend, asked, tell)
        if backend not in ("numpy", "cpu"):
            return Ran(found)
        tell("named axes")
        axes = named_axes(layer.definition, module, asked.seed)
        tell("the definition, run as Python")
        as_python = _as_python(partial(run_as_python, layer.definition, module, asked.seed))
        tell("its text modulo a prime")
        return Ran((*in_field(layer, folder, backend), *as_python, *found, *axes))


_FRAMEWORKS: Mapping[str, Callable[[Definition, Any, int], FrameworkAdapter]] = {
    **{"torch": InTorch, "jax": InJax, "triton": InTriton}
}


def _on_device(layer: Derived, folder: Path, asked: CheckRequest, tell: Tell) -> Ran:
    place = ""
    try:
        with current_device() as here:
            place = here.name
            module = importlib.import_module(f"{loading.load(folder).__name__}.cuda_backend")
            types = [parse_dtype(dtype).name for dtype in asked.dtypes]
            return Ran(_checked(layer, OnDevice(module, types), "cuda", asked, tell), place)
    except Exception as error:  # what PyCUDA and the emitted code raise before a check begins
        return Ran((broken("the kernels run", error),), place)


def _checked(layer: Derived, module: Emitted, backend: str, asked: CheckRequest, tell: Tell) -> tuple[Evidence, ...]:
    """The evidence of a module with the four functions, on both sides of its thresholds too."""
    subject = checkable(layer.plan, module)
    sides: Sequence[thresholds.ThresholdSide] = ()
    unknown: tuple[Evidence, ...] = ()
    if asked.at_thresholds:
        tell("what its thresholds are")
        try:
            sides = thresholds.sides(subject, backend, asked.dtypes, asked.thorough)
        except (NoCompiler, ToolchainMissing) as missing:
            note = f"not looked at: {' '.join(str(missing).split())}"
            silent = Evidence(thresholds.KIND, "both sides of each", (), "", None, None, True, note, claimed=False)
            unknown = (silent,)
        except Exception as error:  # code that was changed may lack what its thresholds are read from
            unknown = (broken("can be read from the code", error, thresholds.KIND),)
    report = check(subject, asked.shapes, asked.dtypes, backend, asked.seed, sides=sides, tell=tell, word=asked.word)
    return (*report.evidence, *unknown)


def _launched(layer: Derived, module: InTriton, asked: CheckRequest, tell: Tell) -> Iterable[Evidence]:
    """Yield the evidence of the kernels of Triton on rows, where the layer can be called on rows."""
    if module.takes_rows:
        with module.setting():
            yield from _checked(layer, module, "triton", asked, tell)
        yield from of_framework(module, tell)


def _as_python(beside: Callable[[], Iterable[Evidence]]) -> list[Evidence]:
    try:
        return [*beside()]
    except Exception as error:  # whatever emitted code raises is its failure to report
        return [broken("the code runs beside its definition", error, KIND_OF_PYTHON)]


def broken(what: str, error: Exception | Any, kind: str = "contracts") -> Evidence:
    """The failure of code that raised, or whose process ended."""
    detail = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)
    return verdict(kind, what, detail)
