"""One file of the runtime under two names: `generated._runtime` is a link to `lngen.runtime`."""

import importlib
import sys

import pytest

import lngen
from tests.requirements import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)


def test_an_operator_is_registered_once_though_its_file_has_two_names():
    emitted = lngen.load("rms_norm")
    backend = importlib.import_module("generated.rms_norm.torch_backend")
    operator = torch.ops.lngen.generated__rms_norm_forward.default
    ours = importlib.import_module("lngen.runtime.torch.operators")
    theirs = sys.modules["generated._runtime.torch.operators"]
    assert ours is not theirs
    assert ours._libraries is theirs._libraries
    assert "generated__rms_norm" in ours._libraries
    # A layer that is derived in this process has a package, and so operators, of its own.
    layer = lngen.derive("def rms_norm(x: Row): return x*rsqrt(mean(x**2) + 1e-5)").load()
    derived = importlib.import_module(f"{layer.__name__}.torch_backend")
    assert torch.ops.lngen.generated__rms_norm_forward.default is operator
    x = torch.linspace(-1, 2, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
    y, z = backend.rms_norm(x), derived.rms_norm(x)
    torch.testing.assert_close(y, z)
    torch.testing.assert_close(*(torch.autograd.grad(value.sum(), x) for value in (y, z)))
    assert emitted.__name__ == "generated.rms_norm"
