"""The class of each layer beside the layer's functions."""

import importlib

import numpy as np
import pytest

from lngen.emit.class_names import class_of
from tests.shipped import NAMES

SHAPES = {"Row": (2, 3, 5), "Data": (2, 3, 5), "RowScalar": (2, 3), "Feature": (5,), "Scalar": ()}


@pytest.mark.parametrize("name", NAMES)
def test_a_class_is_the_functions_of_its_layer(name):
    layer = importlib.import_module(f"generated.{name}")
    interface, random = layer.INTERFACE, np.random.default_rng(0)
    inputs = {each["name"]: random.uniform(0.5, 1.5, SHAPES[each["kind"]]) for each in interface["inputs"]}
    kinds = {each["name"]: each["kind"] for each in interface["inputs"]}
    constants = {each["name"]: 0.5 for each in interface["constants"]}
    parameters = [each for each in inputs if kinds[each] in ("Feature", "Scalar")]
    made = getattr(layer, class_of(name))(
        *[5] * ("Feature" in kinds.values()), **constants, **({"dtype": np.float64} if parameters else {})
    )
    made.parameters.update({each: inputs[each] for each in parameters})

    expected, saved = layer.forward(*inputs.values(), **constants)
    found = made(*[value for each, value in inputs.items() if each not in parameters])
    several = len(interface["outputs"]) > 1
    outputs = expected if several else (expected,)
    for ours, theirs in zip(found if several else (found,), outputs, strict=True):
        np.testing.assert_array_equal(ours, theirs)

    cotangents = [random.standard_normal(each.shape) for each in outputs]
    gradients = {
        each["of"]: value
        for each, value in zip(interface["gradients"], layer.backward(saved, *cotangents), strict=True)
    }
    back = made.backward(*cotangents)
    given = [each for each in gradients if each not in parameters]
    for each, value in zip(given, back if len(given) > 1 else (back,), strict=True):
        np.testing.assert_array_equal(value, gradients[each])
    assert list(made.gradients) == parameters
    for each in parameters:
        np.testing.assert_array_equal(made.gradients[each], gradients[each])


def test_an_attribute_of_a_parameters_name_is_refused_for_it_would_do_nothing():
    made = importlib.import_module("generated.layer_norm").LayerNorm(4)
    with pytest.raises(AttributeError, match=r"gamma is a parameter; set its values by parameters\['gamma'\] = \.\.\."):
        made.gamma = 2
    made.eps = 1e-3
    assert made.eps == 1e-3


def test_a_number_without_a_point_is_a_value_of_a_parameter():
    made = importlib.import_module("generated.scaled_softmax").ScaledSoftmax()
    (name,) = made.parameters
    made.parameters[name] = -3
    assert made.parameters[name] == -3
    with pytest.raises(TypeError, match="floating point"):
        made.parameters[name] = True
