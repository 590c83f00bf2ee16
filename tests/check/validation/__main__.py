"""Mistakes planted in the NumPy text of layers: `python -m tests.check.validation -n 84 LAYER...`.

For each layer, so many mistakes of each file are tried, and the outcomes are counted by kind: refuted, equal (the text
still computes what its steps say), or open.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lngen.check.validation.layer_text import FILES, validated
from lngen.emit.numpy.lowering import handed
from lngen.language.parsing import load
from lngen.paths import RUNTIME
from lngen.pipeline.stages import planned
from tests.check.validation.mistakes import Mistake, mistakes

ROOT = Path(__file__).parents[3]
LAYERS = (
    *("layer_norm", "rms_norm", "softmax", "cross_entropy", "add_layer_norm", "batch_norm", "group_norm"),
    *("causal_softmax", "label_cross_entropy", "layer_norm_gelu", "dropout_add_layer_norm", "packed_swiglu"),
)


def outcomes(name: str, most: int, seed: int = 0) -> Iterator[tuple[str, Mistake]]:
    """Yield each planted mistake of a layer's files with its outcome: refuted, equal or open."""
    programs = [handed(program) for program in planned(load(ROOT / "derive" / f"{name}.py"), proved=False).programs()]
    with tempfile.TemporaryDirectory() as work:
        for folder in (RUNTIME, name):
            shutil.copytree(ROOT / "generated" / folder, Path(work) / folder)
        for file in dict.fromkeys(FILES.values()):
            path = Path(work) / name / f"{file}.py"
            text = path.read_text(encoding="utf-8")
            for mistake in mistakes(text, seed)[:most]:
                path.write_text(mistake.text, encoding="utf-8")
                found = validated(path.parent, programs, ends_at_first=True)
                findings = [each for direction in found.values() for each in direction.findings]
                refuted = any(each.refuted for each in findings)
                yield "refuted" if refuted else "open" if findings else "equal", mistake
            path.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Print the outcomes by kind; the exit status is 1 if one is open."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.check.validation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("-n", type=int, default=42, help="mistakes of each of the two files of a layer (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("layers", nargs="*", default=LAYERS)
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    for name in options.layers:
        for outcome, mistake in outcomes(name, options.n, options.seed):
            counts[mistake.kind, outcome] += 1
            if outcome != "refuted":
                print(f"{outcome}: {name}, line {mistake.line}, {mistake.kind}: {mistake.change}", flush=True)
    print(f"{'':24} refuted  equal   open")
    for kind in dict.fromkeys(kind for kind, _ in sorted(counts)):
        print(f"{kind:24} {counts[kind, 'refuted']:7} {counts[kind, 'equal']:6} {counts[kind, 'open']:6}")
    total = [sum(n for (_, each), n in counts.items() if each == outcome) for outcome in ("refuted", "equal", "open")]
    print(f"{'all':24} {total[0]:7} {total[1]:6} {total[2]:6}")
    return int(total[2] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
