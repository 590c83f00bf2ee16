"""Names in every role, on both backends: each works, or is one of a few words that are refused by name."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest

from lngen.errors import DefinitionError
from lngen.language import names
from lngen.language.parsing import parse
from tests import named
from tests.named import ROLES, TEMPLATE, assert_works, identifiers
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample


def _one_in_twelve(values: list[tuple[str, str]]) -> list[Any]:
    return sample(values, (), values[::12])


# Names that once broke emitted code in one role or another.
ONCE_BROKEN = """
    height block features each_row PIECE column columns scalar ones prod span sweep share chunk chunks far_from
    one_over_D shape dtype dtypes given leading rows mu_out dy_out x_rows dx_out scale_rows values_residual_rows
    row_max_2_out ddx functools backward std half blockIdx np Saved Gradients Outputs self cls
""".split()  # noqa: SIM905


def assigned(pool: list[str], start: int) -> dict[str, str]:
    """A name of the pool for each role, the one at `start` first."""
    return {role: pool[(start + place) % len(pool)] for place, role in enumerate(ROLES)}


def works_or_is_refused(chosen: dict[str, str]) -> None:
    inputs = [chosen[role] for role in ("row", "row_scalar", "feature", "scalar")]
    outputs = ["y", chosen["row_output"], chosen["row_scalar_output"]]
    if any(f"d{output}" in inputs for output in outputs):
        with pytest.raises(DefinitionError, match="would have gradients of one name"):
            parse(TEMPLATE.format(**chosen))
    else:
        assert_works(TEMPLATE, chosen)


def allowed(words: list[str]) -> list[str]:
    return [word for word in words if names.fault(word) is None and names.folder_fault(word) is None]


@pytest.mark.ci
def test_a_sample_of_the_names_of_emitted_code() -> None:
    pool = allowed([*identifiers(), *ONCE_BROKEN])
    works_or_is_refused(assigned(pool, random.Random(0).randrange(len(pool))))


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
    """The emitted Python of every shipped layer, as it is committed, and of the template's."""
    found = {f"{name}/{file}": (ROOT / "generated" / name / file).read_text() for name in LAYERS for file in PUBLIC}
    return found | {f"template/{file}": named.plain(TEMPLATE).text(file) for file in PUBLIC}


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
