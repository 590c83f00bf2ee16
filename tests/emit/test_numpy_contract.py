"""Contracts of emitted NumPy code and of compiled kernels: bits, memory, types, errors, text."""

from __future__ import annotations

import importlib
import sys
import warnings
import weakref
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.compiled import the_long_way
from tests.hosts import rows_of
from tests.requirements import needs_gxx


@pytest.fixture(params=["numpy", pytest.param("cpu", marks=[pytest.mark.ci, needs_gxx])])
def backend(request: pytest.FixtureRequest) -> str:
    """A backend on the processor."""
    return str(request.param)


def module(name: str, backend: str) -> Any:
    return importlib.import_module(f"generated.{name}.{backend}_backend")


@pytest.fixture
def layer(backend: str) -> Any:
    return module("layer_norm", backend)


def backend_of(module: ModuleType) -> Any:
    """The `numpy_backend` of a layer, whose runtime its `cpu_backend` has too."""
    package = module.__name__.removesuffix(".cpu_backend").removesuffix(".numpy_backend")
    return sys.modules[f"{package}.numpy_backend"]


def in_blocks(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have few rows go the way of many."""
    monkeypatch.setattr(rows_of(backend_of(module)), "FAST_PATH_BYTES", 0)
    if module.__name__.endswith(".cpu_backend"):
        the_long_way(module, monkeypatch.setattr)


def normal(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# Bits


@pytest.mark.parametrize("few", [2**30, 0], ids=["fast path", "in blocks"])
@pytest.mark.parametrize(("dtype", "offset", "bound"), [(np.float32, 1e4, 1e-6), (np.float64, 1e8, 1e-14)])
def test_a_large_offset_costs_no_digits(
    dtype: Any, offset: float, bound: float, few: int, layer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_of(backend_of(layer)), "FAST_PATH_BYTES", few)
    if few == 0:
        in_blocks(layer, monkeypatch)
    features = 4096
    x = (normal((12, features), np.float64) + offset).astype(dtype)
    gamma, dy = normal((features,), dtype, 1), normal((12, features), dtype, 2)
    y, saved = layer.forward(x, gamma)
    gradients = layer.backward(saved, dy)
    wide, g = x.astype(np.longdouble), np.longdouble(1) * dy * gamma
    # Taking off x[0] first is exact here, and leaves numbers whose longdouble mean is good to 1e-19.
    near = wide - wide[:, :1]
    centred = near - near.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + np.longdouble(dtype(1e-5)))
    xhat = centred * rstd
    dx = rstd * (g - g.mean(-1, keepdims=True) - xhat * (g * xhat).mean(-1, keepdims=True))
    for got, exact in ((y, gamma * xhat), (gradients.dx, dx), (gradients.dgamma, (dy * xhat).sum(0))):
        assert np.abs(got - exact).max() < bound * np.abs(exact).max()


# Memory


def test_saved_holds_references(backend: str) -> None:
    x, gamma = normal((3, 5, 8)), normal((8,))
    _, saved = module("layer_norm", backend).forward(x, gamma)
    assert np.shares_memory(saved.x, x)
    assert np.shares_memory(saved.gamma, gamma)
    assert saved.mu.shape == saved.rstd.shape == (3, 5)
    r = normal((3, 5, 8), seed=1)
    outputs, saved = module("add_rms_norm", backend).forward(x, r)
    assert np.shares_memory(saved.h, outputs.h)
    assert not any(isinstance(value, np.ndarray) and np.shares_memory(value, x) for value in saved)
    assert saved.gamma is None
    for value in saved:
        assert not isinstance(value, np.ndarray) or value is outputs.h or value.size <= 15


@pytest.mark.parametrize("rows", [3, 3000])
@pytest.mark.parametrize("name", ["layer_norm", "add_rms_norm"])
def test_nothing_is_saved_if_so_asked(name: str, rows: int, backend: str) -> None:
    inputs = [normal((rows, 64), seed=seed) for seed in range(2 if name == "add_rms_norm" else 1)]
    kept = module(name, backend).forward(*inputs)[0]
    found, saved = module(name, backend).forward(*inputs, save=False)
    assert saved is None
    np.testing.assert_array_equal(np.asarray(found), np.asarray(kept))
    before = [weakref.ref(value) for value in inputs]
    del inputs
    assert all(value() is None for value in before)


def test_out_is_written(backend: str) -> None:
    x, r, gamma = normal((6, 8)), normal((6, 8), seed=1), normal((8,))
    several = module("add_rms_norm", backend)
    plain, saved = several.forward(x, r, gamma)
    y = np.full_like(x, np.nan)
    outputs, _ = several.forward(x, r, gamma, out=(y, None))
    assert outputs.y is y
    np.testing.assert_array_equal(y, plain.y)
    made = several.backward(saved, x, r)
    assert not np.shares_memory(made.dx, made.dresidual)
    own = several.Gradients(np.full_like(x, np.nan), np.full_like(x, np.nan), None)
    gradients = several.backward(saved, x, r, out=own)
    assert gradients.dx is own.dx
    assert gradients.dresidual is own.dresidual
    for value, again in zip(made, gradients, strict=True):
        np.testing.assert_array_equal(value, again)


@pytest.mark.parametrize("features", [7, 64, 1000])
def test_a_layout_changes_no_bit_of_a_sum_over_rows(
    features: int, layer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BLAS takes rows that follow each other; rows that lie backwards or in one place NumPy adds up by itself."""
    in_blocks(layer, monkeypatch)
    x, dy, gamma = normal((501, features)), normal((501, features), seed=1), normal((features,), seed=2)

    def gradients(x: Any, dy: Any, backwards: bool) -> Any:
        places = [np.empty_like(x)[:: -1 if backwards else 1] for _ in range(2)]
        _, saved = layer.forward(x, gamma, out=places[0])
        return layer.backward(saved, dy, out=(places[1], None, None))

    expected = gradients(x, dy, backwards=False)
    pairs = [(expected, gradients(x, dy, backwards=True))]
    pairs.append((expected, gradients(x, dy[::-1].copy()[::-1], backwards=False)))
    alike = np.broadcast_to(dy[0], dy.shape)
    pairs.append((gradients(x, alike, backwards=False), gradients(x, alike.copy(), backwards=False)))
    for one, other in pairs:
        np.testing.assert_array_equal(one.dx, other.dx)
        np.testing.assert_array_equal(one.dgamma, other.dgamma)


def test_memory_is_the_result_and_little_else(layer: ModuleType) -> None:
    import tracemalloc

    x, gamma = normal((4096, 512)), normal((512,))
    y, gradients = np.empty_like(x), (np.empty_like(x), None, None)
    layer.forward(x, gamma, out=y)
    tracemalloc.start()
    _, saved = layer.forward(x, gamma, out=y)
    layer.backward(saved, y.copy(), out=gradients)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes + 2**21  # the copy of y, a scratch block of 768 KiB, row scalars, column sums


# Types


def test_compute_type(layer: ModuleType) -> None:
    x = normal((4, 6), np.float16)
    y, saved = layer.forward(x, normal((6,), np.float64))
    assert y.dtype == np.float16
    assert saved.rstd.dtype == np.float64
    gradients = layer.backward(saved, y)
    assert [value.dtype for value in gradients if value is not None] == [np.float16, np.float64]
    assert layer.forward(x)[1].rstd.dtype == np.float32
    assert layer.forward([[1.0, 2.0]])[0].dtype == np.float64
    assert layer.forward(normal((6,)))[1].mu.shape == ()


def test_no_warnings_on_ordinary_data(layer: ModuleType, backend: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (0.0, 1e-3, 1.0, 1e3):
            for features in (1, 2, 9):
                x = normal((5, features)) * np.float32(scale)
                y, saved = layer.forward(x)
                assert np.isfinite(layer.backward(saved, y).dx).all()
        other = module("layer_norm_gelu", backend)
        saved = other.forward(normal((5, 9)))[1]
        other.backward(saved, normal((5, 9)))


def test_overflow_to_half_is_numpys_own() -> None:
    numpy_layer = module("layer_norm", "numpy")
    x = np.asarray([[-60000.0, 60000.0, 0.0]], np.float16)
    gamma = np.full(3, 60000.0, np.float16)
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        y, _ = numpy_layer.forward(x, gamma)
    assert np.isinf(y[0, :2]).all()
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        numpy_layer.forward(np.repeat(x, 2000, 0), gamma, threads=2)


@pytest.mark.parametrize("rows", [2, 3000])
def test_a_half_that_is_too_small_is_zero(rows: int, layer: ModuleType) -> None:
    x = normal((rows, 8), np.float16)
    tiny = np.full((rows, 8), 2.0**-24, np.float16)
    with np.errstate(all="raise"):
        y, saved = layer.forward(x, np.full(8, 2.0**-24, np.float16))
        gradients = layer.backward(saved, tiny)
    assert not np.abs(gradients.dx).max()
    assert np.abs(y).max() <= 2.0**-22
    assert gradients.dgamma.dtype == np.float16


# Errors


def test_results_that_overlap_and_what_another_layer_saved_are_refused(layer: ModuleType, backend: str) -> None:
    other, x = module("add_rms_norm", backend), np.ones((2, 3))
    with pytest.raises(TypeError, match="pass what forward of add_rms_norm returned"):
        other.backward(layer.forward(x)[1], x)
    outputs, saved = other.forward(x, x + 1)
    same = np.empty_like(x)
    with pytest.raises(ValueError, match="out for dresidual overlaps out for dx"):
        other.backward(saved, outputs.h, out=(same, same[:], None))


@pytest.mark.parametrize("eps", [np.asarray(0.25), np.asarray(0.25, np.float32), np.float32(0.25), Fraction(1, 4)])
def test_a_constant_is_any_real_number(eps: Any, layer: ModuleType) -> None:
    x = normal((2, 3))
    np.testing.assert_array_equal(layer.forward(x, eps=eps)[0], layer.forward(x, eps=0.25)[0])
