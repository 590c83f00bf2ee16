"""Modules of PyTorch's that keep running statistics or reduce a loss, with emitted layers as their `forward`."""

import copy
import importlib

import pytest

from tests.hosts import compile_nothing, layer_of
from tests.requirements import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)
lngen_torch = importlib.import_module("lngen.torch")
runtime = importlib.import_module("generated._runtime.torch")
nn = torch.nn
NAMES = ("batch_norm", "instance_norm", "label_cross_entropy")
BACKENDS = [importlib.import_module(f"generated.{name}.torch_backend") for name in NAMES]
LAYERS = dict(zip(NAMES, map(layer_of, BACKENDS), strict=True))


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    compile_nothing(BACKENDS, monkeypatch.setattr)


def replaced(module):
    """A copy that a layer computes."""
    made = copy.deepcopy(module)
    [found] = lngen_torch.replace(made, LAYERS).replaced
    assert found.layer in LAYERS
    return made


def planted(name, **changes):
    """A module's layer whose definition has other lines for the modules of PyTorch's."""
    layer = copy.copy(LAYERS[name])
    entries = [{**each, **changes} for each in layer.interface["counterparts"][:1]]
    layer.interface = {**layer.interface, "counterparts": entries}
    return type("Planted", (runtime.Module,), {"_layer": layer})


def reason(module, *layers):
    [stayed] = lngen_torch.replace(module, layers or LAYERS).stayed
    assert not hasattr(module, "_lngen_forward")
    return stayed.reason


def trained(module, batches):
    """Outputs, gradients and states of a module in three steps of training and then in evaluation."""
    found = []
    for x in batches:
        x = x.clone().requires_grad_()
        y = module.train()(x)
        weights = torch.linspace(0, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
        found += [y, *torch.autograd.grad((weights * y.square()).sum(), [x, *module.parameters()])]
        with torch.no_grad():
            for parameter in module.parameters():
                parameter -= 0.1 * parameter.square()
    return [*found, module.eval()(batches[0]), *module.state_dict().values()]


NORMS = [
    (nn.BatchNorm1d, {}, (5, 3)),
    (nn.BatchNorm1d, {"momentum": None}, (5, 3, 4)),
    (nn.BatchNorm2d, {"eps": 0.1, "momentum": 0.5}, (4, 3, 2, 5)),
    (nn.BatchNorm2d, {"affine": False}, (4, 3, 2, 5)),
    (nn.BatchNorm2d, {"track_running_stats": False}, (4, 3, 2, 5)),
    (nn.BatchNorm3d, {"momentum": 0.0}, (2, 3, 2, 2, 3)),
    (nn.InstanceNorm1d, {}, (2, 3, 5)),
    (nn.InstanceNorm2d, {"affine": True}, (2, 3, 2, 5)),
    (nn.InstanceNorm3d, {"affine": True, "eps": 0.1}, (2, 3, 2, 2, 3)),
]


@pytest.mark.parametrize(("kind", "options", "shape"), NORMS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-4)])
def test_a_norm_trains_and_keeps_the_state_of_the_module(kind, options, shape, dtype, tolerance):
    torch.manual_seed(0)
    own = kind(3, **options).to(dtype)
    for parameter in own.parameters():
        nn.init.uniform_(parameter, -2, 2)
    ours, again = replaced(own), kind(3, **options).to(dtype)
    batches = [3 * torch.randn(shape, dtype=dtype) + 2 for _ in range(3)]
    torch.testing.assert_close(trained(ours, batches), trained(own, batches), rtol=tolerance, atol=tolerance)
    again.load_state_dict(ours.state_dict())
    assert torch.equal(again.eval()(batches[0]), ours(batches[0])) or not ours.track_running_stats
    ours.load_state_dict(own.state_dict())
    assert [*ours.state_dict()] == [*own.state_dict()]


@pytest.mark.parametrize("momentum", [0.1, 1e-9, None])
def test_a_norm_whose_line_keeps_other_statistics_stays(momentum):
    """The running variance is the biased one, or the two averages are exchanged."""
    right = LAYERS["batch_norm"].interface["counterparts"][0]["statistics"]
    biased = {**right, "running_var": {"of": "var", "lost": 0}}
    exchanged = dict(zip(right, [*right.values()][::-1], strict=True))
    norm = nn.BatchNorm2d(3, momentum=momentum)
    for wrong, named in ((biased, "running_var"), (exchanged, "running_mean")):
        assert reason(norm, planted("batch_norm", statistics=wrong)).startswith(f"its forward keeps another {named}")
    assert not lngen_torch.replace(norm, [planted("batch_norm", statistics=right)]).stayed


def test_a_norm_in_a_mode_that_no_layer_covers_stays():
    unlike = "has a forward of its own, not that of torch.nn.modules.batchnorm._BatchNorm"
    assert reason(nn.InstanceNorm2d(3, track_running_stats=True)) == (
        "its running_mean is a tensor of (3,), and has to be None"
    )
    assert reason(nn.SyncBatchNorm(3)) == f"SyncBatchNorm {unlike}"
    assert reason(nn.LazyBatchNorm2d()) == "its parameters have no shapes yet"
    done = lngen_torch.replace(nn.Sequential(nn.BatchNorm1d(3).eval(), nn.BatchNorm1d(3, track_running_stats=False)))
    assert str(done) == (
        "0: BatchNorm1d is computed by batch_norm in training alone\n1: BatchNorm1d is computed by batch_norm"
    )


@pytest.mark.filterwarnings("ignore:input's size")
@pytest.mark.parametrize("shape", [(3, 4, 4), (1, 3, 1, 1), (2, 4, 3, 3), (2, 3, 1, 1), (0, 3, 2, 2)])
@pytest.mark.parametrize("kind", [nn.BatchNorm2d, nn.InstanceNorm2d])
def test_a_call_that_the_module_refuses_or_reads_otherwise_is_its_own(kind, shape):
    """Rows of another number of axes or channels, or of one entry: they change no state when they are refused."""
    own = kind(3, affine=False)
    ours, found = replaced(own), []
    for module in (own, ours):
        try:
            found.append(module(torch.linspace(-1, 1, 2 * 4 * 9)[: torch.Size(shape).numel()].reshape(shape)))
        except (ValueError, RuntimeError) as error:
            found.append(str(error))
    if isinstance(found[0], str):
        assert found[0] == found[1]
    else:
        torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(ours.state_dict(), own.state_dict(), equal_nan=True)


def test_attributes_that_change_are_those_of_each_call():
    own = nn.BatchNorm2d(3)
    ours, x = replaced(own), torch.randn(4, 3, 2, 2)
    for name, value in (("momentum", None), ("track_running_stats", False), ("running_mean", None)):
        for module in (own, ours):
            setattr(module, name, value)
            if value is None and name == "running_mean":
                module.running_var = None
        torch.testing.assert_close(ours(x), own(x))
        torch.testing.assert_close(ours.state_dict(), own.state_dict())


def test_statistics_that_are_wider_than_rows_take_no_rounded_values():
    """A variance of 90,000 is no number of float16."""
    own = nn.BatchNorm2d(3)
    ours, x = replaced(own), (300 * torch.randn(4, 3, 8, 8)).half()
    assert ours(x).dtype == own(x).dtype == torch.float16
    torch.testing.assert_close(ours.state_dict(), own.state_dict())
    assert (own.running_var < 65504).all()


# ---- losses


@pytest.mark.parametrize("how", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    ("logits", "labels"), [((6, 5), (6,)), ((5,), ()), ((2, 5, 5), (2, 5)), ((2, 5, 3, 2), (2, 3, 2))]
)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_loss_of_labels_is_that_of_the_module(how, logits, labels, dtype):
    torch.manual_seed(0)
    own = nn.CrossEntropyLoss(ignore_index=2, label_smoothing=0.1, reduction=how)
    ours, x = replaced(own), 3 * torch.randn(logits, dtype=dtype)
    label = torch.randint(0, 5, labels) if labels else torch.tensor(1)
    if labels:
        label.view(-1)[0] = 2
    found = [
        (y, *torch.autograd.grad(y.square().sum(), x))
        for x in [x.requires_grad_()]
        for y in (ours(x, label), own(x, label))
    ]
    torch.testing.assert_close(*found)
    own.ignore_index, own.label_smoothing = ours.ignore_index, ours.label_smoothing = -7, 0.0
    torch.testing.assert_close(ours(x, label), own(x, label))


def test_a_loss_that_the_layer_does_not_cover_is_that_of_the_module():
    assert reason(nn.CrossEntropyLoss(torch.ones(3))) == "its weight is a tensor of (3,), and has to be None"
    own, x = nn.CrossEntropyLoss(), torch.randn(3, 5)
    ours = replaced(own)
    for label in (torch.softmax(x, -1), torch.full((3,), -100)):
        torch.testing.assert_close(ours(x, label), own(x, label), equal_nan=True)
    for label in (torch.tensor([0, 5, 1]), torch.tensor([0, -1, 1])):
        with pytest.raises(IndexError, match="out of bounds"):
            ours(x, label)
    ours.reduction = "median"
    with pytest.raises(ValueError, match="median is not a valid value for reduction"):
        ours(x, torch.tensor([0, 1, 2]))


@pytest.mark.parametrize("how", ["mean", "none"])
def test_a_loss_whose_line_is_wrong_stays(how):
    """Smoothing is taken for another constant, or the label that is ignored is always the same."""
    loss = nn.CrossEntropyLoss(label_smoothing=0.1, reduction=how)
    exchanged = planted("label_cross_entropy", attributes={"ignore_index": "ignore", "label_smoothing": "z_loss"})
    assert reason(loss, exchanged).startswith("its forward computes something else than label_cross_entropy")
    without = planted("label_cross_entropy", attributes={"label_smoothing": "smoothing"})
    loss.ignore_index = 3
    assert reason(loss, without).startswith("its own forward cannot be called with random rows")


@pytest.mark.ci
def test_a_compiled_and_a_copied_model_keep_their_own_statistics():
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm2d(3, momentum=None), nn.InstanceNorm2d(3), nn.Flatten(), nn.CrossEntropyLoss())
    ours, x, label = copy.deepcopy(model), torch.randn(4, 3, 2, 2), torch.tensor([0, 1, 2, -100])
    assert len(lngen_torch.replace(ours, LAYERS).replaced) == 3
    other = copy.deepcopy(ours)
    compiled = torch.compile(lambda x: ours[3](ours[:3](x), label), backend="aot_eager", fullgraph=True)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), model[3](model[:3](x), label))
    torch.testing.assert_close(ours.state_dict(), model.state_dict())
    assert other[0].num_batches_tracked == 0
    other[:3](x)
    assert [each[0].num_batches_tracked.item() for each in (other, ours)] == [1, 2]
