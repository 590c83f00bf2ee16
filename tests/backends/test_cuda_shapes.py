"""How rows are laid out: what `row_shapes` says is what the compiled kernels say of themselves."""

import re

import pytest

from lngen import nvrtc
from lngen.backends.cuda.contract import DTYPES, LAUNCH_FIELDS
from lngen.backends.cuda.shapes import row_shapes
from lngen.errors import LngenError
from lngen.runtime.includes import inlined
from tests.requirements import needs_nvrtc
from tests.shipped import ROOT, WHOLE
from tests.tiers import sample

pytestmark = [pytest.mark.cuda, needs_nvrtc]

PLACES = ("registers", "shared memory", "workspace")


def source(name: str) -> str:
    return inlined(ROOT / "generated" / name / "kernels.cu")


def launch(ptx: str, kernel: str) -> dict[str, int]:
    """The launch array of a kernel in PTX."""
    found = re.search(rf"\.b8 {kernel}_launch\[(\d+)\] = \{{([^}}]*)\}}", ptx)
    assert found
    values = bytes(map(int, found[2].split(","))).ljust(int(found[1]), b"\0")
    numbers = [int.from_bytes(values[at : at + 4], "little") for at in range(0, len(values), 4)]
    return dict(zip(LAUNCH_FIELDS, numbers, strict=True))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    ("dtype", "features"),
    sample([("bf16", 1000), ("f32", 4096), ("f64", 4096), ("f16", 32768)], [("f32", 4096)]),
)
def test_a_kernel_is_launched_as_its_shape_says(name: str, dtype: str, features: int) -> None:
    options = (f"-DLNGEN_D={features}", f"-DLNGEN_{dtype.upper()}")
    ptx = nvrtc.compile(source(name), "compute_80", options).ptx
    shapes, _ = row_shapes(source(name), [features])
    for shape in shapes:
        if shape.dtype == dtype:
            told = launch(ptx, f"{shape.kernel}_{dtype}")
            assert told["threads_per_block"] == shape.threads_per_block
            assert told["threads_per_row"] == shape.threads_per_row
            assert told["rows_per_block"] == shape.rows_per_block
            assert told["vector"] == shape.vector
            assert bool(told["keeps_row"]) == shape.keeps_row
            assert PLACES[told["sums_over_rows"]] == shape.sums
            if shape.keeps_row:
                assert told["entries_per_thread"] == shape.entries_per_thread


@pytest.mark.parametrize("name", WHOLE)
def test_limits_are_where_the_layout_changes(name: str) -> None:
    _, limits = row_shapes(source(name), [])
    assert [(limit.kernel, limit.dtype) for limit in limits] == [
        (kernel, dtype) for kernel in ("forward", "backward") for dtype in DTYPES
    ]
    ends = {at for limit in limits for at in (limit.everything, limit.row_and_sums, limit.row)}
    shapes, _ = row_shapes(source(name), sorted({at + step for at in ends for step in (0, 2, 4, 8)}))
    found = {(shape.kernel, shape.dtype, shape.features): shape for shape in shapes}
    for limit in limits:
        # The next longer row with accesses as wide.
        vector = 16 // {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[limit.dtype]
        (all_in, more), (with_sums, beside), (kept, longer) = (
            [found[limit.kernel, limit.dtype, at + step] for step in (0, vector)]
            for at in (limit.everything, limit.row_and_sums, limit.row)
        )
        assert all_in.holds_features
        assert not more.holds_features
        assert with_sums.keeps_row
        assert with_sums.sums == "registers"
        assert beside.sums != "registers" or not beside.keeps_row
        assert kept.keeps_row
        assert not longer.keeps_row


def test_every_entry_of_a_row_has_a_thread() -> None:
    lengths = [1, 7, 64, 1000, 1025, 4096, 65536]
    shapes, _ = row_shapes(source(WHOLE[0]), lengths)
    assert [shape.features for shape in shapes] == lengths * 2 * len(DTYPES)
    for shape in shapes:
        assert shape.threads_per_row * shape.entries_per_thread >= shape.features
        assert shape.features % shape.vector == 0
        assert shape.threads_per_block % shape.threads_per_row == 0


def test_a_file_without_layouts_is_refused() -> None:
    with pytest.raises(LngenError, match="NVRTC could not compile"):
        row_shapes("int nothing;", [64])
