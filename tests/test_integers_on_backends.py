"""Integers of a definition on the compiled backends, CUDA, PyTorch and JAX, beside NumPy and the oracle."""

import contextlib
import sys
from typing import Any

import numpy as np
import pytest

from tests import compiled
from tests.hosts import layer_of
from tests.requirements import needs_gxx, needs_jax, needs_pycuda, needs_torch
from tests.test_integers import ALIBI, DEFINITIONS, EVERY_KIND, LABELS

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
EDGES = [-100, -1, 0, 6, 7, 2**31 - 1, -(2**31), 2**40]
NEAR = [-3, -1, 0, 6, 7, 9, 3, 8]
"""Integers that are computed with as real numbers: of larger ones, rounding alone makes a difference."""
SHAPE = len(EDGES), 7
COMPARED = """
def compared(x: Row, i: Int["..."], j: Int["..."], k: Int):
    y = where(i == j, 1, 0)*x + where(index() - i < j, x, 0) + where(k + i <= j - index(), 2*x, 0)
    return y
"""
"""Sums and differences that leave 32 bits."""


def inputs_of(text: str, dtype: str, integers: str, seed: int = 0) -> list[Any]:
    """The inputs of a definition: rows, and integers around the places of a row and at the ends of 32 bits."""
    rng, made, edges = np.random.default_rng(seed), [], NEAR if text in (ALIBI, EVERY_KIND) else EDGES
    limits = np.iinfo(integers)
    for entry in compiled.layer(text).definition.positional:
        varies = entry.kind.over_rows, entry.kind.over_features
        shape = {(True, True): SHAPE, (True, False): SHAPE[:1], (False, True): SHAPE[1:], (False, False): ()}[varies]
        value = rng.normal(size=shape)
        if entry.kind.is_integer:
            value = rng.integers(0, 4, shape) if varies != (True, False) else np.roll(edges, len(made))
            made.append(np.asarray(np.clip(value, limits.min, min(limits.max, 2**62)), integers))
        else:
            made.append(np.asarray(value, dtype))
    return made


def everything(layer: Any, inputs: list[Any]) -> list[Any]:
    """The results of all directions."""
    rng = np.random.default_rng(1)

    def like(value: Any) -> Any:
        return rng.normal(size=np.shape(value)).astype(value.dtype)

    y, saved = layer.forward(*inputs)
    dy = like(y)
    gradients = layer.backward(saved, dy)
    along = [like(each) for each in gradients]
    return [y, *gradients, layer.jvp(saved, *along), *layer.backward_backward(saved, (dy,), *along)]


def assert_same(found: list[Any], wanted: list[Any], unit: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        scale = np.nanmax(np.abs(np.asarray(other, float)), initial=1)
        np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=0, atol=64 * unit * scale)


# ---- the processor


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_kernels_compute_what_numpy_does(name: str, dtype: str) -> None:
    text = DEFINITIONS[name]
    layer = compiled.layer(text)
    for integers in TYPES:
        inputs = inputs_of(text, dtype, integers)
        with np.errstate(all="ignore"):
            assert_same(everything(layer.cpu, inputs), everything(layer.numpy, inputs), np.finfo(dtype).eps)


@needs_gxx
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_integers_are_compared_beyond_the_digits_of_floats_and_at_the_ends_of_their_range(dtype: str) -> None:
    layer = compiled.layer(COMPARED)
    i = np.array([2**24, 2**24 + 1, 2**31 - 1, -(2**31), -(2**31), 5])
    j = np.array([2**24 + 1, 2**24 + 1, 10 - 2**31, 2**31 - 10, 10 - 2**31, 2**31 - 10])
    k = np.tile([2**31 - 1, -(2**31), 0, 1, 2, 3, 4] * 6, 1).reshape(6, 7)
    x = np.ones((6, 7), dtype)
    assert layer.cpu.forward(x, i, j, 0 * k)[0][:2, -1].tolist() == [1, 2]
    np.testing.assert_array_equal(layer.cpu.forward(x, i, j, k)[0], layer.numpy.forward(x, i, j, k)[0])


# ---- CUDA


@contextlib.contextmanager
def on_device(text: str) -> Any:
    from lngen.checks import emulator
    from lngen.checks.on_device import OnDevice, device

    with device():
        is_emulated = emulator.enabled()
        with emulator.emulator().using(check=True) if is_emulated else contextlib.nullcontext():
            yield OnDevice(compiled.backend(text, "cuda"))


@pytest.mark.ci
@pytest.mark.cuda
@needs_pycuda
@needs_gxx
@pytest.mark.parametrize(
    ("name", "dtype", "integers"),
    [("labels", "float32", "int64"), ("every", "float16", "uint8"), ("banded", "float32", "int16")],
)
def test_kernels_of_a_gpu_compute_what_numpy_does(name: str, dtype: str, integers: str) -> None:
    """Every access to memory is watched, on the emulator."""
    text = DEFINITIONS[name]
    inputs = inputs_of(text, dtype, integers)
    with on_device(text) as cuda, np.errstate(all="ignore"):
        assert_same(everything(cuda, inputs), everything(compiled.backend(text, "numpy"), inputs), np.finfo(dtype).eps)


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_a_gpu_reads_integers_in_one_type() -> None:
    x, i = np.ones((2, 8), np.float32), np.array([2**24, 2**24 + 1])
    with on_device(COMPARED) as cuda:
        y = cuda.forward(x, i, np.full(2, 2**24 + 1), np.full((2, 8), 2**30))[0]
        assert y[:, -1].tolist() == [1, 2]
        with pytest.raises(TypeError, match="j is of type int32 and i of type int64; pass j in int64"):
            cuda.forward(x, i, i.astype(np.int32), np.zeros((2, 8), np.int64))
        with pytest.raises(TypeError, match="i is of type <f4, not integers; pass int8 to int64"):
            cuda.forward(x, x[:, 0], i, np.zeros((2, 8), np.int64))
    with on_device(EVERY_KIND) as cuda:
        given = [x, np.arange(8), np.ones((2, 8), np.int64)]
        wanted = compiled.backend(EVERY_KIND, "numpy").forward(*given, 3, np.array([1, 2]))[0]
        np.testing.assert_array_equal(cuda.forward(*given, 3, np.array([1, 2]))[0], wanted)


# ---- PyTorch


with contextlib.suppress(ImportError):
    import torch


@pytest.fixture(scope="module")
def labels_in_torch() -> Any:
    return compiled.backend(LABELS, "torch").label_loss


def of_torch(x: Any, label: Any) -> Any:
    return torch.nn.functional.cross_entropy(x, label, ignore_index=-100, reduction="none")


@needs_torch
@needs_gxx
def test_labels_of_pytorch(labels_in_torch: Any) -> None:
    x = torch.randn(6, 9, dtype=torch.float64, requires_grad=True)
    label = torch.tensor([-100, 0, 3, 8, 8, 1])
    y, wanted = labels_in_torch(x, label), of_torch(x, label)
    torch.testing.assert_close(y, wanted)
    dx, dwanted = (torch.autograd.grad(each.sum(), x)[0] for each in (y, wanted))
    torch.testing.assert_close(dx, dwanted)
    for kind in (torch.int8, torch.int16, torch.int32):
        torch.testing.assert_close(labels_in_torch(x, label.to(kind)), y)
    assert torch.autograd.gradcheck(lambda x: labels_in_torch(x, label), x)
    assert torch.autograd.gradgradcheck(lambda x: labels_in_torch(x, label), x)
    several = torch.func.vmap(lambda label: labels_in_torch(x.detach(), label))(torch.stack([label, label.flip(0)]))
    torch.testing.assert_close(several[0], y)
    torch.testing.assert_close(several[1], of_torch(x, label.flip(0)))
    with pytest.raises(TypeError, match=r"label is of type torch\.float64; pass integers"):
        labels_in_torch(x, label.double())


@needs_torch
@needs_gxx
def test_one_integer_of_pytorch_is_a_number_or_a_tensor() -> None:
    layer = compiled.backend(DEFINITIONS["banded"], "torch").banded
    x, position = torch.randn(4, 6), torch.tensor([0, 2, 4, 5])
    wanted = layer(x, position, 2)
    torch.testing.assert_close(layer(x, position, torch.tensor(2)), wanted)
    assert (wanted > 0).sum(1).tolist() == [1, 2, 2, 2]
    several = torch.func.vmap(lambda width: layer(x, position, width))(torch.tensor([2, 3]))
    torch.testing.assert_close(several, torch.stack([wanted, layer(x, position, 3)]))
    with pytest.raises(TypeError, match="width is of type float; pass a tensor of integers or an int"):
        layer(x, position, 2.0)


@needs_torch
@needs_gxx
@pytest.mark.ci
def test_labels_in_programs_of_pytorch(labels_in_torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x, label = torch.randn(6, 9, requires_grad=True), torch.tensor([-100, 0, 3, 8, 8, 1])
    y = labels_in_torch(x, label)
    traced = torch.compile(labels_in_torch, backend="aot_eager", fullgraph=True)(x, label)
    torch.testing.assert_close(traced, y)
    torch.testing.assert_close(*(torch.autograd.grad(each.sum(), x)[0] for each in (traced, y)))

    class Loss(torch.nn.Module):
        def forward(self, x: Any, label: Any) -> Any:
            return labels_in_torch(x, label)

    exported = torch.export.export(Loss(), (x.detach(), label)).module()
    torch.testing.assert_close(exported(x.detach(), label), y)
    name = labels_in_torch.__module__.rpartition(".")[0].replace(".", "__")
    operator = getattr(torch.ops.lngen, f"{name}_forward").default
    monkeypatch.setattr(layer_of(sys.modules[labels_in_torch.__module__]), "has_kernels", True)
    assert set(torch.library.opcheck(operator, (x.detach(), label, 0.0)).values()) == {"SUCCESS"}


# ---- JAX


@needs_jax
def test_labels_of_jax() -> None:
    import jax
    import jax.numpy as jnp

    layer = compiled.backend(LABELS, "jax").label_loss
    x = jnp.asarray(np.random.default_rng(0).normal(size=(6, 9)), jnp.float32)
    label = jnp.array([-100, 0, 3, 8, 9, 2**31 - 1])

    def wanted(x: Any, label: Any) -> Any:
        there = (label >= 0) & (label < 9)
        logp = jnp.take_along_axis(jax.nn.log_softmax(x), jnp.where(there, label, 0)[:, None], 1)[:, 0]
        return jnp.where(there, -logp, 0)

    close = {"rtol": 1e-5, "atol": 1e-5}
    for function in (layer, jax.jit(layer), jax.vmap(layer)):
        np.testing.assert_allclose(function(x, label), wanted(x, label), **close)
    for kind in ("int8", "int16", "uint32"):
        small = np.asarray(jnp.clip(label, 0, 9), kind)
        np.testing.assert_allclose(layer(x, jnp.asarray(small)), wanted(x, jnp.asarray(small, int)), **close)
    np.testing.assert_allclose(layer(x, np.full(6, 2**40)), np.zeros(6))
    of_x = [jax.jit(jax.grad(lambda x, label, f=f: f(x, label).sum()))(x, label) for f in (layer, wanted)]
    np.testing.assert_allclose(*of_x, **close)
    moved = [jax.jvp(f, (x, label), (x, np.zeros(6, jax.dtypes.float0)))[1] for f in (layer, wanted)]
    np.testing.assert_allclose(*moved, **close)
    several = jax.vmap(lambda label: layer(x, label))(jnp.stack([label, label[::-1]]))
    np.testing.assert_allclose(several[1], wanted(x, label[::-1]), **close)
    with pytest.raises(TypeError, match="label is of type float32; pass integers"):
        layer(x, x[:, 0])


# ---- checks
