"""Validation of emitted text: what a file computes, read back into algebra and shown equal to its program.

Translation validation (Pnueli, Siegel and Singerman, 1998) asks of each text that a compiler has made whether it means
what it was made from. The derivation is proved, and so are the programs that backends print; here the printed text is
held to its program, line by line, as numbers that know how they were computed run through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lngen.check.evidence import Evidence, verdict
from lngen.check.validation.layer_text import FILES, validated
from lngen.check.validation.numpy_text import TextFinding, worst
from lngen.check.validation.recorded import LAYER, recorded
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
    try:
        found = validated(folder, layer.plan.programs())
    except Exception as error:  # whatever a changed file raises
        yield verdict(KIND, "the files run on symbols", f"{type(error).__name__}: {error}")
        return
    for direction, each in found.items():
        what = f"{direction}: {len(each.shown)} lines and results compute what their steps say, {each.sizes}"
        idle = f"; never run: line {', '.join(map(str, each.idle))} of {FILES[direction]}.py" if each.idle else ""
        detail = f"{each.compared} values in {each.runs} calls{idle}"
        yield _evidence(what, each.findings, detail, is_whole=not each.idle)


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
    for direction, each in found.items():
        what = f"{direction}: {each.compared} values of {LAYER} are those of its steps, every D"
        yield _evidence(what, each.findings, f"{each.cases} cases of arguments left out")


def _evidence(what: str, findings: Sequence[TextFinding], detail: str, *, is_whole: bool = True) -> Evidence:
    """Return the evidence for a direction; without a finding against it, nothing is claimed if it is not `is_whole`."""
    found = worst(findings)
    against = found is not None and found.speaks_against
    detail = detail if found is None else f"{found.where}: {found.trouble}"
    claimed = against or (found is None and is_whole)
    return Evidence(KIND, what, (), "exact", None, None, not against, detail, claimed)


_OF_BACKENDS: Mapping[str, Callable[[Derived, Path], Iterator[Evidence]]] = {
    "numpy": text_evidence,
    "cpu": cpp_evidence,
    "cuda": cpp_evidence,
}
