"""What the NumPy code does to whole rows: what it leaves out, and that no row sees another."""

import importlib

import numpy as np
import pytest

import lngen
from lngen.definition import Kind
from lngen.program import FAR
from tests.shipped import shipped

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def near_and_far():
    """Rows around zero, rows far from it in either direction, and rows of one number."""
    offsets = np.concatenate([np.zeros(30), np.full(20, 50.0), np.full(20, -1e4)])
    rows = RNG.standard_normal((70, 300)) + offsets[:, None]
    return np.concatenate([rows, np.full((10, 300), 3.7)]).astype(np.float32)


@pytest.mark.parametrize("name", ["layer_norm", "standardize", "layer_norm_gelu"])
def test_a_row_has_the_same_bits_whatever_stands_beside_it(name, near_and_far):
    module = lngen.load(name)
    x = near_and_far
    dy = RNG.standard_normal(x.shape).astype(np.float32)
    y, saved = module.forward(x)
    dx = module.backward(saved, dy).dx
    order = RNG.permutation(len(x))
    shuffled, saved = module.forward(x[order])
    assert np.array_equal(shuffled, y[order])
    assert np.array_equal(module.backward(saved, dy[order]).dx, dx[order])
    for number in range(0, len(x), 7):
        alone, saved = module.forward(x[number])
        assert np.array_equal(alone, y[number])
        assert np.array_equal(module.backward(saved, dy[number]).dx, dx[number])


@pytest.mark.parametrize("name", ["layer_norm", "standardize"])
def test_what_rounding_leaves_of_a_mean_is_taken_off_where_it_may_matter(name, near_and_far):
    x = near_and_far
    _, saved = lngen.load(name).forward(x)
    exact = x.astype(np.float64)
    far = np.abs(exact.mean(-1)) > FAR * exact.std(-1)
    assert np.array_equal(saved.mu_residual[~far], np.zeros(30))
    assert 30 < np.count_nonzero(far) <= 50
    left = (exact - saved.mu[:, None]).mean(-1)
    assert np.abs(saved.mu_residual - left)[far].max() < 1e-3 * np.abs(left[far]).max()


def test_a_scaled_row_that_nothing_else_reads_is_not_computed():
    backward = shipped("layer_norm").text("numpy_backend.py").partition("def _backward(")[2].partition("def _jvp(")[0]
    assert " xhat = " not in backward
    assert "_add_rows(part, rstd, dgamma_sums[chunk], column)" in backward


@pytest.mark.parametrize("name", ["layer_norm", "add_layer_norm", "gated_rms_norm", "softmax"])
def test_a_few_rows_have_the_bits_that_they_have_in_blocks(name, monkeypatch):
    backend = importlib.import_module(f"{lngen.load(name).__name__}.numpy_backend")
    layer = shipped(name).definition
    rows = [RNG.standard_normal((5, 33)) for entry in layer.differentiable if entry.kind is Kind.ROW]
    found = []
    for few in (backend.FEW, 0):
        monkeypatch.setattr(backend, "FEW", few)
        outputs, saved = backend.forward(*rows)
        several = isinstance(outputs, tuple)
        cotangents = list(outputs) if several else [outputs]
        found.append([*cotangents, *(g for g in backend.backward(saved, *cotangents) if g is not None)])
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))
