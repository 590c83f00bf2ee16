from pathlib import Path

import pytest
import sympy

from lngen.algebra.symbols import D
from lngen.derivation.gradients import derive
from lngen.language.parsing import load, parse
from lngen.plan.cost import (
    ITEMSIZE,
    cost,
    operations,
)
from lngen.plan.planner import plan

ROOT = Path(__file__).parents[2]


def planned(path):
    return plan(derive(load(ROOT / path)))


def layer(body, arguments="x: Row"):
    words = "Row, Feature, RowScalar, Scalar, Constant, mean, sqrt, exp, tanh, max, where"
    return plan(derive(parse(f"from lngen.language import {words}\ndef f({arguments}):\n    return {body}\n")))


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
