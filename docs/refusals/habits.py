"""Functions that people have from elsewhere: a call of each, what to write instead, and its value."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace

import numpy as np

from docs.refusals.catalogue import Example, Section, drawn, formula, returning


def _top2(x):
    return (x >= np.sort(x, -1)[:, -2:-1]) * 1.0


def _median(x):
    return np.abs(x - np.median(x, -1)[:, None]).argmin(-1)


def _sparsemax(x):
    """Sparsemax of each row, by bisection for its threshold."""
    low, high = x.max(-1) - 1, x.max(-1)
    for _ in range(100):
        middle = (low + high) / 2
        above = np.maximum(x - middle[:, None], 0).sum(-1) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.maximum(x - low[:, None], 0)


def _label(x):
    return x[:, 1]


_erf = np.vectorize(math.erf)
_AB = {"inputs": "a: Row, b: Row"}
_POSITIVE = {"low": 0.25}
_LOGIC = "where((a > 0) & (b > 0), 1, 0)"
_BOUNDS = "x: Row, low: Scalar, high: Scalar"


def _outside(written: str, function, inputs: str = "x: Row") -> Example:
    """A function that is computed outside and passed as a Row, here `u`."""
    example = Example(
        returning(f"2*{written}", inputs), returning("2*u", "u: Row"), _doubled(function), {"u": function}
    )
    return replace(example, low=-0.9, high=0.9)


def _doubled(function):
    def value(**given):
        return 2 * function(**given)

    value.__signature__ = inspect.signature(function)
    return value


ARCS = (("atan2(a, b)", lambda a, b: np.arctan2(a, b), {"a": "b/(a**2 + b**2)", "b": "-a/(a**2 + b**2)"}),)
"""The functions that a remedy sends outside, with the derivatives that it gives for them."""

ELEMENTWISE = Section(
    "Functions of one number",
    "A function that the language has not is written by others, or computed outside.",
    (
        formula("absolute(x)", "abs(x)", lambda x: np.abs(x)),
        formula("fabs(x)", "abs(x)", lambda x: np.abs(x)),
        formula("acosh(x)", "log(x + sqrt(x**2 - 1))", lambda x: np.arccosh(x), low=1.1),
        formula("arcsin(x)", "asin(x)", lambda x: np.arcsin(x), low=-0.9, high=0.9),
        formula("arccos(x)", "acos(x)", lambda x: np.arccos(x), low=-0.9, high=0.9),
        formula("arctan(x)", "atan(x)", lambda x: np.arctan(x)),
        formula("asinh(x)", "log(x + sqrt(x**2 + 1))", lambda x: np.arcsinh(x)),
        formula("atanh(x)", "(log1p(x) - log1p(-x))/2", lambda x: np.arctanh(x), low=-0.9, high=0.9),
        *(
            _outside(written, function, ", ".join(f"{name}: Row" for name in slopes))
            for written, function, slopes in ARCS
        ),
        formula("bool(x)", "where(x > 0, 1, 0)", lambda x: x > 0),
        formula("heaviside(x)", "where(x > 0, 1, 0)", lambda x: x > 0),
        formula("clamp(x, low, high)", "clip(x, low, high)", lambda x, low, high: np.clip(x, low, high), _BOUNDS),
        formula("cosh(x)", "(exp(x) + exp(-x))/2", lambda x: np.cosh(x)),
        formula("sinh(x)", "(exp(x) - exp(-x))/2", lambda x: np.sinh(x)),
        formula("elu(x)", "where(x > 0, x, expm1(minimum(x, 0)))", lambda x: np.where(x > 0, x, np.expm1(x))),
        formula("erfc(x)", "1 - erf(x)", lambda x: 1 - _erf(x)),
        formula("exp2(x)", "exp(log(2)*x)", lambda x: np.exp2(x)),
        formula("hypot(a, b)", "sqrt(a**2 + b**2)", lambda a, b: np.hypot(a, b), **_AB),
        formula("leaky_relu(x)", "where(x > 0, x, 0.01*x)", lambda x: np.where(x > 0, x, x / 100)),
        formula("log10(x)", "log(x)/log(10)", lambda x: np.log10(x), **_POSITIVE),
        formula("log2(x)", "log(x)/log(2)", lambda x: np.log2(x), **_POSITIVE),
        formula("logaddexp(a, b)", "a + softplus(b - a)", lambda a, b: np.logaddexp(a, b), **_AB),
        formula("logsigmoid(x)", "-softplus(-x)", lambda x: -np.log1p(np.exp(-x))),
        formula("mish(x)", "x*tanh(softplus(x))", lambda x: x * np.tanh(np.log1p(np.exp(x)))),
        formula("hardtanh(x)", "clip(x, -1, 1)", lambda x: np.clip(x, -1, 1)),
        formula("hardsigmoid(x)", "clip(x + 3, 0, 6)/6", lambda x: np.clip(x + 3, 0, 6) / 6),
        formula("hardswish(x)", "x*clip(x + 3, 0, 6)/6", lambda x: x * np.clip(x + 3, 0, 6) / 6),
        formula("relu6(x)", "clip(x, 0, 6)", lambda x: np.clip(x, 0, 6)),
        formula("swish(x)", "silu(x)", lambda x: x / (1 + np.exp(-x))),
        formula("softsign(x)", "x/(1 + abs(x))", lambda x: x / (1 + np.abs(x))),
        formula("tan(x)", "sin(x)/cos(x)", lambda x: np.tan(x), low=-1, high=1),
        formula("reciprocal(x)", "1/x", lambda x: 1 / x, **_POSITIVE),
        formula("square(x)", "x**2", lambda x: x * x),
        formula("pow(a, 3)", "a**3", lambda a: a**3, "a: Row"),
        formula("pow(a, b)", "a**b", lambda a, b: a**b, "a: Row, b: Constant", low=1.1),
        formula("all(a > 0, b > 0)", _LOGIC, lambda a, b: (a > 0) & (b > 0), **_AB),
        formula("logical_and(a > 0, b > 0)", _LOGIC, lambda a, b: (a > 0) & (b > 0), **_AB),
        formula("detach(x)*x", "stop_gradient(x)*x", lambda x: x * x),
        Example(
            "def f(x: Row, mask: Data, low: Constant = -9):\n    return masked_fill(x, mask, low)",
            "def f(x: Row, mask: Data, low: Constant = -9):\n    return where(mask > 0, x, low)",
            lambda x, mask, low: np.where(mask > 0, x, low),
        ),
        formula("full(3)*x", "3*x", lambda x: 3 * x),
        formula("e**2*x", "exp(1)**2*x", lambda x: np.e**2 * x),
        formula("where(x > 0, x, inf)", "where(x > 0, x, 1e30)", lambda x: np.where(x > 0, x, 1e30)),
        formula("where(x > 0, x, nan)", "where(x > 0, x, 0)", lambda x: np.where(x > 0, x, 0)),
        formula("floor(x)*x", "k*x", lambda x: np.floor(x) * x, outside={"k": lambda x: np.floor(x)}, extra="k: Data"),
        formula(
            "fmod(a, b)",
            "a - b*k",
            lambda a, b: np.fmod(a, b),
            outside={"k": lambda a, b: np.trunc(a / b)},
            extra="k: Data",
            **_AB,
        ),
        Example(
            "def f(x: Row, keep: Constant = 0.9):\n    return alpha_dropout(x, keep)",
            "def f(x: Row, mask: Data):\n    return x*mask",
            lambda x, mask: x * mask,
        ),
        formula("x*rand(x)", "x*uniform(seed)", lambda x, seed: x * drawn(seed), extra='seed: Int[""]'),
        formula(
            "x + randn(x)",
            "x + sqrt(-2*log(1 - uniform(seed)))*cos(2*pi*uniform(seed, 1))",
            lambda x, seed: x + np.sqrt(-2 * np.log(1 - drawn(seed))) * np.cos(2 * np.pi * drawn(seed, 1)),
            extra='seed: Int[""]',
        ),
        formula(
            "x*bernoulli(0.2)",
            "x*where(uniform(seed) < 0.2, 1, 0)",
            lambda x, seed: x * (drawn(seed) < 0.2),
            extra='seed: Int[""]',
        ),
    ),
)

REDUCTIONS = Section(
    "Functions of a row",
    "A reduction is over the feature axis. No entry of a row knows its place, and rows do not meet.",
    (
        formula("average(x)", "mean(x)", lambda x: x.mean(-1)),
        formula("amax(x)", "max(x)", lambda x: x.max(-1)),
        formula("amin(x)", "min(x)", lambda x: x.min(-1)),
        formula("var(x)", "mean((x - mean(x))**2)", lambda x: x.var(-1)),
        formula("var(x, ddof=1)", "sum((x - mean(x))**2)/(D - 1)", lambda x: x.var(-1, ddof=1)),
        formula("mean((x - mean(x))**2, ddof=1)", "sum((x - mean(x))**2)/(D - 1)", lambda x: x.var(-1, ddof=1)),
        formula("std(x, ddof=1)", "sqrt(sum((x - mean(x))**2)/(D - 1))", lambda x: x.std(-1, ddof=1)),
        formula("rms(x)", "sqrt(mean(x**2))", lambda x: np.sqrt((x * x).mean(-1))),
        formula("norm(x)", "sqrt(sum(x**2))", lambda x: np.linalg.norm(x, axis=-1)),
        formula("normalize(x)", "x/sqrt(sum(x**2) + 1e-12)", lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)),
        formula("prod(x)", "exp(sum(log(x)))", lambda x: x.prod(-1), **_POSITIVE),
        formula("count_nonzero(x)", "sum(where(x != 0, 1, 0))", lambda x: np.count_nonzero(x, -1)),
        formula("dot(a, b)", "sum(a*b)", lambda a, b: (a * b).sum(-1), **_AB),
        formula("matmul(a, b)", "sum(a*b)", lambda a, b: (a * b).sum(-1), **_AB),
        formula("len(x)*x", "D*x", lambda x: x.shape[-1] * x),
        formula("gather(x, 1)", "pick(x, 1)", _label),
        formula("one_hot(x)", "pick(x, 1)", _label),
        formula("arange(D)*x", "index()*x", lambda x: np.arange(x.shape[-1]) * x),
        formula("x*int(x)", "x*k", lambda x: x * np.trunc(x), outside={"k": lambda x: np.trunc(x)}, extra="k: Data"),
        formula(
            "argmax(x)",
            "pick(x, place)",
            lambda x: x.max(-1),
            outside={"place": lambda x: x.argmax(-1)},
            extra='place: Int["..."]',
        ),
        formula(
            "median(x)",
            "pick(x, place)",
            lambda x: np.median(x, -1),
            outside={"place": _median},
            extra='place: Int["..."]',
        ),
        formula(
            "topk(x, 2)", "where(keep > 0, x, 0)", lambda x: _top2(x) * x, outside={"keep": _top2}, extra="keep: Data"
        ),
        formula(
            "kth(x, 2)", "where(keep > 0, x, 0)", lambda x: _top2(x) * x, outside={"keep": _top2}, extra="keep: Data"
        ),
        Example(
            "def sparsemax(x: Row):\n    z = sort(x)\n    y = maximum(x - (cumsum(z) - 1)/D, 0)\n    return y",
            "def sparsemax(x: Row, keep: Data):\n    tau = sum(keep*x)/sum(keep) - 1/sum(keep)\n"
            "    y = where(keep > 0, x - tau, 0)\n    return y",
            _sparsemax,
            {"keep": lambda x: (_sparsemax(x) > 0) * 1.0},
        ),
        _outside("cumsum(x)", lambda x: np.cumsum(x, -1)),
        _outside("flip(x)", lambda x: x[:, ::-1]),
        Example(
            "def f(x: Row, c: Data, s: Data):\n    return x*c + rotate_half(x)*s",
            'def f(x: Array["... (s d)"], c: Data["... d"], z: Data["... d"], s: Size = 2):\n'
            "    a = at(x, s=0)\n    b = at(x, s=1)\n    return join(a*c - b*z, a*z + b*c)",
            lambda a, b, c, z: (a * c - b * z, a * z + b * c),
        ),
        Example(
            "def f(a: Row, b: Row):\n    return silu(cat(a, b))",
            "def f(a: Row, b: Row):\n    u = silu(a)\n    v = silu(b)\n    return u, v",
            lambda a, b: (a / (1 + np.exp(-a)), b / (1 + np.exp(-b))),
        ),
        Example(
            "def f(x: Row, t: Data):\n    u = sum(x*t)\n    return batch_mean(u)",
            "def f(x: Row, t: Data):\n    u = sum(x*t)\n    return u",
            lambda x, t: (x * t).sum(-1),
        ),
        formula("mean(reshape(x, 2, -1))", "mean(x)", lambda x: x.mean(-1)),
    ),
)
