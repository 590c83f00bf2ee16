"""Emitted modules in the place of PyTorch's."""

import copy
import importlib

import pytest

from tests.requirements import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)
lngen_torch = importlib.import_module("lngen.torch")
backends = {
    name: importlib.import_module(f"generated.{name}.torch_backend") for name in ("layer_norm", "rms_norm", "softmax")
}
nn = torch.nn


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Nothing is compiled."""
    for backend in backends.values():
        kernels = backend._LAYER.operators.kernels
        monkeypatch.setattr(kernels, "host", kernels.numpy)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleDict({"first": nn.LayerNorm(6), "second": nn.RMSNorm(6, eps=0.5)})
        self.rest = nn.Sequential(nn.LayerNorm(6, bias=False), nn.Softmax(dim=-1), nn.Linear(6, 2))

    def forward(self, x):
        return self.rest(self.norms["second"](self.norms["first"](x)))


def randomized(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return model


def test_a_model_computes_the_same_with_its_own_parameters():
    torch.manual_seed(0)
    model, x = randomized(Model()), torch.randn(3, 6)
    before, parameters, expected = copy.deepcopy(model), [*model.parameters()], model(x)
    lines = [*map(str, lngen_torch.replace(model))]
    assert lines == [
        "norms.first: LayerNorm((6,), eps=1e-05, elementwise_affine=True, bias=True) is now LayerNorm(6, eps=1e-05)",
        "norms.second: RMSNorm((6,), eps=0.5, elementwise_affine=True) is now RMSNorm(6, eps=0.5)",
        "rest.0: LayerNorm((6,), eps=1e-05, elementwise_affine=True, bias=False) is now "
        "LayerNorm(6, eps=1e-05, beta=False)",
        "rest.1: Softmax(dim=-1) is now Softmax()",
    ]
    assert type(model.norms["first"]) is backends["layer_norm"].LayerNorm
    assert [id(each) for each in model.parameters()] == [*map(id, parameters)]
    torch.testing.assert_close(model(x), expected)
    # Code that looks into a norm, and states of before, find what they look for.
    assert model.norms["first"].weight is model.norms["first"].gamma
    assert model.rest[0].bias is None
    with torch.no_grad():
        for each in model.parameters():
            each.zero_()
    model.load_state_dict(before.state_dict())
    torch.testing.assert_close(model(x), expected)
    model.load_state_dict(copy.deepcopy(model).state_dict())


def test_what_is_shared_stays_shared_and_modes_stay():
    norm = nn.LayerNorm(4).eval()
    norm.weight.requires_grad_(False)
    model = nn.Sequential(norm, nn.Linear(4, 4), norm)
    assert len(lngen_torch.replace(model)) == 2
    assert model[0] is model[2]
    assert not model[0].training
    assert not model[0].gamma.requires_grad
    assert model[1].training


def test_a_step_of_the_type_is_that_of_the_parameters():
    model = nn.Sequential(nn.RMSNorm(4), nn.RMSNorm(4, elementwise_affine=False))
    x = torch.randn(2, 4) * 1e-4
    expected = model[0](x)
    _, stays = lngen_torch.replace(model)
    assert model[0].eps == torch.finfo(torch.float32).eps
    torch.testing.assert_close(model[0](x), expected)
    assert not stays.after
    assert "its eps is None" in stays.reason


def test_what_cannot_be_replaced_stays_and_says_why():
    class Own(nn.LayerNorm):
        pass

    hooked = nn.LayerNorm(4)
    hooked.register_forward_hook(lambda *_: None)
    model = nn.Sequential(nn.LayerNorm((3, 4)), nn.Softmax(dim=0), hooked, Own(4))
    before = [*model]
    assert [each.reason for each in lngen_torch.replace(model)] == [
        "its rows are of 2 axes (3, 4); a row here has one",
        "its dim is 0, and has to be -1",
        "it has forward hooks, which a new module would not have",
    ]
    assert [*model] == before
    [itself] = lngen_torch.replace(nn.LayerNorm(4))
    assert itself.reason == "it is the model itself; pass what it is a part of"
    assert "stays" in str(itself)


def test_layers_may_be_chosen():
    model = Model()
    found = lngen_torch.replace(model, ["rms_norm", backends["softmax"].Softmax])
    assert [each.name for each in found] == ["norms.second", "rest.1"]


def test_the_encoder_of_torch_takes_emitted_norms():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0).eval()
    x = torch.randn(2, 3, 8)
    with torch.no_grad():
        expected = layer(x)
        assert len(lngen_torch.replace(layer)) == 2
        torch.testing.assert_close(layer(x), expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_parameters_keep_their_type(dtype):
    model = nn.Sequential(nn.LayerNorm(4, dtype=dtype))
    lngen_torch.replace(model)
    assert model[0].gamma.dtype == dtype
    assert model[0](torch.randn(2, 4, dtype=dtype)).dtype == dtype
