"""The tables of `docs/proofs.md`: statements by grade of evidence, and what the proofs take.

python -m tools.proofs [--fast]

`--fast` leaves out the definitions of the tests.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import process_time

from lngen.derivation.derivation import EVERY_D, Derivation
from lngen.language.parsing import load
from lngen.pipeline.stages import planned, proved
from lngen.plan.planner import Plan
from lngen.prove.programs import ABOUT
from tests.corpus import TEXTS
from tests.corpus import planned as of_text

_ROOT = Path(__file__).parent.parent
_PARTS = ("forward", "backward", "jvp", "backward_backward")
_LINES = ("outputs", "given equations", "identities")
_RESULTS = ("gradients", "tangents", "second-order gradients")


def table(layers: dict[str, Plan]) -> str:
    """A row a layer: rewrites of the four directions, other lines, results and programs, each by grade.

    The last columns are the lines that passes made, and the seconds of all proofs.
    """
    heads = ("definition", *_PARTS, "other lines", "results", "programs", "lines of passes", "s")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    seconds = []
    total: Counter[str] = Counter()
    for name, layer in layers.items():
        began = process_time()
        made = proved(layer).derivation
        seconds.append(process_time() - began)
        grades = {
            part: Counter(
                step.evidence.grade
                for derivative in made.derivatives().values()
                for step in derivative.steps
                if step.part == part and step.before is not None and step.evidence is not None
            )
            for part in _PARTS
        }
        printed, results, programs = (_grades(made, about) for about in (_LINES, _RESULTS, (ABOUT,)))
        cells = [*(_said(grades[part]) for part in _PARTS), _said(printed), _said(results)]
        cells += [_said(programs), str(len(layer.passes()))]
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds[-1]:.2f} |")
        for found in grades.values():
            total += found
    steps = ", ".join(f"{count} {grade}" for grade, count in sorted(total.items()))
    lines += ["", f"Steps: {steps}. Seconds of CPU: median {median(seconds):.2f}, worst {max(seconds):.2f}."]
    return "\n".join(lines)


def _grades(made: Derivation, about: Sequence[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for proof in made.proofs:
        if proof.about in about:
            found[proof.kind] += proof.count
    return found


def _said(grades: Counter[str]) -> str:
    if grades.keys() <= {EVERY_D}:
        return str(grades[EVERY_D])
    return ", ".join(f"{count} {grade}" for grade, count in sorted(grades.items())) or "-"


def _files(folder: str) -> dict[str, Plan]:
    return {path.stem: planned(load(path), proved=False) for path in sorted((_ROOT / folder).glob("*.py"))}


if __name__ == "__main__":
    print(table(_files("derive")))
    if "--fast" not in sys.argv:
        rest = _files("tests/definitions") | {name: of_text(name) for name in TEXTS}
        print("\n" + table(rest))
