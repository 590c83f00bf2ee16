"""Evidence that emitted text computes its programs exactly, modulo a prime, for `lngen check`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lngen.checks.evidence import Evidence, verdict
from lngen.checks.field.arrays import NotCoveredError
from lngen.checks.field.numpy_text import BACKEND, NumpyInField, faults, not_covered
from lngen.checks.field.processor import FieldCase, ProcessorInField
from lngen.paths import RUNTIME
from lngen.pipeline.stages import Derived

KIND = "modulo a prime"
_MOST_TOLD = 3


def in_field(layer: Derived, folder: Path, backend: str) -> Iterator[Evidence]:
    """Yield the evidence about the text of a backend in a folder: what equals its programs, and what is not looked at.

    Any error of the text is a failure. The text of other backends is not run so here.
    """
    check = _CHECKS.get(backend)
    if check is None:
        return
    try:
        yield from check(layer, folder)
    except NotCoveredError as error:
        yield _silent(str(error))
    except Exception as error:  # of the text, or of the compiler that refuses it
        yield verdict(KIND, "the text runs", f"{type(error).__name__}: {error}")


def _of_numpy(layer: Derived, folder: Path) -> Iterator[Evidence]:
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    if BACKEND not in texts:
        return
    found = NumpyInField(texts, layer.plan.programs(), folder.parent / RUNTIME)
    wrong = _some([*faults(found)])
    yield verdict(KIND, "the text of NumPy computes its programs, whatever is left out", wrong)
    for what in not_covered(found):
        yield _silent(what)


def _of_processor(layer: Derived, folder: Path) -> Iterator[Evidence]:
    with tempfile.TemporaryDirectory() as work:
        found = ProcessorInField(layer, Path(work), written=folder)
        few, odd = max(9, found.smallest), max(43, found.smallest)
        cases = [FieldCase(5, odd, is_public=True), FieldCase(70, few, threads=2, chunk_entries=2 * few)]
        for case in cases:
            results = [*found.results(case)]
            wrong = [f"{each.direction}: {', '.join(each.wrong)} differs" for each in results if each.wrong]
            yield verdict(KIND, f"the text of C++ computes its programs, {case.words}", _some(wrong))
        if found.programs["forward"].optional:
            # Kernels for absent inputs are compiled once, as they are called: all other evidence has them.
            yield _silent("C++ with inputs left out: python -m lngen.checks.field.processor")
    for what in found.not_covered():
        yield _silent(what)


def _silent(what: str) -> Evidence:
    return Evidence(KIND, what, (), "", None, None, True, "not looked at modulo a prime", claimed=False)


_CHECKS: Mapping[str, Callable[[Derived, Path], Iterator[Evidence]]] = {"numpy": _of_numpy, "cpu": _of_processor}


def _some(wrong: list[str]) -> str:
    more = f"; and {len(wrong) - _MOST_TOLD} more" if len(wrong) > _MOST_TOLD else ""
    return "; ".join(wrong[:_MOST_TOLD]) + more
