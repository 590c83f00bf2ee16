"""The emitted `torch_backend.py`: its text and its modules; its values are in tests/test_every_backend.py."""

import importlib

import pytest

from lngen.checks.in_torch import InTorch
from lngen.emit.class_names import MODULE, attribute, class_of
from lngen.language.syntax import Kind
from tests.hosts import compile_nothing
from tests.requirements import needs_torch
from tests.shipped import NAMES, shipped
from tests.tiers import sample

EACH = sample(NAMES, ("layer_norm", "add_layer_norm"))

# ---- the text


@needs_torch
def test_the_names_that_a_module_has_are_known():
    module = importlib.import_module("torch").nn.Module
    # Another package may have put names there in this process.
    foreign = {
        name
        for name, value in vars(module).items()
        if not (getattr(value, "__module__", None) or "torch").startswith("torch")
    }
    assert {name for name in dir(module()) if not name.startswith("_")} - MODULE - foreign == set()


# ---- each layer


@pytest.fixture
def of(request, monkeypatch):
    """A layer computed by NumPy: nothing is compiled here."""
    module = importlib.import_module(f"generated.{request.param}.torch_backend")
    compile_nothing([module], monkeypatch.setattr)
    return InTorch(shipped(request.param).definition, module, 0)


each_layer = pytest.mark.parametrize("of", EACH, indirect=True)


@needs_torch
@each_layer
def test_a_module_is_the_function_with_its_parameters(of):
    entries = of.definition.positional
    is_parameter = [entry.kind in (Kind.FEATURE, Kind.SCALAR) for entry in entries]
    constants = {attribute(name): value for name, value in of.named_constants.items()}
    made_by = getattr(of.module, class_of(of.definition.name))
    module = made_by(*[of.features] * any(entry.kind is Kind.FEATURE for entry in entries), **constants)
    parameters = [entry for entry in entries if entry.kind in (Kind.FEATURE, Kind.SCALAR)]
    assert [*module.state_dict()] == [entry.name for entry in parameters]
    assert [float(value.detach().flatten()[0]) for value in module.parameters()] == pytest.approx(
        [float(entry.default) for entry in parameters]
    )
    inputs = [each.float() for each in of.arguments()]
    rows = [each for each, fixed in zip(inputs, is_parameter, strict=True) if not fixed]
    own = iter(module.parameters())
    values = [next(own) if fixed else each for each, fixed in zip(inputs, is_parameter, strict=True)]
    of.torch.testing.assert_close(module(*rows), of.call(*values))
