"""The kernels that lngen emits, run: beside the same programs evaluated in long double."""

import functools

import numpy as np
import pytest

from lngen.emit import Notes
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.emit.cuda import emit
from lngen.extensions import simt
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import planned
from lngen.runtime.includes import inlined
from tests.extensions.simt.emitted import DTYPES, ROUNDOFF, Case, compute_of, drawn, error, expected
from tests.requirements import needs_gxx
from tests.shipped import NAMES, ROOT, whole
from tests.tiers import sample

pytestmark = [needs_gxx, pytest.mark.cuda]

# Gradients that go to the entries that attain extremes, of a row and of a Feature.
EXTREMES = """
def extremes(x: Row, w: Feature):
    y = x - max(x*w) + min(x) + max(w)
    return y
"""

# Sums over rows beside no reduction of a row.
SCALED = """
def scaled(x: Row, w: Feature):
    y = x*w
    return y
"""

# A Scalar beside a row, whose gradient is a sum over all entries.
SCALED_RESIDUAL = """
def scaled_residual(x: Row, skip: Row, lam: Scalar, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    s = lam * x + skip
    m = mean(s)
    d = s - m
    y = gamma * d / sqrt(mean(d ** 2) + eps) + beta
    return y, s
"""
TEXTS = {"extremes": EXTREMES, "scaled": SCALED, "scaled_residual": SCALED_RESIDUAL}

# Roundings in the longest chain of these kernels: some 24 operations, and a sum in which a term meets at most 16 others
# in its thread, 10 in the tree, and 14 in the sum over rows. The measured errors are a tenth of that.
LONGEST_CHAIN = 64


@functools.cache
def pair_of(name):
    plan = planned(parse(TEXTS[name]) if name in TEXTS else load(ROOT / "derive" / f"{name}.py"), proved=False)
    return plan.forward, plan.backward


@functools.cache
def source_of(name):
    if name in NAMES:
        return inlined(ROOT / "generated" / name / "kernels.cu")
    return whole(emit(pair_of(name), Notes(name, "A program of the tests.")))


def kernels_of(name, dtypes=DTYPES, check=False, **macros):
    chosen = {} if dtypes is DTYPES else {f"LNGEN_{dtype.upper()}": None for dtype in dtypes}
    return simt.build(source_of(name), {**chosen, **macros}, check=check)


def rounded(values, dtype):
    return {name: None if value is None else value.astype(DTYPES[dtype]) for name, value in values.items()}


def case_of(kernels, name, dtype, rows, features, absent=(), **how):
    pair = pair_of(name)
    given, cotangents = (rounded(values, dtype) for values in drawn(pair, rows, features))
    given |= {key: None for key in absent if key in given}
    cotangents |= {key: None for key in absent if key in cotangents}
    return Case(kernels, name, pair, dtype, rows, features, given, cotangents, how=how)


def assert_right(case):
    wanted = expected(case.pair, case.given, case.cotangents, case.rows, case.features)
    # A gradient is a difference times a saved scalar such as 1 / sqrt(var + eps): its roundings are as much larger.
    scale = max([1.0, *(float(np.abs(wanted[s.name]).max(initial=0)) for s in case.pair[0].saved)])
    # Gradients are given the saved scalars as the forward kernel rounds them.
    bound = LONGEST_CHAIN * scale * ROUNDOFF[compute_of(case.dtype)]
    if case.dtype in ("f16", "bf16"):
        bound += ROUNDOFF[case.dtype]
    results = case.run()
    assert results
    for name, value in results.items():
        assert value.dtype == DTYPES[case.dtype]
        assert error(value, wanted[name]) <= bound, (name, error(value, wanted[name]), bound)


def test_gradients_of_extremes():
    """Gradients go to the first entry that attains the extreme, of the row and of a Feature."""
    rows, features = 5, 70
    rng = np.random.default_rng(0)
    x, dy = rng.normal(size=(rows, features)), rng.normal(size=(rows, features))
    w = rng.uniform(0.5, 2, features)
    x[1, 3] = x[1, 40] = x[1].min() - 1
    w[5] = w[60] = 3
    kernels = kernels_of("extremes", ("f64",), check=True, LNGEN_D=features)
    results = Case(kernels, "extremes", pair_of("extremes"), "f64", rows, features, {"x": x, "w": w}, {"dy": dy}).run()
    top, least, peak = (x * w).argmax(1), x.argmin(1), w.argmax()
    total, row = dy.sum(1), np.arange(rows)
    dx, dw = dy.copy(), np.zeros(features)
    np.subtract.at(dx, (row, top), total * w[top])
    np.add.at(dx, (row, least), total)
    np.subtract.at(dw, top, total * x[row, top])
    dw[peak] += total.sum()
    wanted = {"y": x - (x * w).max(1, keepdims=True) + x.min(1, keepdims=True) + w.max(), "dx": dx, "dw": dw}
    for name, value in results.items():
        assert error(value, wanted[name]) < LONGEST_CHAIN * ROUNDOFF["f64"]


@pytest.mark.ci
@pytest.mark.parametrize("features", [8196, 9217])
def test_a_scalar_of_a_few_long_rows_has_a_gradient(features):
    """A row takes most of what a block has of shared memory; beside it the sums into the Scalar have room."""
    shared = {"LNGEN_D": features, "LNGEN_SHARED": 232448}
    kernels = kernels_of("scaled_residual", ("f32",), check=True, **shared)
    assert_right(case_of(kernels, "scaled_residual", "f32", 3, features))


# Types and macros that make the geometry keep the row, and the sums over rows, in each of the places that it knows.
REGIMES = [
    ("f32", {"LNGEN_D": 31, "LNGEN_THREADS_PER_ROW": 8}),
    ("f32", {"LNGEN_D": 128, "LNGEN_VECTOR": 1}),
    ("bf16", {"LNGEN_D": 24}),
    ("bf16", {"LNGEN_D": 1024}),
    ("bf16", {"LNGEN_D": 1001, "LNGEN_THREADS_PER_ROW": 128}),
    ("f16", {"LNGEN_D": 1000, "LNGEN_THREADS_PER_ROW": 32, "LNGEN_ROOM": 50}),
    ("f32", {"LNGEN_D": 1000, "LNGEN_THREADS_PER_ROW": 32}),
    ("f32", {"LNGEN_D": 1000, "LNGEN_THREADS_PER_ROW": 8}),
    ("bf16", {"LNGEN_D": 4000, "LNGEN_THREADS_PER_ROW": 128, "LNGEN_SHARED": 232448}),
    ("f16", {"LNGEN_D": 4000, "LNGEN_THREADS_PER_ROW": 128, "LNGEN_SHARED": 232448, "LNGEN_ROOM": 50}),
    ("f32", {"LNGEN_D": 2000, "LNGEN_THREADS_PER_ROW": 32, "LNGEN_SHARED": 20480}),
    ("f32", {"LNGEN_D": 2000, "LNGEN_THREADS_PER_ROW": 32, "LNGEN_SHARED": 8192}),
]
# With so many blocks that may share a row, of rows of 128 threads in each.
REGIMES += [
    (dtype, {"LNGEN_BLOCKS_PER_ROW": blocks, "LNGEN_THREADS_PER_ROW": 128, **macros})
    for dtype, blocks, macros in (
        ("f64", 8, {"LNGEN_D": 999, "LNGEN_ROOM": 50}),
        ("bf16", 2, {"LNGEN_D": 2000, "LNGEN_ROOM": 25, "LNGEN_SHARED": 16384}),
        ("bf16", 2, {"LNGEN_D": 2002, "LNGEN_ROOM": 25, "LNGEN_SHARED": 8192}),
        ("f32", 2, {"LNGEN_D": 3500, "LNGEN_ROOM": 25, "LNGEN_SHARED": 10000}),
        ("f64", 2, {"LNGEN_D": 2999, "LNGEN_ROOM": 25}),
    )
]
# Rows in registers for which shared memory has no room for copies.
REGIMES += [("f32", {"LNGEN_D": 512, "LNGEN_SHARED": 2048})]


def named(value):
    return " ".join(f"{k[6:]}={v}" for k, v in value.items()) if isinstance(value, dict) else value


def regime(dtype, macros):
    return kernels_of("layer_norm", (dtype,), check=True, **macros)


@pytest.mark.parametrize(("dtype", "macros"), REGIMES, ids=named)
@pytest.mark.ci
def test_regimes_are_right_and_have_no_finding(dtype, macros):
    for rows in (2, 37):
        assert_right(case_of(regime(dtype, macros), "layer_norm", dtype, rows, macros["LNGEN_D"]))


@pytest.mark.ci
def test_every_regime_is_there():
    tables = [
        dict(zip(LAUNCH_FIELDS, regime(*each).launch_table(f"layer_norm_backward_{each[0]}").tolist(), strict=True))
        for each in REGIMES
    ]
    rows, sums = ("read again", "packed", "widened"), ("registers", "shared memory", "workspace")
    found = {(rows[table["row_held"]], sums[table["sums_over_rows"]], table["rows_copied"] > 0) for table in tables}
    assert found >= {
        ("widened", "registers", True),
        ("widened", "registers", False),
        ("widened", "shared memory", True),
        ("packed", "shared memory", True),
        ("read again", "shared memory", True),
        ("read again", "workspace", True),
        ("read again", "workspace", False),
    }
    assert {min(table["rows_copied"], 2) for table in tables} == {0, 1, 2}
    shared = {
        (rows[table["row_held"]], sums[table["sums_over_rows"]]) for table in tables if table["blocks_per_row"] > 1
    }
    assert shared == {
        ("widened", "registers"),
        ("widened", "shared memory"),
        ("packed", "workspace"),
        ("read again", "shared memory"),
    }
    assert {1, 2} < {table["rows_per_block"] for table in tables}


CHECKED = [
    ("layer_norm", "f16", (33, 2500)),
    ("rms_norm", "bf16", (2, 130)),
]


@pytest.mark.parametrize(("layer", "dtype", "sizes"), sample(CHECKED, CHECKED[:1]))
def test_the_checker_has_no_finding(layer, dtype, sizes):
    for features in sizes:
        kernels = kernels_of(layer, (dtype,), check=True, LNGEN_D=features)
        for rows in (0, 2, 5):
            assert_right(case_of(kernels, layer, dtype, rows, features, schedule="random", seed=rows))


# A kernel as it is emitted, with one line changed. Each is found by the checker, or gives a wrong result.
PLANTED = [
    ("    __syncthreads();\n  } else {\n    if (lane < G::BLOCKS", "  } else {\n    if (lane < G::BLOCKS"),
    ("      turn ^= 1;\n", ""),
    ("offset = row * D;", "offset = row * (D + 1);"),
    ("<= D || column < D;", "<= D || column <= D;"),
    ("if (!live) row = rows - 1;", ""),
    ("live = G::ROWS == 1 || row < rows;", "live = true;"),
    ("await_copies<AHEAD - 1>();", "await_copies<AHEAD>();"),
]


@pytest.mark.ci
@pytest.mark.parametrize(("right", "planted"), PLANTED)
def test_planted_bugs_in_an_emitted_kernel_are_caught(right, planted):
    text = source_of("layer_norm")
    assert right in text
    macros = {"LNGEN_F32": None, "LNGEN_FORWARD": None, "LNGEN_VECTOR": 1}
    macros["LNGEN_D"] = 1000 if "__syncthreads" in right or "turn ^" in right else 33
    kernels = simt.build(text.replace(right, planted), macros, check=True)
    with pytest.raises(simt.KernelFault):
        case_of(kernels, "layer_norm", "f32", 5, macros["LNGEN_D"]).run()


def test_rows_beyond_32_bits():
    """A piece of a tensor of 2**31 and more entries, of which memory holds only this."""
    features, rows, first = 1000, 2**22 + 5, 2**22
    kernels = kernels_of("rms_norm", ("f32",), check=True, LNGEN_FORWARD=None, LNGEN_D=features)
    pair = pair_of("rms_norm")
    given, cotangents = drawn(pair, 5, features, np.float32)
    out, saved = np.zeros((5, features), np.float32), np.zeros(5, np.float32)
    threads, rows_per_block, shared = kernels.launch_table("rms_norm_forward_f32")[:3].tolist()
    assert first * features > 2**31
    assert first % rows_per_block == 0
    kernels["rms_norm_forward_f32"](
        -(-rows // rows_per_block), threads, shared, simt.Window(given["x"], first * features), given["gamma"], 1e-5,
        simt.Window(out, first * features), simt.Window(saved, first), rows, features,
        blocks=range(first // rows_per_block, -(-rows // rows_per_block)),
    )  # fmt: skip
    wanted = expected(pair, given, cotangents, 5, features)
    assert error(out, wanted["y"]) < LONGEST_CHAIN * ROUNDOFF["f32"]
