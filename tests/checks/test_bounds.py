"""Error bounds: never exceeded, and not by far too wide."""

from itertools import permutations

import numpy as np
import pytest
import sympy

from lngen.checks import FULL_SHAPES, check, inputs
from lngen.checks.bounds import NUMPY, error_bounds
from lngen.checks.forms import FORMATS, AffineForm, Rounding, exact
from lngen.errors import LngenError
from tests.checks.layers import DEFINITIONS, derived, two_functions
from tests.tiers import sample

ORDINARY_SHAPES = [(37, 7), (37, 33), (37, 128), (5, 1025)]


@pytest.mark.ci
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_bounds_hold_and_are_within_100_of_the_error(dtype):
    reached = {}
    for seed in range(3):
        report = check(two_functions(), ORDINARY_SHAPES, (dtype,), seed=seed, kinds=("precision",))
        assert report.passed, report.failures
        for item in report.evidence:
            key = (item.what, item.shape)
            reached[key] = max(reached.get(key, 0.0), item.ratio)
    assert reached
    assert min(reached.values()) > 0.01, reached


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[:2]), ids=lambda path: path.stem)
def test_emitted_rows_and_columns_are_within_100_of_their_bounds(path):
    reached = {}
    layer = derived(path)
    scalars = {f"d{entry.name}" for entry in layer.definition.scalars}
    for seed in range(2):
        report = check(layer, [(37, 33), (37, 128)], ("float64", "float32"), seed=seed, kinds=("precision",))
        assert report.passed, report.failures
        for item in report.evidence:
            # A single number is now and then right by luck, and so are results that only copy an input.
            if item.what not in scalars and item.error:
                key = (item.what, item.dtype, item.shape)
                reached[key] = max(reached.get(key, 0.0), item.ratio)
    assert reached
    assert min(reached.values()) > 0.01, reached


@pytest.mark.ci
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bounds_hold_at_every_shape(dtype):
    report = check(two_functions(), [s for s in FULL_SHAPES if s[0]], (dtype,), seed=9, kinds=("precision",))
    assert report.passed, report.failures


def test_an_offset_costs_nothing_because_the_error_of_the_mean_cancels():
    forward, backward = two_functions().forward_program, two_functions().backward_program
    base = inputs.ordinary(two_functions().definition, 4, 128, seed=0)
    moved = inputs.replace(base, name="moved", inputs={**base.inputs, "x": base.inputs["x"] + 1e4}).astype("f4")
    near = error_bounds(forward, backward, base.astype("f4"), "float32")
    far = error_bounds(forward, backward, moved, "float32")
    for name in ("y", "dx", "dgamma"):
        assert far[name].max() < 3 * near[name].max()


def test_without_the_correction_the_offset_shows():
    forward, backward = two_functions().forward_program, two_functions().backward_program
    base = inputs.ordinary(two_functions().definition, 4, 128, seed=0)
    moved = inputs.replace(base, name="moved", inputs={**base.inputs, "x": base.inputs["x"] + 1e4}).astype("f4")
    stages = tuple(stage for stage in forward.stages if not stage.correction)
    zero = {forward.stages[1].reductions[0].symbol: sympy.S.Zero}
    kept = forward.stages[1].temps
    stages = (stages[0], inputs.replace(stages[1], temps=(*kept, *stages[1].temps)), *stages[2:])
    stages = tuple(stage.replaced(zero) for stage in stages)
    saved = tuple(symbol for symbol in forward.saved if symbol not in zero)
    plain = inputs.replace(forward, stages=stages, saved=saved)
    backward_stages = tuple(stage.replaced(zero) for stage in backward.stages)
    plain_backward = inputs.replace(backward, stages=backward_stages, saved=saved)
    far = error_bounds(plain, plain_backward, moved, "float32")
    assert far["y"].max() > 1e-4


def test_what_may_overflow_is_not_claimed():
    forward, backward = two_functions().forward_program, two_functions().backward_program
    base = inputs.ordinary(two_functions().definition, 2, 5, seed=0)
    huge = inputs.replace(base, inputs={**base.inputs, "gamma": np.array([1.0, 6e4, 1.0, 1.0, 1.0])}).astype("f2")
    bounds = error_bounds(forward, backward, huge, "float16")
    exact_values = np.abs(huge.inputs["x"].astype(float))
    assert exact_values.max() < 65504
    assert np.all(np.isfinite(bounds["y"][:, [0, 2, 3, 4]]))
    assert np.isinf(bounds["y"][:, 1]).any()


def test_an_unknown_format_or_function_is_refused():
    forward, backward = two_functions().forward_program, two_functions().backward_program
    case = inputs.ordinary(two_functions().definition, 1, 3, seed=0)
    with pytest.raises(LngenError, match="float128"):
        error_bounds(forward, backward, case, "float128")
    strange = inputs.replace(forward.stages[-1].temps[0], expression=sympy.gamma(forward.rows[0].symbol))
    last = inputs.replace(forward.stages[-1], temps=(strange, *forward.stages[-1].temps[1:]))
    program = inputs.replace(forward, stages=(*forward.stages[:-1], last))
    with pytest.raises(LngenError, match="gamma"):
        error_bounds(program, backward, case, "float64")


def test_a_shared_error_cancels_and_an_own_one_does_not():
    rounding = Rounding(FORMATS["float64"])
    mean = rounding.name("m", rounding.rounded(exact([[3.0]])))
    zero = rounding.add([mean, rounding.multiply(mean, exact([[-1.0]]), 0)])
    assert rounding.radius(zero).max() <= 2 * FORMATS["float64"].smallest
    other = rounding.rounded(exact([[3.0]]))
    apart = rounding.add([mean, rounding.multiply(other, exact([[-1.0]]), 0)])
    assert rounding.radius(apart).max() > 6 * FORMATS["float64"].unit


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_product_that_is_partly_below_the_normal_numbers_is_within_its_bound(order):
    numbers = np.array([7e-42, 3e-4, 60], np.float32)
    rounding = Rounding(FORMATS["float32"])
    a, b, c = (exact([[float(number)]]) for number in numbers)
    product = rounding.multiply(rounding.multiply(a, c), b)
    whole = rounding.partly_below(product, [a, b, c])
    first, second, last = numbers[[*order]]
    error = abs(float(first * second * last) - float(product.value[0, 0]))
    assert error <= rounding.radius(whole)[0, 0] < 128 * 2.0**-149
    if order[2] == 2:
        assert error > rounding.radius(product)[0, 0]
    large = [exact([[number]]) for number in (2.0, 1e-3, 60.0)]
    assert rounding.partly_below(product, large).own == product.own


@pytest.mark.parametrize("largest", [True, False])
def test_the_error_of_an_extreme_is_that_of_an_entry_that_may_be_it(largest):
    """The masked value -1e30 does not count, and an entry that rounding may bring to the front does."""
    rounding, sign = Rounding(FORMATS["float64"]), 1 if largest else -1
    values = sign * np.array([[3.0, 2.0, -1e30], [3.0, 2.9, -1e30]])
    own = np.array([[0.1, 0.5, 1e14], [0.1, 0.5, 1e14]])
    found = rounding.extreme(AffineForm(values, own), 3, largest)
    np.testing.assert_array_equal(found.value, [[3.0 * sign], [3.0 * sign]])
    np.testing.assert_array_equal(rounding.radius(found), [[0.1], [0.5]])
    rng = np.random.default_rng(0)
    moved = values + own * rng.uniform(-1, 1, (1000, *values.shape))
    reached = moved.max(-1) if largest else moved.min(-1)
    assert np.all(np.abs(reached - found.value[:, 0]) <= rounding.radius(found)[:, 0])


@pytest.mark.parametrize("features", [1, 15, 16, 31, 32, 33, 1000])
@pytest.mark.parametrize("computed", ["float32", "float64"])
def test_no_sum_is_deeper_than_one_after_the_other(features, computed):
    depths = NUMPY.depths(features, computed)
    assert depths.shape == (features,)
    assert depths.min() >= 1
    assert depths.max() <= max(features, 8)
