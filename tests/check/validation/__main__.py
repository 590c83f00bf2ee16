"""Mistakes planted in the text of layers: `python -m tests.check.validation -n 28 LAYER...`.

So many mistakes of each file are tried: the two of NumPy and `layer.h` of each layer, and two of NumPy's runtime on the
layers that reach them. The outcomes are counted by kind: refuted; equal (the text still computes what its steps say);
idle (no call of a validation reaches the line); open.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import FrameType
from unittest import mock

from lngen.check.validation.layer_text import FILES, validated
from lngen.check.validation.lines import Watch
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
ON_RUNTIME = ("layer_norm", "cross_entropy", "causal_softmax", "label_cross_entropy")
"""Layers on which mistakes of the runtime are tried, three times as many: what none of them reaches is idle."""

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
        """The findings against the text of C++: in one case of each direction, which is quick, or else in all."""
        for work in (0, None):
            found = recorded(self.folder, self._programs, ends_at_first=True, work=work)
            if findings := [finding for each in found.values() for finding in each.findings]:
                return findings
        return []

    def outcome(self, path: Path, mistake: Mistake, found: Found) -> str:
        """Plant a mistake in a file, and say what becomes of it."""
        text = path.read_text(encoding="utf-8")
        try:
            path.write_text(mistake.text, encoding="utf-8")
            findings = [*found()]
        finally:
            path.write_text(text, encoding="utf-8")
        return "refuted" if any(each.refuted for each in findings) else "open" if findings else "equal"

    def idle(self, path: Path) -> set[int]:
        """The lines of statements of a Python file that no call of a validation reaches."""
        reached: set[int] = set()
        call = Watch._call

        def line(frame: FrameType, *_: object) -> object:
            reached.add(frame.f_lineno)
            return line

        def seen(watch: Watch, frame: FrameType, event: str, value: object) -> object:
            return line(frame) if frame.f_code.co_filename == str(path) else call(watch, frame, event, value)

        with mock.patch.object(Watch, "_call", seen):
            self.numpy()
        lines: set[int] = set()
        functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
        for node in (each for function in functions for each in ast.walk(function) if each is not function):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and not is_text:
                # Of a statement with a body, the lines of its head.
                body = getattr(node, "body", None)
                end = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
                numbers = {*range(node.lineno, end)}
                lines |= numbers if reached.isdisjoint(numbers) else set()
        return lines


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


def runtime_outcomes(names: Sequence[str], most: int, seed: int = 0) -> Iterator[tuple[str, Mistake]]:
    """Yield each planted mistake of NumPy's runtime with its outcome for the layers that reach it; none is idle."""
    with tempfile.TemporaryDirectory() as work:
        layers = [Planted(name, Path(work, name)) for name in names]
        for file in _RUNTIME_FILES:
            paths = {planted: planted.work / RUNTIME / "numpy" / file for planted in layers}
            idle = {planted: planted.idle(path) for planted, path in paths.items()}
            text = paths[layers[0]].read_text(encoding="utf-8")
            for mistake in mistakes(text, seed, functions=())[: 3 * most]:
                found = "idle"
                for planted, path in paths.items():
                    if mistake.line not in idle[planted] and found in ("idle", "equal"):
                        found = planted.outcome(path, mistake, planted.numpy)
                yield found, mistake


_TRIED: dict[str, Callable[[str, int, int], Iterator[tuple[str, Mistake]]]] = {
    "": outcomes,
    "C++: ": cpp_outcomes,
    "runtime: ": lambda names, most, seed: runtime_outcomes(names.split(), most, seed),
}


def _on_runtime(layers: Iterable[str]) -> list[str]:
    return [name for name in layers if name in ON_RUNTIME]


def _tried(task: tuple[str, str, int, int]) -> list[tuple[str, Mistake]]:
    where, name, most, seed = task
    found = []
    for outcome, mistake in _TRIED[where](name, most, seed):
        found.append((outcome, mistake))
        if outcome != "refuted":
            print(f"{outcome}: {name}, line {mistake.line}, {where}{mistake.kind}: {mistake.change}", flush=True)
    return found


def main(arguments: list[str]) -> int:
    """Print the outcomes by kind; the exit status is 1 if one is open."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.check.validation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("-n", type=int, default=28, help="mistakes of each file of a layer (%(default)s)")
    parser.add_argument("-j", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("layers", nargs="*", default=LAYERS)
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    tasks = [("runtime: ", " ".join(names), options.n, options.seed)] if (names := _on_runtime(options.layers)) else []
    tasks += [(where, name, options.n, options.seed) for where in ("C++: ", "") for name in options.layers]
    with multiprocessing.Pool(options.j) as pool:
        for (where, *_), found in zip(tasks, pool.imap(_tried, tasks), strict=True):
            counts.update((where + mistake.kind, outcome) for outcome, mistake in found)
    print(f"{'':32}" + "".join(f"{outcome:>8}" for outcome in OUTCOMES))
    for kind in dict.fromkeys(kind for kind, _ in sorted(counts)):
        print(f"{kind:32}" + "".join(f"{counts[kind, outcome]:8}" for outcome in OUTCOMES))
    totals = [sum(n for (_, each), n in counts.items() if each == outcome) for outcome in OUTCOMES]
    print(f"{'all':32}" + "".join(f"{total:8}" for total in totals))
    return int(totals[-1] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
