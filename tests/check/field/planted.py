"""Mistakes planted in the text of layers, and the tables of docs/mutants.md that say what sees them.

Each mistake is tried twice: modulo a prime, and by the numbers of `lngen check` in float64 at four shapes. In layer.h,
which takes a compilation or two each, they are tried modulo a prime alone.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from lngen.check import KINDS, check
from lngen.check.derived import checkable
from lngen.check.field.absence import NOTHING, absences
from lngen.check.field.calls import layer_of
from lngen.check.field.numpy_text import NumpyInField, faults
from lngen.check.field.processor import FieldCase, ProcessorInField
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading
from tests.check.field import cpp_mistakes
from tests.check.field.mistakes import Mistake, mistakes

ROOT = Path(__file__).parents[3]
LAYERS = {
    **dict.fromkeys(("layer_norm", "softmax", "cross_entropy"), 12),
    **dict.fromkeys(("add_layer_norm", "group_norm", "label_cross_entropy"), 8),
}
"""Layers in whose text mistakes are planted, and how many in each file."""

CPP_LAYERS = dict.fromkeys(("layer_norm", "softmax", "cross_entropy", "label_cross_entropy"), 8)
"""Layers in whose layer.h mistakes are planted; each takes some compilations."""

FILES = ("numpy_kernels", "numpy_second_order")
_SHAPES = ((1, 1), (2, 3), (5, 7), (5, 33))
_SEED = 1


class Planted:
    """A layer in whose text one mistake is planted at a time."""

    def __init__(self, name: str) -> None:
        self.name, self.layer = name, layer_of(name)
        self.programs = self.layer.plan.programs()

    def text(self, file: str) -> str:
        """Return the text of a file of NumPy."""
        return self.layer.text(f"{file}.py")

    def fault(self, file: str, mistake: Mistake) -> str | None:
        """Return the first fault modulo a prime, None if the text computes the same."""
        texts = self.layer.files | {f"{file}.py": mistake.text}
        try:
            return next(faults(NumpyInField(texts, self.programs)), None)
        except Exception as error:  # of the text, as it is imported
            return f"{type(error).__name__}: {error}"

    def failure(self, file: str, mistake: Mistake, backend: str = "numpy") -> str | None:
        """Return the first failure by numbers."""
        with tempfile.TemporaryDirectory() as work:
            _copied(self.name, Path(work))
            (Path(work) / self.name / file).write_text(mistake.text, encoding="utf-8")
            try:
                module = loading.load(Path(work) / self.name, backend)
                kinds = tuple(kind for kind in KINDS if kind not in ("thresholds", "checker"))
                report = check(checkable(self.layer.plan, module), _SHAPES, ("float64",), backend, kinds=kinds)
            except Exception as error:  # of the text
                return f"{type(error).__name__}: {error}"
            return next((f"{each.kind}: {each.what}" for each in report.failures), None)

    def cpp_mistakes(self, most: int) -> Iterator[Mistake]:
        """Yield mistakes of layer.h."""
        yield from islice(cpp_mistakes.mistakes(self.layer.text("layer.h"), random.Random(_SEED)), most)

    def cpp_fault(self, mistake: Mistake) -> str | None:
        """Return the first fault of C++ modulo a prime."""
        with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as made:
            _copied(self.name, Path(work))
            (Path(work) / self.name / "layer.h").write_text(mistake.text, encoding="utf-8")
            try:
                found = ProcessorInField(self.layer, Path(made), written=Path(work) / self.name)
                optional = [name for name, _ in found.programs["forward"].optional]
                alone = (
                    each for each in absences(optional, found.protocol) if len(each.inputs | each.derivatives) == 1
                )
                for absence in (NOTHING, *alone):
                    for result in found.results(FieldCase(5, 9, absence=absence)):
                        if result.wrong:
                            return f"{result.direction}: {', '.join(result.wrong)}"
            except Exception as error:  # of the compiler
                return f"{type(error).__name__}: {str(error)[:80]}"
        return None


def _copied(name: str, work: Path) -> None:
    for folder in (RUNTIME, name):
        shutil.copytree(ROOT / "generated" / folder, work / folder, ignore=shutil.ignore_patterns("__pycache__"))


def outcomes(name: str, most: int, *, cpp: bool = False) -> Iterator[tuple[Mistake, str | None, str | None]]:
    """Yield mistakes of a layer's text, each with what is found modulo a prime, and by numbers."""
    planted = Planted(name)
    if cpp:
        for mistake in planted.cpp_mistakes(most):
            fault = planted.cpp_fault(mistake)
            yield mistake, fault, None if fault else planted.failure("layer.h", mistake, "cpu")
        return
    for file in FILES:
        for mistake in mistakes(planted.text(file), _SEED)[:most]:
            yield mistake, planted.fault(file, mistake), planted.failure(f"{file}.py", mistake)


def table(layers: Mapping[str, int], *, cpp: bool = False) -> Iterator[str]:
    """Yield the lines of the table; each mistake that residues do not see is told on stderr."""
    head = ("layer", "planted", "modulo a prime", "by numbers" if not cpp else "by numbers alone", "by neither")
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    total: Counter[str] = Counter()
    for name, most in layers.items():
        counts: Counter[str] = Counter()
        for mistake, fault, failure in outcomes(name, most, cpp=cpp):
            counts.update(dict(zip(head[1:], (1, bool(fault), bool(failure), not (fault or failure)), strict=True)))
            if not fault:
                print(f"{name}, line {mistake.line}, {mistake.kind}: {mistake.change}: {failure}", file=sys.stderr)
        yield _row(name, counts, head)
        total += counts
    yield _row("all", total, head)


def section() -> str:
    """The section of docs/mutants.md."""
    numpy, cpp = ("\n".join(lines) for lines in (table(LAYERS), table(CPP_LAYERS, cpp=True)))
    return f"\n## Emitted text, NumPy\n\n{numpy}\n\n## Emitted text, C++\n\n{cpp}\n"


def _row(name: str, counts: Counter[str], head: Sequence[str]) -> str:
    return f"| {' | '.join([name, *(str(counts[each]) for each in head[1:])])} |"
