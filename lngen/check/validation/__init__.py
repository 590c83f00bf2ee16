"""Validation of emitted text: what a file computes, read back into algebra and shown equal to its program.

Translation validation (Pnueli, Siegel and Singerman, 1998) asks of each text that a compiler has made whether it means
what it was made from. The derivation is proved, and so are the programs that backends print; here the printed text is
held to its program, line by line, as numbers that know how they were computed run through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lngen.check.evidence import Evidence, verdict
from lngen.check.validation.layer_text import FILES, LONGEST, Validated, validated
from lngen.check.validation.recorded import LAYER, CppValidated, recorded
from lngen.emit.numpy.lowering import handed
from lngen.pipeline.stages import Derived
from lngen.runtime.native.compiler import NoCompiler

KIND = "emitted text"


def of_backend(layer: Derived, folder: Path, backend: str) -> Iterator[Evidence]:
    """Yield the evidence about the text that a backend runs, of a layer in a folder; there is none for most."""
    if backend in _OF_BACKENDS:
        yield from _OF_BACKENDS[backend](layer, folder)


def text_evidence(layer: Derived, folder: Path) -> Iterator[Evidence]:
    """Yield the evidence about the text of the NumPy files of a layer in a folder, one for each direction.

    There is none for a layer of long rows.
    """
    if layer.definition.minimum_features > LONGEST:
        return
    programs = [handed(program) for program in layer.plan.programs()]
    try:
        found = validated(folder, programs)
    except Exception as error:  # whatever a changed file raises
        yield verdict(KIND, "the files run on symbols", f"{type(error).__name__}: {error}")
        return
    for direction, each in found.items():
        yield _evidence(f"{FILES[direction]}.py", each)


def cpp_evidence(layer: Derived, folder: Path) -> Iterator[Evidence]:
    """Yield the evidence about the text of `layer.h` of a layer in a folder, one for each direction.

    There is none without a C++ compiler.
    """
    try:
        found = recorded(folder, layer.plan.programs())
    except NoCompiler:
        return
    except Exception as error:  # whatever a changed file raises
        yield verdict(KIND, f"{LAYER} is recorded", f"{type(error).__name__}: {error}")
        return
    yield from map(_evidence_of_cpp, found.values())


def _evidence_of_cpp(found: CppValidated) -> Evidence:
    what = f"{found.direction}: {found.compared} values of {LAYER} are those of its steps, every D"
    refuted = [each for each in found.findings if each.speaks_against]
    first = next(iter(refuted or found.findings), None)
    detail = f"{first.where}: {first.trouble}" if first else f"{found.cases} cases of arguments left out"
    return Evidence(KIND, what, (), "exact", None, None, not refuted, detail, bool(refuted) or first is None)


def _evidence(file: str, found: Validated) -> Evidence:
    what = f"{found.direction}: {len(found.shown)} lines and results compute what their steps say, {found.sizes}"
    refuted = [each for each in found.findings if each.speaks_against]
    open_ = [each for each in found.findings if not each.speaks_against]
    detail = f"{found.compared} values in {found.runs} calls"
    if refuted or open_:
        first = (refuted or open_)[0]
        detail = f"{first.where}: {first.trouble}"
    elif found.idle:
        detail += f"; never run: line {', '.join(map(str, found.idle))} of {file}"
    claimed = bool(refuted) or not (open_ or found.idle)
    return Evidence(KIND, what, (), "exact", None, None, not refuted, detail, claimed)


_OF_BACKENDS: Mapping[str, Callable[[Derived, Path], Iterator[Evidence]]] = {
    "numpy": text_evidence,
    "cpu": cpp_evidence,
    "cuda": cpp_evidence,
}
