"""Compiled kernels modulo a prime: right ones are equal to their programs at every shape, mistakes in loops are not."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from lngen.checks.field.absence import Absence, absences
from lngen.checks.field.places import Lying
from lngen.checks.field.processor import FieldCase, ProcessorInField
from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline import stages
from tests.requirements import NO_INSTRUCTIONS, needs_gxx
from tests.shipped import LAYERS
from tests.shipped import unproved as derived
from tests.tiers import sample

pytestmark = needs_gxx

ROWS = FieldCase(5, 9)
APART = FieldCase(6, 43, Lying(outer=2, are_apart=True))
SHARED = FieldCase(70, 9, Lying(outer=2, shared=1, are_apart=True))
RUNS = FieldCase(6, 63, Lying(outer=2, are_apart=True, runs=3))
SUMS_BY_RUN = FieldCase(6, 150, Lying(outer=2, are_apart=True, shared=1, runs=2))
SHORT = FieldCase(6, 12, Lying(outer=2, are_apart=True, shared=1, runs=6))
RUNS_OF_ONE = FieldCase(6, 12, Lying(outer=2, are_apart=True, shared=1, runs=12))
CHUNKS = FieldCase(150, 9, threads=2, chunk_entries=18)


def wrong(in_field: ProcessorInField, case: FieldCase, directions: int = 4) -> dict[str, dict[str, int]]:
    """Results that differ, by direction, in the first directions."""
    found = [*islice(in_field.results(case), directions)]
    assert all(each.compared for each in found)
    return {each.direction: each.wrong for each in found if each.wrong}


def test_kernels_are_equal_to_their_programs(tmp_path):
    in_field = ProcessorInField(derived("layer_norm"), tmp_path)
    for case in (FieldCase(1, 1), FieldCase(5, 9), FieldCase(33, 41), FieldCase(3, 40, streams=True), CHUNKS):
        assert not wrong(in_field, case, 2), case.words


@pytest.mark.ci
def test_a_sum_of_numbers_is_rounded_as_its_text_has_it(tmp_path):
    text = "def f(x: Row): return where(x > sqrt(2) + 1, x, sqrt(5)/3 + 1/7)"
    layer = stages.derived(parse(text), proved=False, backends=["cpu"])
    assert not wrong(ProcessorInField(layer, tmp_path), ROWS)


@pytest.mark.parametrize("name", sample(LAYERS, [], ci=lambda name: name in LAYERS[::12]))
def test_every_layer_is_equal_wherever_its_rows_lie(name, tmp_path):
    in_field = ProcessorInField(derived(name), tmp_path)
    for case in (FieldCase(5, 43), FieldCase(5, 43, is_public=True), APART, SHARED, CHUNKS, RUNS, SHORT, RUNS_OF_ONE):
        assert not wrong(in_field, case), case.words


def cases(layer: ProcessorInField, rows: Sequence[int], features: Sequence[int]) -> Iterator[FieldCase]:
    """Yield calls at every shape, and at some of each class: chunks, streams, rows where they lie, what is left out."""
    for count in features:
        if count >= layer.smallest:
            yield from [FieldCase(each, count) for each in rows]
    for longest in (1024 + 67, 2048 + 43):
        yield FieldCase(1, max(longest, layer.smallest))
    few, odd = max(9, layer.smallest), max(43, layer.smallest)
    yield FieldCase(5, odd, is_public=True)
    yield FieldCase(3, max(40, layer.smallest), streams=True)
    for threads in (1, 3):
        yield FieldCase(150, few, threads=threads, chunk_entries=2 * few)
    yield FieldCase(6, odd, Lying(outer=2, are_apart=True))
    for axis in (0, 1):
        yield FieldCase(70, few, Lying(outer=2, shared=axis, are_apart=True), threads=2, chunk_entries=few)
    for runs, length in ((3, 21), (2, 75)):
        at_least = max(length, layer.smallest)
        yield FieldCase(6, runs * at_least, Lying(2, are_apart=True, runs=runs))
        yield FieldCase(6, runs * at_least, Lying(2, are_apart=True, shared=1, runs=runs))
    for absence in absences([name for name, _ in layer.programs["forward"].optional], layer.protocol):
        if len(absence.inputs | absence.derivatives) == 1:
            yield FieldCase(3, few, absence=absence)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["layer_norm", "group_norm"])
def test_every_call_is_equal(name, tmp_path):
    in_field = ProcessorInField(derived(name), tmp_path)
    for case in cases(in_field, (1, 5, 70), (1, 7, 8, 9, 33)):
        assert not wrong(in_field, case), case.words


@pytest.mark.exhaustive
@pytest.mark.skipif(platform.machine() != "x86_64", reason=f"{NO_INSTRUCTIONS} AVX")
@pytest.mark.parametrize("flag", ["-mno-avx512f", "-mno-avx"])
def test_other_instructions_give_the_same(flag, tmp_path):
    in_field = ProcessorInField(derived("layer_norm"), tmp_path, [flag])
    for case in (FieldCase(5, 9), FieldCase(33, 43), FieldCase(3, 40, streams=True), APART, RUNS):
        assert not wrong(in_field, case, 2), case.words


MISTAKES: dict[str, Any] = {
    "the tail of a row": ("host_rows", "if (column < end) body(", "if (column + 1 < end) body(", ROWS),
    "the tail of a sum": ("host_rows", "take(column, end - column, lanes[1])", "take(column, COUNT, lanes[1])", ROWS),
    "a lane of a sum": ("simd", "Quarter{last[1], last[0]}", "Quarter{last[0], last[1]}", ROWS),
    "half of the lanes": ("simd", "combined(quarters[1], quarters[3])", "combined(quarters[1], quarters[1])", ROWS),
    "a set of lanes": ("host_rows", "lanes[2][k], lanes[3][k]", "lanes[2][k], lanes[2][k]", FieldCase(5, 33)),
    "a piece": ("host_rows", "totals[k] = begin ? ", "totals[k] = begin > PIECE ? ", FieldCase(1, 2091)),
    "a row past the end": ("host_directions", "i < on.row(chunk + 1)", "i <= on.row(chunk + 1)", ROWS),
    "the rows of a chunk": ("host_rows", "min(chunk, rows % chunks)", "min(chunk, rows % chunks + 1)", CHUNKS),
    "a chunk that is read twice": ("host_rows", "long long chunk = 1; chunk", "long long chunk = 0; chunk", CHUNKS),
    "a sum that is begun twice": (
        "host_rows",
        "recent = chunk + entries, rows",
        "recent = chunk, rows",
        FieldCase(70, 9),
    ),
    "rows that are not joined": (
        "host_rows",
        "    if (rows) {\n      join();",
        "    if (rows > 1) {\n      join();",
        FieldCase(33, 9),
    ),
    "a chunk's scalars": (
        "host_rows",
        "chunk = 0; chunk < chunks; ++chunk) total +=",
        "chunk = 1; chunk < chunks; ++chunk) total +=",
        CHUNKS,
        "add_rms_norm_fp8",
    ),
    "the start of a row": ("host_places", "places.of(N())[row] :", "places.of(N())[row ? row - 1 : 0] :", APART),
    "the entry of a run": ("host_places", "to += run, ++from)", "to += run)", RUNS, "group_norm"),
    "the lanes of a run": (
        "host_places",
        "i += Lanes<S>::COUNT)",
        "i += 2 * Lanes<S>::COUNT)",
        SUMS_BY_RUN,
        "group_norm",
    ),
    "a run of one entry": ("host_places", "return copy(of(name), from);", "return;", RUNS_OF_ONE, "group_norm"),
    "a number that is not saved": (
        "host_directions",
        "of.to.of(name)[starts.of(name)] = S(value);",
        "(void)value;",
        ROWS,
    ),
    "a store past the cache": ("host_rows", "    stream(to, lanes);", "", FieldCase(3, 40, streams=True)),
    "a sum by run": ("host_places", "lanes[0] += read<S>(from", "lanes[0] = read<S>(from", SUMS_BY_RUN, "group_norm"),
    "the sum of a short run": (
        "host_places",
        "for (int i = 1; i < run",
        "for (int i = 2; i < run",
        SHORT,
        "group_norm",
    ),
    "a run's sums": ("host_places", "*to++ = total", "*to = total", SUMS_BY_RUN, "group_norm"),
    "the sum of one entry": ("host_places", "return copy(to, of(name));", "return;", RUNS_OF_ONE, "group_norm"),
}
"""A text in the place of another, in a header of the kernels, a call that sees it, and a layer that is no norm."""
SEEN = ("a lane of a sum", "a row past the end", "a sum that is begun twice", "the entry of a run", "a sum by run")


@pytest.mark.parametrize("what", sample(list(MISTAKES), SEEN[:1], ci=SEEN))
def test_mistakes_in_loops_are_seen(what, tmp_path):
    header, before, after, case, name = (*MISTAKES[what], "layer_norm")[:5]
    in_field = ProcessorInField(derived(name), tmp_path)
    path = tmp_path / RUNTIME / "native" / f"{header}.h"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    assert wrong(in_field, case, 2)


@pytest.mark.ci
def test_what_is_left_out_is_named_and_not_compared(tmp_path):
    in_field = ProcessorInField(derived("layer_norm"), tmp_path)
    case = FieldCase(3, 9, absence=Absence(frozenset({"gamma"})))
    assert case.words == "3 x 9, without gamma"
    assert not wrong(in_field, case, 2)
    compared = [each.compared for each in islice(in_field.results(case), 2)]
    assert compared[1] == 3 * 9 + 9  # dx and dbeta
