"""PyTorch's own samples of inputs for its norms and softmaxes, through the operators: values and gradients."""

import importlib
import itertools
import warnings

import pytest

from tests.requirements import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)

pytestmark = pytest.mark.ci


def layer(name):
    backend = importlib.import_module(f"generated.{name}.torch_backend")
    return getattr(backend, name)


def norm(name):
    def call(x, normalized_shape, weight=None, bias=None, eps=None):
        if len(normalized_shape) != 1:
            return None
        eps = eps if eps is not None else 1e-5 if name == "layer_norm" else torch.finfo(x.dtype).eps
        return layer(name)(x, weight, *[bias] * (name == "layer_norm"), eps=eps)

    return call


def softmax(name):
    def call(x, dim, dtype=None, **_):
        if dtype is not None or not x.ndim or not x.shape[dim]:
            return None
        return layer(name)(x.movedim(dim, -1)).movedim(-1, dim)

    return call


def cross_entropy(x, target, **options):
    if options.keys() - {"reduction"} or x.ndim != 2 or target.is_floating_point():
        return None
    each = layer("cross_entropy")(x, torch.nn.functional.one_hot(target, x.shape[1]).to(x.dtype))
    return {"none": each, "sum": each.sum(), "mean": each.mean()}[options.get("reduction", "mean")]


CALLS = {
    "nn.functional.layer_norm": norm("layer_norm"),
    "nn.functional.rms_norm": norm("rms_norm"),
    "softmax": softmax("softmax"),
    "log_softmax": softmax("log_softmax"),
    "nn.functional.cross_entropy": cross_entropy,
}


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    for name in ("layer_norm", "rms_norm", "softmax", "log_softmax", "cross_entropy"):
        kernels = importlib.import_module(f"generated.{name}.torch_backend")._LAYER.operators.kernels
        monkeypatch.setattr(kernels, "host", kernels.numpy)


@pytest.fixture(scope="module")
def operators():
    """PyTorch's table of its operators, whose import takes seconds: whoever runs none of the tests is spared it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = "torch.testing._internal.common_methods_invocations"
        return pytest.importorskip(module, reason="no expecttest: it comes with the frameworks extra").op_db


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_of_the_samples(name, operators):
    [known] = [each for each in operators if each.name == name and not each.variant_test_name]
    compared = 0
    for sample in itertools.islice(known.sample_inputs("cpu", torch.float64, requires_grad=True), 60):
        x, args, options = sample.input, sample.args, sample.kwargs
        found = CALLS[name](x, *args, **options)
        if found is None:
            continue
        expected = known.op(x, *args, **options)
        torch.testing.assert_close(found, expected)
        compared += 1
        inputs = [each for each in (x, *args) if isinstance(each, torch.Tensor) and each.requires_grad]
        weight = torch.linspace(-1, 1, expected.numel(), dtype=torch.float64).reshape(expected.shape)
        torch.testing.assert_close(
            torch.autograd.grad(found, inputs, weight), torch.autograd.grad(expected, inputs, weight)
        )
    assert compared >= 3
