"""The kernel for few rows, which ends the sums over them: beside long double, beside two kernels, and with faults."""

from typing import Any

import numpy as np
import pytest

from lngen.extensions import simt
from tests.extensions.simt.emitted import Case
from tests.extensions.simt.test_emitted import assert_right, case_of, kernels_of, source_of
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = [needs_gxx, pytest.mark.cuda]

LAYERS = ("layer_norm", "dynamic_tanh", "scaled_softmax", "extremes", "scaled")
"""Sums into columns, into columns and a number, into a number, columns that are reduced once they are summed, and sums
of rows that have no reduction.
"""

SIZES = ((1, 1), (2, 31), (1, 64), (31, 96), (64, 33), (5, 1000), (3, 1024), (2, 4100))
SCHEDULES = ("forward", "reverse", "random")


def few_of(layer: str, dtype: str, rows: int, features: int, blocks: int, **macros: Any) -> Case:
    """A call whose backward has few rows, of one block or a cluster of so many."""
    given = {"LNGEN_BACKWARD": None, "LNGEN_D": features, "LNGEN_FEW_ROWS": blocks, **macros}
    few = kernels_of(layer, (dtype,), check=True, **given)
    case = case_of(kernels_of(layer, (dtype,), LNGEN_D=features), layer, dtype, rows, features)
    case.few = few
    return case


MANY = [
    (layer, dtype, rows, features, blocks)
    for number, (rows, features) in enumerate(SIZES)
    for layer in LAYERS
    for dtype in (("bf16", "f32", "f64")[(number + len(layer)) % 3],)
    for blocks in (1, 8)
]


@pytest.mark.parametrize(("layer", "dtype", "rows", "features", "blocks"), sample(MANY, [MANY[0], MANY[1]]))
def test_results(layer: str, dtype: str, rows: int, features: int, blocks: int) -> None:
    """Results are right, and the checker finds nothing."""
    assert_right(few_of(layer, dtype, rows, features, blocks))


FAULTS = {
    "no barrier before the end": ("      meet_blocks();\n      if (Ends", "      if (Ends"),
    "blocks end while others read": ("if constexpr (LNGEN_FEW_ROWS > 1) meet_blocks();", ""),
    "a block left out": ("block = 1; block < BLOCKS; ++block) parts", "block = 2; block < BLOCKS; ++block) parts"),
    "rows of the block left out": ("row = 1; row < G::ROWS; ++row) total", "row = 2; row < G::ROWS; ++row) total"),
    "copies overwritten": ("if constexpr (LNGEN_FEW_ROWS && KEPT && G::ROWS == 1) __syncthreads();", ""),
    "columns of one block": ("(IN_ONE_BLOCK ? 1 : LNGEN_FEW_ROWS) * G::THREADS", "G::THREADS * 1000"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(fault: str) -> None:
    """The checker has a finding, or a number is wrong."""
    was, becomes = FAULTS[fault]
    # Its rows have no reduction, and so no barrier.
    layer = "scaled" if fault == "copies overwritten" else "layer_norm"
    text = source_of(layer)
    assert text.count(was) == 1
    rows, features = (3, 4096) if fault in ("copies overwritten", "columns of one block") else (20, 512)
    macros = {"LNGEN_BACKWARD": None, "LNGEN_BF16": None, "LNGEN_D": features, "LNGEN_FEW_ROWS": 2}
    case = case_of(kernels_of(layer, ("bf16",)), layer, "bf16", rows, features, schedule="reverse")
    case.few = simt.build(text.replace(was, becomes), macros, check=True)
    with pytest.raises((simt.KernelFault, AssertionError)):
        assert_right(case)


@pytest.mark.parametrize("rows", [1, 2])
def test_results_have_the_bits_of_two_kernels(rows: int) -> None:
    """One row or two are added up in one way alone; what blocks have no row of adds nothing."""
    case = few_of("layer_norm", "f32", rows, 96, 8)
    few = case.run()
    case.few = None
    for name, value in case.run().items():
        if name in ("dgamma", "dbeta"):
            np.testing.assert_array_equal(few[name], value)


def test_results_do_not_depend_on_the_order_of_warps() -> None:
    case = few_of("layer_norm", "f32", 31, 96, 8)
    found = []
    for schedule in SCHEDULES:
        case.how = {"schedule": schedule}
        found.append(case.run())
    for name, value in found[0].items():
        for other in found[1:]:
            np.testing.assert_array_equal(value, other[name])
