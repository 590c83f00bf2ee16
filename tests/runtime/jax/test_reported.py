"""Faults that public reports of other projects have, or had here: each by what a user of JAX sees."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from tests.hosts import layer_of
from tests.requirements import NO_JAX

jax = pytest.importorskip("jax", reason=NO_JAX)
backend = importlib.import_module("generated.layer_norm.jax_backend")


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    kernels = layer_of(backend).kernels
    monkeypatch.setattr(kernels, "host", kernels.numpy)


def test_layers_compute_where_nothing_is_compiled():
    """jax 19654: what a person turns on who looks for a NaN."""
    x = jax.numpy.asarray(np.random.default_rng(0).normal(size=(3, 4)), np.float32)

    def loss(x):
        return (backend.layer_norm(x) ** 3).sum()

    calls = (loss, jax.grad(loss), jax.vmap(backend.layer_norm))
    expected = [call(x) for call in calls]
    with jax.disable_jit():
        for call, wanted in zip(calls, expected, strict=True):
            np.testing.assert_allclose(call(x), wanted, rtol=1e-5, atol=1e-6)
