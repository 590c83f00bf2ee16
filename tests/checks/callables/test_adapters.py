"""Functions of PyTorch and JAX: right ones hold, and each wrong one is found by the claim that is about its fault."""

from __future__ import annotations

import pytest

import lngen
from lngen.checks.callables.checking import CallableRequest, Subject
from lngen.checks.callables.shown import lines
from lngen.errors import LngenError, ToolchainMissing
from tests.checks.callables import kernels
from tests.checks.callables.asked import FLOATS, checked, claims, plan_of
from tests.requirements import needs_jax, needs_torch
from tests.tiers import sample

# As benchmarks.wrong_kernels has them, which imports PyTorch.
WITH_A_CLAIM_OF_THEIR_OWN = [
    *("PackedInput", "PackedCotangent", "OverInput", "ScaledTwice", "AnyOrder", "OnlyWithX", "FirstAxis", "Shared"),
    *("Silent", "FirstRows", "FixedEps", "GammaRounded", "wide_result", "StridesOfX", "KeptGamma"),
]
WRONG = [
    *WITH_A_CLAIM_OF_THEIR_OWN,
    *("GammaOutside", "NoTail", "TwoBlocks", "First1024", "NarrowSums", "eps_outside", "detached", "FromOutput"),
    *("MeanTwice", "Padded", "unbiased", "one_pass", "ResidualFirst", "SecondOutput", "Swapped", "Ignored"),
    *("FirstCotangent", "smoothed", "sign_inside", "softmax_without_a_shift", "log_of_softmax"),
]


@needs_torch
def test_contributions_to_a_gradient_are_rounded_one_by_one():
    """Autograd adds three parts of the gradient of the sum of rows, where the program has one addition."""
    import torch

    def add_norm(x, residual, gamma=None, eps=1e-6, wrong=1.0):
        wide = [t.double() if t.dtype == torch.float64 else t.float() for t in (x, residual)]
        h = wide[0] + wide[1]
        y = h * torch.rsqrt((h * h).mean(-1, keepdim=True) + eps)
        return (y if gamma is None else y * gamma).to(x.dtype), (h * wrong).to(x.dtype)

    asked = CallableRequest(("float32",))
    assert not checked(add_norm, asked, "add_rms_norm").failures
    assert checked(
        lambda x, residual, gamma, eps: add_norm(x, residual, gamma, eps, 1 + 1e-6), asked, "add_rms_norm"
    ).failures


@needs_torch
def test_parts_of_an_array_are_one_argument():
    import torch

    def rotary(x, cosine, sine):
        a, b = x.chunk(2, -1)
        return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)

    assert not checked(rotary, name="rotary").failures
    assert checked(lambda x, cosine, sine: rotary(x, cosine, -sine), name="rotary").failures


@needs_torch
def test_groups_are_passed_and_an_error_of_the_function_is_a_failure():
    import torch

    group_norm = torch.nn.functional.group_norm
    assert not checked(group_norm, name="group_norm", call="f(x, g, gamma, beta, eps)").failures

    def at_some_sizes(x, gamma, beta, g, eps):
        return group_norm(x, g, gamma, beta, eps) if x.shape[1] != 21 else 1 / 0

    (failed,) = checked(at_some_sizes, name="group_norm").failures
    assert (failed.what, failed.detail) == ("a call", "ZeroDivisionError: division by zero")
    with pytest.raises(LngenError, match="raises ZeroDivisionError"):
        checked(lambda x, gamma, beta, g, eps: 1 / 0, name="group_norm")
    with pytest.raises(LngenError, match="g of group_norm is not passed"):
        checked(lambda x, gamma, beta: group_norm(x, 2, gamma, beta), name="group_norm")
    with pytest.raises(LngenError, match="a function of them, not a module"):
        checked(torch.nn.GroupNorm, name="group_norm", call="f(x, num_groups=g)")


@needs_jax
def test_a_function_of_jax_is_compiled_once_for_each_shape(monkeypatch):
    import jax
    from jax._src import compiler

    made, compiled = [], compiler.compile_or_get_cached
    monkeypatch.setattr(compiler, "compile_or_get_cached", lambda *a, **k: made.append(a) or compiled(*a, **k))
    report = checked(lambda x: jax.nn.softmax(x, -1), CallableRequest(("float32",)), "softmax")
    assert report.failures == ()
    assert 20 < len(made) < 70


@needs_jax
def test_what_a_function_of_jax_keeps_between_calls_is_found():
    import jax
    import jax.numpy as jnp

    kept = {}

    @jax.custom_vjp
    def norm(x, eps):
        return forward(x, eps)[0]

    def forward(x, eps):
        kept[x.shape, x.dtype] = jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + eps)
        return x * kept[x.shape, x.dtype], x

    def backward(x, dy):
        r = kept[x.shape, x.dtype]
        return r * (dy - x * r * jnp.mean(dy * x * r, -1, keepdims=True)), None

    norm.defvjp(forward, backward)
    assert claims(checked(lambda x, eps: norm(x, eps), CallableRequest(("float64",)))) == {
        "two calls before a backward"
    }


@needs_jax
def test_a_compiled_square_of_float16_is_infinite_as_it_is_an_operation_at_a_time():
    import jax.numpy as jnp

    def norm(x, eps):
        return (x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + eps)).astype(x.dtype)

    assert claims(checked(norm, CallableRequest(("float16",)))) == {"values of 1e3"}


@needs_torch
def test_a_right_function_of_pytorch_holds_every_claim():
    from benchmarks import wrong_kernels

    for kernel in wrong_kernels.RIGHT:
        for function in (kernel.callable, kernel.own):
            report = checked(function, FLOATS, kernel.layer)
            assert (report.backend, report.failures) == ("PyTorch", ())


@needs_torch
@pytest.mark.parametrize("name", sample(WRONG, (), WITH_A_CLAIM_OF_THEIR_OWN))
def test_each_wrong_function_is_found_by_the_claim_about_its_fault(name):
    from benchmarks import wrong_kernels

    (kernel,) = (each for each in wrong_kernels.WRONG if each.function.__name__ == name)
    report = checked(kernel.callable, CallableRequest(), kernel.layer, fixed=kernel.constants)
    assert kernel.claim in {word for each in report.failures for word in (each.kind, each.what.partition(": ")[0])}


@needs_torch
def test_a_function_that_has_no_second_derivative_is_told_and_has_not_failed():
    from torch.autograd import Function
    from torch.autograd.function import once_differentiable

    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        @once_differentiable
        def backward(ctx, dy):
            return 2 * dy

    report = checked(Doubled.apply, name="def doubled(x: Row): return 2*x")
    assert not report.failures
    assert any("second derivative: refused" in line for line in lines(report, "f"))


@needs_torch
def test_a_parameter_may_be_one_number():
    import torch

    text = "def scaled(x: Row, s: Scalar): return s*x"
    assert not checked(torch.mul, CallableRequest(("float64",)), text, call="f(x, s)").failures
    report = checked(lambda x, s: torch.mul(x, s.detach().fill_(0.5)), CallableRequest(("float64",)), text)
    assert "  y: the same with another s: it is not read" in lines(report, "f")


@needs_torch
def test_a_module_is_called_as_the_line_in_pytorch_says():
    import torch

    assert not checked(torch.nn.RMSNorm).failures
    assert not checked(torch.nn.LayerNorm, name="layer_norm").failures


@needs_torch
def test_a_module_that_is_made_has_one_length_of_rows_and_its_own_constants():
    import torch

    report = checked(torch.nn.RMSNorm(12, eps=0.25))
    assert not report.failures
    assert {each.shape[1] for each in report.evidence if each.shape} == {12}


@needs_torch
def test_a_function_with_too_many_results_is_refused():
    import torch

    with pytest.raises(LngenError, match="returns 2 results, and rms_norm has y"):
        checked(lambda x, gamma, eps: (x, x))
    assert not checked(
        lambda x, gamma, eps: (torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, eps), x), call="f(x, gamma, eps)[0]"
    ).failures


@needs_jax
def test_a_function_of_jax_is_told_what_it_needs():
    import jax

    report = checked(lambda x: jax.nn.softmax(x, -1), CallableRequest(("bfloat16",)), "softmax")
    assert (report.backend, report.failures) == ("JAX", ())
    assert any(each.what == "each step rounded" and each.dtype == "bfloat16" for each in report.evidence)


@needs_torch
def test_a_device_that_is_not_there_is_told():
    import torch

    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    with pytest.raises(ToolchainMissing, match="torch has no device 'cuda' here"):
        Subject.of(plan_of("softmax").derivation.definition, lambda x: torch.softmax(x, -1), device="cuda")
    with pytest.raises(LngenError, match="runs on the processor"):
        checked(kernels.rms_norm, backward=kernels.rms_norm_backward, device="cuda")


@needs_torch
def test_arrays_are_made_on_the_device_that_is_named():
    import torch

    seen = set()

    def softmax(x):
        seen.add(x.device)
        return torch.softmax(x, -1)

    # No memory is behind this device: what is computed there has shapes alone.
    subject = Subject.of(plan_of("softmax").derivation.definition, softmax, device="meta")
    assert seen == {torch.device("meta")}
    assert subject.framework == "PyTorch"


@needs_torch
def test_what_pytorch_does_itself_is_told_beside_a_failure():
    import torch

    def own(x, gamma, eps):
        return torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, eps)

    report = lngen.check(lambda x, gamma, eps: own(x, gamma, 2 * eps), "rms_norm", dtypes=["float64"])
    assert "PyTorch's own RMSNorm holds this claim" in str(report)
    assert lngen.check(own, "rms_norm", dtypes=["float64"]).own is None


@needs_torch
def test_a_class_that_asks_for_the_length_of_a_row_is_made_with_it():
    import torch

    class Norm(torch.nn.Module):
        def __init__(self, hidden_size, eps=1e-6):
            super().__init__()
            self.weight, self.variance_epsilon = torch.nn.Parameter(torch.ones(hidden_size)), eps

        def forward(self, x):
            return torch.nn.functional.rms_norm(x, x.shape[-1:], self.weight, self.variance_epsilon)

    call = "f(x, weight=gamma, variance_epsilon=eps)"
    assert not checked(Norm, call=call).failures
    assert not checked(Norm, call="f(x, weight=gamma, eps=eps)").failures


@needs_torch
def test_a_module_may_take_its_rows_by_name():
    import torch

    class Norm(torch.nn.Module):
        def __init__(self, dim, epsilon=1e-6):
            super().__init__()
            self.scale, self.epsilon = torch.nn.Parameter(torch.ones(dim)), epsilon

        def forward(self, hidden):
            return torch.nn.functional.rms_norm(hidden, hidden.shape[-1:], self.scale, self.epsilon)

    assert not checked(Norm, call="f(hidden=x, dim=D, scale=gamma, epsilon=eps)").failures
    assert not checked(Norm(12), call="f(hidden=x, scale=gamma)", fixed={"eps": 1e-6}).failures
    with pytest.raises(
        LngenError, match=r"its parameters by name, as in --call \"f\(x, its_gamma=gamma, its_eps=eps\)"
    ):
        checked(Norm)
