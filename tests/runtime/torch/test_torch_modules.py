"""Layers as modules of PyTorch's: parameters, states, names, and what a constructor refuses."""

import copy
import importlib
import io
import pickle

import pytest

import lngen
from lngen.language.parsing import parse
from lngen.pipeline.files.manifest import write
from lngen.pipeline.stages import derived
from tests.hosts import compile_nothing
from tests.requirements import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)
backend = importlib.import_module("generated.layer_norm.torch_backend")
tanh = importlib.import_module("generated.dynamic_tanh.torch_backend")
softmax = importlib.import_module("generated.softmax.torch_backend")
residual_norm = importlib.import_module("generated.add_rms_norm.torch_backend")


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    compile_nothing((backend, tanh, softmax, residual_norm), monkeypatch.setattr)


def rows(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).requires_grad_()


def test_a_module_prints_what_it_was_made_with():
    assert repr(backend.LayerNorm(8)) == "LayerNorm(8, eps=1e-05)"
    assert repr(backend.LayerNorm(8, beta=False, eps=0.5)) == "LayerNorm(8, eps=0.5, beta=False)"
    assert repr(softmax.Softmax()) == "Softmax()"


def test_parameters_are_made_where_and_in_what_type_is_said():
    module = backend.LayerNorm(3, beta=False, device="meta", dtype=torch.bfloat16)
    assert module.gamma.device.type == "meta"
    assert module.gamma.dtype == torch.bfloat16
    assert module.beta is None
    assert [*module.state_dict()] == ["gamma"]
    assert module(torch.zeros(2, 3, device="meta")).shape == (2, 3)


def test_parameters_are_reset_to_the_defaults_of_the_definition():
    module = tanh.DynamicTanh(2)
    with torch.no_grad():
        for each in module.parameters():
            each.fill_(7)
    module.reset_parameters()
    assert {name: each.tolist() for name, each in module.named_parameters()} == {
        "alpha": 0.5,
        "gamma": [1.0, 1.0],
        "beta": [0.0, 0.0],
    }


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module)), lambda module: _loaded(module)],
    ids=["deepcopy", "pickle", "state_dict"],
)
def test_a_copy_computes_the_same(copied):
    module, x = backend.LayerNorm(6), rows(4, 6)
    with torch.no_grad():
        module.gamma.copy_(torch.arange(6))
    found = copied(module)
    assert (found(x) == module(x)).all()
    assert found.gamma is not module.gamma


def _loaded(module):
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    made = backend.LayerNorm(6)
    made.load_state_dict(torch.load(file))
    return made


@pytest.mark.parametrize(("D", "error"), [(0, ValueError), (2.0, TypeError), (True, TypeError)])
def test_a_number_of_features_that_is_none_is_refused(D, error):
    with pytest.raises(error, match=r"D is .*; pass"):
        backend.LayerNorm(D)


def test_rows_of_another_size_are_told_what_the_module_was_made_for():
    problem = (
        r"the rows have \(D,\) of \(7,\), and the layer was made for \(8,\), the shape of its gamma; pass rows that it"
    )
    with pytest.raises(ValueError, match=problem):
        backend.LayerNorm(8)(rows(3, 7))


def test_a_number_by_place_is_told_its_name():
    with pytest.raises(TypeError, match="1e-05 is passed by place; LayerNorm takes D so, and by name gamma, beta, eps"):
        backend.LayerNorm(8, 1e-5)


class _Doubled(torch.nn.Module):
    def forward(self, x):
        return 2 * x

    def right_inverse(self, y):
        return y / 2


def test_a_parameter_may_be_made_of_others():
    """A parametrization leaves fewer entries in `_parameters`, in another order."""
    module, x = backend.LayerNorm(4), rows(2, 4)
    expected = module(x)
    torch.nn.utils.parametrize.register_parametrization(module, "gamma", _Doubled())
    torch.testing.assert_close(module(x), expected)
    assert [*module.state_dict()] == ["beta", "parametrizations.gamma.original"]
    assert module.weight.tolist() == [1.0] * 4
    assert module.bias is module.beta
    module.load_state_dict({"bias": torch.ones(4), "parametrizations.gamma.original": torch.zeros(4)})
    assert module(x).tolist() == [[1.0] * 4] * 2


def test_what_counterparts_call_a_parameter_sets_it():
    module, x = backend.LayerNorm(4), rows(2, 4)
    module.weight = torch.nn.Parameter(torch.full((4,), 3.0))
    assert module.gamma is module.weight
    assert [*module.state_dict()] == ["gamma", "beta"]
    module.bias = None
    assert repr(module) == "LayerNorm(4, eps=1e-05, beta=False)"
    assert (module(x) == backend.layer_norm(x, torch.full((4,), 3.0))).all()
    with pytest.raises(TypeError, match=r"cannot assign .* as parameter 'gamma'"):
        module.weight = torch.ones(4)


@pytest.mark.ci
def test_names_may_be_those_of_the_counterpart(tmp_path):
    """A parameter may have the counterpart's name, and a Constant another one."""
    definition = parse(
        "from lngen.language import Constant, Feature, Row, mean, rsqrt\n"
        "def f(x: Row, weight: Feature = 1, epsilon: Constant = 1e-5):\n"
        '    """A layer.\n\n    In PyTorch: torch.nn.RMSNorm(weight=weight, eps=epsilon)\n'
        '    In PyTorch: strangers.Stranger(num_features=D, weight=weight, training=epsilon)\n    """\n'
        "    return weight * x * rsqrt(mean(x**2) + epsilon)\n"
    )
    write(derived(definition, proved=False).emission, tmp_path)
    module = lngen.load(tmp_path / "f", backend="torch").F(4, epsilon=0.5)
    assert [*module.state_dict()] == ["weight"]
    assert module.eps == 0.5
    module.eps = 0.25
    assert repr(module) == "F(4, epsilon=0.25)"
    assert module.training is True  # the definition's name for it is every module's
    norm, x = torch.nn.RMSNorm(4, eps=0.25), rows(2, 4)
    expected = norm(x)
    assert (
        str(importlib.import_module("lngen.torch").replace(norm, [type(module)]))
        == "the model: RMSNorm is computed by f"
    )
    torch.testing.assert_close(norm(x), expected)


@pytest.mark.parametrize(
    ("eps", "error", "message"),
    [
        (-1, ValueError, "eps is -1; pass 0 or more"),
        (float("nan"), ValueError, "eps is nan; pass a finite number"),
        ("a", TypeError, "eps is 'a' of type str; pass a number"),
    ],
)
def test_a_constant_is_looked_at_where_it_is_passed(eps, error, message):
    with pytest.raises(error, match=message):
        backend.LayerNorm(4, eps=eps)
    with pytest.raises(error, match=message):
        backend.layer_norm(rows(2, 4), eps=eps)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"normalized_shape": 8}, "LayerNorm has no argument normalized_shape; normalized_shape is D here; it takes D"),
        ({"D": 8, "bias": False}, "bias is beta here; it takes .*; gamma=False leaves gamma out"),
        ({"D": 8, "elementwise_affine": False}, "no argument elementwise_affine; it takes .*; gamma=False leaves"),
    ],
)
def test_an_argument_of_a_counterpart_is_refused_with_what_it_is_called_here(arguments, message):
    with pytest.raises(TypeError, match=message):
        backend.LayerNorm(**arguments)


def test_a_subclass_has_a_constructor_of_its_own():
    class Mine(backend.LayerNorm):
        def __init__(self, normalized_shape, **options):
            super().__init__(normalized_shape, **options)

    assert Mine(normalized_shape=8, beta=False).beta is None
    with pytest.raises(TypeError, match="Mine has no argument bias; bias is beta here"):
        Mine(8, bias=False)


@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
def test_a_module_that_is_scripted_says_what_to_use_instead():
    with pytest.raises(TypeError, match=r"LayerNorm cannot be scripted; use torch\.export, torch\.compile or"):
        torch.jit.script(backend.LayerNorm(8))
