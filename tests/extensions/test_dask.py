"""Layers on arrays of Dask: what processes compute together is what one computes."""

import importlib

import numpy as np
import pytest

import lngen
from lngen.errors import LngenError
from tests.requirements import NO_DASK

dask = pytest.importorskip("dask", reason=NO_DASK)
da = pytest.importorskip("dask.array", reason=NO_DASK)
lngen_dask = importlib.import_module("lngen.extensions.dask")

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


@pytest.mark.parametrize("rows", [(0, 6), (4, 0, 2), (0, 3, 3, 0)])
def test_backward_of_rows_with_an_empty_chunk_is_that_of_the_rows(rows):
    layer = lngen.load("layer_norm")
    chunks = (rows, (0, 5), (8,))
    y, saved = lngen_dask.forward(layer, chunked(X, chunks), GAMMA, BETA, eps=1e-3)
    assert y.chunks == chunks
    found = [y, *lngen_dask.backward(saved, DY)]
    for one, whole in zip(dask.compute(*found, scheduler="synchronous"), expected(), strict=True):
        np.testing.assert_allclose(one, whole, rtol=1e-13, atol=1e-13)


def test_gradients_of_parameters_over_many_chunks_are_rounded_once():
    layer = lngen.load("layer_norm")
    ones, dy = np.ones((4096, 1), np.float32), np.float32(1 / 3)
    x = da.from_array(ones * np.arange(8, dtype=np.float32), chunks=(16, 8))
    _, saved = lngen_dask.forward(layer, x, np.ones(8, np.float32), np.zeros(8, np.float32))
    gradients = lngen_dask.backward(saved, np.full((4096, 8), dy))
    chunk = np.add.reduce(np.full(16, dy))
    exact = np.float32(256 * np.float64(chunk))
    assert (gradients.dbeta.compute(scheduler="synchronous") == exact).all()
    assert np.add.accumulate(np.full(256, chunk))[-1] != exact


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
        ((chunked(X), chunked(R[..., :7], ((4, 2), (1, 4), 7))), "residual has 7 features, and another input has 8"),
        ((chunked(X), chunked(R), GAMMA, BETA), "add_rms_norm is given 4 inputs. Pass x, residual, gamma"),
        ((chunked(X), chunked(R), dask.delayed(GAMMA)), r"gamma is of type Delayed\w*. Pass an array"),
        ((chunked(X)[..., chunked(X)[0, 0] > 0],), r"unknown number of features. Call x.compute_chunk_sizes\(\)"),
        ((), "there is no row among the inputs"),
    ],
)
def test_what_is_chunked_otherwise_is_refused(inputs, message):
    with pytest.raises(LngenError, match=message):
        lngen_dask.forward(lngen.load("add_rms_norm"), *inputs)


@pytest.mark.parametrize(
    ("inputs", "constants", "error", "message"),
    [
        ((chunked(X), np.ones(7)), {}, ValueError, r"gamma has shape \(7,\); pass \(D,\), which is \(8,\)"),
        ((chunked(X), chunked(X)), {}, ValueError, "gamma has shape"),
        ((chunked(X.astype(int)),), {}, TypeError, "x is of type int64, not floating point"),
        ((da.from_array(np.float64(3.0)),), {}, ValueError, r"x has shape \(\); pass \(..., D\)"),
        ((chunked(X),), {"eps": -1.0}, ValueError, "eps is -1.0; pass 0 or more"),
        ((chunked(X),), {"epsilon": 1.0}, LngenError, "epsilon is not a Constant of layer_norm; its Constants"),
        ((chunked(X),), {"out": X}, LngenError, "out is not a Constant"),
        ((chunked(X),), {"gamma": GAMMA}, LngenError, "Pass inputs, which are x, gamma, beta, without their names"),
    ],
)
def test_what_the_layer_refuses_is_refused_before_anything_is_computed(inputs, constants, error, message):
    with pytest.raises(error, match=message):
        lngen_dask.forward(lngen.load("layer_norm"), *inputs, **constants)


@pytest.mark.parametrize(
    ("cotangents", "error", "message"),
    [
        ((), TypeError, "dy is None; pass an array of floats"),
        ((None,), TypeError, "dy is None; pass an array of floats"),
        ((chunked(DY), chunked(DY)), LngenError, "there are 2 cotangents. Pass one for each output: y"),
        ((DY.tolist(),), LngenError, "the cotangent of y is of type list. Pass an array of Dask or of NumPy"),
        ((DY[:4],), LngenError, r"the cotangent of y has shape \(4, 5, 8\). Pass that of y, which is \(6, 5, 8\)"),
        ((DY.astype(int),), TypeError, "dy is of type int64, not floating point"),
    ],
)
def test_what_is_no_cotangent_is_refused_before_anything_is_computed(cotangents, error, message):
    _, saved = lngen_dask.forward(lngen.load("layer_norm"), chunked(X))
    with pytest.raises(error, match=message):
        lngen_dask.backward(saved, *cotangents)


def test_what_is_no_layer_and_not_saved_is_refused():
    with pytest.raises(LngenError, match=r"layer is of type str. Pass an emitted layer, as lngen.load\(NAME\)"):
        lngen_dask.forward("layer_norm", chunked(X))
    with pytest.raises(LngenError, match=r"saved is of type NoneType. Pass what forward returned"):
        lngen_dask.backward(None, chunked(DY))


@pytest.mark.parametrize("dy", [DY, chunked(DY, (3, 5, 8)), chunked(DY, (6, 2, 4))])
def test_a_cotangent_is_chunked_as_its_output(dy):
    _, saved = lngen_dask.forward(lngen.load("layer_norm"), chunked(X), GAMMA, BETA, eps=1e-3)
    for one, whole in zip(lngen_dask.backward(saved, dy), expected()[1:], strict=True):
        np.testing.assert_allclose(one.compute(scheduler="synchronous"), whole, rtol=1e-13, atol=1e-13)


def test_one_of_several_cotangents_may_be_none():
    layer = lngen.load("add_rms_norm")
    _, saved = lngen_dask.forward(layer, chunked(X), chunked(R))
    _, whole_saved = layer.forward(X, R)
    for given, whole in (((None, DH), (None, DH)), ((DY,), (DY, None))):
        found = lngen_dask.backward(saved, *given).dx.compute(scheduler="synchronous")
        np.testing.assert_allclose(found, layer.backward(whole_saved, *whole).dx, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("gamma", [da.from_array(GAMMA, chunks=3), GAMMA.astype(np.float32), GAMMA.tolist()])
def test_types_are_told_as_they_are(gamma):
    layer = lngen.load("layer_norm")
    y, saved = lngen_dask.forward(layer, chunked(X), gamma)
    for each in (y, *lngen_dask.backward(saved, DY)[:2]):
        found = each.compute(scheduler="synchronous")
        assert (found.shape, found.dtype) == (each.shape, each.dtype)
    assert y.dtype == np.float64
