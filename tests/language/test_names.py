"""Names that once broke a layer, each of which works; tests/fuzz/names.py gives those of emitted code by chance."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lngen.language import names
from tests import named
from tests.named import assert_works
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample


def _one_in_twelve(values: list[tuple[str, str]]) -> list[Any]:
    return sample(values, (), values[::12])


REPRODUCTIONS = {
    "gate": """
def m2(x: Row, v: Row):
    {gate} = 1.702 * v
    y = x * sigmoid({gate})
    n = y * rsqrt(mean(y**2) + 1e-5)
    return y, n
""",
    "row scalar": "def f2(x: Row, {column}: RowScalar = 1): return x * {column}",
    "feature": "def f6(x: Row, {x_rows}: Feature): return x * {x_rows}",
    "row": "def f(x: Row, {row}: Row): return x * {row} * rsqrt(mean(({row} * x)**2) + 1)",
    "saved": """
def f8(x: Row):
    {dtypes} = rsqrt(mean(x**2) + 1)
    return x * {dtypes}
""",
    "output": """
def f(x: Row):
    {out} = x - mean(x)
    z = {out} * rsqrt(mean({out}**2) + 1)
    return z, {out}
""",
    "constant": "def f(x: Row, {eps}: Constant = 1e-5): return x * rsqrt(mean(x**2) + {eps})",
}
"""Once broken or refused; what is in braces is to be called by the names beside it below."""


@pytest.mark.parametrize(
    ("what", "name"),
    _one_in_twelve(
        [
            *(("gate", name) for name in ("g", "g_2", "g_3", "dv", "ddx", "p", "x_dot", "d2x", "y_dot", "Phi_u")),
            *(("row scalar", name) for name in ("column", "ddx", "given")),
            *(("feature", name) for name in ("x_rows", "dx_out", "dx", "x_dot", "d2y", "y_dot")),
            *(("row", name) for name in ("sum_ddx_spans_unscaled", "ddx", "x_dot", "d2x")),
            *(("saved", name) for name in ("dtypes", "shape", "dx", "dy")),
            *(("output", name) for name in ("dx", "ddx", "dz", "dtypes", "x_dot", "d2x", "z_dot")),
            *(("constant", name) for name in ("dx", "dy", "self", "np", "match")),
        ]
    ),
)
def test_a_name_that_once_broke_a_layer(what: str, name: str) -> None:
    (role,) = named.plain_names(REPRODUCTIONS[what])
    assert_works(REPRODUCTIONS[what], {role: name})


# --- by construction -----------------------------------------------------------------------------------------------

PUBLIC = {
    "numpy_backend.py": ("forward", "backward", "jvp", "backward_backward"),
    "cuda_backend.py": ("forward", "backward"),
}


def _texts() -> dict[str, str]:
    """The emitted Python of every shipped layer, as it is committed."""
    return {f"{name}/{file}": (ROOT / "generated" / name / file).read_text() for name in LAYERS for file in PUBLIC}


@pytest.mark.ci
def test_nothing_in_a_public_function_can_meet_an_argument() -> None:
    for place, text in _texts().items():
        functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        for name in PUBLIC[place.rpartition("/")[2]]:
            nodes = [node for statement in functions[name].body for node in ast.walk(statement)]
            used = {node.id for node in nodes if isinstance(node, ast.Name)}
            used -= {node.arg for node in ast.walk(functions[name]) if isinstance(node, ast.arg)}
            own = {word for word in used if not word.startswith("_") and not word.endswith("_")}
            assert own <= names.BUILTINS | names.SIGNATURE, f"{name} of {place}"
