"""Results that are written over the rows that a kernel reads: right in any order of threads, or refused."""

import importlib
from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def backends(name: str) -> list[Any]:
    """The functions of a layer, for a device and for NumPy."""
    return [importlib.import_module(f"generated.{name}.{backend}_backend") for backend in ("cuda", "numpy")]


def normal(seed: int, shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_gradients_take_the_place_of_cotangents(cuda: Any) -> None:
    """Eleven rows leave groups of threads without a row in the last trip; these read none that another one writes."""
    ours, theirs = backends("layer_norm")
    x, dy, gamma = normal(1, (11, 48)), normal(2, (11, 48)), normal(3, (48,))
    _, kept = theirs.forward(x, gamma)
    expected = theirs.backward(kept, dy)
    on_device = [cuda.gpuarray.to_gpu(each) for each in (x, gamma, kept.mu, kept.mu_residual, kept.rstd)]
    saved = ours.Saved(*kept[:3], *on_device)
    for schedule in ("forward", "reverse", "random"):
        given = cuda.gpuarray.to_gpu(dy)
        with driver.using(schedule=schedule, check=True):  # type: ignore[arg-type]
            found = ours.backward(saved, given, out=(given, None, None))
        assert found.dx is given
        np.testing.assert_allclose(given.get(), expected.dx, **CLOSE)
        np.testing.assert_allclose(found.dgamma.get(), expected.dgamma, **CLOSE)


def test_rows_that_are_read_again_are_not_written_over(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No block holds a row of 65536 floats, and the second sweep reads both inputs, whose sum the first one stores."""
    kernels = importlib.import_module("generated._runtime.cuda.kernels")
    monkeypatch.setattr(kernels, "most_blocks_of_cluster", lambda device: 1)  # a cluster does
    ours, theirs = backends("add_rms_norm")
    x, residual = normal(1, (2, 65536)), normal(2, (2, 65536))
    y, h = theirs.forward(x, residual, save=False)[0]
    given = [cuda.gpuarray.to_gpu(each) for each in (x, residual)]
    with pytest.raises(ValueError, match="out for h is residual itself, which is read again once it is written"):
        ours.forward(*given, save=False, out=(None, given[1]))
    found = ours.forward(*given, save=False, out=(given[0], None))[0]
    assert found[0] is given[0]
    np.testing.assert_allclose(found[0].get(), y, **CLOSE)
    np.testing.assert_allclose(found[1].get(), h, **CLOSE)
    plans = importlib.import_module("generated._runtime.cuda.plans")
    monkeypatch.setattr(plans.CallPlan, "check_held", lambda *_: None)
    given = [cuda.gpuarray.to_gpu(each) for each in (x, residual)]
    found = ours.forward(*given, save=False, out=(None, given[1]))[0]
    assert not np.allclose(found[0].get(), y, **CLOSE)
