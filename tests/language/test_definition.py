"""Definitions that the language accepts, and its refusals."""

# A refused text and all that is said about it stand on one line.
# ruff: noqa: E501

from __future__ import annotations

import ast
import dataclasses
import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lngen.errors import DefinitionError, LngenError
from lngen.language import FUNCTIONS, names
from lngen.language.definition import Definition
from lngen.language.parsing import instead, load, parse
from lngen.language.syntax import Binary, Call, Compare, Connective, Kind, Name, Number, SourceSpan, render, walk

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "derive").glob("*.py"))
TEST_ONLY = sorted((ROOT / "tests" / "definitions").glob("*.py"))
HEADER = "def f(x: Row, gamma: Feature = 1, s: RowScalar = 1, a: Scalar = 1, eps: Constant = 1e-5):\n"


def body(*lines: str) -> str:
    """A function with these statements; the first is on line 2, indented by 4."""
    return HEADER + "".join(f"    {line}\n" for line in lines)


def expression(text: str) -> str:
    """A definition that returns an expression of x; the expression starts at line 2, column 12."""
    return f"def f(x: Row):\n    return {text}\n"


def of(text: str) -> Definition:
    return parse(expression(text))


def refused(text: str) -> DefinitionError:
    with pytest.raises(DefinitionError) as caught:
        parse(text, "f.py")
    return caught.value


# --- what is accepted ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED + TEST_ONLY, ids=lambda path: path.stem)
def test_every_definition_of_the_repository_is_read(path: Path) -> None:
    definition = load(path)
    assert definition.name == path.stem
    assert definition.docstring
    assert definition.source == path.read_text()
    ast.parse(definition.source)


def test_the_example_of_the_design() -> None:
    definition = load(ROOT / "derive" / "layer_norm.py")
    assert [(i.name, i.kind, i.default) for i in definition.inputs] == [
        ("x", Kind.ROW, None),
        ("gamma", Kind.FEATURE, Fraction(1)),
        ("beta", Kind.FEATURE, Fraction(0)),
        ("eps", Kind.CONSTANT, Fraction(1, 100000)),
    ]
    assert [(s.name, s.kind) for s in definition.statements] == [
        ("mu", Kind.ROW_SCALAR),
        ("var", Kind.ROW_SCALAR),
        ("xhat", Kind.ROW),
        ("y", Kind.ROW),
    ]
    assert definition.outputs == ("y",)
    assert definition.output_kind("y") is Kind.ROW
    assert definition.minimum_features == 1
    assert [entry.name for entry in definition.constants] == ["eps"]
    assert [entry.name for entry in definition.rows] == ["x"]
    assert [entry.name for entry in definition.features] == ["gamma", "beta"]
    assert [entry.name for entry in definition.differentiable] == ["x", "gamma", "beta"]
    assert definition.docstring.startswith("Layer normalization over the feature axis.\n\nBa, Kiros")


def test_lookups_by_name() -> None:
    definition = parse(body("h = x * gamma * s * a / eps", "return h"))
    assert definition.input("a").kind is Kind.SCALAR
    assert definition.statement("h").kind is Kind.ROW
    assert [entry.name for entry in definition.scalars] == ["a"]
    for lookup in (definition.input, definition.statement, definition.output_kind):
        with pytest.raises(KeyError):
            lookup("nothing")


def test_spans_count_characters_from_one() -> None:
    definition = parse("# äöü\ndef f(x: Row):\n    '''ä'''; y = x * 2\n    return y\n")
    assert definition.inputs[0].span == SourceSpan(2, 7, 2, 13)
    assert definition.statements[0].span == SourceSpan(3, 14, 3, 23)
    product = definition.statements[0].expression
    assert isinstance(product, Binary)
    assert product.span == SourceSpan(3, 18, 3, 23)
    assert product.right.span == SourceSpan(3, 22, 3, 23)


def test_an_unnamed_result_is_called_y() -> None:
    definition = of("x * 2")
    assert definition.outputs == ("y",)
    assert definition.statements[0].span == SourceSpan(2, 12, 2, 17)
    assert definition.canonical() == parse("def f(x: Row):\n    y = x * 2\n    return y").canonical()


def test_several_results_in_their_order() -> None:
    definition = parse(body("h = x * gamma * s", "m = mean(h) * a * eps", "return m, h"))
    assert definition.outputs == ("m", "h")
    assert definition.output_kind("m") is Kind.ROW_SCALAR


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mean(x)", Kind.ROW_SCALAR),
        ("mean(gamma)", Kind.SCALAR),
        ("s * gamma", Kind.ROW),
        ("a * gamma", Kind.FEATURE),
        ("a + eps + D + 2", Kind.SCALAR),
        ("eps", Kind.SCALAR),
        ("-s", Kind.ROW_SCALAR),
        ("max(s * gamma)", Kind.ROW_SCALAR),
        ("where(s > 0, a, gamma)", Kind.ROW),
        ("where(a > 0, 1, gamma)", Kind.FEATURE),
        ("maximum(a, gamma)", Kind.FEATURE),
        ("stop_gradient(s)", Kind.ROW_SCALAR),
        ("s ** 2", Kind.ROW_SCALAR),
    ],
)
def test_kinds_are_inferred(text: str, kind: Kind) -> None:
    definition = parse(body(f"v = 2 * ({text})", "return x * gamma * s * a * eps * v"))
    assert definition.statements[0].kind is kind


def test_no_expression_is_a_constant() -> None:
    definition = parse(body("return x * gamma * s * a * eps"))
    assert {part.kind for part in walk(definition.statements[0].expression)} >= {Kind.SCALAR, Kind.ROW}
    assert Kind.CONSTANT not in {part.kind for part in walk(definition.statements[0].expression)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", Fraction(1, 100000)),
        ("0.1", Fraction(1, 10)),
        ("0.1000000000000000055511151231257827", Fraction(1, 10)),
        ("3", Fraction(3)),
        ("1_000", Fraction(1000)),
        ("0x10", Fraction(16)),
        ("0x0", Fraction(0)),
        ("0.0e5", Fraction(0)),
        ("1e300", Fraction(10) ** 300),
        ("1e-300", Fraction(1, 10**300)),
    ],
)
def test_literals_are_exact(text: str, value: Fraction) -> None:
    sum_ = of(f"x + {text}").statements[0].expression
    assert isinstance(sum_, Binary)
    assert isinstance(sum_.right, Number)
    assert sum_.right.value == value


@pytest.mark.parametrize(
    ("text", "value"), [("2", 2), ("-0.5", Fraction(-1, 2)), ("(1/3)", Fraction(1, 3)), ("-(2**6)", -64)]
)
def test_the_exponent_is_folded_to_a_number(text: str, value: Fraction) -> None:
    power = of(f"x ** {text}").statements[0].expression
    assert isinstance(power, Binary)
    assert isinstance(power.right, Number)
    assert power.right.value == value


@pytest.mark.parametrize("text", ["p", "1/p", "p - 1", "D", "sqrt(2)", "mean(gamma)", "(2*p + D)/3"])
def test_an_exponent_is_what_varies_over_neither_axis(text: str) -> None:
    made = parse(f"def f(x: Row, gamma: Feature, p: Scalar): return gamma*p*abs(x)**({text})")
    power = made.statements[0].expression.right
    assert isinstance(power, Binary)
    assert power.operator == "**"
    assert power.kind is Kind.ROW
    assert power.right.kind is Kind.SCALAR


def test_a_comparison_stands_in_where() -> None:
    call = of("where(x >= 0, x, 0)").statements[0].expression
    assert isinstance(call, Call)
    condition = call.arguments[0]
    assert isinstance(condition, Compare)
    assert condition.operator == ">="
    assert isinstance(condition.left, Name)


def test_conditions_are_joined_as_python_joins_them() -> None:
    definition = of("where((x > 0) & ~(x == 1) | (x < -1), x, 0)")
    call = definition.statements[0].expression
    assert isinstance(call, Call)
    assert isinstance(call.arguments[0], Connective)
    assert render(call) == "where((((x > 0) & (~(x == 1))) | (x < (-1))), x, 0)"
    assert [part.name for part in walk(call) if isinstance(part, Name)] == ["x"] * 4
    assert of("where((x > 0) & (mean(x) > 0), 1, 0)").statements[0].kind is Kind.ROW
    assert of("where(((x > 0)) & (~(x == 1)) | (x < -1), x, 0)").canonical() == definition.canonical()


def test_what_stands_in_a_joined_condition_is_looked_at() -> None:
    assert of("where((x > 0) | (x > 1/(D - 1)), x, 0)").minimum_features == 2
    with pytest.raises(DefinitionError, match="zero"):
        of("where((x > 0) & ~(x > 1/(1 - 1)), x, 0)")


def test_every_function_can_be_called() -> None:
    for entry in (each for each in FUNCTIONS.values() if each.role != "draw"):
        arguments = ["x > 0", "x", "x"] if entry.role == "select" else ["x", "1", "1"][: entry.arity]
        call = of(f"x + {entry.name}({', '.join(arguments)})").statements[0].expression.right
        assert isinstance(call, Call)
        assert call.function == {"clip": "minimum"}.get(entry.name, entry.name)


@pytest.mark.parametrize(
    ("text", "smallest"),
    [
        ("x / (D - 1)", 2),
        ("x / (D - 2)", 3),
        ("x / (2 - D)", 3),
        ("x / (D + 1)", 1),
        ("x / (2*D - 1)", 1),
        ("x / (D * (D - 1))", 2),
        ("x / (D**2 - 25)", 6),
        ("x / (D - 1)**64", 2),
        ("x * (D - 3)**-1", 4),
        ("x / -(D - 1)", 2),
        ("x / sqrt(D - 1)", 2),
        ("x * sqrt(D - 3)", 3),
        ("x * rsqrt(D - 3)", 4),
        ("x * (D - 3)**0.5", 3),
        ("x * log1p(D - 3)", 3),
        ("x / (1 - 1/D)", 2),
        ("x / log(D)", 2),
        ("x / (D**3 - 3*D**2 + 3*D - 1)", 2),
        ("x / (D**3 - 6*D**2 + 11*D - 6)", 4),
        ("x / (D * x)", 1),
        ("x / mean(x**2) / D", 1),
    ],
)
def test_the_smallest_number_of_features(text: str, smallest: int) -> None:
    assert of(text).minimum_features == smallest


def test_the_smallest_number_of_features_sees_through_names() -> None:
    assert parse("def f(x: Row):\n n = D - 2\n m = n * D\n return x / m").minimum_features == 3
    assert parse("def f(x: Row):\n n = log(D)\n return x / n").minimum_features == 2


def test_the_canonical_text_is_blind_to_layout() -> None:
    plain = "def f(x: Row, g: Feature = 1):\n    y = g * (x - 1e-5)\n    return y\n"
    other = (
        '"""Words."""\nfrom lngen.language import Row, Feature  # a comment\n\n\n'
        "def f(\n    x: Row,\n    g: Feature = 1.0,\n):\n    y = (g) * (\n        x - 0.00001\n    )\n\n    return (y)\n"
    )
    assert parse(plain).canonical() == parse(other).canonical()
    assert parse(plain).canonical() != parse(plain.replace("1e-5", "1e-6")).canonical()
    assert parse(plain).canonical() != parse(plain.replace("g * (x - 1e-5)", "g * x - 1e-5")).canonical()


def test_definitions_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        of("x * 2").name = "g"  # type: ignore[misc]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_mark(newline: str) -> None:
    text = "\ufeff" + newline.join(["def f(x: Row):", "    return x * nothing"])
    assert (refused(text).line, refused(text).column) == (2, 16)


def test_docstrings_hold_nothing_that_acts_on_a_terminal_or_cannot_be_written() -> None:
    definition = parse('def f(x: Row):\n    "a\\x1b[2J\\ud800 \\n b"\n    return x * 2')
    assert definition.docstring == "a\\x1b[2J\\ud800 \nb"


# --- what is refused -------------------------------------------------------------------------------

LANGUAGE = "an expression is made of numbers, names, D, + - * / **, unary minus, and the functions of lngen.language"
COMPUTED = "return what is computed from the inputs; whoever calls the layer has the input already"
FINITE = "keep numbers between 1e-300 and 1e300 in magnitude"
FILE = "a definition file holds a docstring, imports from lngen.language, and one function"
BODY = "a definition has assignments of names, a docstring, and one final return"
LITERAL = "only real numbers such as 2, 0.5 or 1e-5 stand in expressions"
IMPORT = "write `from lngen.language import ...` with the names that the definition uses"
KINDS = "annotate with Row, RowScalar, Feature, Scalar, Data, Int or Constant"
AXES = (
    'write Data for one value per row and feature, Data["..."] for one per row, Data["d"] for one per feature, or '
    "Constant for a number"
)
CALLED = "call it h, or any other name"
NAME = f"{CALLED}: {names.RULE}"
NONZERO = "divide by something that is not zero"
LOOP = "operators and functions work on whole rows; write the formula without a loop"
NO_LOOP = "operators and functions work on whole rows; no loop is needed"
INDEX = instead.INDEX
LAST_AXIS = "a reduction is over the feature axis, the last one, and broadcasts back by itself"
DEFAULT = "a default is a number such as 1, -1 or 1e-5"
SPLIT = "give parts of the expression names in statements of their own"
ONE_TARGET = "assign one name in a statement"
CONDITION = "write a comparison in its place, as in (x > 0)"
JOINED = (
    "join comparisons p and q in parentheses: where((p) & (q), u, v) where both hold, where((p) | (q), u, v) where one "
    "does, where(~(p), u, v) where p does not"
)
CHAIN = "write where((a < b) & (b < c), u, v) for a < b < c"
PARENTHESES = "put each comparison in parentheses: (a > b) & ~(c > d)"

# expression, column counted from the start of the expression, message, remedy
EXPRESSIONS = [
    (
        '__import__("os").system("true")',
        1,
        "found a call of an attribute",
        "use plain names; the functions are called without a module, as in sqrt(x)",
    ),
    ('__import__("os")', 1, "there is no function '__import__'", "the functions are " + " ".join(FUNCTIONS)),
    ("x.T", 1, "found an attribute", instead.ATTRIBUTES["T"]),
    (
        "x.real",
        1,
        "found an attribute",
        "use plain names; the functions are called without a module, as in sqrt(x)",
    ),
    ("x * (lambda: 1)", 6, "found a lambda", "write its expression in place of it"),
    ("(lambda: 1)() * x", 2, "found a call of a lambda", "write its expression in place of it"),
    ("x[0]", 1, "found a subscript", INDEX),
    ("x if x else 0", 1, "found an if expression", "write where(condition, a, b)"),
    (
        "x and 1",
        1,
        "found `and` or `or`",
        JOINED,
    ),
    (
        "not x",
        1,
        "found `not`",
        "write 1 - mask for a mask of ones and zeros; where(p, 0, 1) is 0 where a comparison p holds",
    ),
    (
        "~x",
        1,
        "found the operator ~",
        "write 1 - mask for a mask of ones and zeros; where(p, 0, 1) is 0 where a comparison p holds",
    ),
    ("+x", 1, "found unary plus", "delete the plus; only minus stands before an operand"),
    ("2 * (z := x)", 6, "found an assignment inside an expression", "assign in a statement of its own"),
    ("2 * (x, x)", 5, "found a tuple", "several values stand only after return, as in `return y, h`"),
    ("[x]", 1, "found a list", LANGUAGE),
    ("{x}", 1, "found a set", LANGUAGE),
    ("{x: 1}", 1, "found a dictionary", LANGUAGE),
    ("[i for i in x]", 1, "found a comprehension", NO_LOOP),
    ("sum(i for i in x)", 4, "found a comprehension", NO_LOOP),
    ("f'{x}'", 1, "found a formatted string", "only numbers and names stand in expressions"),
    ("x + 'a'", 5, "found a string", LITERAL),
    ("x + b'a'", 5, "found a byte string", LITERAL),
    ("x + True", 5, "found a truth value", "write 1 for True and 0 for False"),
    (
        "x + None",
        5,
        "found None",
        "write the number itself; an input that may be left out has a default, as in `b: Row = 0`",
    ),
    ("x + ...", 5, "found an ellipsis", "write the number or the name itself"),
    (
        "x + 2j",
        5,
        "found an imaginary number",
        "complex numbers cannot be said: split them outside, and pass real and imaginary parts as two Rows",
    ),
    ("(yield)", 2, "found yield", "end the function with one return"),
    ("(yield from x)", 2, "found yield from", "end the function with one return"),
    (
        "x // 2",
        1,
        "found the operator //",
        'write a/b for a quotient; rounding cannot be said, and has no gradient: do it outside, and pass the result as Data; an output is rounded as a whole, as in `q = cast(u, "int8")`',
    ),
    (
        "x % 2",
        1,
        "found the operator %",
        "write a - b*k, and pass the quotient rounded outside as `k: Data`: rounding cannot be said",
    ),
    (
        "x @ x",
        1,
        "found the operator @",
        "a product with a matrix cannot be said: take it outside, before or after the layer; for an inner product of two rows write sum(a*b)",
    ),
    ("x ^ 2", 1, "found the operator ^", "write ** for a power"),
    (
        "x | 2",
        1,
        "found the operator |",
        JOINED,
    ),
    (
        "x & 2",
        1,
        "found the operator &",
        JOINED,
    ),
    ("x << 2", 1, "found the operator <<", "write a*2**b for a number b"),
    ("x >> 2", 1, "found the operator >>", "write a/2**b for a number b; rounding cannot be said, and is done outside"),
    ("x > 0", 1, "found a comparison", "write where(x > 0, 1, 0) for 1 where it holds and 0 elsewhere"),
    (
        "0 < x < 1",
        1,
        "found a comparison",
        "write where((a < b) & (b < c), u, v) for a < b < c; u is 1 and v is 0 for it as a number",
    ),
    ("where(x, x, 0)", 7, "the condition of where is no comparison", CONDITION),
    (
        "where(1 < x < 2, x, 0)",
        7,
        "found a chain of comparisons",
        "write where((a < b) & (b < c), u, v) for a < b < c",
    ),
    ("where(x > 0 & x < 1, x, 0)", 11, "& binds closer than a comparison", PARENTHESES),
    ("where(x > 0 | x, x, 0)", 11, "| binds closer than a comparison", PARENTHESES),
    ("where(~x > 0, x, 0)", 7, "~ binds closer than a comparison", PARENTHESES),
    ("where((x > 0) & x, x, 0)", 17, "the condition of where is no comparison", CONDITION),
    ("where(~x, x, 0)", 8, "the condition of where is no comparison", CONDITION),
    ("where((x > 0) | 1, x, 0)", 17, "the condition of where is a number", CONDITION),
    ("where((x > 0) | (0 < x < 1), x, 0)", 18, "found a chain of comparisons", CHAIN),
    ("where((x > 0) & sqrt(x, x), x, 0)", 17, "sqrt takes 1 argument, and here are 2", "write sqrt(u)"),
    ("where(not x > 0, x, 0)", 7, "the condition of where is no comparison", JOINED),
    ("where((x > 0) * (x < 1), x, 0)", 7, "the condition of where is no comparison", JOINED),
    ("where((x > 0) ^ (x < 1), x, 0)", 7, "the condition of where is no comparison", JOINED),
    (f"where({'~' * 100}(x > 0), x, 0)", 106, "an expression is nested more than 100 levels deep", SPLIT),
    ("(x > 0) & (x < 1)", 1, "found the operator &", JOINED),
    ("where(logical_or(x > 0, x < 1), x, 0)", 7, "there is no function 'logical_or'", instead.FUNCTIONS["logical_or"]),
    ("where(x in x, x, 0)", 7, "found `in` or `is`", "compare with < <= > >= == or !="),
    (
        "where(x > 0 and x < 1, x, 0)",
        7,
        "the condition of where is `and` or `or`",
        JOINED,
    ),
    (
        "where(x > 0, x)",
        1,
        "where takes 3 arguments, and here are 2",
        "write where(x > 0, x, b): b is the value where the condition does not hold",
    ),
    ("where(x)", 1, "where takes 3 arguments, and here are 1", "write where(condition, a, b)"),
    ("x * nothing", 5, "nothing is called 'nothing'", "assign it first, or make it an input"),
    ("x * sqrt", 5, "'sqrt' is a function and needs arguments", "write sqrt(u)"),
    ("x * Row", 5, "'Row' is a kind", "use it to annotate an input, as in `x: Row`"),
    ("x(2)", 1, "'x' is a value and cannot be called", "write a*b for a product"),
    ("Row(x)", 1, "'Row' is a kind and cannot be called", "annotate an input with it, as in `x: Row`"),
    ("sqroot(x)", 1, "there is no function 'sqroot'", "did you mean 'sqrt'?"),
    ("sqrt(u=x)", 6, "found a keyword argument", "pass arguments by position: sqrt(u)"),
    ("sqrt(*x)", 6, "found a starred argument", "write sqrt(u)"),
    ("sqrt()", 1, "sqrt takes 1 argument, and here are 0", "write sqrt(u)"),
    ("mean(x, x)", 1, "mean takes 1 argument, and here are 2", f"write mean(row); {LAST_AXIS}"),
    ("mean(x, axis=-1)", 9, "found a keyword argument", LAST_AXIS),
    ("mean(x, axis=0)", 9, "found a keyword argument", instead.axis("0")),
    ("cumsum(x)", 1, "there is no function 'cumsum'", instead.FUNCTIONS["cumsum"]),
    ("clamp(x, 0, 1)", 1, "there is no function 'clamp'", "write clip(x, low, high)"),
    (
        "std(x)",
        1,
        "there is no function 'std'",
        "write sqrt(mean((x - mean(x))**2)), or sqrt(sum((x - mean(x))**2)/(D - 1)) for the unbiased one",
    ),
    (
        'x - mean(mean(x), "...")',
        5,
        "mean over the rows",
        "return the value of each row, and reduce outside: with y.mean(), each dy is one over the number of rows",
    ),
    ("mean_rows(x)", 1, "there is no function 'mean_rows'", instead.FUNCTIONS["mean_rows"]),
    ("x*asin(2)", 8, "asin(u) needs -1 <= u <= 1, and here u is 2", "give asin an argument with -1 <= u <= 1"),
    ("2*pi(x)", 3, "'pi' is a value and cannot be called", "write a*b for a product"),
    ("maximum(x)", 1, "maximum takes 2 arguments, and here are 1", "write maximum(a, b)"),
    (
        "max(x, 0)",
        1,
        "max with 2 arguments: it reduces one row over the feature axis",
        "write maximum(a, b) for the larger of two values; max(row) takes no axis, and is over the last one",
    ),
    (
        "min(x, 0)",
        1,
        "min with 2 arguments: it reduces one row over the feature axis",
        "write minimum(a, b) for the smaller of two values; min(row) takes no axis, and is over the last one",
    ),
    ("x * mean(mean(x))", 10, "mean of a RowScalar, which has no feature axis", "delete mean"),
    ("x * sum(D)", 9, "sum of a Scalar, which has no feature axis", "delete sum, or multiply by D for a sum"),
    (
        "x ** x",
        6,
        "the exponent is a Row, and has to be the same for all rows and features",
        "write where(a > 0, exp(b*log(where(a > 0, a, 1))), 0) for a power a**b with a >= 0 and b > 1",
    ),
    (
        "x ** (1 + mean(x))",
        7,
        "the exponent is a RowScalar, and has to be the same for all rows and features",
        "write where(a > 0, exp(b*log(where(a > 0, a, 1))), 0) for a power a**b with a >= 0 and b > 1",
    ),
    ("x + (-2) ** D", 6, "the base is negative and the exponent not an integer", "write a base that is not negative"),
    (
        "x ** 65",
        6,
        "the exponent is larger than 64 in magnitude",
        "write the power as a product of smaller ones, such as a**64*a",
    ),
    (
        "x ** -64.5",
        6,
        "the exponent is larger than 64 in magnitude",
        "write the power as a product of smaller ones, such as a**64*a",
    ),
    (
        "x + 9**9**9",
        8,
        "the exponent is larger than 64 in magnitude",
        "write the power as a product of smaller ones, such as a**64*a",
    ),
    ("x + 1e999", 5, "a number that no float holds", FINITE),
    ("x + 1e-999", 5, "a number that no float holds", FINITE),
    ("x + 1e301", 5, "a number that no float holds", FINITE),
    ("x + 1e-301", 5, "a number that no float holds", FINITE),
    ("x + 1" + "0" * 301, 5, "a number that no float holds", FINITE),
    ("x + 1e200 * 1e200", 5, "this expression of numbers has a value that no float holds", FINITE),
    ("x + 1e-200 / 1e200", 5, "this expression of numbers has a value that no float holds", FINITE),
    (
        "x + ((1.0000001**64)**64)**64",
        6,
        "this expression of numbers has a value of too many digits",
        "write the value itself, to the digits that matter",
    ),
    ("x + exp(1000)", 5, "this expression of numbers has a value that no float holds", FINITE),
    ("x / 0", 5, "the divisor is zero", NONZERO),
    ("x / (1 - 1)", 6, "the divisor is zero", NONZERO),
    ("x / (sqrt(2)**2 - 2)", 6, "the divisor is zero", NONZERO),
    ("x * 0**-1", 5, "the divisor is zero", NONZERO),
    (
        "x / (D - D)",
        6,
        "this has to be other than zero, and for no D does it stay so",
        "write something that is other than zero for every large D",
    ),
    (
        "x * sqrt(1 - D)",
        10,
        "this has to be not negative, and for no D does it stay so",
        "write something that is not negative for every large D",
    ),
    ("x * sqrt(-1)", 10, "sqrt(u) needs u >= 0, and here u is -1", "give sqrt an argument with u >= 0"),
    ("x * rsqrt(0)", 11, "rsqrt(u) needs u > 0, and here u is 0", "give rsqrt an argument with u > 0"),
    ("x * log(1 - 2.5)", 9, "log(u) needs u > 0, and here u is -1.5", "give log an argument with u > 0"),
    ("x * log1p(-1)", 11, "log1p(u) needs u > -1, and here u is -1", "give log1p an argument with u > -1"),
    (
        "x * (-2)**0.5",
        5,
        "the base is negative and the exponent not an integer",
        "write a base that is not negative",
    ),
    ("x", 1, "the result 'x' is an input as it stands", COMPUTED),
    ("x + 1" + "0" * 5000, 5, "a number of thousands of digits", FINITE),
    (
        "D * 2",
        1,
        "the result 'y' is a Scalar",
        "return a Row or a RowScalar; what is the same for every row cannot be said: compute it outside",
    ),
    (
        "(x * 2, x)",
        2,
        "one of several results is not a name",
        "assign it to a name first: that names its cotangent",
    ),
    ("()", 1, "a return of nothing", "return at least one name"),
]

# text, line, column, message, remedy
TEXTS = [
    # the file
    ("", 1, 1, "there is no function", FILE),
    ("import os\n" + expression("2*x"), 1, 1, "an import of 'os'", IMPORT),
    ("import lngen.language\n" + expression("2*x"), 1, 1, "an import of 'lngen.language'", IMPORT),
    ("from os import path\n" + expression("2*x"), 1, 1, "an import from 'os'", IMPORT),
    ("from .language import Row\n" + expression("2*x"), 1, 1, "an import from '.language'", IMPORT),
    ("from __future__ import annotations\n" + expression("2*x"), 1, 1, "an import from '__future__'", IMPORT),
    ("from lngen.language import *\n" + expression("2*x"), 1, 28, "an import of *", IMPORT),
    ("from lngen.language import Row as R\n" + expression("2*x"), 1, 28, "an import under another name", "import Row without `as`"),
    ("from lngen.language import Rows\n" + expression("2*x"), 1, 28, "lngen.language has no 'Rows'", "did you mean 'Row'?"),
    ("from lngen.language import FUNCTIONS\n" + expression("2*x"), 1, 28, "lngen.language has no 'FUNCTIONS'", None),
    ("a = 1\n" + expression("2*x"), 1, 1, "found an assignment outside the function", FILE),
    ("print(1)\n" + expression("2*x"), 1, 1, "found a call that stands alone", FILE),
    ("1\n" + expression("2*x"), 1, 1, "found a number that stands alone", FILE),
    ("for i in range(9):\n    pass\n" + expression("2*x"), 1, 1, "found a loop", "operators and functions work on whole rows; write the steps of a loop out, each with a name"),
    ("if 1:\n    pass\n" + expression("2*x"), 1, 1, "found an if statement", "write where(condition, a, b)"),
    ("class A:\n    pass\n" + expression("2*x"), 1, 1, "found a class", FILE),
    ("async " + expression("2*x"), 1, 1, "found an async function", "write def without async"),
    (expression("2*x") * 2, 3, 1, "a second function", "write one function in a file; give each layer its own file"),
    # the signature
    ("@cache\n" + expression("2*x"), 1, 2, "found a decorator", "delete it; the function stands alone"),
    ('@__import__("os").system("true")\n' + expression("2*x"), 1, 2, "found a decorator", "delete it; the function stands alone"),
    ("def f(x: Row) -> Row:\n return 2*x", 1, 18, "found a return annotation", "delete it; the kind of the result is inferred"),
    ("def lambda_(x: Row):\n return 2*x", 1, 5, "the name 'lambda_' begins or ends with an underscore", NAME),
    ("def aux(x: Row):\n return 2*x", 1, 5, "the name 'aux' is the name of a device on some systems", "call it h, or any other name"),
    ("def like(x: Row):\n return 2*x", 1, 5, "the name 'like' is an argument of the emitted functions", "call it h, or any other name"),
    ("def f(x):\n return 2*x", 1, 7, "the input 'x' has no kind", "annotate it with Row, RowScalar, Feature, Scalar, Data, Int or Constant"),
    ("def f(x: Rwo):\n return 2*x", 1, 10, "there is no kind 'Rwo'", "did you mean 'Row'?"),
    ("def f(x: float):\n return 2*x", 1, 10, "there is no kind 'float'", instead.KINDS["float"]),
    ("def f(x: 'Row'):\n return 2*x", 1, 10, "found a string as a kind", KINDS),
    ("def f(x: Row()):\n return 2*x", 1, 10, "found a call as a kind", KINDS),
    ("def f(x: language.Row):\n return 2*x", 1, 10, "found an attribute as a kind", KINDS),
    ("def f(a: RowScalar = 1):\n return 2*a", 1, 22, "the first RowScalar has a default", "delete it: the first RowScalar gives the shape and the dtype"),
    ("def f(a: RowScalar):\n return a/D", 2, 11, "D in a definition without a Row, whose values have no features", "annotate with Row what has one value per row and feature, as in `x: Row`, or make the number a Constant"),
    ("def f(a: RowScalar):\n return a*mean(a)", 2, 16, "mean of a RowScalar, which has no feature axis", "delete mean"),
    ('def f(x: Row, t: Data["b"]):\n return t*x', 1, 18, "Data has no axes 'b'", AXES),
    ('def f(x: Row, t: Data[""]):\n return t*x', 1, 18, "Data has no axes ''", AXES),
    ('def f(x: Row, t: Data["d ..."]):\n return t*x', 1, 18, "Data has no axes 'd ...'", AXES),
    ("def f(x: Row, t: Data[0]):\n return t*x", 1, 18, "found a subscript as a kind", KINDS),
    ("def f(x: Row, t: Data[exit()]):\n return t*x", 1, 18, "found a subscript as a kind", KINDS),
    ('def f(x: Row, t: Row["..."]):\n return t*x', 1, 18, "found a subscript as a kind", KINDS),
    ("def f(x: Row, e: Constant = exit()):\n return e*x", 1, 29, "the default is a call", DEFAULT),
    ("def f(x: Row, e: Constant = '1'):\n return e*x", 1, 29, "the default is a string", DEFAULT),
    ("def f(x: Row, e: Constant = True):\n return e*x", 1, 29, "the default is a truth value", DEFAULT),
    ("def f(x: Row, e: Constant = None):\n return e*x", 1, 29, "the default is None", DEFAULT),
    ("def f(x: Row, e: Constant = 1/3):\n return e*x", 1, 29, "the default is an expression", DEFAULT),
    ("def f(x: Row, e: Constant = --1):\n return e*x", 1, 29, "the default is an expression", DEFAULT),
    ("def f(x: Row, e: Constant = D):\n return e*x", 1, 29, "the default is the name 'D'", DEFAULT),
    ("def f(x: Row, e: Constant = 1e999):\n return e*x", 1, 29, "a number that no float holds", FINITE),
    ("def f(x: Row = 1):\n return 2*x", 1, 16, "the first Row has a default", "delete it: the first Row gives the shape and the dtype"),
    ("def f(g: Feature = 1, x: Row):\n return g*x", 1, None, None, "put the inputs that have no default first"),
    ("def f(g: Feature):\n return 2*g", 1, 5, "no input is a Row", "annotate with Row what has one value per row and feature, as in `x: Row`, or with RowScalar each of the numbers that stand by themselves, such as the log-probabilities of a loss"),
    ("def f():\n return 2", 1, 5, "no input is a Row", "annotate with Row what has one value per row and feature, as in `x: Row`, or with RowScalar each of the numbers that stand by themselves, such as the log-probabilities of a loss"),
    ("def f(*x: Row):\n return 2*x", 1, 8, "found *arguments", "name every input"),
    ("def f(x: Row, **k: Row):\n return 2*x", 1, 17, "found **arguments", "name every input"),
    ("def f(x: Row, /):\n return 2*x", 1, 7, "found inputs that are positional only", "delete the /"),
    ("def f(x: Row, *, e: Constant):\n return e*x", 1, 18, "found inputs that are keyword only", "delete the *; emitted functions take Constants by keyword anyway"),
    ("def f(f: Row):\n return 2*f", 1, 7, "'f' is the name of the function itself", "call it h, or any other name"),
    (body("f = 2*x", "return f"), 2, 5, "'f' is the name of the function itself", "call it h, or any other name"),
    ("def f(x: Row, dy: Row):\n return x*dy", 1, 15, "'dy' and the cotangent of 'y' would have gradients of one name, 'ddy'", "call the input dy_1, or the output otherwise"),
    ("def f(x: Row, h: Row):\n return x*h*g", 2, 13, "nothing is called 'g'", "assign it first, or make it an input"),
    ("def f(x: Row, gamma: Feature):\n return 2*x", 1, 15, "the input 'gamma' is not used", "delete it, or use it"),
    ("def f(x: Row, eps: Constant):\n return 2*x", 1, 15, "the input 'eps' is not used", "delete it, or use it"),
    ("def f(ｘ: Row):\n return 2*ｘ", 1, 7, "the name 'ｘ' has characters that are not ASCII", "write names with the letters a to z, digits and underscores"),
    ("def f(x: Row):  # type: (Row) -> Row\n return 2*x", 1, 17, "a type comment", "annotate inputs with a kind, as in `x: Row`; statements need none"),
    # the body
    (body("pass"), 2, 5, "found pass", "delete it"),
    (body("for i in x:", "    y = i", "return y"), 2, 5, "found a loop", "operators and functions work on whole rows; write the steps of a loop out, each with a name"),
    (body("while x:", "    y = i", "return y"), 2, 5, "found a loop", "a loop whose length depends on values cannot be said: find its result outside and pass it as a Row, or write a fixed number of steps out"),
    (body("with x:", "    y = i", "return y"), 2, 5, "found a with statement", BODY),
    (body("try:", "    y = i", "finally:", "    y = 1"), 2, 5, "found a try statement", BODY),
    (body("match x:", "    case 1: pass"), 2, 5, "found a match statement", "write where(condition, a, b)"),
    (body("del x"), 2, 5, "found del", "delete the line; a name is assigned once and kept"),
    (body("assert x"), 2, 5, "found an assertion", "delete it; lngen checks inputs by itself"),
    (body("raise x"), 2, 5, "found raise", "delete it; lngen checks inputs by itself"),
    (body("global x"), 2, 5, "found global", "give the function an input"),
    (body("nonlocal z"), 2, 5, "found nonlocal", "give the function an input"),
    (body("def g(): pass"), 2, 5, "a function inside the function", "write its formula in place of it"),
    (body("import os"), 2, 5, "an import inside the function", "move it to the top of the file"),
    (body("x + 1", "return x"), 2, 5, "found an expression that stands alone", BODY),
    (body("x += 1"), 2, 5, "found an augmented assignment", "assign a new name, as in `b = a + 1`"),
    (body("y: Row = x"), 2, 5, "found an annotated assignment", "write `name = expression`; kinds of statements are inferred"),
    (body("a, b = x"), 2, 5, "found an assignment to several names", ONE_TARGET),
    (body("h = g = 2*x"), 2, 9, "found a second target", ONE_TARGET),
    (body("x.a = 1"), 2, 5, "found an assignment to an attribute", ONE_TARGET),
    (body("x[0] = 1"), 2, 5, "found an assignment to a subscript", "single entries cannot be set: write where(index() == i, a, x)"),
    (body("x = 2*x"), 2, 5, "'x' already has a value", "choose a new name; names are assigned once"),
    (body("h = 2*x", "h = 3*x"), 3, 5, "'h' already has a value", "choose a new name; names are assigned once"),
    (body("h = x"), 2, 9, "a second name for 'x'", "write 'x' wherever 'h' stands, and delete the line; a result has to be computed, an input as it stands is none"),
    (body("h = 2*x", "g = h"), 3, 9, "a second name for 'h'", "write 'h' wherever 'g' stands, and delete the line"),
    (body("h = v + 1", "v = 2*x"), 2, 9, "'v' is used before it is assigned", "move the assignment up"),
    (body("var_ = 2*x"), 2, 5, "the name 'var_' begins or ends with an underscore", NAME),
    (body("__class__ = 2*x"), 2, 5, "the name '__class__' begins or ends with an underscore", NAME),
    (body(f"{'v' * 41} = 2*x"), 2, 5, f"the name '{'v' * 41}' is longer than 40 characters", NAME),
    (body("D = 2*x"), 2, 5, "the name 'D' is the number of features", "call it h, or any other name"),
    (body("mean = 2*x"), 2, 5, "the name 'mean' is a function of the language", "call it h, or any other name"),
    (body("Row = 2*x"), 2, 5, "the name 'Row' is a kind of the language", "call it h, or any other name"),
    (body("print = 2*x"), 2, 5, "the name 'print' is a builtin of Python", "call it h, or any other name"),
    (body("saved = 2*x"), 2, 5, "the name 'saved' is an argument of the emitted functions", "call it h, or any other name"),
    (body("return x", "h = 2*x"), 3, 5, "a statement after return", "end the function with its return"),
    (body("h = 2*x"), 1, 5, "there is no return", "end the function with `return` and its result"),
    (body("return"), 2, 5, "a return without a value", "return the result"),
    (body("h = 2*x", "return h, h"), 3, 15, "'h' is returned twice", "return each name once"),
    (body("h = 2*x", "return h, x"), 3, 15, "the result 'x' is an input as it stands", COMPUTED),
    (body("h = 2*x", "return h, g"), 3, 15, "'g' is returned and is not assigned in the function", "return names that statements assign"),
    (body("y = 2*x", "return 2*y"), 3, 12, "an unnamed result is called 'y', and that name is taken", "assign the result to a name and return the name"),
    (body("h = 2*gamma", "return h"), 3, 12, "the result 'h' is a Feature", "return a Row or a RowScalar; what is the same for every row cannot be said: compute it outside"),
    (body("h = 2*x", "m = mean(gamma)", "return h, m"), 4, 15, "the result 'm' is a Scalar", "return a Row or a RowScalar; what is the same for every row cannot be said: compute it outside"),
    (body("h = 2*x", "u = 3*x", "return h"), 3, 5, "'u' reaches no result", "delete the statement"),
    (body("z = 0", "return x / z"), 3, 16, "the divisor is zero", NONZERO),
    (body(*["h = 2*x"] * 201), 202, 5, "there are more than 200 statements", "a definition is one layer; split it"),
    # what is no syntax at all
    ("def f(x: Row):\n    return x +\n", 2, None, "not Python syntax: invalid syntax", None),
    ("x\0", 1, None, None, None),
    ("x = '\ud800'", 1, 6, "the character '\\ud800' cannot stand in a text", "delete it"),
    ("#" * 65537, 1, 1, "the text is longer than 64 KiB", "a definition is one short function; split a larger one into several files"),
    (expression("x" + " + x" * 100), 2, 12, "an expression is nested more than 100 levels deep", SPLIT),
    (expression("-" * 100 + "x"), 2, 112, "an expression is nested more than 100 levels deep", SPLIT),
    (expression("-" * 30000 + "x"), 2, None, None, SPLIT),
    (expression("(" * 500 + "x" + ")" * 500), 2, None, None, SPLIT),
]  # fmt: skip


def check(error: DefinitionError, line: int, column: int | None, message: str | None, remedy: str | None) -> None:
    # What Python's parser reports differs from version to version; that is where a table entry has None.
    assert error.line == line
    assert column is None or error.column == column
    assert message is None or error.message == message
    assert error.remedy
    assert remedy is None or error.remedy == remedy
    first = str(error).splitlines()[0]
    assert first.startswith(f"f.py:{error.line}:{error.column}: ")
    assert len(str(error).splitlines()) == 4


@pytest.mark.parametrize(("text", "column", "message", "remedy"), EXPRESSIONS, ids=lambda value: str(value)[:40])
def test_refused_expressions(text: str, column: int, message: str, remedy: str) -> None:
    check(refused(expression(text)), 2, 11 + column, message, remedy)


@pytest.mark.parametrize(("text", "line", "column", "message", "remedy"), TEXTS, ids=range(len(TEXTS)))
def test_refused_texts(text: str, line: int, column: int | None, message: str | None, remedy: str | None) -> None:
    check(refused(text), line, column, message, remedy)


def test_one_hundred_levels_are_enough() -> None:
    assert of("x" + " + x" * 99)
    assert of("-" * 99 + "x")


def test_a_near_miss_gets_a_suggestion() -> None:
    assert refused(body("h = 2*gama", "return h")).remedy == "did you mean 'gamma'?"


def test_deep_towers_are_refused_quickly() -> None:
    # Each would take longer than the age of the universe, or all memory, if it were computed.
    for text in ("9**9**9", "(9**64)**64", "2**64**64", "(1/3)**64**64", "(((3**64)**64)**64)**64"):
        refused(expression(f"x * {text}"))


# --- errors ----------------------------------------------------------------------------------------


def test_the_whole_error_is_four_lines() -> None:
    assert str(refused("def f(x: Row):\n    y = x ** x\n    return y")) == (
        "f.py:2:14: the exponent is a Row, and has to be the same for all rows and features\n"
        "        y = x ** x\n"
        "                 ^\n"
        "  remedy: write where(a > 0, exp(b*log(where(a > 0, a, 1))), 0) for a power a**b with a >= 0 and b > 1"
    )


def test_control_characters_are_escaped() -> None:
    error = refused("def f(x: Row):\n\ty = x\x0c + '\x1b[2J\u202e'\n\treturn y")
    assert "\x1b" not in str(error)
    assert "\u202e" not in str(error)
    shown, caret = str(error).splitlines()[1:3]
    assert shown[caret.index("^") :].startswith("'\\x1b[2J\\u202e'")


def test_a_long_line_is_cut_around_the_caret() -> None:
    error = refused(expression("x + " * 45 + "nothing" + " + x" * 45))
    shown, caret = str(error).splitlines()[1:3]
    assert len(shown) < 140
    assert shown[caret.index("^") :].startswith("nothing")


def test_errors_survive_pickling() -> None:
    import pickle

    error = refused("")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


# --- files -----------------------------------------------------------------------------------------


def test_load_reads_utf8(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"\xef\xbb\xbf" + '"""ä"""\r\ndef f(x: Row): return 2*x\r\n'.encode())
    assert load(path).docstring == "ä"
    assert load(str(path)).filename == str(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file. Check the path."),
        (b"\n\xff", ":2: byte 1 (0xff) is not UTF-8. Save the file as UTF-8 text."),
        (b"#" * 70000, "the file is longer than 64 KiB."),
    ],
)
def test_load_says_what_is_wrong_with_a_file(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "f.py"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LngenError) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_load_of_a_folder_or_an_impossible_path(tmp_path: Path) -> None:
    with pytest.raises(LngenError, match="this is a folder"):
        load(tmp_path)
    with pytest.raises(LngenError, match="cannot be read"):
        load("a\0b")


# --- hostile text ----------------------------------------------------------------------------------

HOSTILE = [
    'def f(x: Row):\n    return x * __import__("os").system("touch HIT")',
    '__import__("os").system("touch HIT")\n' + expression("2*x"),
    '@__import__("os").system("touch HIT")\n' + expression("2*x"),
    'def f(x: __import__("os").system("touch HIT")):\n    return 2*x',
    'def f(x: Row, e: Constant = __import__("os").system("touch HIT")):\n    return e*x',
    'def f(x: Row):\n    f"""{open("HIT", "w")}"""\n    return 2*x',
    'def f(x: Row):\n    return (lambda: open("HIT", "w"))() * x',
    "def f(x: Row):\n    return x.__class__.__bases__[0].__subclasses__()",
    'def f(x: Row):\n    return sqrt(x, open("HIT", "w"))',
]


def watched(texts: list[str], folder: Path, may_pass: bool) -> None:
    """Parse texts in a process of their own, where an audit hook sees every file that is opened and every process that
    is started.
    """
    given = folder / "texts.json"
    given.write_text(json.dumps(texts))
    program = (
        "import json, sys, unicodedata, lngen.language.parsing.parser, mpmath\n"
        "from lngen.language.parsing import parse\n"
        "from lngen.errors import DefinitionError\n"
        "from pathlib import Path\n"
        "texts = json.loads(Path('texts.json').read_text())\n"
        "parse('def f(x: Row): return x*exp(-2)/sqrt(3 + D)')\n"
        "seen = []\n"
        "watched = ('open', 'exec', 'import', 'os.', 'subprocess.', 'socket.', 'ctypes.')\n"
        "from lngen.language.parsing.source import NO_FILE\n"
        "def hook(event, arguments):\n"
        "    if event.startswith(watched) and (event, arguments[:1]) != ('open', (NO_FILE,)):\n"
        "        seen.append(f'{event} {arguments}')\n"
        "sys.addaudithook(hook)\n"
        "for text in texts:\n"
        "    try:\n"
        "        parse(text)\n"
        "    except DefinitionError:\n"
        "        continue\n"
        f"    if not {may_pass}:\n"
        "        sys.exit('accepted: ' + text)\n"
        "sys.exit('acted: ' + ' '.join(seen) if seen else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(folder.iterdir()) == [given]


def test_nothing_is_executed_and_nothing_is_written(tmp_path: Path) -> None:
    watched(HOSTILE, tmp_path, may_pass=False)


SEEDS = [path.read_text() for path in SHIPPED + TEST_ONLY] + [text for text, *_ in TEXTS if len(text) < 300] + HOSTILE
PIECES = [
    "(",
    ")",
    "\n",
    "    ",
    " ",
    "**",
    "*",
    "-",
    "/",
    ",",
    ":",
    "=",
    "==",
    "x",
    "D",
    "0",
    "9",
    "1e308",
    "é",
    "\0",
]
PIECES += [
    "\t",
    "'",
    '"""',
    "#",
    "\\",
    "return ",
    "lambda",
    ".",
    "[",
    "]",
    "where(",
    "mean(",
    "log(",
    "\ud800",
    "\x0c",
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        insert = draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=3), st.just(text[start:end] * 2)))
        text = text[:start] + insert + text[end:]
    return text


def outcome(text: str) -> Definition | DefinitionError:
    try:
        return parse(text)
    except DefinitionError as error:
        return error


@pytest.mark.ci
@settings(max_examples=1000, deadline=None)
@given(mutated())
def test_any_text_is_a_definition_or_a_definition_error(text: str) -> None:
    result = outcome(text)
    if isinstance(result, DefinitionError):
        lines = str(result).split("\n")
        assert len(lines) == 4
        assert all(line.isprintable() for line in lines)
    else:
        assert parse(text).canonical() == result.canonical()
        result.docstring.encode()


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_expression_is_a_definition_or_a_definition_error(text: str) -> None:
    assert str(outcome(text))
    assert str(outcome(expression(text)))


def test_mutated_texts_are_neither_executed_nor_written(tmp_path: Path) -> None:
    """The same mutations from one seed, watched: no traceback, no execution, no file."""
    generator = random.Random(20260)
    texts = []
    for _ in range(1500):
        text = generator.choice(SEEDS)
        for _ in range(generator.randint(1, 6)):
            start = generator.randint(0, len(text))
            end = min(len(text), start + generator.choice((0, 0, 1, 3, 12)))
            piece = generator.choice([*PIECES, *HOSTILE, generator.choice(SEEDS)[start : start + 20]])
            text = text[:start] + piece + text[end:]
        texts.append(text)
    watched(texts, tmp_path, may_pass=True)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x/sqrt(mean(x**2) + c)", ("c",)),
        ("return x*(mean(x**2) + c)**(-1/2)", ("c",)),
        ("return x*rsqrt(1 + x**2*c)", ("c",)),
        ("h = mean(x**2) + c\n    return x*abs(h)", ("c",)),
        ("h = mean(x**2) + c\n    s = 2*h\n    return x*log(s)", ("c",)),
        ("return c*x + d", ()),
        ("return x/(mean(abs(x)) + c)", ()),
        ("return x*(x + c)**3*(x + d)**(-2)", ()),
        ("return where(x > c, x, d*x)", ()),
        ("return sqrt(x + d)", ()),  # its default says nothing of its sign
    ],
)
def test_the_constants_whose_sign_may_have_been_used(body: str, expected: tuple[str, ...]) -> None:
    used = [name for name in ("c", "d") if name in body.replace("mean", "").replace("def", "").replace("and", "")]
    inputs = ", ".join(["x: Row", *({"c": "c: Constant = 1", "d": "d: Constant = 0"}[name] for name in used)])
    assert parse(f"def f({inputs}):\n    {body}").needed_positive == expected
