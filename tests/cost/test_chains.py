"""Row tensors moved by chains of kernels, counted by hand."""

import pytest

from lngen.cost import chains, cost
from lngen.definition import load, parse
from lngen.emission import planned
from lngen.notation import text
from tests.shipped import ROOT, WHOLE
from tests.tiers import sample

FILES = sorted([*(ROOT / "derive").glob("*.py"), *(ROOT / "tests" / "definitions").glob("*.py")])


def plan_of(path):
    return planned(load(ROOT / path), proved=False)


def layer(body, arguments="x: Row"):
    words = "Row, Feature, RowScalar, Scalar, mean, max, exp, tanh"
    return planned(
        parse(f"from lngen.language import {words}\ndef f({arguments}):\n    return {body}\n"),
        proved=False,
    )


def tensors(plan):
    return tuple(sum(operation.tensors for operation in passes) for passes in chains.by_equation(plan))


@pytest.mark.parametrize(
    ("path", "equations", "sweeps", "saving", "least"),
    [
        # mean 1, x - mu 2, its square's mean 1, xhat 2, y 2; g 2, mean 1, mean of g*xhat 2, dx 3, dgamma 2, dbeta 1.
        ("derive/layer_norm.py", (8, 11), ((4, 5), (2, 5)), (3, 3), (2, 3)),
        # mean of the square 1, xhat 2, y 2; g 2, mean of g*xhat 2, dx 3, dgamma 2.
        ("derive/rms_norm.py", (5, 9), ((2, 3), (2, 5)), (3, 3), (2, 3)),
        # max 1, x - max 2, exp 2, its mean 1, y 2; mean of dy*y 2, dx 3. Backward reads y, which is saved already.
        ("tests/definitions/soft_max.py", (8, 5), ((3, 4), (2, 5)), (2, 3), (2, 3)),
        # x and r in, h and y out; h, dy, dh in, one gradient out for both inputs.
        ("tests/definitions/residual_add.py", (11, 12), ((4, 10), (2, 6)), (5, 4), (4, 4)),
    ],
)
def test_what_chains_move(path, equations, sweeps, saving, least):
    plan = plan_of(path)
    assert tensors(plan) == equations
    assert chains.by_sweep(plan) == sweeps
    assert chains.by_saving(plan) == saving
    assert chains.least(plan) == least


@pytest.mark.parametrize("path", sample(FILES, lambda path: path.stem in WHOLE), ids=lambda path: path.stem)
def test_nothing_moves_less_than_the_least(path):
    plan = plan_of(path)
    fused = cost(plan.forward).tensors, cost(plan.backward).tensors
    sweeps = [moved for _, moved in chains.by_sweep(plan)]
    for moved in (fused, sweeps, tensors(plan), chains.by_saving(plan)):
        assert all(count >= bound for count, bound in zip(moved, chains.least(plan), strict=True))
    assert all(count >= once for count, once in zip(sweeps, fused, strict=True))


def test_a_gradient_that_needs_no_row_of_forward_reads_none():
    assert chains.least(layer("2 * x")) == (2, 2)
    # dgamma is made of x; without it x would not be read.
    assert chains.least(layer("gamma * x", "x: Row, gamma: Feature")) == (2, 3)


def test_a_reduction_that_two_equations_share_is_one_pass():
    forward, _ = chains.by_equation(layer("(x - mean(x)) * exp(mean(x))"))
    assert [text(operation.expression) for operation in forward].count("mean(x)") == 1


def test_gradients_that_are_the_same_array_are_one_pass():
    _, backward = chains.by_equation(layer("exp(x + r)", "x: Row, r: Row"))
    assert sum(operation.writes for operation in backward) == 1
