"""Validation of emitted text: what a file computes, read back into algebra and shown equal to its program.

Translation validation (Pnueli, Siegel and Singerman, 1998) asks of each text that a compiler has made whether it means
what it was made from. The derivation is proved, and so are the programs that backends print; here the printed text is
held to its program, line by line, as numbers that know how they were computed run through it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lngen.check.evidence import Evidence, verdict
from lngen.check.validation.layer_text import FILES, LONGEST, Validated, validated
from lngen.emit.numpy.lowering import handed
from lngen.pipeline.stages import Derived

KIND = "emitted text"


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


def _evidence(file: str, found: Validated) -> Evidence:
    what = f"{found.direction}: {len(found.shown)} lines and results compute what their steps say, {found.sizes}"
    refuted = [each for each in found.findings if each.refuted]
    open_ = [each for each in found.findings if not each.refuted]
    detail = f"{found.compared} values in {found.runs} calls"
    if refuted or open_:
        first = (refuted or open_)[0]
        detail = f"{first.where}: {first.trouble}"
    elif found.idle:
        detail += f"; never run: line {', '.join(map(str, found.idle))} of {file}"
    claimed = bool(refuted) or not (open_ or found.idle)
    return Evidence(KIND, what, (), "exact", None, None, not refuted, detail, claimed)
