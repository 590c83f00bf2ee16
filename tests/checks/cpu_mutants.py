"""Mistakes that only kernels for the processor have, planted into an emitted `kernels.cpp` and what it includes.

They stand beside those of `mutants`, which are wrong in the mathematics. Each is in what `host_directions.h` and
`host_rows.h` do around a layer's formulas, so it applies to whatever layer has the piece.
"""

from __future__ import annotations

import importlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from lngen.checks.checker import References
from lngen.checks.derived import checkable
from lngen.checks.evidence import KINDS
from lngen.checks.runner import check
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived
from lngen.runtime.includes import inlined
from tests.checks.mutants import Kill, Planted, replaced
from tests.shipped import ROOT

SHAPES = ((5, 7), (2, 33), (5, 133))
"""The end of a row alone; four sets of vectors of doubles, and an end of one entry; several pieces."""

SMALLER = (("constexpr int PIECE = 1024;", "constexpr int PIECE = 64;"), ("ROWS_TOGETHER = 32;", "ROWS_TOGETHER = 2;"))
"""Pieces of a row, and sums over rows, of which there are then several in a few short rows."""

_SOURCE = "kernels.cpp"
_JOINED = "joined<MAXIMA, MINIMA>(k, lanes[2][k], lanes[3][k])"

_SWEEPS = r"\.(sums|means|reduce)\("

SEEN_BY = tuple(
    kind for kind in KINDS if kind not in {"exact proof", "50 digits", "contracts", "tangents", "second order"}
)
"""The kinds of evidence that a mistake is held against."""


def cpu_mutants(features: Sequence[str]) -> Iterator[Planted]:
    """Every mistake, in a fixed order; `features` names the Feature inputs of the layer."""
    yield _replaced("the end of a row left out of its reductions", r"if \(column < end\) \{", "if (false) {", _SWEEPS)
    yield _replaced(
        "entries past the end of the row in a reduction",
        re.escape("lanes[1][k] = chosen(some, lanes[1][k], kept[k]);"),
        "(void)kept;",
        r"corrected_squares\(",  # where the zeros past the end are not zeros once a mean is taken off
    )
    yield _replaced(
        "a reduction without its last piece", r"begin < D \|\| begin == 0", "begin + PIECE < D || begin == 0", _SWEEPS
    )
    yield _replaced("a set of lanes left out of a reduction", re.escape(_JOINED), "lanes[2][k]", _SWEEPS)
    yield _replaced("a maximum that begins at 0", re.escape("A(-infinity<S>())"), "A(S(0))", r"max_of\(")
    yield _replaced("a minimum that begins at 0", re.escape("? A(infinity<S>())"), "? A(S(0))", r"min_of\(")
    yield _replaced(
        "the end of a row not written",
        r"if \(column < D\) body\(column, First\{D - column\}\);",
        "",
        r"\.each\(",
    )
    yield _replaced(
        "the last chunk of rows not worked on",
        r"(long long chunk = on\.first; chunk) < on\.end;",
        r"\1 + (on.end == on.chunks) < on.end;",
    )
    yield _replaced(
        "sums over rows without those since the last join",
        r"if \(rows\) \{",
        "if (rows && recent == chunk) {",
        r"at\.over_rows\(",
    )
    yield _replaced(
        "sums over rows without the last chunk's",
        r"long long chunk = 1; chunk < chunks;",
        "long long chunk = 1; chunk + 1 < chunks;",
        r"at\.over_rows\(",
    )
    yield _replaced(
        "sums over all entries without the last chunk's",
        r"long long chunk = 0; chunk < chunks;",
        "long long chunk = 0; chunk + 1 < chunks;",
        r"row\.over_rows\(",
    )
    for index, name in enumerate(features):
        yield _replaced(
            f"`{name}` from the column before",
            re.escape("else return entries_at<S, N>(from + column"),
            rf"\g<0> - (N::KIND == FEATURES && N::INDEX == {index} && column > 0)",
            rf"at\({name.upper()}\)",
        )


THRESHOLDS = [
    ("the first lanes not written", "body(column, Whole());", "if (column) body(column, Whole());", "as lanes"),
    (
        "the last entry not written",
        "body(column, First{D - column});",
        "body(column, First{D - column - 1});",
        "",
    ),
    ("lanes after the last set left out of sums", "body(column, Whole(), lanes[0])", "(void)body", "lanes and"),
    ("a set of lanes twice in sums", "body(column + set * COUNT", "body(column + set / 2 * COUNT", "as sets"),
    ("an end of a row in the place of lanes", "kept[k] = lanes[1][k];", "kept[k] = A(S(0));", "lanes and"),
    ("the second piece alone", "totals[k] = begin ? ", "totals[k] = begin == 2 * PIECE ? ", "two pieces"),
    ("the third piece alone", "totals[k] = begin ? ", "totals[k] = begin == PIECE ? ", "pieces and a part"),
    ("a piece of one entry left out", "begin < D || begin == 0", "begin + 1 < D || begin == 0", "shortest"),
    ("one piece twice", "totals[k] = begin ? ", "totals[k] = D == PIECE ? 2 * double(piece) : begin ? ", "longest"),
    (
        "rows that are added up together dropped",
        "if (++rows == ROWS_TOGETHER) join();",
        "if (++rows == ROWS_TOGETHER) rows = 0;",
        "together",
    ),
    ("all but the rows added up last dropped", "chunk[i] += recent[i]", "chunk[i] = recent[i]", "are added"),
    ("the remainder of the rows in no chunk", "min(chunk, rows % chunks)", "0", "a few chunks"),
    ("sums over rows of one chunk", "chunk < chunks; ++chunk) total", "chunk < 1; ++chunk) total", "a few chunks"),
    ("threads without their last chunk", "chunk < on.end;", "chunk < on.end - (on.end < on.chunks);", "2 threads"),
    ("rows that bypass the cache twice as large", "stream(to, lanes);", "stream(to, lanes + lanes);", "even rows"),
    ("results that the cache takes twice as large", "narrow(to, lanes);\n  }", "narrow(to, lanes + lanes);\n  }", ""),
]
"""Mistakes in what layers share, each on one side of a threshold of compiled code."""


def threshold_mutants() -> Iterator[Planted]:
    """Every mistake on one side of a threshold."""
    return starmap(replaced, THRESHOLDS)


def kernels(made: Derived) -> str:
    """The `kernels.cpp` of a layer with what it includes, pieces being small."""
    own = made.files[_SOURCE].replace('#include "layer.h"', made.files["layer.h"])
    source = inlined(ROOT / "generated" / "layer" / _SOURCE, own)
    for whole, smaller in SMALLER:
        assert whole in source
        source = source.replace(whole, smaller)
    return source


def planted(made: Derived, folder: Path, change: Callable[[str], str]) -> Any | None:
    """The `cpu_backend` of a layer, with a change in its kernels and small chunks of rows.

    None if there is nothing to change.
    """
    source = kernels(made)
    text = change(source)
    manifest.write(made.emission, folder)
    place = folder / made.emission.name
    (place / _SOURCE).write_text(text, encoding="utf-8")
    module = importlib.import_module(f"{loading.load(place).__name__}.cpu_backend")
    module._compiled.CHUNK_ENTRIES = 16
    module._straight.empty = unwritten
    for name in ("_forward_on_kernels", "_backward_on_kernels"):
        setattr(module, name, getattr(module, name)._replace(empty=unwritten))
    return module if text != source else None


def unwritten(shape: tuple[int, ...], dtype: Any) -> Any:
    """Memory for rows that holds nothing: that of results which went may hold the very numbers that are left out."""
    return np.full(shape, np.nan, dtype)


def caught_by(made: Derived, mutant: Planted, references: References) -> tuple[str, ...] | None:
    """Return the kinds of evidence that catch a mistake, or None if the layer has no place for it."""
    with tempfile.TemporaryDirectory() as folder:
        module = planted(made, Path(folder), mutant.rewrite)
        if module is None:
            return None
        layer = checkable(made.plan, module)
        report = check(layer, SHAPES, ("float64",), "cpu", kinds=SEEN_BY, references=references)
    return tuple(kind for kind in KINDS if any(failure.kind == kind for failure in report.failures))


def kill_table(made: Derived) -> tuple[Kill, ...]:
    """Return the kinds of evidence that catch each mistake that a layer can have."""
    references: References = {}
    features = [entry.name for entry in made.definition.features]
    found = ((mutant, caught_by(made, mutant, references)) for mutant in cpu_mutants(features))
    return tuple(Kill(mutant.name, kinds) for mutant, kinds in found if kinds is not None)


def _replaced(name: str, pattern: str, replacement: str, where: str = "") -> Planted:
    """A mistake in what layers share shows in those that use it: `where` they do, their own part has this pattern."""

    def rewrite(text: str) -> str:
        own = text.partition("namespace lngen::LNGEN_SPACE::forward")[2]
        return re.sub(pattern, replacement, text) if re.search(where, own) else text

    return Planted(name, rewrite)
