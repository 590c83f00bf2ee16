"""Row programs: what they compute, in how many stages, from which tensors."""

from __future__ import annotations

import pytest

from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.plan.program import RowProgram
from tests.corpus import planned
from tests.work import calls_of


def stages(program: RowProgram) -> list[str]:
    """Each stage in short: its reductions, `!` for a correction, then what it stores and sums over rows."""
    shown = []
    for stage in program.stages:
        parts = [f"{r.operator}:{r.symbol}{'!' if stage.correction else ''}" for r in stage.reductions]
        parts += ["->" + "=".join(store.names) for store in stage.stores]
        parts += [f"+{total.symbol}" for total in stage.rows_reductions]
        shown.append(" ".join(parts))
    return shown


SHAPES = {
    # name: (forward stages, backward stages, rows that backward reads, saved row scalars)
    # One array is two gradients; the sum of the rows is read, not the rows.
    "residual_add": (
        ["mean:mu ->h", "mean:mu_residual!", "mean:var", "->y"],
        ["mean:mean_g mean:mean_g_xhat +dgamma +dbeta", "->dx=dr"],
        ["h", "dy", "dh"],
        ["mu", "mu_residual", "rstd"],
    ),
    # No reduction: one stage each way.
    "swish_scale": (["->y"], ["->dx +dgamma"], ["x", "dy"], []),
    # A norm of a norm: its stages one after the other, none twice.
    "norm_of_norm": (
        ["mean:mu", "mean:mu_residual!", "mean:var", "mean:ms", "->y"],
        ["mean:mean_dy_y", "mean:mean_g mean:mean_g_xhat +dgamma", "->dx"],
        ["x", "dy"],
        ["mu", "mu_residual", "rstd", "rstd_2"],
    ),
    # A gradient that is a row scalar, and one that is a cotangent as it came.
    "modulated": (
        ["", "mean:mu", "mean:mu_residual!", "mean:var", "->y"],
        ["", "mean:mean_g mean:mean_g_xhat_unscaled ->da ->db", "->dx"],
        ["x", "a", "dy"],
        ["mu", "mu_residual", "rstd"],
    ),
    # Row scalars as outputs, each stored when it is known; what is made of them alone needs no stage. The caller may
    # do with an output what he likes, so what is saved of it is kept apart.
    "statistics_out": (
        ["mean:mu ->mu", "mean:mu_residual!", "mean:var ->rstd", "->y"],
        ["", "mean:mean_dy mean:mean_dy_y", "->dx"],
        ["x", "dy", "dmu", "drstd"],
        ["mu_saved", "mu_residual", "rstd_saved"],
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str) -> None:
    made = planned(name)
    forward, backward, read, saved = SHAPES[name]
    assert stages(made.forward) == forward
    assert stages(made.backward) == backward
    assert [row.name for row in made.backward.rows] == read
    assert [symbol.name for symbol in made.backward.saved] == saved
    assert made.forward.saved == made.backward.saved


def test_each_row_value_waits_for_its_first_use() -> None:
    # dx needs xhat again after the reductions; y1 is used last.
    layer = "def f(x: Row):\n    u = tanh(x)\n    v = x - mean(x)\n    return u*v*mean(v**2)"
    program = plan(derive(parse(layer))).forward
    stage_of = {temp.symbol.name: i for i, stage in enumerate(program.stages) for temp in stage.temps}
    assert stage_of["u"] == len(program.stages) - 1
    assert stage_of["x_shifted"] == 1


def test_what_does_not_vary_over_features_is_computed_once_a_row() -> None:
    text = "def f(x: Row, a: RowScalar, b: RowScalar): return x*a*b**2/D + tanh(a)*x**2"
    program = plan(derive(parse(text))).forward
    per_row = [line for stage in program.stages for line in stage.row_scalars]
    assert len(per_row) == 2
    (last,) = program.temps()
    assert {symbol.name for symbol in last.expression.free_symbols} == {"x", *(str(line.symbol) for line in per_row)}


def calls_to_plan(rows: int) -> int:
    """Return the number of function calls that a plan takes of a product of so many rows."""
    names = [f"r{i}" for i in range(rows)]
    inputs = ", ".join(f"{name}: Row" for name in names)
    made = derive(parse(f"def f({inputs}): return {'*'.join(names)}"))
    planned, calls = calls_of(plan, made)
    assert len(planned.backward.rows) == rows + 1
    return calls


@pytest.mark.ci
def test_the_work_of_a_plan_grows_with_a_power_of_the_number_of_rows() -> None:
    assert calls_to_plan(12) < 2**5 * calls_to_plan(6)


def test_integers_of_a_row_are_computed_again_and_not_saved() -> None:
    """A saved value has the compute type, in which a large integer is rounded."""
    text = 'def f(x: Row, s: Int["..."]): return sigmoid(where(index() < s - 1, minimum(x, 4), mean(x)))'
    made = plan(derive(parse(text)))
    assert "s_shifted" in {line.symbol.name for line in made.backward.lines()}
    assert [symbol.name for symbol in made.forward.saved] == ["mu"]
