"""Layers with a Constant that may not be negative, with rows that have to be long, and with ties of an extreme."""

import numpy as np
import pytest

from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived
from tests import derivatives


@pytest.mark.ci
def test_a_constant_under_a_root_may_not_be_negative():
    """The derivation writes c for sqrt(c**2): a negative one would be a wrong number without a word."""
    text = "def f(x: Row, c: Constant = 1, k: Constant = 1): return x*sqrt(c**2) + k"
    made = derived(parse(text))
    module = module_from_files(made.files, "emitted_signed")
    x = np.ones((2, 3))
    for c in (-1.0, -1, np.asarray(-0.5), np.float32(-1)):
        with pytest.raises(ValueError, match=r"c is .*; pass 0 or more"):
            module.forward(x, c=c)
    np.testing.assert_array_equal(module.forward(x, c=0.0, k=-2.0)[0], np.full((2, 3), -2.0))
    assert '_launcher.finite("c", c, signed=False)' in made.text("cuda_backend.py")
    assert '_launcher.finite("k", k)' in made.text("cuda_backend.py")


@pytest.mark.ci
def test_rows_that_have_to_have_four_entries_are_proved():
    made = derived(parse("def f(x: Row, g: Feature = 1): return g*x/(D - 3) + mean(x)"))
    assert made.definition.minimum_features == 4
    assert {proof.outcome for proof in made.plan.derivation.proofs} == {"ok"}


@pytest.mark.parametrize("function", ["max", "min"])
def test_the_gradient_of_an_extreme_goes_to_the_first_that_attains_it(function: str) -> None:
    module = derivatives.module(f"def f(x: Row): return {function}(x)")
    sign = 1.0 if function == "max" else -1.0
    rows = sign * np.array([[1.0, 3.0, 3.0, 2.0], [0.0, -0.0, 0.0, 0.0], [np.inf, 1.0, np.inf, 5.0]])
    with np.errstate(all="raise"):
        y, saved = module.forward(rows)
        gradient = module.backward(saved, np.array([2.0, 5.0, 7.0])).dx
    assert y.tolist() == [sign * 3.0, 0.0, sign * np.inf]
    assert gradient.tolist() == [[0, 2.0, 0, 0], [5.0, 0, 0, 0], [7.0, 0, 0, 0]]
