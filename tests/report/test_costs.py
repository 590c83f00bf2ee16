from pathlib import Path

from lngen.language.parsing import load
from lngen.pipeline.stages import planned
from lngen.plan.cost import parse_dtype
from lngen.report.costs import cost_rows, size_rows

DERIVE = Path(__file__).parents[2] / "derive"
BF16 = parse_dtype("bf16")


def table(lines):
    return {label: values for label, *values in lines}


def test_size_rows_of_named_axes_counts_smaller_arrays_by_their_own_axes():
    plan = planned(load(DERIVE / "group_norm.py"), proved=False)
    tensor, rows, channels = 16 * 64 * 30 * 20 * 2, 16 * 32, 64 * 2
    sizes = table(size_rows(plan, (16, 64, 30, 20), BF16))
    # gamma and beta; gamma, dgamma and dbeta; forward keeps three f32 a row, and reads eps.
    forward, backward = 2 * tensor + 12 * rows + 2 + 2 * channels, 3 * tensor + 12 * rows + 3 * channels
    assert sizes["moved"] == [f"{size / 1e6:.2f} MB" for size in (forward, backward)]
    assert sizes["smaller arrays"] == [
        f"{n * channels / 1e3:.2f} kB, {n * channels / tensor:.2g} of a row tensor" for n in (2, 3)
    ]
    assert table(cost_rows(plan, BF16))["smaller arrays moved"][0] == "gamma (g c), beta (g c)"


def test_cost_rows_of_a_cast_tells_the_bytes_of_whole_row_tensors():
    plan = planned(load(DERIVE / "add_rms_norm_fp8.py"), proved=False)
    for dtype, worth in (("bf16", "3.5"), ("f32", "3.25")):
        lines = table(cost_rows(plan, parse_dtype(dtype)))
        assert lines["row tensors moved"] == [
            f"4 (2 read, 2 written), the bytes of {worth}",
            "5 (3 read, 2 written)",
        ]
