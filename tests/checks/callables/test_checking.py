"""Functions of other people: right ones hold, and each wrong one is found by the claim that is about its fault."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks.callables.checking import VALUES, CallableRequest
from lngen.checks.callables.shown import lines
from lngen.errors import LngenError
from tests.checks.callables import kernels
from tests.checks.callables.asked import checked, claims


@pytest.mark.ci
def test_a_right_function_of_numpy_holds_every_claim():
    report = checked(kernels.rms_norm, backward=kernels.rms_norm_backward)
    assert (report.outcome, report.backend, report.failures) == ("passed", "NumPy", ())
    assert {each.kind for each in report.evidence} == {VALUES, "hard inputs", "contracts"}


def test_a_wrong_gradient_is_told_once_with_what_else_fails_by_it():
    report = checked(kernels.rms_norm, backward=kernels.without_mean_term)
    assert {each.what for each in report.failures if each.kind == VALUES} == {"dx"}
    said = [*lines(report, "kernels:rms_norm")]
    assert said[0] == "kernels:rms_norm beside rms_norm, NumPy: FAILED"
    assert any("values and gradients: dx, 3 x 1 in float64" in line for line in said)
    assert any("other claims fail too" in line for line in said)
    assert sum("worst at" in line for line in said) == 1


def test_a_function_that_writes_to_what_it_is_given_is_found():
    assert "inputs are never written" in claims(checked(kernels.rms_norm, backward=kernels.writes_to_the_cotangent))


@pytest.mark.ci
def test_a_parameter_of_an_earlier_call_is_told_from_one_that_is_not_read():
    kept = {}

    def keeps(x, gamma, eps):
        return kernels.rms_norm(x, kept.setdefault((x.shape[-1], x.dtype, gamma is None), gamma), eps)

    def ignores(x, gamma, eps):
        return kernels.rms_norm(x, eps=eps)

    for function, why in ((keeps, "it is kept from an earlier call"), (ignores, "it is not read")):
        report = checked(function, CallableRequest(("float64",)), backward=kernels.rms_norm_backward)
        assert f"  y: the same with another gamma: {why}" in lines(report, "f")


@pytest.mark.ci
def test_an_input_that_is_not_taken_is_left_out_and_a_constant_has_its_value():
    def norm(x):
        return kernels.rms_norm(x, eps=0.5)

    def backward(dy, x):
        return kernels.rms_norm_backward(dy, x, eps=0.5)[0]

    asked = CallableRequest(dtypes=("float64",))
    assert not checked(norm, asked, backward=backward, fixed={"eps": 0.5}).failures
    assert VALUES in claims(checked(norm, asked, backward=backward))


def test_a_claim_can_be_left_out():
    asked = CallableRequest(dtypes=("float64",), without=("never written", "cotangents of a sum"))
    assert not checked(kernels.rms_norm, asked, backward=kernels.writes_to_the_cotangent).failures


@pytest.mark.ci
def test_words_that_no_claim_has_are_refused():
    with pytest.raises(LngenError, match=r"no claim has these words; there are: .*; inputs are never written; "):
        checked(kernels.rms_norm, CallableRequest(without=("dx",)), backward=kernels.rms_norm_backward)


def test_float32_inside_is_told_and_fails_where_it_is_strict():
    def narrow(x, gamma, eps):
        return kernels.rms_norm(x.astype(np.float32), gamma, eps).astype(x.dtype)

    def backward(dy, x, gamma, eps):
        found = kernels.rms_norm_backward(dy.astype(np.float32), x.astype(np.float32), gamma, eps)
        return [each if each is None else each.astype(x.dtype) for each in found]

    asked = CallableRequest(dtypes=("float64",))
    report = checked(narrow, asked, backward=backward)
    assert not report.failures
    assert any("float32 inside in float64" in line for line in lines(report, "f"))
    assert checked(narrow, CallableRequest(dtypes=("float64",), strict=True), backward=backward).failures


def test_gradients_in_memory_that_the_next_call_writes_are_found():
    memory = {}

    def backward(dy, x, gamma, eps):
        dx, dgamma = kernels.rms_norm_backward(dy, x, gamma, eps)
        kept = memory.setdefault((x.shape, x.dtype), dx)
        kept[...] = dx
        return kept, dgamma

    assert "backward again, with another cotangent" in claims(checked(kernels.rms_norm, backward=backward))


def test_rows_that_are_zero_since_their_square_is_infinite_are_found():
    def squared_in_float16(x, gamma, eps):
        r = 1 / np.sqrt((x**2).mean(-1, keepdims=True, dtype=np.float32) + eps)
        return ((x if gamma is None else x * gamma) * r).astype(x.dtype)

    asked = CallableRequest(dtypes=("float16",))
    assert claims(checked(squared_in_float16, asked, backward=kernels.rms_norm_backward)) == {"values of 1e3"}


def test_an_input_without_a_default_may_have_to_be_given():
    def scaled(x, gamma, eps):
        return (kernels.rms_norm(x, None, eps) * gamma).astype(x.dtype)

    report = checked(scaled, CallableRequest(dtypes=("float32",)), backward=kernels.rms_norm_backward)
    assert not report.failures
    assert any("left-out inputs, passed as None: not run: it has to be given gamma" in x for x in lines(report, "f"))
    scaled.__defaults__ = (None, 1e-6)
    assert "left-out inputs, passed as None" in claims(
        checked(scaled, CallableRequest(dtypes=("float32",)), backward=kernels.rms_norm_backward)
    )


def softmax_backward(dy, x):
    y = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    y /= y.sum(-1, keepdims=True)
    return (y * (dy - (y * dy).sum(-1, keepdims=True))).astype(x.dtype)


def test_a_maximum_that_begins_at_a_large_number_is_found_below_it():
    def softmax(x):
        e = np.exp(x.astype(np.float64) - np.maximum(x.max(-1, keepdims=True), -5e3))
        return (e / e.sum(-1, keepdims=True)).astype(x.dtype)

    asked = CallableRequest(dtypes=("float32",))
    assert claims(checked(softmax, asked, "softmax", backward=softmax_backward)) == {"offset 10000"}


@pytest.mark.ci
def test_half_types_may_round_each_step_of_the_adjoint_as_written_and_no_more():
    def log_softmax(x):
        wide = x.astype(np.float64) - x.max(-1, keepdims=True)
        return (wide - np.log(np.exp(wide).sum(-1, keepdims=True))).astype(x.dtype)

    def backward(dy, x, digits=lambda total: total):
        e = np.exp(x - x.max(-1, keepdims=True))
        of_e = e.sum(-1, keepdims=True, dtype=np.float32).astype(x.dtype)
        of_sum = (-dy / of_e).sum(-1, keepdims=True, dtype=np.float32).astype(x.dtype)
        return dy + digits(of_sum) * e

    def with_fewer_digits(dy, x):
        return backward(dy, x, lambda total: (total * (1 + 2**-5)).astype(x.dtype))

    asked = CallableRequest(dtypes=("float16",))
    report = checked(log_softmax, asked, "log_softmax", backward=backward)
    assert not report.failures
    assert "  each step rounded in float16: as its results in this type need" in lines(report, "f")
    assert VALUES in claims(checked(log_softmax, asked, "log_softmax", backward=with_fewer_digits))


@pytest.mark.ci
def test_half_types_may_round_each_step_and_no_more():
    def each_step(x, gamma, eps):
        mean = (x.astype(np.float32) ** 2).mean(-1, keepdims=True)
        y = (x * (1 / np.sqrt(mean + eps)).astype(x.dtype)).astype(x.dtype)
        return y if gamma is None else (y * gamma).astype(x.dtype)

    def sums_too(x, gamma, eps):
        y = x / np.sqrt(np.cumsum(x**2, -1, dtype=x.dtype)[..., -1:] / x.shape[-1] + eps).astype(x.dtype)
        return y.astype(x.dtype) if gamma is None else (y * gamma).astype(x.dtype)

    asked = CallableRequest(dtypes=("float16",))
    assert not checked(each_step, asked, backward=kernels.rms_norm_backward).failures
    failed = checked(sums_too, asked, backward=kernels.rms_norm_backward).failures
    assert ("y", (5, 1000)) in {(each.what, each.shape) for each in failed}


@pytest.mark.ci
def test_a_one_pass_variance_is_found_at_a_large_mean():
    def standardize(x, eps):
        wide = x.astype(np.float32) if x.dtype != np.float64 else x
        mu = wide.mean(-1, keepdims=True)
        variance = np.maximum((wide**2).mean(-1, keepdims=True) - mu**2, 0)
        return ((wide - mu) / np.sqrt(variance + eps)).astype(x.dtype)

    def backward(dy, x, eps):
        wide = x.astype(np.float64)
        c = wide - wide.mean(-1, keepdims=True)
        r = 1 / np.sqrt((c**2).mean(-1, keepdims=True) + eps)
        xhat = c * r
        return (r * (dy - dy.mean(-1, keepdims=True) - xhat * (dy * xhat).mean(-1, keepdims=True))).astype(x.dtype)

    found = checked(standardize, CallableRequest(dtypes=("float32",)), "layer_norm", backward=backward)
    assert {each.what for each in found.failures} == {"offset 10000: y"}


@pytest.mark.ci
def test_masked_logits_are_no_number_where_a_term_of_theirs_is_multiplied_by_zero():
    def loss(x, label, smoothing):
        with np.errstate(all="ignore"):
            lse = np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1)) + x.max(-1)
            at = np.take_along_axis(x, label[..., None], -1)[..., 0]
            return (lse - (1 - smoothing) * at - smoothing * x.mean(-1)).astype(x.dtype)

    def backward(dy, x, label, smoothing):
        e = np.exp(x - x.max(-1, keepdims=True))
        hot = np.arange(x.shape[-1]) == label[..., None]
        slope = e / e.sum(-1, keepdims=True) - (1 - smoothing) * hot - smoothing / x.shape[-1]
        return (slope * dy[..., None]).astype(x.dtype)

    asked = CallableRequest(dtypes=("float64",), without=("labels of -100",))
    found = checked(loss, asked, "label_cross_entropy", call="f(x, label, smoothing)", backward=backward)
    assert {each.what for each in found.failures} == {
        "entries of -inf: y is finite where the definition's is",
        "entries of -inf: y",
    }


def test_what_draws_random_numbers_is_refused():
    with pytest.raises(LngenError, match="random numbers"):
        checked(kernels.rms_norm, name="dropout_add_layer_norm")


def test_digits_of_wide_parameters_count():
    """Right at the types of rows, since the parameters have no more digits there."""

    def rounded(x, gamma, eps):
        return kernels.rms_norm(x, gamma.astype(x.dtype), eps)

    def backward(dy, x, gamma, eps):
        dx, dgamma = kernels.rms_norm_backward(dy, x, gamma, eps)
        return dx, dgamma.astype(x.dtype).astype(gamma.dtype)

    asked = CallableRequest(("bfloat16",), without=("left-out inputs",))
    wide = "parameters of float32: "
    found = checked(rounded, asked, backward=kernels.rms_norm_backward).failures
    assert {each.what for each in found} == {f"{wide}y"}
    found = checked(kernels.rms_norm, asked, backward=backward).failures
    assert {each.what for each in found} == {f"{wide}dgamma"}

    def same_types(x, gamma, eps):
        return kernels.rms_norm(x, gamma, eps) if gamma is None or gamma.dtype == x.dtype else 1 / 0

    report = checked(same_types, asked, backward=kernels.rms_norm_backward)
    assert not report.failures
    assert any("of float32 in bfloat16: refused, by ZeroDivisionError" in line for line in lines(report, "f"))


BATCH = """
from lngen.language import Array, Constant, mean, rsqrt

def batch(x: Array["n c ..."], gamma: Array["c"] = 1, eps: Constant = 1e-5):
    return gamma * x * rsqrt(mean(x**2, "n ...") + eps)
"""


def over_batch(x, gamma, eps):
    axes, shape = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    return gamma.reshape(shape) * x / np.sqrt((x**2).mean(axes, keepdims=True) + eps)


def over_batch_backward(dy, x, gamma, eps, wrong=1.0):
    axes, shape = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    r = 1 / np.sqrt((x**2).mean(axes, keepdims=True) + eps)
    xhat, g = x * r, dy * gamma.reshape(shape)
    dx = r * (g - wrong * xhat * (g * xhat).mean(axes, keepdims=True))
    return dx, (dy * xhat).sum(axes)


def test_named_axes_are_those_of_the_function():
    def wrong(dy, x, gamma, eps):
        return over_batch_backward(dy, x, gamma, eps, 0.9)

    def other_eps(x, gamma):
        return over_batch(x, gamma, 1e-3)

    def other_eps_backward(dy, x, gamma):
        return over_batch_backward(dy, x, gamma, 1e-3)

    right = checked(over_batch, name=BATCH, backward=over_batch_backward)
    assert (right.outcome, right.failures) == ("passed", ())
    assert any("named axes: in float64 alone" in line for line in lines(right, "f"))
    assert {e.what for e in checked(over_batch, name=BATCH, backward=wrong).failures} == {"gradients"}
    report = checked(other_eps, name=BATCH, backward=other_eps_backward)
    assert report.failures
    assert any("held to eps = 1e-05" in line for line in lines(report, "f"))
    assert not checked(other_eps, name=BATCH, backward=other_eps_backward, fixed={"eps": 1e-3}).failures


def test_a_row_that_is_not_taken_is_left_out_of_every_claim():
    def blend(x):
        return 3 * x

    text = "def blend(x: Row, other: Row = 0): return 3*x + other**2"
    assert not checked(blend, CallableRequest(("float64",)), text, backward=lambda dy: 3 * dy).failures


@pytest.mark.ci
def test_a_constant_that_is_not_passed_is_told():
    report = checked(lambda x, gamma: kernels.rms_norm(x, gamma, 1e-6), backward=lambda x, gamma, dy: None)
    (told,) = [each for each in report.evidence if each.what == "eps is not passed"]
    assert told.detail == "held to eps = 1e-05; --constant eps=NUMBER says what the function has"
