"""A neutral value that makes something infinite is refused by name; one that does not is not."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived
from tests import derivatives

REFUSED = [
    ("def f(x: Row, r: Feature = 0): return x/mean(r)", "r = 0"),
    ("def f(x: Row, r: Feature = 0): return x*sqrt(mean(r) - 1)", "r = 0"),
    ("def f(x: Row, s: Scalar = 0): return x + log(s)", "s = 0"),
    ("def f(x: Row, a: RowScalar = -2): return x + a**(1/3)", "a = -2"),
    ("def f(x: Row, z: Row = 0): return x*z/mean(z)", "z = 0"),
    # in a comparison
    ("def f(x: Row, s: Scalar = 0): return where(sqrt(s - 1) < 2, x, s)", "s = 0"),
    # neither alone
    ("def f(x: Row, a: Feature = 0, b: Feature = 0): return x/(a + b)", "a = 0 and b = 0"),
    ("def f(x: Row, a: Feature = 1, b: Feature = -1): return x/(a + b)", "a = 1 and b = -1"),
]


@pytest.mark.ci
@pytest.mark.parametrize(("text", "named"), REFUSED)
def test_a_neutral_value_that_divides_by_zero_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(LngenError, match=rf"f: with {named}, the value of .* choose another default, or none"):
        derived(parse(text), proved=False)


@pytest.mark.parametrize(
    "text",
    [
        # what a select leaves out is not read
        "def f(x: Row, a: Scalar = 0): return where(a > 0, x/a, x)",
        "def f(x: Row, a: Scalar = 2): return x/(a - 1)",
        "def f(x: Row, a: RowScalar = 0): return x*a/a",
    ],
)
def test_a_neutral_value_that_does_no_harm_is_taken(text: str) -> None:
    y, _ = derivatives.module(text).forward(np.ones((2, 3)))
    np.testing.assert_array_equal(y, np.ones((2, 3)))


def test_an_input_that_simplifies_away_is_still_checked() -> None:
    text = "def f(x: Row, z: Row, s: RowScalar, w: Feature, c: Constant): return x*where(w <= w, 4, c) + (z - z)*s"
    module, program = derivatives.module(text), derivatives.planned(text).forward
    x, s, w = np.ones((2, 3)), np.ones(2), np.ones(3)
    y, saved = module.forward(x, x, s, w, c=1)
    np.testing.assert_array_equal(y, 4 * x)
    gradients = module.backward(saved, x)
    assert [(g.shape, set(g.flat)) for g in gradients] == [((2, 3), {4}), ((2, 3), {0}), ((2,), {0}), ((3,), {0})]
    for wrong in ((x, x[:, :2], s, w), (x, x, w, w), (x, x, s, s)):
        with pytest.raises(ValueError, match="shape"):
            module.forward(*wrong, c=1)
    with pytest.raises(TypeError):
        module.forward(x, x, s, w, c="1")
    # It costs nothing: no kernel loads what no line reads.
    assert program.read() == {program.rows[0].symbol, program.results[0].symbol}
