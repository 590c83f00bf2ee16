"""The row programs of the JVP and the double backward: what they read."""

from dataclasses import replace

import pytest

from lngen.algebra.symbols import axes
from lngen.derivation.simplify import derive
from lngen.language.parsing import parse
from lngen.plan.history import with_sources
from lngen.plan.planner import plan
from lngen.plan.program import FeatureReduction, RowProgram
from tests.corpus import SOME
from tests.derivatives import CORPUS, planned
from tests.tiers import sample


def unnumbered(program: RowProgram) -> RowProgram:
    return with_sources(replace(program, passes=()))


@pytest.mark.parametrize("name", sample(sorted(CORPUS), SOME))
def test_nothing_is_saved_for_them(name):
    """The forward program is that of a plan without them, and row scalars that they read are among its own."""
    found = planned(name)
    alone = plan(derive(parse(CORPUS[name])))
    narrow = (replace(program, is_wide=False) for program in (found.forward, found.backward))
    assert [*map(unnumbered, narrow)] == [*map(unnumbered, (alone.forward, alone.backward))]
    for program in (found.jvp, found.backward_backward):
        assert set(program.saved) <= set(found.forward.saved)
        kept = {row.name for row in program.rows if row.origin.startswith("saved")}
        assert kept <= {
            symbol.name for symbol in (*found.derivation.forward.symbols, *found.derivation.forward.outputs)
        }


@pytest.mark.ci
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "residual_add", "gated_rms", "norm_of_norm", "tanh_scale"])
def test_they_read_no_row_that_backward_does_not(name):
    found = planned(name)
    known = {row.name for row in found.backward.rows}
    for program in (found.jvp, found.backward_backward):
        assert {row.name for row in program.rows if row.origin.startswith("saved")} <= known


@pytest.mark.parametrize("name", sample(sorted(CORPUS), SOME))
def test_every_symbol_is_known_before_it_is_read(name):
    found = planned(name)
    for program in (found.jvp, found.backward_backward):
        known = {row.symbol for row in program.rows} | {parameter.symbol for parameter in program.parameters}
        known |= set(program.saved)
        for line in program.prologue:
            assert {s for s in line.expression.free_symbols if s.name != "D"} <= known
            known.add(line.symbol)
        for stage in program.stages:
            for line in (*stage.temps, *stage.reductions, *stage.row_scalars):
                body = line.body if isinstance(line, FeatureReduction) else line.expression
                assert {s for s in body.free_symbols if s.name != "D"} <= known
                known.add(line.symbol)
            assert {store.symbol for store in stage.stores if axes(store.symbol).rows} <= known


def test_a_tangent_may_be_left_out_and_is_then_zero():
    program = planned("layer_norm").jvp
    assert dict(program.optional) == {"gamma": 1, "beta": 0, "x_dot": 0, "gamma_dot": 0, "beta_dot": 0}


def test_without_a_derivation_of_them_there_is_no_program():
    found = plan(derive(parse("def f(x: Row): return x**2")))
    assert found.jvp is None
    assert found.backward_backward is None
