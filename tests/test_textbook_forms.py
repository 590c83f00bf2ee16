"""What the change of basis has to find by itself: a textbook's formulas, from any spelling of a layer."""

from dataclasses import replace
from pathlib import Path

import pytest

from lngen.definition import load, parse
from lngen.notation import text
from lngen.plan import plan
from lngen.prove import prove
from lngen.simplify import derive
from lngen.symbolic import Mean
from lngen.translate import Equation

ROOT = Path(__file__).parents[1]
SHIPPED = sorted((ROOT / "derive").glob("*.py"))
TEST_ONLY = sorted((ROOT / "tests" / "definitions").glob("*.py"))

NAMES = "Row, RowScalar, Feature, Scalar, Constant, D, mean, sum, sqrt, rsqrt, exp, log, abs, max, tanh, sigmoid"

CENTRED = {
    "g": "gamma*dy",
    "dx": "rstd*(g - mean(g) - xhat*mean(g*xhat))",
    "dgamma": "sum_rows(dy*xhat)",
    "dbeta": "sum_rows(dy)",
}

FORMS = {
    "layer_norm": CENTRED,
    "one_line": CENTRED,
    "naive_variance": CENTRED,
    "rms_norm": {"g": "gamma*dy", "dx": "rstd*(g - xhat*mean(g*xhat))", "dgamma": "sum_rows(dy*xhat)"},
    "soft_max": {"dx": "y*(dy - sum(dy*y))"},
    "residual_add": CENTRED | {"dx": "dh + rstd*(g - mean(g) - xhat*mean(g*xhat))", "dr": "dx"},
    "unbiased": {"dx": "rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))"},
}

SPELLED = [
    # the p = 4 norm: the identity is for the fourth power
    (
        "def p4(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):\n    return gamma*x/(mean(x**4) + eps)**0.25",
        "dx",
        "scale*(g - xhat**3*mean(g*xhat))",
    ),
    # a maximum that the user takes out by hand needs no gradient
    (
        "def shifted(x: Row):\n    z = exp(x - max(x))\n    s = sum(z)\n    y = z/s\n    return y",
        "dx",
        "y*(dy - sum(dy*y))",
    ),
    # a weight under the mean
    (
        "def weighted(x: Row, w: Feature, eps: Constant = 1e-5):\n    return x*rsqrt(mean(w*x**2) + eps)",
        "dx",
        "rstd*(dy - w*y*mean(dy*y))",
    ),
    # the row itself beside its norm
    (
        "def skip(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):\n    return x + gamma*x*rsqrt(mean(x**2) + eps)",
        "dx",
        "dy + rstd*(g - xhat*mean(g*xhat))",
    ),
    # a norm of a norm: two textbook formulas, one after the other
    (
        "def nested(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):\n    mu = mean(x)\n"
        "    y1 = gamma*(x - mu)/sqrt(mean((x - mu)**2) + eps)\n    return y1*rsqrt(mean(y1**2) + eps)",
        "dx",
        "rstd*(g - mean(g) - xhat*mean(g*xhat))",
    ),
]


def gradients(derivation):
    order = [symbol.name for symbol in derivation.forward.symbols]
    return {equation.symbol.name: text(equation.expression, order) for equation in derivation.backward}


@pytest.fixture(scope="module")
def derivations():
    return {path.stem: derive(load(path)) for path in (*SHIPPED, *TEST_ONLY)}


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_layer_ends_at_its_textbook_form(derivations, name):
    found = gradients(derivations[name])
    assert {key: found[key] for key in FORMS[name]} == FORMS[name]


@pytest.mark.parametrize(("source", "gradient", "form"), SPELLED, ids=[s.split("(")[0][4:] for s, _, _ in SPELLED])
def test_a_spelling_ends_at_its_textbook_form(source, gradient, form):
    used = [name for name in NAMES.split(", ") if name in source]
    derivation = derive(parse(f"from lngen.language import {', '.join(used)}\n{source}\n"))
    assert gradients(derivation)[gradient] == form


def test_one_line_and_six_lines_are_the_same_layer(derivations):
    six, one = derivations["layer_norm"], derivations["one_line"]
    assert [(q.symbol.name, str(q.expression)) for q in six.forward.equations] == [
        (q.symbol.name, str(q.expression)) for q in one.forward.equations
    ]
    assert gradients(six) == gradients(one)
    shape = [[(len(stage.temps), len(stage.reductions)) for stage in plan(d).forward.stages] for d in (six, one)]
    assert shape[0] == shape[1]


@pytest.mark.parametrize("path", [*SHIPPED, *TEST_ONLY], ids=lambda path: path.stem)
def test_every_derivation_is_proved(derivations, path):
    proved = prove(derivations[path.stem])
    assert {proof.kind for proof in proved.proofs} >= {"exact", "second derivation"}
    assert [proof.statement for proof in proved.proofs if not proof.passed] == []


WRONG = {
    "mean term dropped": lambda rstd, g, xhat, mean: rstd * (g - xhat * mean(g * xhat)),
    "mean term twice": lambda rstd, g, xhat, mean: rstd * (g - 2 * mean(g) - xhat * mean(g * xhat)),
    "xhat term dropped": lambda rstd, g, xhat, mean: rstd * (g - mean(g)),
    "sign": lambda rstd, g, xhat, mean: rstd * (g - mean(g) + xhat * mean(g * xhat)),
    "rstd squared": lambda rstd, g, xhat, mean: rstd**2 * (g - mean(g) - xhat * mean(g * xhat)),
}


@pytest.mark.parametrize("fault", sorted(WRONG))
def test_a_wrong_gradient_is_refuted_by_each_kind_of_evidence(derivations, fault):
    right = derivations["layer_norm"]
    symbols = {s.name: s for q in (*right.forward.equations, *right.backward) for s in [q.symbol]}
    wrong = WRONG[fault](symbols["rstd"], symbols["g"], symbols["xhat"], Mean)
    planted = replace(
        right,
        backward=tuple(Equation(q.symbol, wrong) if q.symbol.name == "dx" else q for q in right.backward),
    )
    failed = {proof.kind for proof in prove(planted).proofs if not proof.passed}
    assert {"exact", "second derivation"} <= failed
