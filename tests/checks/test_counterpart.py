"""PyTorch's module of a definition, evaluated on the definition's inputs."""

import numpy as np
import pytest

from lngen.checks import counterpart, inputs
from lngen.checks.stability import stability
from lngen.errors import LngenError
from lngen.language.oracle.evaluate import FLOAT64, evaluate
from lngen.language.parsing import parse
from tests.checks.layers import two_functions
from tests.requirements import needs_torch
from tests.shipped import ROOT


def definition(name):
    return parse((ROOT / "derive" / f"{name}.py").read_text(encoding="utf-8"))


@needs_torch
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "softmax", "log_softmax"])
def test_outputs_of_a_shipped_layer_are_those_of_its_definition(name):
    layer = definition(name)
    case = inputs.ordinary(layer, 3, 17, seed=1).astype("float64")
    found = counterpart.outputs(layer, counterpart.counterpart(layer), case)
    expected = evaluate(layer, case.inputs, FLOAT64)
    np.testing.assert_allclose(found["y"], expected["y"], rtol=1e-12, atol=1e-12)


@needs_torch
def test_outputs_of_a_wrong_claim_differ():
    layer = parse(
        '"""In PyTorch: torch.nn.LayerNorm(normalized_shape=D)"""\n'
        "from lngen.language import Row, mean, sqrt\n"
        "def f(x: Row):\n return x/sqrt(mean(x**2) + 1e-5)\n"
    )
    case = inputs.ordinary(layer, 3, 17, seed=1).astype("float64")
    found = counterpart.outputs(layer, counterpart.counterpart(layer), case)
    assert np.abs(found["y"] - evaluate(layer, case.inputs, FLOAT64)["y"]).max() > 1e-3


@needs_torch
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "torch.nn.NoSuchNorm(weight=w)",
            "torch.nn has no NoSuchNorm.*Correct the line `In PyTorch: torch.nn.NoSuchNorm",
        ),
        ("torch.nn.LayerNorm(normalized_shape=D, weihgt=w)", "LayerNorm has no parameter weihgt.*Correct the line"),
    ],
)
def test_outputs_of_a_misspelled_line_are_refused(line, message):
    layer = parse(f'"""In PyTorch: {line}"""\nfrom lngen.language import *\n'.replace("*", "Feature, Row")
                  + "def f(x: Row, w: Feature = 1):\n return w*x\n")  # fmt: skip
    with pytest.raises(LngenError, match=message):
        counterpart.outputs(layer, counterpart.counterpart(layer), inputs.ordinary(layer, 2, 4, seed=0))


@pytest.mark.parametrize("name", ["power_norm", "batch_norm", "label_cross_entropy"])
def test_a_definition_that_names_no_module_of_torch_nn_for_one_row_is_refused(name):
    with pytest.raises(LngenError, match=r"names no module of torch\.nn"):
        counterpart.counterpart(definition(name))


@needs_torch
def test_stability_beside_torch_shows_what_a_large_mean_costs_there():
    (at,) = stability(two_functions(), offsets=(1e4,), dtypes=("float32",), torch=True).lines
    assert at.torch is not None
    assert at.torch > 1e-5 > 1e-6 > at.emitted
