"""Outputs that are cast, as the language has them: where a cast may stand, and what it rounds to."""

import numpy as np
import pytest

from lngen.language.oracle.evaluate import COMPLEX128, FLOAT64, LONGDOUBLE, evaluate, mp_numbers
from lngen.language.parsing import parse
from lngen.runtime.protocol.casts import TARGETS


def casting(*statements: str, inputs: str = "x: Row") -> str:
    return "\n    ".join([f"def f({inputs}):", *statements])


@pytest.mark.parametrize("target", TARGETS)
def test_cast_is_the_type_of_an_output_and_no_part_of_its_expression(target):
    plain = parse(casting("return 3*x"))
    definition = parse(casting(f'return cast(3*x, "{target}")'))
    assert definition.casts == (("y", target),)
    assert definition.statements[0].expression.operator == "*"
    assert definition.straight_through.canonical() == plain.canonical()
    assert definition.canonical() == plain.canonical() + f"\ny is cast to {target}"


@pytest.mark.parametrize(
    ("statements", "casts"),
    [
        (['return cast(x, "int8")'], {"y": "int8"}),
        (["h = 2*x", 'q = cast(h, "int8")', "return q, h"], {"q": "int8"}),
        (
            ["s = mean(x)", "q = cast(s, 'float16')", "r = cast(x, 'int8')", "return r, q"],
            {"q": "float16", "r": "int8"},
        ),
    ],
)
def test_cast_of_a_name_is_an_output_of_its_own(statements, casts):
    assert dict(parse(casting(*statements)).casts) == casts


@pytest.mark.parametrize("numbers", [FLOAT64, LONGDOUBLE])
def test_evaluate_rounds_an_output_that_is_cast_in_floats(numbers):
    definition = parse(casting('q = cast(x, "float8_e4m3fn")', 'r = cast(-x, "int8")', "return q, r"))
    found = evaluate(definition, {"x": [[17.0, 19.0, 1e4, 2.5, np.nan]]}, numbers)
    assert found["q"].dtype == found["r"].dtype == numbers.dtype
    np.testing.assert_array_equal(found["q"], [[16, 20, 448, 2.5, np.nan]])
    np.testing.assert_array_equal(found["r"], [[-17, -19, -128, -2, 0]])


@pytest.mark.parametrize("numbers", [COMPLEX128, mp_numbers(30)])
def test_evaluate_goes_straight_through_a_cast_in_numbers_that_differentiate(numbers):
    definition = parse(casting('return cast(x, "int8")'))
    assert evaluate(definition, {"x": [[0.25]]}, numbers)["y"][0, 0] == 0.25
