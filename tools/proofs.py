"""The tables of `docs/proofs.md`: statements by grade of evidence, and what the proofs take.

python -m tools.proofs [--fast]

`--fast` leaves out the definitions of the tests.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import median
from time import process_time

from lngen.derivation.derivation import EVERY_D, Derivation
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.language.parsing import load
from lngen.prove import prove
from tests.corpus import TEXTS
from tests.corpus import derivation as of_text

_ROOT = Path(__file__).parent.parent
_PARTS = ("forward", "backward", "jvp", "backward_backward")
_LINES = ("outputs", "first lines", "identities")
_RESULTS = ("gradients", "tangents", "second-order gradients", "gradients with rows written out")


def table(layers: dict[str, Derivation]) -> str:
    """A row a layer: rewrites of the four directions, other lines and results, each by grade; seconds of all proofs."""
    lines = [
        "| definition | forward | backward | jvp | backward_backward | other lines | results | rows written out | s |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    seconds = []
    total: Counter[str] = Counter()
    for name, layer in layers.items():
        began = process_time()
        made = prove(layer)
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
        results: Counter[str] = Counter()
        for proof in made.proofs:
            if proof.about in _RESULTS[:3]:
                results[proof.kind] += proof.count
        printed: Counter[str] = Counter()
        for proof in made.proofs:
            if proof.about in _LINES:
                printed[proof.kind] += proof.count
        small = {proof.kind.removeprefix("exact at ") for proof in made.proofs if proof.about == _RESULTS[3]}
        cells = [*(_said(grades[part]) for part in _PARTS), _said(printed), _said(results), "; ".join(sorted(small))]
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds[-1]:.2f} |")
        for found in grades.values():
            total += found
    steps = ", ".join(f"{count} {grade}" for grade, count in sorted(total.items()))
    lines += ["", f"Steps: {steps}. Seconds of CPU: median {median(seconds):.2f}, worst {max(seconds):.2f}."]
    return "\n".join(lines)


def _said(grades: Counter[str]) -> str:
    if grades.keys() <= {EVERY_D}:
        return str(grades[EVERY_D])
    return ", ".join(f"{count} {grade}" for grade, count in sorted(grades.items())) or "-"


def _files(folder: str) -> dict[str, Derivation]:
    return {path.stem: second_order(derive(load(path))) for path in sorted((_ROOT / folder).glob("*.py"))}


if __name__ == "__main__":
    print(table(_files("derive")))
    if "--fast" not in sys.argv:
        rest = _files("tests/definitions") | {name: second_order(of_text(name)) for name in TEXTS}
        print("\n" + table(rest))
