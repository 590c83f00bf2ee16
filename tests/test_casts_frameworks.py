"""Casts in PyTorch and in JAX: types of outputs, of cotangents and of tangents, and derivatives straight through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lngen
from tests import roundings
from tests.compiled import backend
from tests.hosts import layer_of
from tests.requirements import needs_gxx, needs_jax, needs_torch
from tests.test_casts import QUANTIZED, inputs


def from_torch(tensor: Any) -> Any:
    import torch

    name = str(tensor.dtype).removeprefix("torch.")
    kind = roundings.dtype(name)
    return tensor.detach().view(getattr(torch, f"int{8 * kind.itemsize}")).numpy().view(kind)


@pytest.mark.ci
@needs_torch
@needs_gxx
def test_torch_outputs_have_their_types_and_those_of_floats_have_gradients():
    import torch

    call = layer_of(backend(QUANTIZED, "torch")).call
    for transformed in (False, True):
        x, r, gamma = (torch.from_numpy(each).requires_grad_() for each in inputs((4, 6), np.float32))
        made = torch.func.vmap(call, (0, 0, None))(x, r, gamma) if transformed else call(x, r, gamma)
        kinds = [torch.float8_e4m3fn, torch.float32, torch.float32, torch.int8, torch.bfloat16]
        assert [each.dtype for each in made] == kinds
        assert [each.requires_grad for each in made] == [True, True, True, False, True]
    q, _, h, t, b = call(x, r, gamma)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.autograd.grad(t, x, torch.ones_like(t))
    # A cotangent has the type of the output: 3.3 is 3.25 in float8_e4m3fn.
    seen, exact = (torch.autograd.grad(q, x, torch.full((4, 6), each), retain_graph=True)[0] for each in (3.3, 3.25))
    assert torch.equal(seen, exact)
    ones = [torch.autograd.grad(each, x, torch.ones((4, 6)), retain_graph=True)[0] for each in (h, b)]
    assert torch.equal(*ones)


@needs_torch
@needs_gxx
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_torch_tangents_have_the_types_of_outputs_and_integers_have_none():
    import torch

    call = layer_of(backend(QUANTIZED, "torch")).call
    x, r, gamma = (torch.from_numpy(each) for each in inputs((4, 6), np.float64))
    one = torch.ones_like(x)
    made, moved = torch.func.jvp(lambda x: call(x, r, gamma), (x,), (one,))
    assert [each.dtype for each in moved] == [each.dtype for each in made]
    assert torch.equal(moved[2], one)
    assert torch.equal(moved[4], one.bfloat16())
    assert not moved[3].any()


@needs_torch
@needs_gxx
@pytest.mark.ci
def test_torch_compiles_a_layer_with_casts():
    import torch

    call = layer_of(backend(QUANTIZED, "torch")).call
    given = [torch.from_numpy(each) for each in inputs((4, 6), np.float32)]
    torch.compiler.reset()
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    for one, other in zip(compiled(*given), call(*given), strict=True):
        assert roundings.same(from_torch(one), from_torch(other))


@pytest.mark.ci
@needs_jax
def test_jax_outputs_tangents_and_cotangents_have_their_types():
    import jax
    import jax.numpy as jnp

    module = backend(QUANTIZED, "jax")
    call = getattr(module, module.__all__[-1])
    x, r, gamma = (jnp.asarray(each) for each in inputs((4, 6), np.float32))
    for made in (jax.jit(call)(x, r, gamma), jax.vmap(lambda x, r: call(x, r, gamma))(x, r)):
        assert [each.dtype.name for each in made] == ["float8_e4m3fn", "float32", "float32", "int8", "bfloat16"]
    made, moved = jax.jvp(lambda x: call(x, r, gamma), (x,), (jnp.ones_like(x),))
    assert [each.dtype for each in moved[:3]] == [each.dtype for each in made[:3]]
    assert moved[3].dtype == jax.dtypes.float0
    np.testing.assert_array_equal(np.asarray(moved[4], np.float32), 1)
    straight = jax.grad(lambda x: call(x, r, gamma)[4].astype(jnp.float32).sum())(x)
    np.testing.assert_array_equal(straight, 1)
    none = jax.grad(lambda x: call(x, r, gamma)[3].astype(jnp.float32).sum())(x)
    np.testing.assert_array_equal(none, 0)


ONLY = "def only(x: Row): return cast(x, 'int8')"


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        pytest.param(QUANTIZED, "torch", marks=[needs_torch, pytest.mark.exhaustive], id="several-torch"),
        pytest.param(QUANTIZED, "jax", marks=[needs_jax, pytest.mark.exhaustive], id="several-jax"),
        pytest.param(ONLY, "torch", marks=[needs_torch, pytest.mark.ci], id="integers-torch"),
        pytest.param(ONLY, "jax", marks=[needs_jax, pytest.mark.exhaustive], id="integers-jax"),
    ],
)
def test_checks_of_frameworks_pass_for_layers_with_casts(text, framework):
    report = lngen.derive(text).check(framework, [(3, 5)])
    assert report.passed, [each for each in report.evidence if not each.passed]
