"""The largest entry and the sums of exponentials below it in one sweep, beside two: infinite rows, NaN, masks."""

import functools

import numpy as np
import pytest

from lngen.emit import Notes
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.emit.cuda import emit
from lngen.extensions import simt
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import planned
from tests.extensions.simt.emitted import DTYPES, ROUNDOFF, Case
from tests.requirements import needs_gxx
from tests.shipped import ROOT, whole
from tests.tiers import sample

pytestmark = [needs_gxx, pytest.mark.cuda]

# A sum of exponentials with a weight beside one without any, and entries that a mask excludes.
WEIGHTED = """
def weighted(x: Row, w: Row):
    e = where(w > 0, exp(x), 0)
    return sum(e*w)/sum(e)
"""

# Rows that are read again in every stage: whose end is within an access, or within those that are taken together; with
# threads that have nothing of the row; of one entry; of more entries than a layout for any length holds.
SHAPES = {
    "a tail": (2002, {"LNGEN_D": 2002, "LNGEN_THREADS_PER_ROW": 32, "LNGEN_SHARED": 8192}),
    "whole accesses": (2048, {"LNGEN_D": 2048, "LNGEN_THREADS_PER_ROW": 32, "LNGEN_SHARED": 8192}),
    "threads without entries": (100, {"LNGEN_D": 100, "LNGEN_THREADS_PER_ROW": 256, "LNGEN_ROOM": 1}),
    "one entry": (1, {"LNGEN_D": 1, "LNGEN_ROOM": 1}),
    "any length": (3001, {}),
}
ONE_SWEEP = "constexpr bool EXP_MULTIPLIES = true;"


@functools.cache
def pair_of(name):
    plan = planned(parse(WEIGHTED) if name == "weighted" else load(ROOT / "derive" / f"{name}.py"), proved=False)
    return plan.forward, plan.backward


@functools.cache
def source_of(name):
    return whole(emit(pair_of(name), Notes(name, "A program of the tests.")))


def rows_of(features, dtype):
    """Rows of whatever is special, each of which has its sums in another way."""
    random = np.random.default_rng(0)
    place = np.arange(features)
    drawn = random.normal(size=features) * 3
    rows = {
        "drawn": drawn,
        "rising": place / features * 40,
        "falling": -place / features * 40,
        "equal": np.full(features, 2.5),
        "masked": np.where(place % 7 == 3, drawn, -np.inf),
        "the last alone": np.where(place == features - 1, -300.0, -np.inf),
        "all masked": np.full(features, -np.inf),
        "large": np.where(place % 5 == 2, 3e4, -3e4),
        "inf": np.where(place == features // 2, np.inf, drawn),
        "inf among masked": np.where(place == features // 3, np.inf, -np.inf),
        "nan": np.where(place == features // 2, np.nan, drawn),
        "nan among masked": np.where(place == features - 1, np.nan, -np.inf),
    }
    return list(rows), np.array([*rows.values()]).astype(DTYPES[dtype])


def results(source, name, dtype, shape, check=False):
    features, macros = SHAPES[shape]
    pair = pair_of(name)
    _, x = rows_of(features, dtype)
    given = {"x": x}
    if name == "weighted":
        weights = np.random.default_rng(1).uniform(-0.5, 2, x.shape)
        given["w"] = weights.astype(DTYPES[dtype])
    kernels = simt.build(source, {"LNGEN_FORWARD": None, f"LNGEN_{dtype.upper()}": None, **macros}, check=check)
    table = dict(zip(LAUNCH_FIELDS, kernels.launch_table(f"{name}_forward_{dtype}").tolist(), strict=True))
    assert table["row_held"] == 0 or not macros
    with np.errstate(all="ignore"):
        return Case(kernels, name, pair, dtype, len(x), features, given, {}).run()["y"].astype(np.float64)


def differing(found, wanted, features, dtype):
    """The names of the rows that differ by more than roundings, or in what is infinite or no number.

    Each of the two sums has a rounding for each of its terms. A thread's sum has three for each larger entry, of a
    factor and of the product with it, and those of differences, together as many as exponents are large; and the
    results of both are rounded.
    """
    names, _ = rows_of(features, dtype)
    compute = ROUNDOFF["f64" if dtype == "f64" else "f32"]
    bound = (2 * features + 3 * features + 2 * 80) * compute + 2 * (ROUNDOFF[dtype] if dtype != "f64" else compute)
    # Of a logarithm the error of the sum is one of the value itself; others are at most 1.
    with np.errstate(all="ignore"):
        near = np.abs(found - wanted) <= bound * np.maximum(np.abs(wanted), 1 if found.ndim == 1 else 0)
    found, wanted, near = (each.reshape(len(names), -1) for each in (found, wanted, near))
    same = near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    return {name for name, row in zip(names, same, strict=True) if not row.all()}


CASES = [
    (name, dtype, shape)
    for name in ("softmax", "weighted", "logsumexp")
    for dtype in ("bf16", "f32", "f64")
    for shape in SHAPES
]


@pytest.mark.parametrize(("name", "dtype", "shape"), sample(CASES, [], CASES[::4]))
def test_one_sweep_gives_what_two_give(name, dtype, shape):
    source = source_of(name)
    assert source.count(ONE_SWEEP) == 1
    found = results(source, name, dtype, shape, check=True)
    wanted = results(source.replace(ONE_SWEEP, ONE_SWEEP.replace("true", "false")), name, dtype, shape)
    assert differing(found, wanted, SHAPES[shape][0], dtype) == set()


MISTAKES = {
    "a larger entry without its factor": (
        "put_below<SCALED>(second.values, before, first.values[I]);",
        "",
        "a tail",
        {"drawn", "rising", "masked"},
    ),
    "a thread's sum without its factor": (
        "put_below<SCALED>(second.values, own, first.values[I]);",
        "",
        "a tail",
        {"drawn", "rising", "falling"},
    ),
    "the difference of two infinite entries": (
        "math::exp(before - finite_or_zero(now))",
        "math::exp(before - now)",
        "threads without entries",
        {"all masked"},
    ),
    "0 for the largest of nothing": (
        "math::exp(before - finite_or_zero(now))",
        "math::exp(finite_or_zero(before) - finite_or_zero(now))",
        "threads without entries",
        {"the last alone"},
    ),
    "an access behind the last": (
        "here.template column<G>(chunk + k) < here.D",
        "here.template column<G>(chunk) < here.D",
        "a tail",
        {"falling"},
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_one_sweep_are_seen(mistake):
    old, new, shape, rows = MISTAKES[mistake]
    source = source_of("logsumexp")
    assert source.count(old) == 1
    wanted = results(source, "logsumexp", "f32", shape)
    found = results(source.replace(old, new), "logsumexp", "f32", shape)
    assert rows <= differing(found, wanted, SHAPES[shape][0], "f32")


def test_a_row_that_is_held_has_two_stages():
    """Registers are read again at no cost: there each exponential is less the largest entry of all."""
    source = source_of("softmax")
    held = {"LNGEN_FORWARD": None, "LNGEN_F32": None, "LNGEN_D": 1024}
    texts = [source, source.replace("put_below<SCALED>(second.values, before, first.values[I]);", "")]
    x = np.random.default_rng(0).normal(size=(3, 1024)).astype(np.float32) * 5
    one, other = (
        Case(simt.build(text, held), "softmax", pair_of("softmax"), "f32", 3, 1024, {"x": x}, {}).run()
        for text in texts
    )
    assert one["y"].tobytes() == other["y"].tobytes()
