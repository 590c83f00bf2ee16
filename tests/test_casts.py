"""Layers with outputs that are cast, on every backend: their types, their bits, and derivatives straight through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lngen.checks.layer import Checkable
from lngen.checks.runner import check
from lngen.language.oracle.evaluate import LONGDOUBLE, evaluate
from lngen.language.parsing import parse
from lngen.plan.cost import cost
from lngen.runtime.numpy.casts import cast
from lngen.runtime.protocol.casts import TARGETS
from tests import derivatives, roundings

QUANTIZED = """
def quantized(x: Row, r: Row = 0, gamma: Feature = 1):
    h = x + r
    y = gamma*h*rsqrt(mean(h**2) + 1e-5)
    s = maximum(max(abs(y)), 1e-12)/448
    q = cast(y/s, "float8_e4m3fn")
    t = cast(9*mean(h), "int8")
    b = cast(h, "bfloat16")
    return q, s, h, t, b
"""
ROUNDED = "def rounded(x: Row): return cast(x, '{}')"


def inputs(shape: tuple[int, ...], dtype: Any) -> list[Any]:
    random = np.random.default_rng(0)
    return [random.normal(size=size).astype(dtype) for size in (shape, shape, shape[-1:])]


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 600), (400, 300), (0, 4)])
def test_outputs_have_their_own_types_whatever_the_rows_have(dtype, shape):
    layer = derivatives.module(QUANTIZED)
    given = inputs(shape, dtype)
    (q, s, h, t, b), saved = layer.forward(*given)
    kinds = [each.dtype for each in (q, s, h, t, b)]
    assert kinds == [roundings.dtype("float8_e4m3fn"), dtype, dtype, np.int8, roundings.dtype("bfloat16")]
    assert [each.shape for each in (q, s, h, t, b)] == [shape, shape[:-1], shape, shape[:-1], shape]
    exact = evaluate(parse(QUANTIZED), dict(zip(("x", "r", "gamma"), given, strict=True)), LONGDOUBLE)
    gap = np.abs(t.astype(float) - exact["t"].astype(float))
    assert gap.size == 0 or gap.max() <= 1
    if dtype is np.float64:
        np.testing.assert_array_equal(b.astype(float), exact["b"].astype(float))
        np.testing.assert_array_equal(t, exact["t"])
    gradients = layer.backward(saved, np.ones(shape, dtype), None, None, None, None)
    assert gradients.dx.dtype == dtype


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_every_16_bit_input_is_rounded_as_ml_dtypes_does(target, kind):
    values = roundings.every(kind, np.float32)
    wanted = roundings.expected(values, target)
    for given in (values, roundings.in_type(values, np.float64), values.reshape(64, 1024), values[:999]):
        y, _ = derivatives.module(ROUNDED.format(target)).forward(given)
        assert roundings.same(y.reshape(-1), wanted[: y.size])


def test_out_of_the_type_of_a_cast_is_written_to_and_another_is_refused():
    layer, given = derivatives.module(QUANTIZED), inputs((7, 9), np.float32)
    plain, _ = layer.forward(*given)
    out = [np.empty_like(each) for each in plain]
    made, _ = layer.forward(*given, out=out)
    for mine, place, value in zip(made, out, plain, strict=True):
        assert mine is place or np.shares_memory(mine, place)
        assert roundings.same(place, value)
    with pytest.raises(ValueError, match=r"out for q has shape \(7, 9\) and type float32; pass np.empty"):
        layer.forward(*given, out=[np.empty((7, 9), np.float32), None, None, None, None])


def test_cast_of_an_output_beside_that_output_rounds_one_of_them():
    statements = ["h = 2*x", "q = cast(h, 'int8')", "m = mean(x)", "n = cast(m, 'uint8')", "return h, q, m, n"]
    layer = derivatives.module("\n    ".join(["def both(x: Row):", *statements]))
    x = np.array([[0.2, 100.0, 3.4], [1.0, 2.0, 4.5]])
    for given in (x, np.tile(x, (40_000, 1))):
        (h, q, m, n), _ = layer.forward(given)
        np.testing.assert_array_equal(h, 2 * given)
        np.testing.assert_array_equal(q, cast(2 * given, "int8"))
        np.testing.assert_array_equal(n, cast(m, "uint8"))


@pytest.mark.ci
@pytest.mark.parametrize("text", [QUANTIZED, *(ROUNDED.format(target) for target in TARGETS)])
def test_gradients_are_those_without_the_casts(text):
    plain = text.replace('y/s, "float8_e4m3fn"', "y/s").replace('9*mean(h), "int8"', "9*mean(h)")
    plain = plain.replace('h, "bfloat16"', "1*h").replace("cast(", "(")
    for target in TARGETS:
        plain = plain.replace(f"(x, '{target}')", "1*x")
    here, there = derivatives.module(text), derivatives.module(plain)
    given = inputs((4, 6), np.float64)[: len(parse(text).inputs)]
    _, saved = here.forward(*given)
    other, kept = there.forward(*given)
    random = np.random.default_rng(1)
    several = isinstance(other, tuple)
    cotangents = [random.normal(size=each.shape) for each in (other if several else (other,))]
    for mine, value in zip(here.backward(saved, *cotangents), there.backward(kept, *cotangents), strict=True):
        np.testing.assert_array_equal(mine, value)
    tangents = [random.normal(size=each.shape) for each in given]
    one, two = here.jvp(saved, *tangents), there.jvp(kept, *tangents)
    for mine, value in zip(one if several else (one,), two if several else (two,), strict=True):
        assert mine.dtype == np.float64
        np.testing.assert_array_equal(mine, value)
    second = [layer.backward_backward(keep, cotangents, *tangents) for layer, keep in ((here, saved), (there, kept))]
    for mine, value in zip(*second, strict=True):
        np.testing.assert_array_equal(mine, value)


def test_interface_and_docstrings_say_the_type_of_an_output():
    layer = derivatives.module(QUANTIZED)
    assert [each.get("cast") for each in layer.INTERFACE["outputs"]] == [
        "float8_e4m3fn",
        None,
        None,
        "int8",
        "bfloat16",
    ]
    assert "rounded to int8" in derivatives.source(ROUNDED.format("int8"))["numpy_backend.py"]


def test_cost_counts_the_bytes_of_the_type():
    program = derivatives.planned(QUANTIZED).forward
    # x, r and h in the type of the rows; q has one byte, b two; s has the rows' type, t one byte.
    assert (cost(program).tensors, cost(program).own_rows, cost(program).own_scalars) == (5, (1, 2), (1,))
    for itemsize in (2, 4, 8):
        saved = 8 * cost(program).saved
        wanted = 10 * (100 * (3 * itemsize + 3) + itemsize + 1 + saved) + 100 * itemsize
        assert cost(program).at(10, 100, itemsize, 8)[0] == wanted


# ---- what a check sees


def checked(layer: Checkable) -> list[str]:
    report = check(layer, [(3, 7), (37, 5)], ("float32", "float16"), "numpy", 0)
    return [f"{each.kind}: {each.what}" for each in report.evidence if not each.passed]


@pytest.mark.ci
@pytest.mark.parametrize("text", [QUANTIZED, *(ROUNDED.format(target) for target in TARGETS)])
def test_check_passes_for_layers_with_casts(text):
    assert checked(derivatives.layer(text)) == []


FALSE = {
    "truncated": lambda values, name: values.astype(np.float32).astype(name),
    "rounded half up": lambda values, name: cast(np.floor(values + 0.5), name),
    "not saturated": lambda values, name: np.rint(values).astype(np.int64).astype(name),
    "one too large": lambda values, name: cast(values + 1, name),
}


@pytest.mark.parametrize("false", FALSE)
def test_check_sees_a_wrong_rounding(false, monkeypatch):
    layer = derivatives.layer("def f(x: Row): return cast(x, 'int8')")
    kernels = layer.module.__dict__["_FORWARD"].compute.__globals__
    with np.errstate(all="ignore"):
        monkeypatch.setattr(kernels["_casts"], "cast", FALSE[false])
        found = checked(layer)
    if false == "rounded half up":
        # Nothing that is drawn is a tie: the check cannot know, and the tests of all ties do.
        values = np.array([[0.5, 1.5, 2.5]])
        assert layer.module.forward(values)[0].tolist() == [[1, 2, 3]]
    else:
        assert any("y" in each for each in found), found


def test_result_within_the_bound_of_a_tie_may_be_either_neighbour():
    layer = derivatives.layer("def f(x: Row): return cast(x/3, 'int8')")
    case_values = np.array([[1.5, 4.5, 7.5]])
    assert layer.module.forward(case_values)[0].tolist() == [[0, 2, 2]]
