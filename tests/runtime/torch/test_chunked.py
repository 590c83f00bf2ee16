"""Losses of rows that are a product of tensors, made chunk by chunk, beside the layer of the whole product."""

import importlib
import sys
import tracemalloc

import pytest

from tests.compiled import backend, on_numpy
from tests.hosts import layer_of
from tests.requirements import NO_TORCH, needs_gxx, needs_release
from tests.test_integers import LABELS

torch = pytest.importorskip("torch", reason=NO_TORCH)
lngen_torch = importlib.import_module("lngen.torch")
dispatch = importlib.import_module("torch.utils._python_dispatch")

WEIGHTED = """
def weighted(x: Row, t: Row, w: RowScalar, label: Int["..."], gamma: Feature = 1, c: Scalar = 1):
    y = c*w*(log(sum(exp(gamma*x))) - sum(t*x) - pick(gamma*x, label))
    return y
"""
LOGSUMEXP = """
def lse(x: Row):
    m = max(x)
    y = m + log(sum(exp(x - m)))
    return y
"""
LEAD, FEATURES, ENTRIES = (3, 7), 5, 11


def drawn(*shape, seed=0, dtype=torch.float64):
    made = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return made.to(dtype).requires_grad_()


def labels():
    """Labels of all rows, some of which are ignored."""
    made = torch.randint(0, ENTRIES, LEAD, generator=torch.Generator().manual_seed(0))
    made[0, 1:3] = -100
    return made


def inputs_of(text):
    """The inputs of a layer besides the product."""
    return {
        LABELS: [labels()],
        LOGSUMEXP: [],
        WEIGHTED: [
            drawn(*LEAD, ENTRIES, seed=3),
            drawn(*LEAD, seed=4),
            labels(),
            drawn(ENTRIES, seed=5),
            drawn(seed=6),
        ],
    }[text]


def apart(text, reduction, rows):
    """The distance of a loss and its gradients from those of the layer of the whole product."""
    layer = on_numpy(text, "torch")
    h, weight, bias = drawn(*LEAD, FEATURES), drawn(ENTRIES, FEATURES, seed=1), drawn(ENTRIES, seed=2)
    inputs = inputs_of(text)
    found = lngen_torch.chunked_linear(layer, rows)(h, weight, *inputs, bias=bias, reduction=reduction)
    wanted = layer(h @ weight.T + bias, *inputs)
    if reduction in ("mean", "sum"):
        wanted = getattr(wanted, reduction)()
    along = [each for each in (h, weight, bias, *inputs) if each.requires_grad]
    cotangent = drawn(*wanted.shape, seed=9).detach()
    gradients = [torch.autograd.grad(each, along, cotangent) for each in (found, wanted)]
    pairs = [(found, wanted), *zip(*gradients, strict=True)]
    assert all(one.shape == other.shape for one, other in pairs)
    return max(float((one - other).detach().abs().max() / other.detach().abs().max()) for one, other in pairs)


@pytest.mark.parametrize("text", [LABELS, LOGSUMEXP, WEIGHTED], ids=["labels", "logsumexp", "weighted"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_chunks_have_the_loss_and_the_gradients_of_the_whole(text, reduction):
    assert apart(text, reduction, 4) < 1e-12
    assert apart(text, reduction, None) < 1e-12


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("_put", lambda total, part, value, is_per_row: total[part].copy_(value) if is_per_row else total.copy_(value)),
        ("_add", lambda sums, part, dx, h, weight: sums[1].copy_(dx.T @ h)),
        (
            "_zeros",
            lambda task, tensors, wanted: [torch.ones_like(each) if each is not None else each for each in tensors],
        ),
    ],
)
def test_a_planted_mistake_is_seen(monkeypatch, name, planted):
    monkeypatch.setattr(sys.modules["lngen.runtime.torch.chunked"], name, planted)
    assert apart(WEIGHTED, "sum", 4) > 1e-3


# ---- memory


class _Largest(dispatch.TorchDispatchMode):
    """The bytes of the largest memory of a tensor that an operator returns."""

    def __init__(self):
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for each in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(each, torch.Tensor):
                self.bytes = max(self.bytes, each.untyped_storage().nbytes())
        return made


ROWS, WIDTH = 2048, 512
WHOLE = ROWS * WIDTH * 8


def largest(call, rows=ROWS):
    """The most bytes of a tensor of a step, or of all arrays of NumPy's at once."""
    h, weight, label = drawn(rows, 64), drawn(WIDTH, 64, seed=1), torch.arange(rows) % WIDTH
    with _Largest() as seen:
        tracemalloc.start()
        made = call(h, weight, label)
        torch.autograd.grad(made, (h, weight), torch.ones_like(made))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return max(seen.bytes, peak)


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_no_memory_is_as_large_as_all_rows(reduction, monkeypatch):
    layer = on_numpy(LABELS, "torch")
    # What sees the memory of tensors sees no gradient of operations, which are differentiated below it.
    monkeypatch.setattr(layer_of(backend(LABELS, "torch")), "has_kernels", True)

    def chunked(rows):
        return lambda *arguments: lngen_torch.chunked_linear(layer, rows)(*arguments, reduction=reduction)

    largest(chunked(None), 8)  # imports what it needs
    assert largest(chunked(None)) < WHOLE / 2
    assert largest(chunked(ROWS)) >= WHOLE
    assert largest(lambda h, weight, label: layer(h @ weight.T, label)) >= WHOLE


# ---- types


@pytest.mark.ci
def test_sums_over_rows_of_16_bits_are_in_float32():
    """Quarters in bfloat16 end at 64."""
    h, weight = torch.ones(33, 1, dtype=torch.bfloat16), torch.zeros(4, 1, dtype=torch.bfloat16, requires_grad=True)
    h[0] = 256
    loss = lngen_torch.chunked_linear(on_numpy(LOGSUMEXP, "torch"), 1)(h, weight, reduction="sum")
    loss.backward()
    assert weight.grad.dtype == torch.bfloat16
    assert weight.grad.tolist() == [[72.0]] * 4
    assert loss.dtype == torch.float32


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_autocast_makes_the_rows_in_its_type(reduction):
    layer = on_numpy(LOGSUMEXP, "torch")
    h, weight = drawn(6, 5, dtype=torch.float32), drawn(9, 5, seed=1, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        found = lngen_torch.chunked_linear(layer)(h, weight, reduction=reduction)
        wanted = layer(torch.nn.functional.linear(h, weight))
    assert found.dtype == (torch.bfloat16 if reduction == "none" else torch.float32)
    wanted = wanted if reduction == "none" else wanted.float().mean()
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=0)
    found, wanted = (torch.autograd.grad(each.sum(), (h, weight)) for each in (found, wanted))
    assert {each.dtype for each in found} == {torch.float32}
    torch.testing.assert_close(found, wanted, rtol=0, atol=2e-2)


# ---- tensors of every kind


def test_tensors_may_be_strided_and_constant():
    layer, weight = on_numpy(LABELS, "torch"), drawn(ENTRIES, FEATURES, seed=1)
    h = drawn(FEATURES, *LEAD).permute(1, 2, 0)
    loss = lngen_torch.chunked_linear(layer, 4)
    wanted = layer(h @ weight.T, labels()).sum()
    for constant in (h.detach(), h):
        found = loss(constant, weight, labels(), reduction="sum")
        of_weight = (torch.autograd.grad(each, weight, retain_graph=True) for each in (found, wanted))
        torch.testing.assert_close(*of_weight)
    found = loss(h, weight.detach(), labels(), reduction="sum")
    torch.testing.assert_close(torch.autograd.grad(found, h), torch.autograd.grad(wanted, h))
    assert not loss(h.detach(), weight.detach(), labels()).requires_grad


@pytest.mark.parametrize("lead", [(0,), (2, 0), ()])
def test_there_may_be_no_rows_or_no_axis_of_rows(lead):
    layer, h, weight = on_numpy(LOGSUMEXP, "torch"), drawn(*lead, FEATURES), drawn(ENTRIES, FEATURES, seed=1)
    loss = lngen_torch.chunked_linear(layer)
    for reduction in ("none", "sum"):
        found = loss(h, weight, reduction=reduction)
        wanted = layer(h @ weight.T)
        wanted = wanted if reduction == "none" else wanted.sum()
        torch.testing.assert_close(found, wanted)
        gradients = [torch.autograd.grad(each.sum(), (h, weight)) for each in (found, wanted)]
        torch.testing.assert_close(*gradients)
    mean = loss(h, weight)
    assert bool(mean.isnan()) == (0 in lead)
    mean.backward()
    assert bool(weight.grad.isfinite().all())


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@needs_release("torch", "2.13", "breaks a program at a property of a tuple")
def test_a_compiled_program_has_no_break():
    h, weight = drawn(*LEAD, FEATURES), drawn(ENTRIES, FEATURES, seed=1)
    loss = lngen_torch.chunked_linear("label_cross_entropy", 4)
    program = torch.compile(loss, backend="aot_eager", fullgraph=True)
    both = [each(h, weight, labels()) for each in (loss, program)]
    torch.testing.assert_close(*both)
    torch.testing.assert_close(*(torch.autograd.grad(each, (h, weight)) for each in both))


# ---- refusals


@pytest.mark.parametrize("reduction", ["sum", "none"])
def test_a_second_derivative_is_refused(reduction):
    h, weight = drawn(6, FEATURES), drawn(ENTRIES, FEATURES)
    loss = lngen_torch.chunked_linear(on_numpy(LOGSUMEXP, "torch"))(h, weight, reduction=reduction).sum()
    with pytest.raises(NotImplementedError, match="has a gradient and no second derivative; for one, call the layer"):
        torch.autograd.grad(loss, h, create_graph=True)


def test_a_layer_that_is_no_loss_of_rows_is_refused():
    for name, message in (("softmax", "softmax does not return one number"), ("add_rms_norm", "does not return one")):
        with pytest.raises(TypeError, match=message):
            lngen_torch.chunked_linear(name)
    for other in (torch.nn.CrossEntropyLoss, torch.nn.functional.cross_entropy, 3, importlib.import_module("json")):
        with pytest.raises(TypeError, match="is no emitted layer; pass its name, its function"):
            lngen_torch.chunked_linear(other)
    assert str(lngen_torch.chunked_linear("logsumexp", 3)) == "chunked_linear(logsumexp)"
    with pytest.raises(ValueError, match="rows is 0; pass how many rows a chunk has, 1 or more, or None"):
        lngen_torch.chunked_linear("logsumexp", 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": labels()[0]}, r"label has shape \(7,\); pass the shape of h without its last axis"),
        ({"label": drawn(*LEAD)}, "label is of type torch.float64; pass integers"),
        ({"label": None}, "label is None; pass a tensor"),
        ({"smooth": 0.1}, "unexpected keyword argument 'smooth'"),
        ({"reduction": "max"}, "reduction is 'max'; pass one of mean, sum, none"),
        ({"weight": drawn(ENTRIES, 4)}, r"h has shape \(3, 7, 5\) and weight \(11, 4\); pass \(..., features\)"),
        ({"weight": drawn(ENTRIES, FEATURES).float()}, "weight is of type torch.float32 and h of torch.float64"),
        ({"weight": 3}, "weight is of type int; pass a tensor"),
        ({"bias": drawn(4)}, r"bias has shape \(4,\); pass \(11,\)"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, message):
    given = {"h": drawn(*LEAD, FEATURES), "weight": drawn(ENTRIES, FEATURES), "label": labels(), **changes}
    h, weight = given.pop("h"), given.pop("weight")
    with pytest.raises((TypeError, ValueError), match=message):
        lngen_torch.chunked_linear(on_numpy(LABELS, "torch"), 4)(h, weight, **given)
