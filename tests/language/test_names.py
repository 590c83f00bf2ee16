"""Names that once broke a layer, each of which works; tests/fuzz/names.py gives those of emitted code by chance."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

from lngen.errors import DefinitionError
from lngen.language import names
from lngen.language.parsing import parse
from lngen.report import formulas
from tests import named
from tests.compiled import layer
from tests.named import assert_works
from tests.requirements import needs_gxx
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample


def _one_in_twenty(values: list[tuple[str, str]]) -> list[Any]:
    return sample(values, (), values[::20])


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
    _one_in_twenty(
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


SHADOWS = {"gate": "where", "row": "clip", "constant": "pi", "output": "index", "saved": "tanh"}


@pytest.mark.parametrize("what", sample(SHADOWS, (), ("row", "output")))
def test_a_value_may_be_called_as_a_function_is(what: str) -> None:
    (role,) = named.plain_names(REPRODUCTIONS[what])
    assert_works(REPRODUCTIONS[what], {role: SHADOWS[what]})


@needs_gxx
def test_such_a_value_has_a_number_in_the_derivation_and_in_cpp() -> None:
    made = layer("def f(x: Row, clip: Scalar = 1, pi: Constant = 2): return pi*exp(clip*x)")
    x = np.linspace(-1, 1, 12).reshape(3, 4)
    for module in (made.numpy, made.cpu):
        y, saved = module.forward(x, clip=0.5, pi=3.0)
        np.testing.assert_allclose(y, 3 * np.exp(x / 2), rtol=1e-14)
        np.testing.assert_allclose(module.backward(saved, np.ones_like(y)).dclip, (x * y).sum(), rtol=1e-14)
    assert "dclip_2 = sum_rows(sum(" in " ".join(formulas(made.derived.plan)["backward"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def f(x: Row, clip: Row): return x*clip(x, 0, 1)", "value-called"),
        ("def f(x: Row):\n    y = tanh(x)\n    tanh = 2*y\n    return tanh", "value-called"),
        ('def f(x: Row, seed: Int[""]):\n    uniform = uniform(seed)\n    return x*uniform', "value-called"),
        ("def f(x: Row):\n    y = pi*x\n    pi = 2*y\n    return pi", "used-early"),
        ("def f(x: Row, max: Row): return x*max", "name"),
    ],
)
def test_a_name_is_of_a_value_or_of_a_function_in_all_of_a_definition(text: str, code: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        parse(text)
    assert refused.value.code == code


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
