"""Bytes that kernels move: the emulator's count beside the plan's, and the table of both."""

import pytest

from benchmarks.moved import DTYPE, FEATURES, LAYERS, PAGE, ROWS, Moved, counted, of_plan
from benchmarks.simulated_cases import Case
from tests.requirements import needs_gxx

ARRIVES = "const Chunk stored = fetch<true>(at, chunk, column);"
AGAIN = "for (int i = 0; i < G::VECTOR; ++i) (void)*(volatile const T*)(array + offset + column + i);"


def read_again(text: str) -> str:
    """The kernels with a mistake: a thread reads its part of a row, and then again."""
    assert text.count(ARRIVES) == 1
    return text.replace(ARRIVES, ARRIVES + AGAIN)


@needs_gxx
@pytest.mark.cuda
@pytest.mark.ci
def test_counted_is_the_plan_and_once_more_a_row_that_is_read_again() -> None:
    case = Case("rms_norm", "forward", FEATURES, DTYPE, ROWS)
    tensor = ROWS * FEATURES * 4
    assert of_plan(case).rows == 2 * tensor
    assert counted(case, read_again).rows == 3 * tensor


def test_of_plan_counts_the_partial_sums_of_a_block() -> None:
    case = Case("layer_norm", "backward", FEATURES, DTYPE, ROWS)
    gamma_and_results, saved, partial = 3 * FEATURES * 4, 3 * ROWS * 4, 2 * FEATURES * 4
    assert of_plan(case) == Moved(3 * ROWS * FEATURES * 4, gamma_and_results + saved + 2 * partial)


def test_the_page_has_a_line_for_each_layer_and_direction() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| {layer} | {direction} | " in page for layer in LAYERS for direction in ("forward", "backward"))
