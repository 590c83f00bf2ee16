"""Naive, two-pass and emitted at large offsets."""

import numpy as np
import pytest

from lngen.algebra.notation import text as written
from lngen.checks import inputs
from lngen.checks.stability import in_raw_moments, outputs, stability
from lngen.derivation.from_definition import translate
from lngen.errors import LngenError
from lngen.language.parsing import parse
from tests.checks.layers import CENTRED, DEFINITIONS, derived, two_functions


def both(definition, features=9):
    """The outputs of the lines as written, and in raw moments."""
    case = inputs.ordinary(definition, 2, features, 0).exact()
    forward = translate(definition)
    lines, changed = in_raw_moments(forward)
    assert changed
    a, b = (outputs(definition, forward, each, case)["y"] for each in (forward.equations, lines))
    return changed, a, b


def test_the_naive_form_has_raw_moments_and_the_same_value():
    changed, a, b = both(parse(CENTRED.read_text()))
    assert [f"{line.symbol} = {written(line.expression)}" for line in changed] == ["var = mean(x**2) - mu**2"]
    assert np.allclose(a, b, rtol=0, atol=1e-17)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Row):\n m = mean(x)\n k = mean((x - m)**4)\n return x / sqrt(1 + k)",
        "def f(x: Row, w: Feature):\n m = mean(x)\n v = mean(w*(x - m)**2)\n return w*x / sqrt(1 + v)",
        "def f(x: Row):\n c = x - mean(x)\n return c / (1 + sum(c**2)/(D - 1))",
    ],
)
def test_other_centred_polynomials_are_expanded_too(text):
    _, a, b = both(parse(text))
    assert np.allclose(a, b, rtol=0, atol=1e-16)


def test_the_table_shows_what_each_form_loses():
    table = stability(two_functions(), offsets=(1e2, 1e4, 1e8), features=64)
    by_place = {(line.dtype, line.offset): line for line in table.lines}
    at = by_place["float32", 1e4]
    assert not at.naive < 1e-2
    assert 1e-6 < at.two_pass < 1e-1
    assert at.emitted < 1e-6
    assert by_place["float64", 1e8].emitted < 1e-14
    assert table.note == ""
    assert table.naive_form


def test_the_table_ends_where_a_type_holds_no_deviation():
    table = stability(two_functions(), offsets=(1e6, 1e8, 1e9), features=64)
    assert [line.offset for line in table.lines if line.dtype == "float32"] == [1e6, 1e8]
    assert [line.offset for line in table.lines if line.dtype == "float64"] == [1e6, 1e8, 1e9]


def test_a_layer_without_a_centred_reduction_says_so():
    (path,) = [path for path in DEFINITIONS if path.stem == "swish_scale"]
    table = stability(derived(path), offsets=(1e2,), dtypes=("float64",), features=8)
    assert "no centred reduction" in table.note
    assert table.lines[0].naive == table.lines[0].two_pass


def test_other_types_are_refused():
    with pytest.raises(LngenError, match="float16"):
        stability(two_functions(), dtypes=("float16",))
