"""Every layer under the checks of JAX, and mistakes that they find."""

import importlib
import inspect
from types import ModuleType

import pytest

from lngen.checks.contracts import KIND as CONTRACTS
from lngen.checks.derived import checkable
from lngen.checks.frameworks import CLAIMS, KIND, in_framework
from lngen.checks.in_jax import InJax
from tests.requirements import needs_jax
from tests.shipped import NAMES, shipped
from tests.tiers import sample

pytestmark = needs_jax

# Sums of all kinds, a norm with several outputs, a class for each row; the others are in the tier exhaustive.
FEW = ["dynamic_tanh", "add_rms_norm", "cross_entropy"]


def evidence(name, module):
    return in_framework(checkable(shipped(name).plan, InJax(shipped(name).definition, module)))


def module_of(name):
    return importlib.import_module(f"generated.{name}.jax_backend")


@pytest.mark.parametrize("name", sample(NAMES, (), FEW))
def test_every_layer_passes(name):
    found = [*evidence(name, module_of(name))]
    assert [(each.what, each.detail) for each in found if not each.passed] == []
    assert {each.kind for each in found} == {CONTRACTS, KIND}
    assert sum(each.kind == KIND for each in found) == len(CLAIMS) - 1


@pytest.mark.ci
def test_a_scalar_is_an_array_beside_the_definition_run_as_python():
    found = [*InJax(shipped("dynamic_tanh").definition, module_of("dynamic_tanh")).as_python()]
    assert [each.detail for each in found if not each.passed] == []
    assert any(each.what == "gradients" for each in found)


@pytest.mark.ci
def test_a_mistake_in_the_tangents_is_found():
    module = module_of("rms_norm")
    planted = ModuleType("planted")
    source = inspect.getsource(module)
    assert source.count("- xhat*mean_x_dot_xhat") == 1
    exec(source.replace("- xhat*mean_x_dot_xhat", "- xhat*(2*mean_x_dot_xhat)"), planted.__dict__)
    assert any("first derivatives" in each.what for each in evidence("rms_norm", planted) if not each.passed)
    assert [each for each in InJax(shipped("rms_norm").definition, planted).as_python() if not each.passed]
