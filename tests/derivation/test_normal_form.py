"""The normal form: spelling does not matter, names do not collide, and every value is the definition's."""

from __future__ import annotations

import pytest

from lngen.derivation.from_definition import translate
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from tests.corpus import forward, text_of
from tests.derivation.rules.written import normal_form

EPS = "eps: Constant = 1e-5"


def normal(text: str) -> list[str]:
    return text_of(normal_form(translate(parse(text))).equations)


SPELLINGS = [
    # a quotient, a product with rsqrt, a power
    (
        f"def f(x: Row, {EPS}): return x/sqrt(mean(x**2) + eps)",
        f"def f(x: Row, {EPS}): return x*rsqrt(mean(x*x) + eps)",
    ),
    (
        f"def f(x: Row, {EPS}): return x/sqrt(mean(x**2) + eps)",
        f"def f(x: Row, {EPS}): return (mean(x**2) + eps)**-0.5*x",
    ),
    # a sum over D is a mean; 1 + w in any order
    (
        f"def f(x: Row, w: Feature = 0, {EPS}): return x*rsqrt(sum(x**2)/D + eps)*(1 + w)",
        f"def f(x: Row, w: Feature = 0, {EPS}): return (w + 1)*(x*rsqrt(mean(x**2) + eps))",
    ),
    # an expression that is centred on its own mean
    (
        "def f(x: Row): return x**3 - mean(x**3)",
        "def f(x: Row):\n    u = x**3\n    return u - mean(u)",
    ),
]


@pytest.mark.parametrize(("one", "other"), SPELLINGS)
def test_spelling_does_not_matter(one: str, other: str) -> None:
    forms = [derive(parse(text)) for text in (one, other)]
    ends = [text_of(form.backward) for form in forms]
    assert ends[0] == ends[1]
    assert len(forms[0].forward.equations) == len(forms[1].forward.equations)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # a sum of rows that is centred gets its own name and stays the row of the class
        (
            "residual_add",
            [
                "h = r + x",
                "mu = Mean(h)",
                "h_centred = -mu + h",
                "var = Mean(h_centred**2)",
                "rstd = 1/sqrt(var + eps)",
                "xhat = rstd*h_centred",
                "y = beta + gamma*xhat",
            ],
        ),
        # the user's names stay the user's, whatever they are
        (
            "other_names",
            [
                "t = Mean(g)",
                "g_centred = -t + g",
                "var = Mean(g_centred**2)",
                "rstd_2 = 1/sqrt(var + eps)",
                "ghat = rstd_2*g_centred",
                "y = rstd + xhat*ghat",
            ],
        ),
        # 1/b beside b**(-1/2)
        (
            "two_roots",
            [
                "mu = Mean(x)",
                "ms = Mean(x**2)",
                "x_centred = -mu + x",
                "scale = 1/(ms + eps)",
                "xhat = scale*x_centred",
                "rstd = 1/sqrt(ms + eps)",
                "xhat_2 = rstd*x",
                "y = xhat + xhat_2",
            ],
        ),
        # one value, two names: two outputs
        ("one_value_two_names", ["mu = Mean(x)", "b = -mu + x", "a = b"]),
    ],
)
def test_normal_form(name: str, expected: list[str]) -> None:
    assert forward(name) == expected


def test_a_stopped_value_is_not_one_that_is_not() -> None:
    maxima = [line for line in forward("shift_and_maximum") if "RowMax" in line]
    assert len(maxima) == 2


def test_two_outputs_of_one_value_are_two() -> None:
    forward = normal_form(translate(parse("def f(x: Row):\n    b = cos(x)\n    a = log(exp(b))\n    return a, b")))
    assert [symbol.name for symbol in forward.outputs] == ["a", "b"]
    assert len({equation.symbol for equation in forward.equations}) == len(forward.equations)


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        # SymPy multiplies the power out; the scaled row is a value of the layer all the same.
        ("(x*rsqrt(mean(x**2) + 1))**3", "y = xhat**3"),
        ("x**2/(mean(x**2) + 1)**2*(x + 1)", "y = xhat**2*(x + 1)"),
        # Its derivatives would have the fourth power of the smallest entry below.
        ("x*erf(mean(x)/min(x))", "u = mu/row_min"),
    ],
)
def test_what_a_derivative_needs_in_one_piece_has_a_name(statement: str, line: str) -> None:
    assert line in normal(f"def f(x: Row): return {statement}")


def test_an_output_that_is_a_number_does_not_share_its_name() -> None:
    lines = normal("def f(x: Row):\n    a = (x - x)/2 + 1/D\n    b = a*x\n    return b, a")
    assert len({line.split(" = ")[0] for line in lines}) == len(lines)
