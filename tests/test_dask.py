"""Layers on arrays of Dask: what processes compute together is what one computes."""

import importlib

import numpy as np
import pytest

import lngen
from lngen.errors import LngenError
from tests.requirements import NO_DASK

dask = pytest.importorskip("dask", reason=NO_DASK)
da = pytest.importorskip("dask.array", reason=NO_DASK)
lngen_dask = importlib.import_module("lngen.dask")

RANDOM = np.random.default_rng(0)
X, R, DY, DH = (RANDOM.normal(size=(6, 5, 8)) for _ in range(4))
GAMMA, BETA = RANDOM.normal(size=8), RANDOM.normal(size=8)
CHUNKS = ((4, 2), (1, 4), 8)


def chunked(array, chunks=CHUNKS):
    return da.from_array(array, chunks=chunks[: array.ndim] if array.ndim == 3 else chunks)


def layer_norm():
    layer = lngen.load("layer_norm")
    y, saved = lngen_dask.forward(layer, chunked(X), GAMMA, BETA, eps=1e-3)
    assert y.chunks == ((4, 2), (1, 4), (8,))
    return [y, *lngen_dask.backward(saved, chunked(DY))]


def expected():
    layer = lngen.load("layer_norm")
    y, saved = layer.forward(X, GAMMA, BETA, eps=1e-3)
    return [y, *layer.backward(saved, DY)]


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.ci
def test_processes_together_compute_what_one_does(workers):
    with dask.config.set(scheduler="processes", num_workers=workers):
        found, again = dask.compute(*layer_norm()), dask.compute(*layer_norm())
    for one, other, whole in zip(found, again, expected(), strict=True):
        np.testing.assert_allclose(one, whole, rtol=1e-13, atol=1e-13)
        assert (one == other).all()


def test_several_outputs_and_inputs_that_are_left_out():
    layer = lngen.load("add_rms_norm")
    (y, h), saved = lngen_dask.forward(layer, chunked(X), chunked(R))
    gradients = lngen_dask.backward(saved, chunked(DY), chunked(DH))
    (whole_y, whole_h), whole_saved = layer.forward(X, R)
    whole = layer.backward(whole_saved, DY, DH)
    for one, other in ((y, whole_y), (h, whole_h), (gradients.dx, whole.dx)):
        np.testing.assert_allclose(one.compute(scheduler="synchronous"), other)
    assert [each is None for each in gradients] == [each is None for each in whole]


def test_one_number_a_row():
    layer = lngen.load("logsumexp")
    y, saved = lngen_dask.forward(layer, chunked(X))
    whole, whole_saved = layer.forward(X)
    np.testing.assert_allclose(y.compute(scheduler="synchronous"), whole)
    dy = RANDOM.normal(size=whole.shape)
    (dx,) = lngen_dask.backward(saved, da.from_array(dy, chunks=((4, 2), (1, 4))))
    np.testing.assert_allclose(dx.compute(scheduler="synchronous"), layer.backward(whole_saved, dy).dx)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((X,), r"x is of type ndarray. Pass an array of Dask"),
        ((chunked(X, (6, 5, 4)),), r"x has 2 chunks along the features. Pass x.rechunk"),
        ((chunked(X), chunked(R, (6, 5, 8))), r"r\w* is chunked .* over its rows and another input"),
    ],
)
def test_what_is_chunked_otherwise_is_refused(inputs, message):
    with pytest.raises(LngenError, match=message):
        lngen_dask.forward(lngen.load("add_rms_norm"), *inputs)
