"""Textbook formulas that the change of basis finds, from any spelling of a layer."""

import re

import pytest

from lngen.algebra.notation import text
from lngen.derivation.gradients import derive
from lngen.emit import Notes, cuda
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from tests import corpus

NAMES = "Row, RowScalar, Feature, Scalar, Constant, D, mean, sum, sqrt, rsqrt, exp, log, abs, max, tanh, sigmoid"

CENTRED = {
    "g": "gamma*dy",
    "dx": "rstd*(g - mean(g) - xhat*mean(g*xhat))",
    "dgamma": "sum_rows(dy*xhat)",
    "dbeta": "sum_rows(dy)",
}

UNIT = "rstd*(g - xhat*mean(g*xhat))"
GATE = "sigmoid_z*{}*(1 + z*(1 - sigmoid_z))"

SOFTMAX = "exp_shifted/Z"
FORMS = {
    # every shipped layer, as the best hand-written kernels have it
    "adaptive_layer_norm": {"g": "dy*(1 + scale)", "dx": CENTRED["dx"], "dscale": "dy*xhat", "dshift": "dy"},
    "add_layer_norm": CENTRED | {"dx": "dh + " + CENTRED["dx"], "dresidual": "dx"},
    "add_rms_norm": {"g": "gamma*dy", "dx": "dh + " + UNIT, "dresidual": "dx", "dgamma": "sum_rows(dy*xhat)"},
    "cross_entropy": {"p": SOFTMAX, "dx": "dy*(p*sum(target) - target)", "dtarget": "-dy*logp"},
    "dynamic_tanh": {
        "du": "gamma*dy*(1 - t)*(1 + t)",
        "dx": "alpha*du",
        "dalpha": "sum_rows(sum(du*x))",
        "dgamma": "sum_rows(dy*t)",
        "dbeta": "sum_rows(dy)",
    },
    "gated_rms_norm": {
        "g": "gamma*dy*silu_z",
        "dx": UNIT,
        "dz": "gamma*dy*" + GATE.format("xhat"),
        "dgamma": "sum_rows(dy*silu_z*xhat)",
    },
    "l2_norm": {"dx": "rstd*(dy - y*sum(dy*y))"},
    "layer_norm_gelu": {
        "du": "dy*(Phi_u + u*phi(u))",
        "g": "gamma*du",
        "dx": CENTRED["dx"],
        "dgamma": "sum_rows(du*xhat)",
        "dbeta": "sum_rows(du)",
    },
    "log_softmax": {"p": SOFTMAX, "dx": "dy - p*sum(dy)"},
    "logsumexp": {"p": SOFTMAX, "dx": "dy*p"},
    "mean_abs_norm": CENTRED | {"dx": "scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))"},
    "modulated_layer_norm": {
        "g": "gate*gamma*dy",
        "dx": CENTRED["dx"],
        "dgate": "sum(dy*(gamma*xhat + beta))",
        "dgamma": "sum_rows(gate*dy*xhat)",
        "dbeta": "sum_rows(gate*dy)",
    },
    "offset_rms_norm": {"g": "dy*(1 + w)", "dx": UNIT, "dw": "sum_rows(dy*xhat)"},
    "power_norm": {"g": "gamma*dy", "dx": "scale*(g - xhat**3*mean(g*xhat))", "dgamma": "sum_rows(dy*xhat)"},
    "rms_norm_gated": {
        "g": "gamma*dy",
        "dh": "rstd*(g - hhat*mean(g*hhat))",
        "dx": "dh*silu_z",
        "dz": "dh*" + GATE.format("x"),
        "dgamma": "sum_rows(dy*hhat)",
    },
    "scaled_softmax": {"du": "y*(dy - sum(dy*y))", "dx": "scale*du", "dscale": "sum_rows(sum(du*x))"},
    "softmax": {"dx": "y*(dy - sum(dy*y))"},
    "standardize": {"dx": "rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))"},
    # and other spellings
    "layer_norm": CENTRED,
    "one_line": CENTRED,
    "naive_variance": CENTRED,
    "rms_norm": {"g": "gamma*dy", "dx": UNIT, "dgamma": "sum_rows(dy*xhat)"},
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
    # in one line, with sums; with a mean in the place of the sum
    ("def one_line(x: Row): return exp(x)/sum(exp(x))", "dx", "y*(dy - sum(dy*y))"),
    # a maximum under a name, through which nothing flows since it cancels
    ("def log_probability(x: Row):\n    m = max(x)\n    return x - m - log(sum(exp(x - m)))", "dx", "dy - p*sum(dy)"),
    (
        "def log_probability_in_steps(x: Row):\n    m = max(x)\n    u = x - m\n    e = exp(u)\n    s = sum(e)\n"
        "    return u - log(s)",
        "dx",
        "dy - p*sum(dy)",
    ),
    (
        "def expected(x: Row, t: Row):\n    m = max(x)\n    logp = x - m - log(sum(exp(x - m)))\n"
        "    return -sum(t*logp)",
        "dx",
        "dy*(p*sum(t) - t)",
    ),
    ("def log_partition(x: Row):\n    m = max(x)\n    return m + log(sum(exp(x - m)))", "dx", "dy*p"),
    # a root by its name and a division: one reciprocal root
    (
        "def named_root(x: Row, eps: Constant = 1e-5):\n    mu = mean(x)\n    s = sqrt(mean((x - mu)**2) + eps)\n"
        "    return (x - mu)/s",
        "dx",
        "rstd*(dy - mean(dy) - y*mean(dy*y))",
    ),
    # statistics as outputs: no power of rstd is divided by rstd
    (
        "def statistics(x: Row, eps: Constant = 1e-5):\n    mu = mean(x)\n    var = mean((x - mu)**2)\n"
        "    rstd = rsqrt(var + eps)\n    y = (x - mu)*rstd\n    return y, mu, var, rstd",
        "dx",
        "2*dvar*x_centred/D + dmu/D + rstd*(dy - mean(dy) - y*mean(dy*y)) - drstd*rstd**2*y/D",
    ),
    # reductions of a parameter: the sums over rows wait for nothing
    (
        "def share(x: Row, w: Feature): return x*w/sum(w)",
        "dw",
        "(sum_rows(dy*x) - sum_rows(sum(w*dy*x))/sum_w)/sum_w",
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


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_layer_ends_at_its_textbook_form(name):
    found = gradients(corpus.derivation(name))
    assert {key: found[key] for key in FORMS[name]} == FORMS[name]


@pytest.mark.parametrize(("source", "gradient", "form"), SPELLED, ids=[s.split("(")[0][4:] for s, _, _ in SPELLED])
def test_a_spelling_ends_at_its_textbook_form(source, gradient, form):
    used = [name for name in NAMES.split(", ") if name in source]
    derivation = derive(parse(f"from lngen.language import {', '.join(used)}\n{source}\n"))
    assert gradients(derivation)[gradient] == form


def test_one_line_and_six_lines_are_the_same_layer():
    six, one = corpus.derivation("layer_norm"), corpus.derivation("one_line")
    assert [(q.symbol.name, str(q.expression)) for q in six.forward.equations] == [
        (q.symbol.name, str(q.expression)) for q in one.forward.equations
    ]
    assert gradients(six) == gradients(one)
    shape = [[(len(stage.temps), len(stage.reductions)) for stage in plan(d).forward.stages] for d in (six, one)]
    assert shape[0] == shape[1]


def test_one_line_and_six_lines_are_one_kernel():
    six, one = (
        cuda.emit(made.programs(), Notes("layer", "A layer.", inputs=("x", "gamma", "beta")))["layer.h"]
        for made in (plan(corpus.derivation(name)) for name in ("layer_norm", "one_line"))
    )
    tokens = [re.findall(r"\w+|[^\w\s]", text) for text in (six, one)]
    assert len(tokens[0]) == len(tokens[1])
    assert len(tokens[0]) > 1000
    # One name stands for one name, everywhere.
    renamed = set(zip(*tokens, strict=True))
    assert len({a for a, _ in renamed}) == len({b for _, b in renamed}) == len(renamed)
