"""Emitted layers in models of transformers and timm, of random weights.

`pytest -m ci -rP tests/runtime/torch/test_models.py` prints the figures of docs/how_to/pytorch.md, a row a model.
"""

import copy
import importlib
import warnings
from typing import Any, NamedTuple

import pytest

from tests.hosts import compile_nothing
from tests.requirements import needs_models

pytestmark = [pytest.mark.ci, needs_models]

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "vocab_size": 40,
}
LATER = {**SMALL, "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 32}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 40, "n_positions": 32}
T5 = {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2, "vocab_size": 40}
IMAGES = {"image_size": 16, "patch_size": 8}


class Case(NamedTuple):
    """A model of transformers, its configuration, and how many norms of a class it has; `layer` computes them."""

    model: str
    config: str
    options: dict[str, Any]
    norm: str
    layer: str
    count: int


CASES = {
    "GPT-2": Case("GPT2LMHeadModel", "GPT2Config", GPT2, "LayerNorm", "layer_norm", 5),
    "ViT": Case("ViTForImageClassification", "ViTConfig", {**SMALL, **IMAGES}, "LayerNorm", "layer_norm", 5),
    "BERT": Case("BertForMaskedLM", "BertConfig", SMALL, "LayerNorm", "layer_norm", 6),
    "Llama": Case("LlamaForCausalLM", "LlamaConfig", LATER, "LlamaRMSNorm", "rms_norm", 5),
    "Qwen3": Case("Qwen3ForCausalLM", "Qwen3Config", LATER, "Qwen3RMSNorm", "rms_norm", 9),
    "Gemma 2": Case("Gemma2ForCausalLM", "Gemma2Config", LATER, "Gemma2RMSNorm", "offset_rms_norm", 9),
    "Gemma 3": Case("Gemma3ForCausalLM", "Gemma3TextConfig", LATER, "Gemma3RMSNorm", "offset_rms_norm", 13),
    "T5": Case("T5ForConditionalGeneration", "T5Config", T5, "T5LayerNorm", "rms_norm", 12),
}
# Each of a dozen norms rounds a few times in another order; the largest of the numbers that are compared is about 1.
ROUNDING = 64 * 2.0**-24


@pytest.fixture(scope="module")
def frameworks():
    """torch, transformers, timm and lngen.torch.

    A torchvision that is built for CUDA does not load its operators beside a PyTorch for the processor; two of them,
    which it looks for when it is imported, are declared then.
    """
    patch = pytest.MonkeyPatch()
    patch.setenv("HF_HUB_OFFLINE", "1")
    torch, library = importlib.import_module("torch"), None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module("torchvision")
        except RuntimeError:
            library = torch.library.Library("torchvision", "DEF")
            for name in ("nms", "qnms"):
                library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        transformers, timm = map(importlib.import_module, ("transformers", "timm.models.vision_transformer"))
        transformers.logging.set_verbosity_error()
        yield torch, transformers, timm, importlib.import_module("lngen.torch")
    patch.undo()


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch, frameworks):
    """Compile nothing."""
    names = ("layer_norm", "rms_norm", "offset_rms_norm")
    compile_nothing([importlib.import_module(f"generated.{name}.torch_backend") for name in names], monkeypatch.setattr)


def randomized(torch, model):
    """A model whose norms are not what every norm is at first."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model.eval()


def made(torch, transformers, case):
    torch.manual_seed(0)
    extra = {"num_labels": 4} if case.options.get("image_size") else {}
    extra |= {"decoder_start_token_id": 0} if "d_kv" in case.options else {}
    config = getattr(transformers, case.config)(**case.options, **extra)
    return randomized(torch, getattr(transformers, case.model)(config))


def loss_of(torch, model):
    words = torch.arange(12).view(2, 6)
    images = torch.linspace(-1, 1, 2 * 3 * 16 * 16).view(2, 3, 16, 16)
    if model.main_input_name == "pixel_values":
        return model(pixel_values=images, labels=torch.tensor([1, 2])).loss
    return model(input_ids=words, labels=words).loss


def outcome(loss, model):
    """A loss and the gradients of parameters by name."""
    model.zero_grad()
    value = loss(model)
    value.backward()
    return value.item(), {name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None}


def check_outcomes(before, after):
    """The same loss, and the same gradients beside the largest of them. Returns how far the gradients are apart."""
    assert after[0] == pytest.approx(before[0], rel=ROUNDING)
    largest = max(float(each.abs().max()) for each in before[1].values())
    assert before[1].keys() == after[1].keys()
    apart = max(float((gradient - after[1][name]).abs().max()) for name, gradient in before[1].items())
    assert apart <= ROUNDING * max(1, largest)
    return apart


@pytest.mark.parametrize("name", CASES)
def test_replace_in_a_model_of_transformers_keeps_all_but_the_computation(name, frameworks, tmp_path):
    torch, transformers, _, lngen_torch = frameworks
    case = CASES[name]
    model = made(torch, transformers, case)

    def loss(model):
        return loss_of(torch, model)

    def decayed():
        return transformers.Trainer.get_decay_parameter_names(None, model)

    before, decay, state = outcome(loss, model), decayed(), {name: id(x) for name, x in model.state_dict().items()}
    modules = [(str(type(each)), repr(each)) for each in model.modules()]
    done = lngen_torch.replace(model)
    assert [(type(each.module).__name__, each.layer) for each in done.replaced] == [
        (case.norm, case.layer)
    ] * case.count
    assert done.stayed == ()
    after = outcome(loss, model)
    apart = check_outcomes(before, after)
    assert decayed() == decay
    assert [*model.state_dict()] == [*state]
    assert [(str(type(each)), repr(each)) for each in model.modules()] == modules
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    optimizer.step()
    trained = outcome(loss, model)
    assert abs(trained[0] - before[0]) > 1e-2
    model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path).eval()
    again = outcome(loss, loaded)
    check_outcomes(trained, again)
    losses = (f"{each[0]:.7g}" for each in (before, after, trained, again))
    print("|", " | ".join([name, f"{case.count} {case.norm}", *losses, f"{apart:.1e}", f"{len(decay)}"]), "|")
    done.undo()
    undone, expected = outcome(loss, model), outcome(loss, loaded)
    assert undone[0] == expected[0]
    assert all(torch.equal(undone[1][name], gradient) for name, gradient in expected[1].items())


@pytest.mark.parametrize(("norm", "layer"), [("LayerNorm", "layer_norm"), ("RmsNorm", "rms_norm")])
def test_replace_in_a_model_of_timm_keeps_all_but_the_computation(norm, layer, frameworks):
    torch, _, timm, lngen_torch = frameworks
    optim = importlib.import_module("timm.optim")
    torch.manual_seed(0)
    kind = getattr(importlib.import_module("timm.layers"), norm)
    model = timm.VisionTransformer(
        img_size=16, patch_size=8, embed_dim=32, depth=2, num_heads=2, num_classes=4, norm_layer=kind, qk_norm=True
    )
    randomized(torch, model)
    images = torch.linspace(-1, 1, 2 * 3 * 16 * 16).view(2, 3, 16, 16)

    def loss(model):
        return torch.nn.functional.cross_entropy(model(images), torch.tensor([1, 2]))

    def groups():
        return [[id(each) for each in group["params"]] for group in optim.param_groups_weight_decay(model)]

    before, decay, keys = outcome(loss, model), groups(), [*model.state_dict()]
    done = lngen_torch.replace(model)
    assert [(isinstance(each.module, kind), each.layer) for each in done.replaced] == [(True, layer)] * 9
    after = outcome(loss, model)
    apart = check_outcomes(before, after)
    print(f"| ViT of timm | 9 {norm} | {before[0]:.7g} | {after[0]:.7g} |  |  | {apart:.1e} | {len(decay[1])} |")
    assert groups() == decay
    assert [*model.state_dict()] == keys
    done.undo()
    again = outcome(loss, model)
    assert again[0] == before[0]
    assert all(torch.equal(again[1][name], gradient) for name, gradient in before[1].items())


def test_replace_by_the_wrong_layer_is_refused(frameworks):
    """Gemma's weight is what is added to 1, and Llama's is not."""
    torch, transformers, _, lngen_torch = frameworks
    replacing, interface = map(
        importlib.import_module, ("generated._runtime.torch", "generated._runtime.protocol.interface")
    )
    layer = importlib.import_module("generated.rms_norm.torch_backend")._LAYER
    gemma = made(torch, transformers, CASES["Gemma 2"])
    name = "transformers.models.gemma2.modeling_gemma2.Gemma2RMSNorm"
    wrong = copy.copy(layer)
    entry = interface.counterpart(name, {"weight": "gamma", "eps": "eps"})
    wrong.interface = {**layer.interface, "counterparts": [entry]}
    done = lngen_torch.replace(gemma, [type("Wrong", (replacing.Module,), {"_layer": wrong})])
    assert done.replaced == ()
    assert {each.reason.partition(":")[0] for each in done.stayed} == {
        "its forward computes something else than rms_norm"
    }
