"""Sharded programs, interpreted over parts, against the programs that they are of."""

import functools

import numpy as np
import pytest
import sympy

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol, axes
from lngen.errors import LngenError
from lngen.extensions.sharded.merging import HIGHEST
from lngen.extensions.sharded.sharding import sharded
from lngen.plan.program import Assignment, FeatureReduction, RowArgument, RowProgram, Stage, Store
from tests import corpus
from tests.shipped import NAMES as SHIPPED
from tests.tiers import sample

ROWS = 5
SPLITS = ((7,), (3, 4), (1, 5, 1), (4, 0, 1, 2), (0, 7))
"""Features of each shard; all splits have the same total."""

NOT_SHARDED = ("feature_sum", "feature_maximum")
"""Layers that reduce what is the same for all rows."""


COLLECTIVES = {
    "adaptive_layer_norm": (1, 1),
    "add_layer_norm": (1, 1),
    "add_rms_norm": (1, 1),
    "cross_entropy": (1, 1),
    "dynamic_tanh": (0, 1),
    "gated_rms_norm": (1, 1),
    "l2_norm": (1, 1),
    "layer_norm": (1, 1),
    "layer_norm_gelu": (1, 1),
    "log_softmax": (1, 1),
    "logsumexp": (1, 0),
    "mean_abs_norm": (2, 1),
    "modulated_layer_norm": (1, 1),
    "offset_rms_norm": (1, 1),
    "power_norm": (1, 1),
    "rms_norm": (1, 1),
    "rms_norm_gated": (1, 1),
    "scaled_softmax": (1, 2),
    "softmax": (1, 1),
    "standardize": (1, 1),
}
"""Number of collectives of each layer, forward and backward."""


def interpret(form, given, rows, sizes):
    """A sharded program run part by part and exchange by exchange: results by name, of parts joined."""
    ends = np.cumsum(sizes)
    spans = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    numbers = {form.whole: float(sum(sizes)), form.largest: np.finfo(float).max}
    known = [{s: v[..., span] if axes(s).features else v for s, v in given.items()} | numbers for span in spans]

    def run(part, size, values):
        return corpus.interpret(part, {q.symbol: values[q.symbol] for q in (*part.rows, *part.parameters)}, rows, size)

    for part, exchange in zip(form.parts, form.exchanges, strict=False):
        columns, totals = [], []
        for size, values in zip(sizes, known, strict=True):
            if size:
                _, found = run(part, size, values)
                columns.append([found[sent.symbol] for sent in exchange.sent])
                totals.append([found[symbol].sum() for symbol in part.saved[len(exchange.sent) :]])
            else:
                columns.append([np.full((rows, 1), sent.of_nothing) for sent in exchange.sent])
        sent = {
            RowSymbol(s.symbol.name): np.hstack(column)
            for s, column in zip(exchange.sent, zip(*columns, strict=True), strict=True)
        }
        of_all = known[0] | sent | {form.count: np.array(sizes, float)}
        _, merged = run(exchange.merge, len(sizes), of_all) if exchange.merge else ({}, {})
        in_all = dict(zip(exchange.totals, map(sum, zip(*totals, strict=True)), strict=True))
        for number, values in enumerate(known):
            values |= {symbol: merged[symbol] for symbol in exchange.merge.saved} if exchange.merge else {}
            values |= in_all
            values |= {RowScalarSymbol(s.name): merged[s][:, number : number + 1] for s in exchange.own}
    found = (
        [run(form.parts[-1], size, values)[0] for size, values in zip(sizes, known, strict=True)]
        if form.parts[-1]
        else None
    )
    results, common = run(form.common, 1, known[0]) if form.common else ({}, {})
    known[0] |= common
    for store in form.program.results:
        for name in store.names:
            if found and name in found[0]:
                assert axes(store.symbol).features
                width = (rows,) if axes(store.symbol).rows else ()
                shaped = [np.broadcast_to(part[name], (*width, size)) for part, size in zip(found, sizes, strict=True)]
                results[name] = np.concatenate(shaped, axis=-1)
            elif name not in results:
                results[name] = known[0][store.symbol]
    saved = {s.name: known[0][s] for s in form.program.saved if s in known[0]}
    return results, saved


@functools.cache
def drawn(name, direction):
    """Return the arguments of a layer's program, at all features, and its results."""
    plan = corpus.planned(name)
    program = next(q for q in plan.programs() if q.direction == direction)
    features = sum(SPLITS[0])
    values = corpus.draw(plan.derivation.definition, ROWS, features)
    by_name = {symbol.name: symbol for symbol in plan.derivation.forward.symbols}
    known = {symbol: values[n] for n, symbol in by_name.items()}
    forward_needs = {q.symbol for q in (*plan.forward.rows, *plan.forward.parameters)}
    outputs, found = corpus.interpret(
        plan.forward, {s: v for s, v in known.items() if s in forward_needs}, ROWS, features
    )
    rng = np.random.default_rng(5)
    given = {}
    for argument in (*program.rows, *program.parameters):
        value = values.get(argument.name, outputs.get(argument.name, known.get(argument.symbol)))
        if value is None:
            shape = (ROWS,) if axes(argument.symbol).rows else ()
            shape += (features,) if axes(argument.symbol).features else (1,) if shape else ()
            value = rng.standard_normal(shape)
        given[argument.symbol] = np.asarray(value)
    if direction != "forward":
        given |= {symbol: found[symbol] for symbol in program.saved}
    return program, given, corpus.interpret(program, given, ROWS, features)[0]


SHARDED = [name for name in corpus.NAMES if name not in NOT_SHARDED]
IN_CI = [name for name in corpus.SOME if name in SHARDED]


@pytest.mark.parametrize("name", sample(SHARDED, ("layer_norm", "softmax", "mean_abs_norm", "range"), IN_CI))
def test_parts_give_what_the_whole_gives(name):
    for program in corpus.planned(name).programs():
        assert_parts_give_the_whole(*drawn(name, program.direction))


def assert_parts_give_the_whole(program, given, expected):
    for merges in (True, False):
        form = sharded(program, merges=merges)
        for sizes in SPLITS:
            with np.errstate(all="ignore"):
                results, _ = interpret(form, given, ROWS, sizes)
            assert results.keys() == expected.keys()
            for key, value in expected.items():
                value = np.broadcast_to(value, np.broadcast_shapes(value.shape, results[key].shape))
                np.testing.assert_allclose(results[key], value, rtol=1e-9, atol=1e-9 * max(1, np.abs(value).max()))


@pytest.mark.parametrize("name", sample(SHIPPED, ("layer_norm", "softmax", "cross_entropy")))
def test_collectives_of_shipped_layers(name):
    plan = corpus.planned(name)
    assert (sharded(plan.forward).collectives, sharded(plan.backward).collectives) == COLLECTIVES[name]


def test_every_shipped_layer_is_counted():
    assert {*SHIPPED} == {*COLLECTIVES}


def test_without_rules_each_level_of_reductions_waits_for_the_one_before():
    plan = corpus.planned("layer_norm")
    assert [sharded(plan.forward, merges=merges).collectives for merges in (True, False)] == [1, 3]
    assert [sharded(corpus.planned("softmax").forward, merges=merges).collectives for merges in (True, False)] == [1, 2]


@pytest.mark.parametrize(
    "name", sample(SHARDED, ("layer_norm", "softmax", "cross_entropy", "masked_exponentials"), IN_CI)
)
def test_every_merge_is_an_identity(name, monkeypatch):
    found = []
    monkeypatch.setattr("lngen.extensions.sharded.sharding.Merging.shared", watched(found))
    for program in corpus.planned(name).programs():
        sharded(program)
    assert [sympy.sstr(q) for q in found if q != 0] == []


def watched(found):
    from lngen.extensions.sharded.merging import Merging

    plain = Merging.shared

    def shared(self, reduction):
        result = plain(self, reduction)
        if result is not None:
            found.append(self.identity(reduction, result))
        return result

    return shared


# ---- numbers that rounding or infinity could spoil

x, y, s, e = (RowSymbol(name) for name in ("x", "y", "s", "e"))
m, v = RowScalarSymbol("m"), RowScalarSymbol("v")


def program_of(*stages, result=y):
    rows = (RowArgument("x", x, "input"),)
    return RowProgram("f", "forward", 1, rows, (), (), stages, (), (), (Store((result.name,), result),), ())


def moment(power, operator="mean"):
    return program_of(
        Stage(reductions=(FeatureReduction(m, operator, x, 1),)),
        Stage((Assignment(s, x - m, 2),), (FeatureReduction(v, "mean", s**power, 3),)),
        Stage(stores=(Store(("v",), v),)),
        result=v,
    )


@pytest.mark.parametrize("power", range(1, HIGHEST + 2))
def test_moments_are_merged_up_to_the_highest_that_a_bound_is_worth_something_for(power):
    assert sharded(moment(power)).collectives == (1 if power <= HIGHEST else 2)
    assert sharded(moment(power, "max")).collectives == (1 if power == 1 else 2)


@pytest.mark.parametrize("power", range(1, HIGHEST + 1))
def test_a_moment_is_within_its_bound_however_far_the_parts_lie_apart(power):
    rng = np.random.default_rng(power)
    sizes = (40, 3, 0, 57)
    value = np.hstack(
        [
            rng.standard_normal((ROWS, size)) * 10.0 ** rng.integers(-3, 3) + 1e6 * part
            for part, size in enumerate(sizes)
        ]
    )
    form = sharded(moment(power))
    found = interpret(form, {x: value}, ROWS, sizes)[0]["v"][:, 0]
    exact = value.astype(np.longdouble)
    centred = exact - exact.mean(1, keepdims=True)
    unit = np.finfo(float).eps / 2
    bound = 3**power * (sum(sizes) + 2 * power + len(sizes) + 2) * unit * (np.abs(centred) ** power).mean(1)
    assert (np.abs(found - (centred**power).mean(1)) <= bound).all()


def test_a_part_that_a_mask_left_nothing_of():
    z = RowSymbol("z")
    total = RowScalarSymbol("total")
    form = sharded(
        program_of(
            Stage(reductions=(FeatureReduction(m, "max", x, 1),)),
            Stage((Assignment(s, x - m, 2), Assignment(e, sympy.exp(s), 3)), (FeatureReduction(total, "sum", e, 4),)),
            Stage((Assignment(z, e / total, 5),), stores=(Store(("z",), z),)),
            result=z,
        )
    )
    value = np.full((ROWS, 6), -np.inf)
    value[:, 4:] = np.random.default_rng(0).standard_normal((ROWS, 2)) - 1e5
    with np.errstate(all="ignore"):
        found = interpret(form, {x: value}, ROWS, (3, 0, 1, 2))[0]["z"]
    expected = np.exp(value - value.max(1, keepdims=True))
    np.testing.assert_allclose(found, expected / expected.sum(1, keepdims=True), rtol=1e-15)
    assert form.collectives == 1


def test_a_row_of_equal_entries_has_no_negative_spread():
    found = interpret(sharded(moment(2)), {x: np.full((1, 30), 0.1) * 1e7}, 1, (7, 11, 12))[0]["v"]
    assert 0 <= found[0, 0] <= 1e-17 * 1e14


def test_what_is_the_same_for_all_rows_is_refused():
    with pytest.raises(LngenError, match=r"f: .* reduces a value that is the same for all rows, .*pass it as a Scalar"):
        sharded(corpus.planned("feature_sum").forward)


@pytest.mark.parametrize("name", ["layer_norm", "add_layer_norm", "dynamic_tanh"])
def test_there_is_a_part_before_each_exchange_and_one_after_the_last(name):
    for program in corpus.planned(name).programs():
        form = sharded(program)
        assert len(form.parts) == len(form.exchanges) + 1
        assert not form.counts_first
