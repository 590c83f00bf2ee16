"""Every layer under the checks of JAX, and mistakes that they find."""

import importlib
from types import SimpleNamespace

import pytest

from lngen.checks.contracts import KIND as CONTRACTS
from lngen.checks.derived import checkable
from lngen.checks.frameworks import CLAIMS, KIND, in_framework
from lngen.checks.in_jax import InJax
from tests.checks.test_in_torch import scaled
from tests.requirements import needs_jax
from tests.shipped import NAMES, shipped
from tests.tiers import sample

pytestmark = needs_jax

# Sums of all kinds, a norm with several outputs, a class for each row; the others are in the tier exhaustive.
FEW = [(name, name) for name in ("dynamic_tanh", "add_rms_norm", "cross_entropy")]


@pytest.fixture
def backend(request, monkeypatch):
    """The module of a layer, computed by NumPy: nothing is compiled here."""
    module = importlib.import_module(f"generated.{request.param}.jax_backend")
    monkeypatch.setattr(module._LAYER.kernels, "host", module._numpy)
    return module


def evidence(name, module):
    return [*in_framework(checkable(shipped(name).plan, InJax(shipped(name).definition, module)))]


@pytest.mark.parametrize(("backend", "name"), sample([(name, name) for name in NAMES], (), FEW), indirect=["backend"])
def test_every_layer_passes(backend, name):
    found = evidence(name, backend)
    assert [(each.what, each.detail) for each in found if not each.passed] == []
    assert {each.kind for each in found} == {CONTRACTS, KIND}
    assert sum(each.kind == KIND for each in found) == len(CLAIMS)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("direction", "found_by"), [("jvp", "first derivatives"), ("backward_backward", "check_grads of second")]
)
@pytest.mark.parametrize("backend", ["rms_norm"], indirect=True)
def test_a_mistake_in_a_direction_is_found(backend, direction, found_by, monkeypatch):
    planted = SimpleNamespace(**vars(backend._numpy))
    setattr(planted, direction, scaled(getattr(backend._numpy, direction)))
    monkeypatch.setattr(backend._LAYER.kernels, "host", planted)
    failed = [each.what for each in evidence("rms_norm", backend) if not each.passed]
    assert any(found_by in what for what in failed)
