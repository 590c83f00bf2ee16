"""Mistakes planted in the text of layers: `python -m tests.check.validation -n 28 LAYER...`.

So many mistakes of each file are tried: the two of NumPy and `layer.h` of each layer, and two of NumPy's runtime on a
few layers. The outcomes are counted by kind: refuted; equal (the text still computes what its steps say); idle (no call
of a validation reaches the line); open.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from lngen.check.validation.layer_text import FILES, validated
from lngen.check.validation.numpy_text import TextFinding
from lngen.check.validation.recorded import LAYER, recorded
from lngen.language.parsing import load
from lngen.paths import RUNTIME
from lngen.pipeline.stages import planned
from tests.check.validation import cpp_mistakes
from tests.check.validation.mistakes import Mistake, mistakes

ROOT = Path(__file__).parents[3]
LAYERS = (
    *("layer_norm", "rms_norm", "softmax", "cross_entropy", "add_layer_norm", "batch_norm", "group_norm"),
    *("causal_softmax", "label_cross_entropy", "layer_norm_gelu", "dropout_add_layer_norm", "packed_swiglu"),
)
ON_RUNTIME = ("layer_norm", "cross_entropy", "causal_softmax")
"""Layers on which mistakes of the runtime are tried: what none of them reaches is idle."""

_RUNTIME_FILES = ("rows.py", "blocks.py")
OUTCOMES = ("refuted", "equal", "idle", "open")
Found = Callable[[], Iterable[TextFinding]]


class Planted:
    """A copy of a layer's files, in which one mistake is planted at a time."""

    def __init__(self, name: str, work: Path) -> None:
        self.folder, self.work = work / name, work
        plan = planned(load(ROOT / "derive" / f"{name}.py"), proved=False)
        self._programs = plan.programs()
        for folder in (RUNTIME, name):
            shutil.copytree(ROOT / "generated" / folder, work / folder)

    def numpy(self) -> list[TextFinding]:
        """The findings against the files of NumPy."""
        found = validated(self.folder, self._programs, ends_at_first=True)
        return [finding for each in found.values() for finding in each.findings]

    def cpp(self) -> list[TextFinding]:
        """The findings against the text of C++."""
        found = recorded(self.folder, self._programs, ends_at_first=True)
        return [finding for each in found.values() for finding in each.findings]

    def outcome(self, path: Path, mistake: Mistake, found: Found) -> str:
        """Plant a mistake in a file, and say what becomes of it."""
        text = path.read_text(encoding="utf-8")
        try:
            path.write_text(mistake.text, encoding="utf-8")
            findings = [*found()]
        finally:
            path.write_text(text, encoding="utf-8")
        return "refuted" if any(each.refuted for each in findings) else "open" if findings else "equal"

    def is_reached(self, path: Path, line: int) -> bool:
        """Test whether a line of Python runs."""
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        indented = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        broken = [*lines[: line - 1], f"{indented}raise ZeroDivisionError\n", *lines[line - 1 :]]
        return self.outcome(path, Mistake("", line, "", "".join(broken)), self.numpy) == "refuted"


def outcomes(name: str, most: int, seed: int = 0) -> Iterator[tuple[str, Mistake]]:
    """Yield each planted mistake of a layer's files of NumPy with its outcome."""
    with tempfile.TemporaryDirectory() as work:
        planted = Planted(name, Path(work))
        for file in dict.fromkeys(FILES.values()):
            path = planted.folder / f"{file}.py"
            for mistake in mistakes(path.read_text(encoding="utf-8"), seed)[:most]:
                yield planted.outcome(path, mistake, planted.numpy), mistake


def cpp_outcomes(name: str, most: int, seed: int = 0) -> Iterator[tuple[str, Mistake]]:
    """Yield each planted mistake of a layer's text of C++ with its outcome."""
    with tempfile.TemporaryDirectory() as work:
        planted = Planted(name, Path(work))
        path = planted.folder / LAYER
        for mistake in islice(cpp_mistakes.mistakes(path.read_text(encoding="utf-8"), random.Random(seed)), most):
            yield planted.outcome(path, mistake, planted.cpp), mistake


def runtime_outcomes(name: str, most: int, seed: int = 0) -> Iterator[tuple[str, Mistake]]:
    """Yield each planted mistake of NumPy's runtime with its outcome for a layer."""
    with tempfile.TemporaryDirectory() as work:
        planted = Planted(name, Path(work))
        for file in _RUNTIME_FILES:
            path = planted.work / RUNTIME / "numpy" / file
            for mistake in mistakes(path.read_text(encoding="utf-8"), seed, functions=())[:most]:
                outcome = planted.outcome(path, mistake, planted.numpy)
                is_idle = outcome == "equal" and not planted.is_reached(path, mistake.line)
                yield "idle" if is_idle else outcome, mistake


def main(arguments: list[str]) -> int:
    """Print the outcomes by kind; the exit status is 1 if one is open."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.check.validation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("-n", type=int, default=28, help="mistakes of each file of a layer (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("layers", nargs="*", default=LAYERS)
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    for name in options.layers:
        planted = {
            "": outcomes,
            "C++: ": cpp_outcomes,
            **({"runtime: ": runtime_outcomes} if name in ON_RUNTIME else {}),
        }
        for where, tried in planted.items():
            for outcome, mistake in tried(name, options.n, options.seed):
                counts[where + mistake.kind, outcome] += 1
                if outcome != "refuted":
                    said = f"line {mistake.line}, {where}{mistake.kind}: {mistake.change}"
                    print(f"{outcome}: {name}, {said}", flush=True)
    print(f"{'':32}" + "".join(f"{outcome:>8}" for outcome in OUTCOMES))
    for kind in dict.fromkeys(kind for kind, _ in sorted(counts)):
        print(f"{kind:32}" + "".join(f"{counts[kind, outcome]:8}" for outcome in OUTCOMES))
    totals = [sum(n for (_, each), n in counts.items() if each == outcome) for outcome in OUTCOMES]
    print(f"{'all':32}" + "".join(f"{total:8}" for total in totals))
    return int(totals[-1] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
