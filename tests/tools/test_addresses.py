"""Index arithmetic of the kernels' headers: every address lies in its array, and planted mistakes are refuted."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.runtime.native.kernels import MOST_FEATURES, DirectionKernels
from tests.requirements import needs_gxx
from tests.tiers import sample
from tools.addresses.headers import CUDA, RUNTIME
from tools.addresses.programs import EVERY, PROGRAMS, shown
from tools.addresses.solver import NoSolver, z3
from tools.addresses.text import Carried, Changed, HeaderReading, symbolic

PROGRAM = {each.name: each for each in PROGRAMS}


def folder_with(tmp_path: Path, header: str, was: str, becomes: str) -> Path:
    """Headers with a mistake in one of them."""
    made = tmp_path / "runtime"
    for name in ("cuda", "cpp", "native"):
        shutil.copytree(RUNTIME / name, made / name, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path = next(made.glob(f"*/{header}"))
    text = path.read_text(encoding="utf-8")
    assert text.count(was) == 1
    path.write_text(text.replace(was, becomes), encoding="utf-8")
    return made


@needs_gxx
def test_the_end_of_sums_stays_in_its_arrays() -> None:
    pytest.importorskip("z3")
    found = shown(PROGRAM["the end of sums"])
    assert not found.findings
    lines = {(each.kind, each.line.partition(":")[0], each.what) for each in found.assertions}
    assert {("access", "reductions.cuh", "workspace"), ("access", "layer_rows.cuh", "FEATURES_OUT")} <= lines


@needs_gxx
@pytest.mark.parametrize("name", sample(PROGRAM, ["the processor"], []))
def test_headers_stay_in_their_arrays(name: str) -> None:
    pytest.importorskip("z3")
    found = shown(PROGRAM[name])
    assert found.assertions
    assert not found.findings


@needs_gxx
@pytest.mark.exhaustive
def test_shape_of_gives_what_kernels_are_told() -> None:
    pytest.importorskip("z3")
    (layouts,) = [each for each in EVERY if each.name == "layouts"]
    assert not shown(layouts).findings


MISTAKES = {
    "a `<` made `<=`": (
        ("reductions.cuh", "if (strip == 0 && column < D) {", "if (strip == 0 && column <= D) {"),
        ("the end of sums", "the end of sums, in turn"),
        ("access", "FEATURES"),
    ),
    "a column of the tail": (
        ("geometry.cuh", "|| column < D;", "|| column <= D;"),
        ("reading rows", "rows read again, of 1"),
        ("access", "ROWS"),
    ),
    "accesses together behind the last": (
        ("below.cuh", "whole = LNGEN_D / columns;", "whole = LNGEN_D / columns + 1;"),
        ("reading rows", "rows read again, of 1"),
        ("access", "ROWS"),
    ),
    "a row behind the last": (
        ("geometry.cuh", "if (!live) row = rows - 1;", "if (!live) row = rows;"),
        ("reading rows", "rows read again, of 1"),
        ("access", "ROWS"),
    ),
    "a stride too large": (
        ("reductions.cuh", "= (long long)parts_of_sums<G>() * here.D;", "= (blocks_of_rows<G>() + 1LL) * here.D;"),
        ("sums over rows", "sums in the workspace"),
        ("access", "workspace"),
    ),
    "a product of 32 bits": (
        ("reductions.cuh", "+ (long long)part_of_block<G>() * here.D;", "+ part_of_block<G>() * here.D;"),
        ("sums over rows", "sums in the workspace"),
        ("range", "overflow"),
    ),
    "an offset of 32 bits": (
        ("geometry.cuh", "offset = row * D;", "offset = int(row) * D;"),
        ("reading rows", "rows read again, of 1"),
        ("range", "to int"),
    ),
    "scalars behind a column too few": (
        ("reductions.cuh", "parts_of_sums<G>() * columns * here.D;", "parts_of_sums<G>() * columns * here.D + 1;"),
        ("sums over rows", "sums in the workspace"),
        ("access", "workspace"),
    ),
    "segments that overlap": (
        ("places.cuh", "within = at - segment * LNGEN_SEGMENT;", "within = at - segment * (LNGEN_SEGMENT - 1);"),
        ("rows in segments", "segments, read again"),
        ("access", "ROWS"),
    ),
    "a part of lanes without entries": (
        ("segments.cuh", "&& column < LNGEN_D) {", "&& column <= LNGEN_D) {"),
        ("rows in segments", "segments, read again"),
        ("access", "parts_of_segments"),
    ),
    "a row in flight too many": (
        ("row_loop.cuh", "turn = turn + 1 == AHEAD ? 0 : turn + 1;", "turn = turn + 1 > AHEAD ? 0 : turn + 1;"),
        ("reading rows", "rows read again, of 2, two copied ahead"),
        ("claim", "turn_<_at_least(I32(AHEAD),_I32(1))"),
    ),
    "a tail of lanes that is one too long": (
        ("host_rows.h", "if (column < end) body(column, First{end", "if (column < end) body(column, First{1 + end"),
        ("the processor", "columns of a row"),
        ("claim", "lanes_end_in_row"),
    ),
    "chunks that overlap": (
        ("host_rows.h", "min(chunk, runs % chunks)", "min(chunk, runs / chunks)"),
        ("the processor", "chunks of rows"),
        ("claim", "a chunk ends in the call"),
    ),
}  # fmt: skip
IN_CI = ["a `<` made `<=`", "a product of 32 bits", "a row behind the last", "a tail of lanes that is one too long"]


@needs_gxx
@pytest.mark.parametrize("mistake", sample(MISTAKES, IN_CI, []))
def test_a_planted_mistake_is_refuted(tmp_path: Path, mistake: str) -> None:
    pytest.importorskip("z3")
    (header, was, becomes), (program, piece), about = MISTAKES[mistake]
    found = shown(PROGRAM[program], folder_with(tmp_path, header, was, becomes), [piece], about)
    refuted = [each.reason for each in found.findings if (each.kind, each.what) == about]
    assert refuted
    assert all(" = " in reason for reason in refuted), "a point at which it fails"


@needs_gxx
def test_rows_of_more_columns_than_a_processor_counts_are_refused() -> None:
    """A piece behind a row of 2**31 - 1 entries begins at a number that `int` has not."""
    pytest.importorskip("z3")
    processor = PROGRAM["the processor"]
    found = shown(replace(processor, macros=("MOST_D=INT_MAX",)), pieces=["sums of a row"])
    assert ("range", "overflow") in {(each.kind, each.what) for each in found.findings}
    kernels: Any = SimpleNamespace(has_sums=False, columns=0, scalars=0)
    assert DirectionKernels.cut(kernels, (1, MOST_FEATURES), np.dtype(np.float32)).features == 2**30
    with pytest.raises(ValueError, match=r"2\*\*30 at most; numpy_backend takes any"):
        DirectionKernels.cut(kernels, (1, MOST_FEATURES + 1), np.dtype(np.float32))


def test_a_header_that_has_changed_is_refused(tmp_path: Path) -> None:
    """Loops that carry numbers from trip to trip are told by their texts."""
    made = folder_with(
        tmp_path, "row_loop.cuh", "for (; first < rows; first += stride)", "for (; first <= rows; first += stride)"
    )
    text = (made / "cuda" / "row_loop.cuh").read_text(encoding="utf-8")
    with pytest.raises(Changed, match="is not told: '; first <= rows"):
        symbolic("row_loop.cuh", text, CUDA["row_loop.cuh"])


def test_a_loop_that_falls_is_refused() -> None:
    with pytest.raises(Changed, match=r"h:1 has no counter of its own"):
        symbolic("h", "for (int column = D; column > 0; --column) use(column);")


def test_a_loop_stands_for_all_of_its_trips() -> None:
    text = symbolic(
        "h", "for (; a < n; a += 2) f(a);", HeaderReading(carried=[Carried("; a < n; a += 2", ["a"], ["a >= 0"])])
    )
    assert text.count("symbolic::claimed") == 2  # before the loop, and at the end of a trip
    assert 'trip_.any(a, "a")' in text


def test_without_z3_the_message_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(NoSolver, match="pip install z3-solver"):
        z3()
