"""Faults that public reports of other projects have, or had here: each by what a user of PyTorch sees."""

from __future__ import annotations

import copy
import gc
import importlib
import shutil
import sys
import weakref

import pytest

from tests.hosts import compile_nothing
from tests.requirements import NO_TORCH
from tests.shipped import ROOT

torch = pytest.importorskip("torch", reason=NO_TORCH)
lngen_torch = importlib.import_module("lngen.torch")
nn, functional = torch.nn, torch.nn.functional
NAMES = ("layer_norm", "group_norm", "batch_norm", "head_rms_norm", "softmax", "log_softmax", "label_cross_entropy")
backends = {name: importlib.import_module(f"generated.{name}.torch_backend") for name in NAMES}

LABEL = torch.tensor([1, 0, 2])


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing."""
    compile_nothing(backends.values(), monkeypatch.setattr)


def replaced(module):
    assert lngen_torch.replace(module).replaced
    return module


# ---- sizes that a program does not know


def test_named_axes_are_traced_for_every_size():
    """pytorch 135099, einops 260: a memo whose key is a size."""
    make_fx, group_norm = torch.fx.experimental.proxy_tensor.make_fx, backends["group_norm"].group_norm
    traced = make_fx(lambda x: group_norm(x, g=2), tracing_mode="symbolic")(torch.randn(3, 4, 5))
    x = torch.randn(6, 4, 7)
    torch.testing.assert_close(traced(x), functional.group_norm(x, 2))


@pytest.mark.parametrize("strict", [False, True])
def test_a_model_with_replaced_modules_is_exported_for_every_batch(strict):
    model, x = nn.Sequential(nn.GroupNorm(2, 4)), torch.randn(3, 4, 5)
    replaced(model)
    shapes = ({0: torch.export.Dim("b", min=2)},)
    program = torch.export.export(model, (x,), dynamic_shapes=shapes, strict=strict).module()
    large = torch.randn(4096, 4, 5)
    torch.testing.assert_close(program(large), functional.group_norm(large, 2))


def test_a_replaced_module_is_exported_by_itself():
    """pytorch 153086: `forward` is an object that is no function."""
    norm, x = replaced(nn.LayerNorm(4)), torch.randn(3, 4)
    program = torch.export.export(norm, (x,), strict=False).module()
    torch.testing.assert_close(program(x), functional.layer_norm(x, (4,)))


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_replaced_module_that_is_scripted_says_what_to_use_instead():
    """pytorch 113333."""
    with pytest.raises(TypeError, match=r"use torch\.export, torch\.compile or torch\.jit\.trace"):
        torch.jit.script(replaced(nn.LayerNorm(4)))


# ---- types under autocast


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_a_replaced_loss_follows_autocast(reduction):
    """pytorch 82196, optax 1020: losses are float32 under mixed precision."""
    x, loss = torch.randn(3, 5).bfloat16(), nn.CrossEntropyLoss(reduction=reduction)
    with torch.autocast("cpu", torch.bfloat16):
        expected = loss(x, LABEL)
    replaced(loss)
    with torch.autocast("cpu", torch.bfloat16):
        found = loss(x, LABEL)
    assert found.dtype == expected.dtype == torch.float32
    torch.testing.assert_close(found, expected)


def test_a_scaled_loss_of_float16_has_finite_gradients():
    """pytorch 82196: what GradScaler multiplies the loss by."""
    x = torch.randn(3, 5, dtype=torch.float16, requires_grad=True)
    loss = replaced(nn.CrossEntropyLoss())
    with torch.autocast("cpu", torch.float16):
        scaled = 65536 * loss(x, LABEL)
    scaled.backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("replaces", [False, True])
def test_parameters_make_no_rows_wider_under_autocast(replaces):
    """aiter 4780: GroupNorm and mixed types."""
    norm = replaced(nn.GroupNorm(2, 4)) if replaces else backends["head_rms_norm"].HeadRMSNorm(4, 5)
    with torch.autocast("cpu", torch.bfloat16):
        assert norm(torch.randn(2, 4, 4, 5).bfloat16()).dtype == torch.bfloat16


# ---- the life of a replaced module


def test_a_copy_of_a_replaced_module_computes_with_its_own_parameters():
    """Liger-Kernel 279, accelerate 1971."""
    norm, x = replaced(nn.LayerNorm(4)), torch.randn(3, 4)
    twin = copy.copy(norm)
    vars(twin)["_parameters"] = {"weight": nn.Parameter(torch.full((4,), 2.0)), "bias": None}
    torch.testing.assert_close(twin(x), 2 * functional.layer_norm(x, (4,)))


def test_a_replaced_module_is_freed_with_its_last_reference():
    """fairscale 424: memory stays until the collector runs."""
    norm = replaced(nn.LayerNorm(4))
    weight = weakref.ref(norm.weight)
    gc.disable()
    try:
        del norm
        assert weight() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("kind", "sizes"), [(nn.BatchNorm1d, (4,)), (nn.GroupNorm, (2, 4)), (nn.LayerNorm, (4,))])
def test_a_module_without_data_is_replaced(kind, sizes):
    """pytorch 104187: models of the meta device, filled later."""
    norm, other, x = replaced(kind(*sizes, device="meta")), kind(*sizes), torch.randn(3, 4)
    norm.to_empty(device="cpu").load_state_dict(other.state_dict())
    torch.testing.assert_close(norm(x), other(x))


@pytest.mark.parametrize("kind", [nn.Softmax, nn.LogSoftmax])
def test_rows_without_entries_are_left_to_the_module(kind):
    """pytorch 17262."""
    module = replaced(kind(-1))
    for shape in ((3, 0), (0, 0), (2, 3, 0)):
        assert module(torch.ones(shape)).shape == shape


@pytest.mark.parametrize(("kind", "sizes"), [(nn.BatchNorm2d, (6,)), (nn.GroupNorm, (2, 6))])
def test_channels_last_are_kept(kind, sizes):
    """pytorch 111824."""
    x = torch.randn(2, 6, 3, 5).to(memory_format=torch.channels_last)
    assert replaced(kind(*sizes))(x).is_contiguous(memory_format=torch.channels_last)


# ---- packages, and what other tools do to modules


def test_a_package_is_imported_anew_and_beside_one_of_a_like_name(tmp_path, monkeypatch):
    """pytorch 125183, ipython 14395: operators of PyTorch outlive the modules that registered them."""
    for folder in ("my/layers", "my__layers"):
        for name in ("_runtime", "softmax"):
            shutil.copytree(ROOT / "generated" / name, tmp_path / folder / name)
    monkeypatch.syspath_prepend(tmp_path)
    x = torch.randn(3, 4)
    for package in ("my.layers", "my__layers", "my.layers"):
        for name in [name for name in sys.modules if name.startswith(package)]:
            monkeypatch.delitem(sys.modules, name)
        made = importlib.import_module(f"{package}.softmax.torch_backend")
        compile_nothing([made], monkeypatch.setattr)
        traced = torch.fx.experimental.proxy_tensor.make_fx(made.softmax)(x)
        torch.testing.assert_close(traced(x), x.softmax(-1))


def test_a_layer_is_pruned_by_the_name_that_it_has_for_a_parameter():
    """pytorch 28594."""
    norm, x = backends["layer_norm"].LayerNorm(4), torch.randn(3, 4)
    importlib.import_module("torch.nn.utils.prune").l1_unstructured(norm, "gamma", 1)
    assert (norm.gamma == 0).sum() == 1
    torch.testing.assert_close(norm(x), functional.layer_norm(x, (4,), norm.weight))


def test_a_loss_of_chunks_says_that_it_has_no_transform():
    """functorch 207."""
    loss, (h, weight) = lngen_torch.chunked_linear("label_cross_entropy"), torch.randn(2, 3, 4)
    with pytest.raises(
        NotImplementedError, match=r"transform of torch\.func; for one, call the layer with h @ weight\.T"
    ):
        torch.func.grad(lambda h: loss(h, weight, LABEL % 3, reduction="sum"))(h)
