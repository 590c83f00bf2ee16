"""Findings about a kernel, in words."""

import pytest

from lngen.check.toolchain.nvrtc import Resources
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.extensions.inspection import words
from lngen.extensions.inspection.architectures import architecture
from lngen.extensions.inspection.kernels import Inspected


def a_block(row_held: int, rows_copied: int, name: str = "forward_bf16") -> str:
    launch = dict.fromkeys(LAUNCH_FIELDS, 0) | {
        "threads_per_block": 128,
        "rows_per_block": 4,
        "threads_per_row": 32,
        "row_held": row_held,
        "rows_copied": rows_copied,
    }
    kernel = Inspected(name, Resources(32, 0, 0, 0, 0), launch, 4, None)
    return dict(words.facts(kernel, architecture("sm_90")))["a block"]


@pytest.mark.parametrize(
    ("row_held", "rows_copied", "expected"),
    [
        (0, 0, "read again in every stage"),
        (0, 1, "in shared memory"),
        (0, 2, "in shared memory, copied 1 trip ahead"),
        (1, 0, "in registers as it is stored"),
        (1, 3, "in registers as it is stored, copied 3 trips ahead"),
        (2, 2, "in registers in the compute type, copied 2 trips ahead"),
    ],
)
def test_where_a_row_is(row_held: int, rows_copied: int, expected: str) -> None:
    assert a_block(row_held, rows_copied) == f"128 threads; 4 rows, 32 threads a row; a row is {expected}"


def test_what_ends_sums_holds_no_row() -> None:
    assert a_block(2, 2, "backward_columns_bf16") == "128 threads; 4 columns"
