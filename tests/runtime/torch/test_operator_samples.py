"""PyTorch's own samples of inputs for its norms, softmaxes and losses, through the operators: values and gradients."""

import importlib
import itertools
import warnings

import pytest

from tests import compiled
from tests.hosts import compile_nothing
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


def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
    return layer("group_norm")(x, weight, bias, g=num_groups, eps=eps) if eps >= 0 else None


def instance_norm(x, weight=None, bias=None, eps=1e-5, use_input_stats=True, **_):
    return layer("instance_norm")(x, weight, bias, eps=eps) if use_input_stats else None


def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    return layer("batch_norm")(x, weight, bias, eps=eps)[0] if training and x.ndim > 1 else None


WEIGHTED = """
def weighted(x: Row, label: Int["..."], weight: Data["d"] = 1, ignore: Int[""] = -100, smoothing: Constant = 0):
    logp = x - log(sum(exp(x)))
    target = (1 - smoothing)*pick(weight, label)*pick(logp, label) + smoothing*mean(weight*logp)
    y = where(label == ignore, 0, -target)
    return y
"""
LIKELIHOOD = """
def likelihood(x: Row, label: Int["..."], weight: Data["d"] = 1, ignore: Int[""] = -100):
    y = where(label == ignore, 0, -pick(weight, label)*pick(x, label))
    return y
"""


def loss(of_rows):
    def call(x, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        if target.is_floating_point():
            return None
        rows = x.movedim(1, -1) if x.ndim > 1 else x
        each = of_rows(rows, target, weight, ignore_index, label_smoothing)
        weights = target == target if weight is None else weight[target.clamp(0, len(weight) - 1)]
        counted = torch.where(target == ignore_index, 0.0, weights.to(x.dtype))
        return {"none": each, "sum": each.sum(), "mean": each.sum() / counted.sum()}[reduction]

    return call


def cross_entropy(x, target, weight, ignore, smoothing):
    if weight is None:
        return layer("label_cross_entropy")(x, target, ignore, smoothing=smoothing)
    return of_text(WEIGHTED).weighted(x, target, weight, ignore, smoothing=smoothing)


def of_text(text):
    return compiled.backend(text, "torch")


CALLS = {
    "nn.functional.layer_norm": norm("layer_norm"),
    "nn.functional.rms_norm": norm("rms_norm"),
    "softmax": softmax("softmax"),
    "log_softmax": softmax("log_softmax"),
    "nn.functional.group_norm": group_norm,
    "nn.functional.instance_norm": instance_norm,
    "nn.functional.batch_norm": batch_norm,
    "nn.functional.cross_entropy": loss(cross_entropy),
    "nn.functional.nll_loss": loss(
        lambda x, label, weight, ignore, _: of_text(LIKELIHOOD).likelihood(x, label, weight, ignore)
    ),
}


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    shipped = ("layer_norm", "rms_norm", "softmax", "log_softmax", "label_cross_entropy", "group_norm", "instance_norm")
    backends = (importlib.import_module(f"generated.{name}.torch_backend") for name in (*shipped, "batch_norm"))
    compile_nothing([*backends, *map(of_text, (WEIGHTED, LIKELIHOOD))], monkeypatch.setattr)


@pytest.fixture(scope="module")
def operators():
    """PyTorch's table of its operators, whose import takes seconds: whoever runs none of the tests is spared it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = "torch.testing._internal.common_methods_invocations"
        return pytest.importorskip(module, reason="no expecttest: it comes with the frameworks extra").op_db


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_of_the_samples(name, operators):
    known, *_ = [each for each in operators if each.name == name and not each.variant_test_name]
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
