"""Definitions for the tests of the mathematical core, what they become, and an interpreter of row programs.

`NAMES` has the files of `derive/` whose arrays are rows of numbers, those of `tests/definitions/`, and the texts of
`TEXTS`: each is there for one construct.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import D, TypedSymbol, axes, is_row
from lngen.derivation.derivation import Derivation
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from lngen.pipeline import stages
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from tests.shipped import BEYOND_ROWS, REST
from tests.tiers import sample

_ROOT = Path(__file__).parent.parent

FILES = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in (_ROOT / "derive", _ROOT / "tests" / "definitions")
    for path in sorted(folder.glob("*.py"))
    if path.stem not in BEYOND_ROWS
}

_EPS = "eps: Constant = 1e-5"

TEXTS = {
    # The same layer with the intermediates under other names, and a name that a derivation would like to use.
    "other_names": f"""
def f(g: Row, xhat: Feature = 1, rstd: Feature = 0, {_EPS}):
    t = mean(g)
    return xhat * (g - t) * rsqrt(mean((g - t)**2) + eps) + rstd
""",
    "fourth_power": f"def f(x: Row, gamma: Feature = 1, {_EPS}): return gamma*x/(mean(x**4) + eps)**0.25",
    "mean_abs": f"""
def f(x: Row, gamma: Feature = 1, {_EPS}):
    mu = mean(x)
    return gamma*(x - mu)/(mean(abs(x - mu)) + eps)
""",
    "norm_of_norm": f"""
def f(x: Row, gamma: Feature = 1, {_EPS}):
    mu = mean(x)
    h = gamma*(x - mu)/sqrt(mean((x - mu)**2) + eps)
    return h*rsqrt(mean(h**2) + eps)
""",
    "log_partition": "def f(x: Row): return log(sum(exp(x)))",
    # The value of the logarithm stands in the gradient, not its derivative alone.
    "log_partition_squared": "def f(x: Row): return log(sum(exp(x)))**2",
    "log_probability": "def f(x: Row): return x - log(sum(exp(x)))",
    # The same maximum is a shift, through which nothing flows, and a feature of its own, through which something does.
    "shift_and_maximum": "def f(x: Row): return exp(x)/sum(exp(x)) + max(x)",
    "masked_exponentials": """
def f(x: Row, m: Row):
    z = where(m > 0, exp(x), 0)
    return z/sum(z)
""",
    "residual": f"def f(x: Row, gamma: Feature = 1, {_EPS}): return x + gamma*x*rsqrt(mean(x**2) + eps)",
    "weighted_mean_square": f"def f(x: Row, w: Feature, {_EPS}): return x*rsqrt(mean(w*x**2) + eps)",
    "product_of_rows": "def f(x: Row, z: Row): return x*mean(x*z)",
    "modulated": f"""
def f(x: Row, a: RowScalar, b: Row, {_EPS}):
    mu = mean(x)
    xhat = (x - mu)/sqrt(mean((x - mu)**2) + eps)
    return xhat*(1 + a) + b
""",
    "rectified": "def f(x: Row, gamma: Feature = 1): return gamma*relu(x)",
    "feature_sum": "def f(x: Row, w: Feature): return x*w/sum(w)",
    "feature_maximum": "def f(x: Row, w: Feature): return x*w/(1 + max(w)**2)",
    "largest_entry": f"def f(x: Row, {_EPS}): return x/(max(abs(x)) + eps)",
    "range": "def f(x: Row): return x*(max(x) - min(x))",
    "range_of_normalized": f"""
def f(x: Row, {_EPS}):
    xhat = (x - mean(x))*rsqrt(mean((x - mean(x))**2) + eps)
    return max(xhat)*x
""",
    "statistics_out": f"""
def f(x: Row, {_EPS}):
    mu = mean(x)
    rstd = rsqrt(mean((x - mu)**2) + eps)
    y = (x - mu)*rstd
    return y, mu, rstd
""",
    "gated_residual": f"""
def f(x: Row, alpha: Scalar = 0, {_EPS}): return x + alpha*x*rsqrt(mean(x**2) + eps)
""",
    "only_row_scalars": """
def f(x: Row, a: RowScalar):
    y = tanh(a)
    z = x*2
    return y, z
""",
    "stopped_product": """
def f(x: Row, r: Row):
    return x*mean(stop_gradient(x*r)) + stop_gradient(r)
""",
    "one_value_two_names": """
def f(x: Row):
    a = x - mean(x)
    b = x - mean(x)
    return b, a
""",
    "two_roots": f"""
def f(x: Row, {_EPS}):
    return x*rsqrt(mean(x**2) + eps) + (x - mean(x))/(mean(x**2) + eps)
""",
    "scaled_inside": f"""
def f(x: Row, alpha: Scalar = 1, {_EPS}):
    return (alpha*x - mean(alpha*x))*rsqrt(mean((alpha*x - mean(alpha*x))**2) + eps)
""",
    "constant_zero": "def f(x: Row, c: Constant = 0): return x*rsqrt(mean(x**2) + c)",
    "positive_inputs": "def f(x: Row): return log(x) - mean(log(x))",
    "clipped": "def f(x: Row): return x/maximum(sqrt(mean(x**2)), 0.5)",
    "sign_and_abs": f"def f(x: Row, {_EPS}): return abs(x*rsqrt(mean(x**2) + eps)) + sign(x)*x**2",
    # At feature 1 the row x is written x1 in many a notation.
    "digits_in_names": "def f(x: Row, x1: RowScalar, x0: Feature): return x*x1 + x0*mean(x)",
    "condition_on_statistics": """
def f(x: Row):
    g = where(x < mean(x**2) - mean(x)**2, x, x + mean(x))
    return (g - mean(g))*mean(g)
""",
    "high_power": "def f(x: Row): return x*mean((x - mean(x))**16)",
    "sine": "def f(x: Row, w: Feature): return sin(w*x)*mean(cos(x)) + erf(x)",
    # A weight for each row and one for each class, none of which has a gradient.
    "weighted_labels": """
def f(x: Row, t: Data, w: Data["..."] = 1, c: Data["d"] = 1, gamma: Feature = 1):
    logp = gamma*x - log(sum(exp(gamma*x)))
    y = -w*sum(c*t*logp)
    return y
""",
}

NAMES = (*FILES, *TEXTS)
PROVED = tuple(name for name in NAMES if name not in REST)
"""Definitions whose proofs are tested one by one; other shipped layers are proved in tests/pipeline/test_stages.py."""
SOME = tuple(dict.fromkeys(("layer_norm", "rms_norm", *PROVED[::9])))
"""Definitions in the default tier of long tests over all of them."""
SAMPLED = sample(NAMES, SOME)


@functools.cache
def definition(name: str) -> Definition:
    """A definition by name; the texts need no import line."""
    return parse(FILES.get(name) or TEXTS[name], f"{name}.py")


@functools.cache
def planned(name: str) -> Plan:
    """Return the plan of a definition, with all directions and without proofs; it is cached for all processes."""
    return stages.planned(definition(name), proved=False)


def derivation(name: str) -> Derivation:
    """Return the derivation of a definition, not proved."""
    return planned(name).derivation


@functools.cache
def proved(name: str) -> Derivation:
    """Return the derivation of a definition with evidence, for all directions."""
    return stages.planned(definition(name)).derivation


def text_of(equations: tuple[Equation, ...]) -> list[str]:
    """Equations as text, sums shown as sums."""
    return [f"{q.symbol} = {show_sums(q.expression)}" for q in equations]


def backward(name: str) -> list[str]:
    """The equations of the gradients, as text."""
    return text_of(derivation(name).backward)


def forward(name: str) -> list[str]:
    """The forward in normal form, as text."""
    return text_of(derivation(name).forward.equations)


# ---- numbers


def stored_shape(kind: Kind, rows: int, features: int) -> tuple[int, ...]:
    """The shape in which `lngen.algebra.numeric` holds a kind."""
    if kind.over_rows:
        return (rows, features if kind.over_features else 1)
    return (features,) if kind.over_features else ()


def draw(definition: Definition, rows: int, features: int, seed: int = 0) -> dict[str, Any]:
    """Inputs (by name) and cotangents (by `d` and the output's name) in stored shapes; positive for a logarithm."""
    rng = np.random.default_rng(seed)
    values: dict[str, Any] = {}
    for entry in definition.inputs:
        value = rng.standard_normal(stored_shape(entry.kind, rows, features))
        logarithmic = "log(x)" in definition.source
        values[entry.name] = 0.3 if entry.kind is Kind.CONSTANT else np.abs(value) + 0.1 if logarithmic else value
    for name in definition.outputs:
        kind = definition.output_kind(name)
        values[f"d{name}"] = rng.standard_normal(stored_shape(kind, rows, features))
    return values


_REDUCED: dict[str, Callable[..., Any]] = {"mean": np.mean, "sum": np.sum, "max": np.max, "min": np.min}


def interpret(
    program: RowProgram, given: Mapping[TypedSymbol, Any], rows: int, features: int, dtype: Any = np.float64
) -> tuple[dict[str, Any], dict[TypedSymbol, Any]]:
    """A row program run stage by stage in one type: results by name, and every value.

    Every symbol has to be known when it is used, every row result stored in the stage that has it, and every sum over
    rows be of the kind that its result is.
    """
    values: dict[TypedSymbol, Any] = {**given, D: dtype(features)}
    arithmetic = Arithmetic(dtype=dtype)

    def value(expression: Any) -> Any:
        unknown = expression.free_symbols - values.keys()
        assert not unknown, f"{unknown} used before it is known, in {expression}"
        return evaluate_expression(expression, values, arithmetic)

    for line in program.prologue:
        assert not axes(line.symbol).rows
        values[line.symbol] = value(line.expression)
    stored: set[str] = set()
    for stage in program.stages:
        for line in stage.temps:
            assert is_row(line.symbol)
            values[line.symbol] = value(line.expression)
        for reduction in stage.reductions:
            body = np.broadcast_to(np.asarray(value(reduction.body), dtype), (rows, features))
            values[reduction.symbol] = _REDUCED[reduction.operator](body, axis=-1, keepdims=True)
        for line in stage.row_scalars:
            assert axes(line.symbol) == (True, False)
            values[line.symbol] = value(line.expression)
        for store in stage.stores:
            assert store.symbol in values, f"{store.names} stored before it is known"
            stored.update(store.names)
        for total in stage.rows_reductions:
            assert axes(total.body) == (True, axes(total.symbol).features)
            width = features if axes(total.symbol).features else 1
            body = np.broadcast_to(np.asarray(value(total.body), dtype), (rows, width))
            values[total.symbol] = body.sum(0) if axes(total.symbol).features else body.sum()
    for line in program.epilogue:
        assert not axes(line.symbol).rows
        values[line.symbol] = value(line.expression)
    for store in program.results:
        assert stored.issuperset(store.names) == axes(store.symbol).rows
    return {name: values[store.symbol] for store in program.results for name in store.names}, values
