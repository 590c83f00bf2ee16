"""Compiled kernels: the numbers of the definition in every type, at every length of a row, whoever computes them.

What they promise in common with emitted NumPy is in `test_numpy_contract`, and types, shapes and absences of arguments
are in tests/test_every_backend.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lngen.checks.layer import Case
from tests import corpus
from tests.compiled import Layer, assert_same_bits, drawn, layer, off, results
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = needs_gxx

LENGTHS = (1, 2, 7, 8, 15, 16, 17, 33, 63, 64, 65, 130, 4096, 4097, 9000)
"""Around what vectors, sets of vectors and pieces of a row hold."""

EPS = 1e-5
EXTREMES = "range_of_normalized"
SEVERAL = "residual_add"


def assert_as_good_as_numpy(of: Layer, case: Case) -> None:
    """Off by no more than some roundings, or some times what NumPy is off, from what long double gives."""
    exact = results(of.numpy, of.definition, case.exact())
    found, numpys = (results(module, of.definition, case) for module in (of.cpu, of.numpy))
    errors, others = off(found, exact), off(numpys, exact)
    rounding = max(float(np.finfo(value.dtype).eps) for value in numpys.values() if value is not None)
    # Of one entry less its mean nothing is left, and what rounding leaves is divided by eps.
    roundings = 32 if case.features > 1 else 32 / EPS
    for name, error in errors.items():
        assert found[name].dtype == numpys[name].dtype
        assert found[name].shape == numpys[name].shape
        assert np.isnan(error) == np.isnan(others[name]), name
        assert not error > roundings * rounding + 16 * others[name], (name, case.shape, error, others[name])


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(EXTREMES, np.float64, marks=pytest.mark.ci),
        pytest.param("layer_norm", np.float32, marks=pytest.mark.ci),
        *(pytest.param(name, np.float64, marks=pytest.mark.exhaustive) for name in corpus.NAMES if name != EXTREMES),
    ],
)
def test_every_length_of_a_row(name, dtype):
    of = layer(name)
    for features in LENGTHS:
        if features >= of.definition.minimum_features:
            assert_as_good_as_numpy(of, drawn(of.definition, 3, features, dtype))


@pytest.mark.parametrize("name", sample([SEVERAL, EXTREMES, "layer_norm", "gated_residual", "modulated"], ()))
@pytest.mark.parametrize("features", [64, 133])
def test_threads_change_no_bit(name, features):
    of = layer(name)
    case = drawn(of.definition, 1000, features, np.float64)
    whole = results(of.cpu, of.definition, case)
    for threads in (2, 3, 7):
        assert_same_bits(results(of.cpu, of.definition, case, threads=threads), whole)


@pytest.mark.ci
@pytest.mark.parametrize("features", [1000, 1001, 1004, 1024])
def test_results_that_bypass_the_cache(features, monkeypatch):
    """Rows begin at any place of a vector, and so does memory that is the caller's."""
    of = layer("layer_norm")
    case = drawn(of.definition, 9, features, np.float32)
    near = results(of.cpu, of.definition, case)
    monkeypatch.setattr(of.cpu._compiled, "STREAMED_BYTES", 0)
    assert_same_bits(results(of.cpu, of.definition, case), near)
    x = case.inputs["x"]
    for shift in range(0, 64, 4):
        place = np.empty(x.nbytes + 128, np.uint8)[shift:][: x.nbytes].view(np.float32).reshape(x.shape)
        y, saved = of.cpu.forward(x, out=place)
        dx = np.empty(x.nbytes + 128, np.uint8)[shift:][: x.nbytes].view(np.float32).reshape(x.shape)
        gradients = of.cpu.backward(saved, x, out=(dx, None, None))
        expected, kept = of.numpy.forward(x)
        assert y is place
        assert gradients.dx is dx
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(dx, of.numpy.backward(kept, x).dx, rtol=1e-5, atol=1e-5)


@pytest.mark.ci
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(a.dtype.newbyteorder(">")),
        lambda a: np.frombuffer(b"." + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
        lambda a: np.repeat(a, 2, -1)[..., ::2] if a.ndim else a,
        lambda a: a[::-1].copy()[::-1] if a.ndim else a,
        lambda a: np.asfortranarray(a),
    ],
    ids=["big-endian", "unaligned", "strided", "backwards", "transposed"],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
@pytest.mark.parametrize("backend", ["numpy", "cpu"])
def test_any_memory(backend, dtype, change):
    of = layer(SEVERAL)
    case = drawn(of.definition, 40, 33, dtype)
    other = case.mapped(lambda value: change(value) if isinstance(value, np.ndarray) else value)
    for value in (*other.inputs.values(), *other.cotangents.values()):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    module = getattr(of, backend)
    assert_same_bits(results(module, of.definition, other), results(module, of.definition, case))


@pytest.mark.ci
def test_types_may_be_mixed():
    of = layer("layer_norm")
    wide = drawn(of.definition, 40, 33, np.float64)
    types = {"x": np.float32, "gamma": np.float64, "beta": np.float16}
    case = replace(
        wide.astype(np.float16),
        inputs={key: value.astype(types[key]) if key in types else value for key, value in wide.inputs.items()},
    )
    assert_as_good_as_numpy(of, case)
    assert_as_good_as_numpy(of, replace(case, inputs={**case.inputs, "gamma": None}))


@pytest.mark.ci
def test_what_kernels_do_not_compute_in_is_left_to_numpy():
    of = layer(SEVERAL)
    case = drawn(of.definition, 4, 33, np.longdouble)
    assert_same_bits(results(of.cpu, of.definition, case), results(of.numpy, of.definition, case))


@pytest.mark.ci
def test_sums_over_rows_of_nothing_take_no_memory_for_several_chunks():
    of = layer("def f(x: Row, beta: Feature):\n    return x + beta")
    assert_as_good_as_numpy(of, drawn(of.definition, 3000, 33, np.float32))


@pytest.mark.ci
def test_quotients_of_arguments_that_are_left_out():
    """A quotient of numbers is known from the text where both are left out."""
    of = layer("def f(x: Row, a: Scalar = 1, b: Scalar = 2): return x*mean(x)*(a/b)")
    for left_out in ((), ("a", "b")):
        case = drawn(of.definition, 5, 33, np.float64)
        some = {key: None if key in left_out else value for key, value in case.inputs.items()}
        assert_as_good_as_numpy(of, replace(case, inputs=some))


@pytest.mark.ci
def test_a_value_that_no_result_uses_is_divided_by_another():
    """No value of the row is used in the double backward of this layer along the shift alone."""
    of = layer("eps_outside")
    x = np.random.default_rng(0).normal(size=(4, 33))
    _, saved = of.cpu.forward(x, np.ones(33), np.zeros(33))
    found = of.cpu.backward_backward(saved, x, ddbeta=np.arange(33.0))
    assert np.array_equal(found.ddy, np.broadcast_to(np.arange(33.0), x.shape))
    assert not np.any(found.dx)
