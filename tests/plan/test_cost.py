from pathlib import Path

import pytest
import sympy

from lngen.algebra.symbols import D
from lngen.derivation.simplify import derive
from lngen.errors import LngenError
from lngen.language.parsing import load, parse
from lngen.plan.cost import (
    ITEMSIZE,
    Operations,
    cost,
    microseconds,
    operations,
    parse_bandwidth,
    parse_dtype,
    parse_shape,
    unfused,
)
from lngen.plan.planner import plan

ROOT = Path(__file__).parents[2]


def planned(path):
    return plan(derive(load(ROOT / path)))


def layer(body, arguments="x: Row"):
    words = "Row, Feature, RowScalar, Scalar, Constant, mean, sqrt, exp, tanh, max, where"
    return plan(derive(parse(f"from lngen.language import {words}\ndef f({arguments}):\n    return {body}\n")))


@pytest.mark.parametrize(
    ("path", "tensors"),
    [
        ("derive/layer_norm.py", (2, 3)),
        ("derive/rms_norm.py", (2, 3)),
        ("tests/definitions/one_line.py", (2, 3)),
        ("tests/definitions/residual_add.py", (4, 5)),
        ("tests/definitions/gated_rms.py", (3, 5)),
        ("tests/definitions/soft_max.py", (2, 3)),
    ],
)
def test_row_tensors_moved(path, tensors):
    found = planned(path)
    assert (cost(found.forward).tensors, cost(found.backward).tensors) == tensors


def test_operations_of_a_centred_layer_are_those_counted_by_hand():
    # Forward, an element: mean 1, x - mu 1, residual 1, off 1, square and its mean 2, xhat 1, y 2; a row:
    # three divisions by D, var + eps, a root and its reciprocal. Backward, an element: x - mu, residual,
    # xhat, g 4, mean of g 1, of g*xhat 2, dgamma 2, dbeta 1, dx 4; a row: two divisions by D.
    found = planned("derive/layer_norm.py")
    forward, backward = operations(found.forward), operations(found.backward)
    assert (forward.element, forward.row, forward.feature, forward.call) == (9, 6, 0, 0)
    assert (backward.element, backward.row, backward.feature, backward.call) == (14, 2, 0, 0)
    assert forward.functions == (("sqrt", 0, 1),)
    assert forward.total(sympy.Integer(10)) == 90 * D + 60


@pytest.mark.parametrize(
    ("body", "element", "functions"),
    [
        ("x + 1", 1, ()),
        ("-x", 1, ()),
        ("1 - x", 1, ()),
        ("x**2", 1, ()),
        ("x**7", 4, ()),
        ("1 / x", 1, ()),
        ("1 / x**3", 3, ()),
        ("2 * x * x", 2, ()),
        ("exp(x)", 1, (("exp", 1, 0),)),
        ("tanh(x) + x", 2, (("tanh", 1, 0),)),
        ("where(x > 1, x, 0)", 2, ()),
        ("sqrt(x)", 1, (("sqrt", 1, 0),)),
    ],
)
def test_operations_an_element(body, element, functions):
    found = operations(layer(body).forward)
    assert (found.element, found.functions) == (element, functions)


def test_sums_over_features_and_over_rows_are_operations_too():
    found = operations(layer("x * gamma", "x: Row, gamma: Feature").backward)
    # dx = gamma*dy 1, dgamma = sum_rows(dy*x) 2.
    assert found == Operations(3, 0, 0, 0, ())
    # dx = a*dy 1 and the sum over the features of dy*x 2, then an addition a row for the sum over rows.
    found = operations(layer("x * a", "x: Row, a: Scalar").backward)
    assert (found.element, found.row) == (3, 1)


def test_bytes_of_a_shape_are_those_counted_by_hand():
    found = planned("derive/layer_norm.py")
    rows, features = 32 * 512, 768
    forward, _ = cost(found.forward).at(rows, features, 2, 4)
    backward, _ = cost(found.backward).at(rows, features, 2, 4)
    # Rows in and out; mu, its correction and rstd in f32; gamma, beta and eps.
    assert forward == 2 * rows * features * 2 + 3 * rows * 4 + 2 * (2 * features + 1)
    # x, dy and dx; what forward kept; gamma, dgamma, dbeta.
    assert backward == 3 * rows * features * 2 + 3 * rows * 4 + 2 * 3 * features
    assert cost(found.forward).at(0, features, 2, 4)[0] == 2 * (2 * features + 1)


def test_partial_sums_and_row_scalars_have_their_own_bytes():
    found = cost(layer("x * s", "x: Row, s: RowScalar").backward)
    assert (found.scalars_read, found.scalars_written, found.saved) == (1, 1, 0)
    found = cost(planned("tests/definitions/tanh_scale.py").backward)
    assert (found.partial_features, found.partial_numbers) == (2, 1)


def test_integers_have_eight_bytes_and_arrays_without_some_axes_their_own_entries():
    found = planned("derive/label_cross_entropy.py")
    forward, backward = cost(found.forward), cost(found.backward)
    # The label and the cotangent of y; what forward kept is its own; then ignore and two Constants.
    assert (backward.scalar_bytes, backward.parameter_bytes) == (8 + ITEMSIZE, 8 + 2 * ITEMSIZE)
    assert forward.bytes.coeff(D) == backward.bytes.coeff(D) / 2
    backward = cost(planned("derive/ada_layer_norm.py").backward)
    assert [each.name for each in backward.smaller] == ["scale", "dscale", "dshift"]
    # The sizes of a sample's arrays do not grow with the other rows of the sample.
    for others in (1, 1000):
        assert sum(each.bytes({"b": 2, "...": others, "d": 3}, 4) for each in backward.smaller) == 3 * (2 * 3 * 4)
    # A Feature that lacks axes of the features is no number an entry.
    text = 'def f(x: Array["n c h"], w: Array["c"]): return w*x/sqrt(mean(x**2, "c h"))'
    weighted = cost(plan(derive(parse(f"from lngen.language import Array, mean, sqrt\n{text}"))).forward)
    assert (weighted.features, [each.axes for each in weighted.smaller]) == (0, [("c",)])


def test_unfused_counts_a_kernel_for_each_operation():
    # mean 1 tensor; x - mu, square, xhat, gamma*xhat, + beta 2 each; mean of the square 1. g 2; mean 1;
    # g*xhat 3; mean 1; times xhat 2; g - mean 2; their difference 3; times rstd 2; dy*xhat 3; two sums 1
    # each.
    forward, backward = unfused(planned("derive/layer_norm.py"))
    assert (forward.kernels, forward.tensors) == (7, 12)
    assert (backward.kernels, backward.tensors) == (11, 21)
    assert backward.kept == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4.3TB/s", 4.3e12),
        ("900 GB/s", 9e11),
        ("35GB/s", 3.5e10),
        (" 1e3 MB/s ", 1e9),
        ("2 GiB/s", 2.0**31),
        ("512B/s", 512.0),
        ("1 gB/s", 1e9),
    ],
)
def test_bandwidths(text, value):
    assert parse_bandwidth(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fast",
        "4.3",
        "4.3TB",
        "-1GB/s",
        "0GB/s",
        "900 Gb/s",
        "1e999GB/s",
        "nanGB/s",
        "3 iB/s",
        "1\x1b[2JGB/s",
    ],
)
def test_what_is_no_bandwidth_is_refused_with_an_example(text):
    with pytest.raises(LngenError, match=r"4\.3TB/s") as caught:
        parse_bandwidth(text)
    assert str(caught.value).isprintable()


def test_shapes():
    assert parse_shape("32,512,768") == (32, 512, 768)
    assert parse_shape(" 0 , 7 ") == (0, 7)
    assert parse_shape("5") == (5,)


@pytest.mark.parametrize(
    "text", ["", "a", "32x512", "3,,4", "-1,4", "3,0", "1.5,2", "9" * 30, "٣,4", "4294967296," * 3 + "8"]
)
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(LngenError, match="shape"):
        parse_shape(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("bf16", ("bf16", 2, 4)), ("Float16", ("f16", 2, 4)), ("f32", ("f32", 4, 4)), ("double", ("f64", 8, 8))],
)
def test_number_types(text, expected):
    found = parse_dtype(text)
    assert (found.name, found.itemsize, found.accumulate_itemsize) == expected


def test_another_number_type_is_refused_with_a_list():
    with pytest.raises(LngenError, match=r"'int8' is not a number type.*bf16"):
        parse_dtype("int8")


def test_microseconds():
    assert microseconds(1e9, 1e12) == 1000.0
