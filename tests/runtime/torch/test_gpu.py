"""Calls of PyTorch on a pretended GPU: launches beside the decomposition, and what does not launch."""

import contextlib
import importlib
from functools import partial
from types import SimpleNamespace

import pytest

from tests import launched, pretended
from tests.hosts import private
from tests.processes import run_alone
from tests.requirements import needs_compiled_operators, needs_release, needs_triton, needs_wrapped_interpreter
from tests.shipped import LAYERS, NAMES
from tests.tiers import sample

pytestmark = needs_triton

BOUNDS = {"float64": 1e-11, "float32": 2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Largest error of an entry, of the largest of its result; where the decomposition has more, four times that."""

SOME = ("layer_norm", "add_rms_norm_fp8", "group_norm", "rotary", "label_cross_entropy", "batch_norm")
FEW = ("layer_norm", "add_layer_norm", "group_norm")
"""Outputs of several types and kinds, inputs that share a gradient, named axes and parts."""


def wrong(dtype="float64", **of_call):
    """The results whose error is too large; kernels of both directions are launched."""
    errors, launches = launched.in_interpreter(partial(pretended.compared, dtype=dtype, **of_call))
    assert launches >= 2
    allowed = {name: max(BOUNDS[dtype], 4 * by * (dtype != "float64")) for name, (_, by) in errors.items()}
    return {name: error for name, (error, _) in errors.items() if not error <= allowed[name]}


# ---- beside the decomposition


@pytest.mark.parametrize("text", sample(sorted(launched.TEXTS), (), SOME))
def test_outputs_and_gradients_are_those_of_the_decomposition(text):
    for leading in ((3, 2), ()) if text in NAMES else ((3, 2),):
        assert wrong(text=text, leading=leading) == {}, leading


@pytest.mark.parametrize("text", sample(sorted(launched.TEXTS), (), ("layer_norm", "ada_layer_norm")))
def test_so_they_are_with_inputs_left_out(text):
    for left_out in launched.in_interpreter(pretended.absences, text):
        assert wrong(text=text, left_out=left_out) == {}, sorted(left_out)


@pytest.mark.parametrize("layout", pretended.LAYOUTS)
@pytest.mark.parametrize("text", sample(sorted(launched.TEXTS), (), FEW))
def test_inputs_and_cotangents_may_lie_in_any_order(text, layout):
    for of_inputs in pretended.LAYOUTS:
        if of_inputs != "expanded":  # all entries of a row would be the same number
            for leading in ((3, 2), (5,)):
                assert wrong(text=text, how=of_inputs, layout=layout, leading=leading) == {}, (of_inputs, leading)


@pytest.mark.parametrize("dtype", [*BOUNDS][1:])
@pytest.mark.parametrize("text", sample(LAYERS, (), FEW))
def test_other_types(text, dtype):
    assert wrong(dtype, text=text, D=40) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("D", [1, 2, 64, 1000, 20000])
@pytest.mark.parametrize("text", LAYERS)
def test_rows_of_each_length(text, D):
    assert wrong(text=text, D=D, leading=(3,)) == {}


# ---- bits, derivatives


def test_the_bits_of_a_row_do_not_depend_on_the_rows_beside_it():
    for text in ("layer_norm", "softmax", "add_rms_norm"):
        for D in (7, 64):
            assert launched.in_interpreter(pretended.bits_alone, text, "float32", D) == []


@pytest.mark.parametrize("text", ["layer_norm", "softmax"])
def test_gradients_of_gradients_are_right(text):
    assert launched.in_interpreter(pretended.second_order, text)


@pytest.mark.parametrize("way", ["plain", "no gradient", "gradient", "checkpoint", "profiler"])
def test_calls_that_launch(way):
    is_right, launches = launched.in_interpreter(pretended.ways, way)
    assert is_right
    assert launches == {"gradient": 3, "checkpoint": 4}.get(way, 1)


@pytest.mark.parametrize("way", ["no rows", "vmap", "func.grad", "jvp", "autocast", "fake", "make_fx"])
def test_calls_in_which_others_have_a_say_do_not_launch(way):
    assert launched.in_interpreter(pretended.ways, way) == (True, 0)


# ---- compiled programs


@pytest.mark.parametrize("text", sample(sorted(launched.TEXTS), (), SOME))
@needs_compiled_operators
@needs_wrapped_interpreter
def test_a_compiled_program_that_launches_computes_what_a_call_does(text):
    for left_out in (frozenset(), max(launched.in_interpreter(pretended.absences, text), key=len)):
        error, launches = launched.in_interpreter(partial(pretended.compiled, text=text, left_out=left_out))
        assert error <= 1e-12
        assert launches >= 4


@needs_compiled_operators
def test_a_compiler_sees_the_kernels_and_that_they_change_results_alone():
    run_alone(
        """
        from tests.pretended import graphs

        def kernels(of):
            return [each for each in of if type(each) is tuple]

        saved = ["mu_ptr", "mu_residual_ptr", "rstd_ptr", "y_ptr"]
        forward, backward = graphs("layer_norm")
        assert kernels(forward) == [("layer_norm_forward", saved)]
        totals = ("layer_norm_backward_totals", ["dbeta_ptr", "dgamma_ptr"])
        assert kernels(backward) == [("layer_norm_backward", ["dx_ptr", "sums_ptr"]), totals]

        forward, backward = graphs("softmax")  # whose products may not be added with one rounding
        assert kernels(forward) == [] and "_forward.default" in forward[0]
        assert kernels(backward) == [("softmax_backward", ["dx_ptr"])]

        forward, backward = graphs("layer_norm", fuses=True)
        assert kernels(forward) == kernels(backward) == []
        assert "aten.rsqrt.default" in forward
        """
    )


def test_a_compiled_program_is_one_for_any_number_of_rows_that_several_programs_of_a_kernel_take():
    run_alone(
        """
        from tests.pretended import graphs

        assert len(graphs("layer_norm", rows=(100, 101, 2000, 60000))) == 2
        """
    )


@needs_release("torch", "2.9", "does not list the kernels of an operator")
def test_what_was_compiled_before_is_known_by_the_text_of_the_kernels():
    run_alone(
        """
        import torch
        from generated.layer_norm import torch_backend
        from torch._library.triton import get_triton_kernels_for_op

        found = get_triton_kernels_for_op(torch_backend._LAYER.operators.forward._name)
        names = {each.fn.__name__ for each in found}
        assert {"layer_norm_forward", "layer_norm_backward", "layer_norm_backward_totals"} <= names
        """
    )


# ---- devices


def test_a_launch_is_on_the_device_of_its_tensors(monkeypatch):
    torch = importlib.import_module("torch")
    gpu = importlib.import_module("lngen.runtime.torch.gpu")
    current, seen = [0], []

    @contextlib.contextmanager
    def device(of):
        current.append(of.index)
        yield
        current.pop()

    monkeypatch.setattr(gpu, "_module", lambda of: SimpleNamespace(device=device))
    kernel = {(3,): lambda *arguments, **options: seen.append((current[-1], arguments, options))}
    gpu.launch(kernel, torch.device("cuda", 1), 3, 4, False, "x")
    assert seen == [(1, ("x",), {"num_warps": 4, "num_stages": 1, "enable_fp_fusion": False})]
    assert current == [0]


@pytest.mark.parametrize("target", [("cuda", 90, 32), ("hip", "gfx942", 64)])
@needs_release("torch", "2.9", "has a Triton without compilation for AMD's lanes of this test")
def test_a_call_is_compiled_once_for_any_number_of_rows(target):
    run_alone(
        f"""
        from tests.pretended import compilations

        found = compilations("layer_norm", *{target})
        names = ("forward", "backward", "backward_totals")
        assert found == {{f"layer_norm_{{name}}": 1 for name in names}}, found
        """
    )


def test_a_page_needs_no_triton():
    run_alone(
        """
        import sys
        sys.modules["triton"] = None
        import torch
        from generated._runtime.torch import gpu
        from generated.layer_norm import torch_backend

        gpu.DEVICES = ("cpu",)
        torch_backend._LAYER.has_kernels = False
        x = torch.randn(3, 7)
        y = torch_backend.layer_norm(x)
        assert torch.allclose(y, torch.nn.functional.layer_norm(x, (7,)), atol=1e-6)
        assert not gpu.has_triton()
        """
    )


def test_a_call_on_the_processor_does_not_import_triton_s_kernels():
    run_alone(
        """
        import sys
        import torch
        from generated.layer_norm import torch_backend

        torch_backend._LAYER.has_kernels = False
        torch_backend.layer_norm(torch.randn(3, 7))
        assert "generated.layer_norm.triton_kernels" not in sys.modules
        """
    )


# ---- mistakes

MISTAKES = {
    "the strides of another array": ("layer_norm", r"\*dy_strides", "*x_strides"),
    "strides that are no multiples": ("layer_norm", r"_gpu\.even\(D, \*x_strides\[:1\]\)", "16"),
    "entries taken as one behind the other": ("layer_norm", r"_gpu\.strides\(dy_rows, 0, 1\)", "(D, 1)"),
    "saved numbers mixed up": ("layer_norm", r"mu, mu_residual, rstd = saved", "mu, rstd, mu_residual = saved"),
    "another weight": ("layer_norm", r"_gpu\.dense\(gamma\)", "_gpu.dense(beta)"),
    "a weight taken as left out": ("layer_norm", "gamma is not None,", "False,"),
    "a sum over the wrong axes": ("group_norm", r"\.sum\(\(0, 3\)\)", ".sum((1, 3))"),
    "another part": ("rotary", r"\[:, :, :, 1\]", "[:, :, :, 0]"),
    "too few rows": ("rms_norm", r"rows = x\.numel\(\) // D", "rows = x.numel() // D - 1"),
    "memory that nobody writes": ("thirds", ", zeros=True", ""),
    "eps forgotten": ("rms_norm", r"float\(eps\)", "0.0"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(mistake):
    text, old, new = MISTAKES[mistake]
    try:
        assert wrong(text=text, layout="every other", changes=((old, new),)) == {}
    except (AssertionError, RuntimeError, ValueError):
        return
    pytest.fail(f"{mistake}: the results are those of the decomposition")


def test_triton_without_a_c_compiler_or_on_an_old_gpu_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton compiles what launches a kernel on first use: a layer is then computed by PyTorch's operations."""
    gpu = importlib.import_module("lngen.runtime.torch.gpu")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(gpu, "which", lambda name: None)
    assert not gpu.has_triton.__wrapped__()
    monkeypatch.setattr(gpu.torch.cuda, "get_device_capability", lambda device: (6, 1))
    assert not private(gpu, "_is_supported").__wrapped__(gpu.torch.device("cuda:0"))
