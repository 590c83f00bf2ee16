"""Outputs that are cast, as the language has them: where a cast may stand, and what it rounds to."""

import numpy as np
import pytest

from lngen.errors import DefinitionError
from lngen.language.oracle.evaluate import COMPLEX128, FLOAT64, LONGDOUBLE, evaluate, mp_numbers
from lngen.language.parsing import parse
from lngen.runtime.protocol.casts import TARGETS


def casting(*statements: str, inputs: str = "x: Row") -> str:
    return "\n    ".join([f"def f({inputs}):", *statements])


def refused(text: str) -> DefinitionError:
    with pytest.raises(DefinitionError) as found:
        parse(text)
    return found.value


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


@pytest.mark.parametrize(
    ("statements", "code", "words"),
    [
        (['return 2*cast(x, "int8")'], "cast-place", "inside an expression"),
        (['return mean(cast(x, "int8"))*x'], "cast-place", "inside an expression"),
        (['return where(cast(x, "int8") > 0, x, 0)'], "cast-place", "inside an expression"),
        (['return -cast(x, "int8")'], "cast-place", "inside an expression"),
        (['return cast(cast(x, "float16"), "int8")'], "cast-place", "inside an expression"),
        (['q = cast(x, "int8")', "y = q*2", "return q, y"], "cast-read", "'q' is rounded to int8"),
        (['q = cast(x, "int8")', 'r = cast(q, "uint8")', "return q, r"], "cast-read", "'q' is rounded to int8"),
        (['q = cast(x, "int8")', "return 2*x"], "unused-statement", "'q' reaches no result"),
        (['return cast(x, "fp8")'], "cast-type", "cast to 'fp8'"),
        (['return cast(x, "float64")'], "cast-type", "cast to 'float64'"),
        (['return cast(x, "")'], "cast-type", "cast to a string"),
        (["return cast(x, 8)"], "cast-type", "cast to a number"),
        (["return cast(x, int8)"], "cast-type", "cast to a name"),
        (['return cast(x, f"int{8}")'], "cast-type", "cast to a formatted string"),
        (["return cast(x)"], "argument-count", "cast takes 2 arguments, and here are 1"),
        (['return cast(x, dtype="int8")'], "argument-count", "cast takes 2 arguments, and here are 2"),
        (['return cast(*x, "int8")'], "argument-count", "cast takes 2 arguments, and here are 2"),
        (['return cast("int8", x)'], "cast-type", "cast to a name"),
        (['return cast("x", "int8")'], "string", "a string"),
        (['return 2*x + "int8"'], "string", "a string"),
        (['return cast(mean(mean(x)), "int8")'], "reduced-twice", "mean of a RowScalar"),
        (['return cast(2, "int8")'], "returned-shared", "is a Scalar"),
    ],
)
def test_cast_elsewhere_is_refused_with_a_place_and_a_remedy(statements, code, words):
    error = refused(casting(*statements))
    assert error.code == code
    assert words in error.message
    assert error.remedy
    assert error.source_line


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
