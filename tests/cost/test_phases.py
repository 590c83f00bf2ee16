"""The phases of the kernels, against what the row programs say and what was worked out by hand."""

from itertools import pairwise

import pytest

from lngen.cost import ACCUMULATE_ITEMSIZE, ITEMSIZE, cost
from lngen.cost.phases import Moved, Phase, kernels
from lngen.definition import load
from lngen.emission import planned
from lngen.symbolic import D, is_row
from tests import programs
from tests.shipped import ROOT, WHOLE
from tests.tiers import sample

FILES = sorted([*(ROOT / "derive").glob("*.py"), *(ROOT / "tests" / "definitions").glob("*.py")])


@pytest.fixture(scope="module", params=sample(FILES, lambda path: path.stem in WHOLE), ids=lambda path: path.stem)
def plan(request):
    return planned(load(request.param), proved=False)


def test_a_kernel_moves_each_row_tensor_of_its_program_once(plan):
    for kernel, program in zip(kernels(plan), (plan.forward, plan.backward), strict=False):
        reads, writes = kernel.row_tensors
        assert sorted(reads) == sorted(a.name for a in program.rows if is_row(a.symbol))
        assert sorted(writes) == sorted(s.names[0] for s in program.results if is_row(s.symbol))
        c = cost(program)
        assert (len(reads), len(writes)) == (c.rows_read, c.rows_written)


def test_all_that_moves_is_what_the_cost_counts(plan):
    for kernel, program in zip(kernels(plan), (plan.forward, plan.backward), strict=False):
        c = cost(program)
        moved = [m for phase in kernel.phases for m in (*phase.reads, *phase.writes)]
        assert sum(m.per == "row" and m.size == ACCUMULATE_ITEMSIZE for m in moved) == c.saved
        assert sum(m.per == "row" and m.size == ITEMSIZE for m in moved) == c.scalars_read + c.scalars_written
        assert sum(m.per == "feature and block" for m in moved) == c.partial_features


def test_the_last_kernel_reads_the_partial_sums_that_backward_leaves(plan):
    _, backward, *others = kernels(plan)
    left = [m for phase in backward.phases for m in phase.writes if m.name.startswith("partial ")]
    assert bool(left) == bool(others)
    for columns in others:
        assert [m for phase in columns.phases for m in phase.reads if m.name.startswith("partial ")] == left


def test_a_sweep_finds_in_registers_what_it_computes_from_and_nothing_else(plan):
    for kernel, program in zip(kernels(plan), (plan.forward, plan.backward), strict=False):
        call = {p.symbol for p in program.parameters} | {line.symbol for line in program.prologue} | {D}
        value = {line.symbol: line.expression for line in program.temps()}
        row = [phase for phase in kernel.phases if not phase.title.endswith("of a block")]
        for before, phase in pairwise(row):
            made = [item.symbol for item in (*phase.computes, *phase.reductions, *phase.row_scalars)]
            expressions = [line.expression for line in (*phase.computes, *phase.row_scalars)]
            expressions += [value[symbol] for symbol in phase.again]
            expressions += [item.body for item in (*phase.reductions, *phase.sums)]
            used = {symbol for expression in expressions for symbol in expression.free_symbols}
            assert used <= {*before.keeps, *call, *phase.again, *made}
            written = {symbol for symbol in before.keeps if symbol.name in [moved.name for moved in phase.writes]}
            assert set(before.keeps) <= used | written | set(phase.keeps)


def test_the_backward_of_a_centred_layer_is_that_written_by_hand():
    plan = planned(load(ROOT / "tests" / "definitions" / "one_line.py"), proved=False)
    start, load_row, first, second, end = kernels(plan)[1].phases
    p = programs
    assert start == Phase(
        "start of a block", (Moved("gamma", ITEMSIZE, "feature"),), keeps=(p.gamma, p.dgamma, p.dbeta)
    )
    assert load_row.keeps == (p.x, p.dy, p.mu, p.mu_residual, p.rstd)
    assert [r.symbol for r in first.reductions] == [p.mean_g, p.mean_g_xhat]
    assert [s.symbol for s in first.sums] == [p.dgamma, p.dbeta]
    assert first.again == ()
    assert first.keeps == (*load_row.keeps, p.mean_g, p.mean_g_xhat)
    assert second.again == (p.x_shifted, p.x_centred, p.xhat, p.g)
    assert second.writes == (Moved("dx", ITEMSIZE, "row element"),)
    assert second.keeps == ()
    assert [moved.name for moved in end.writes] == ["partial dgamma", "partial dbeta"]
