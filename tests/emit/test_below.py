"""Two stages that the text of C++ has as one call: a largest entry, and sums of exponentials less exactly that."""

import re

import pytest
from sympy import exp

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol, Where
from lngen.emit import Notes
from lngen.emit.cpp.below import joined
from lngen.emit.cpp.sweeps import Recomputed, Reduced, Sweep
from lngen.emit.cuda import emit
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.plan.program import Assignment, Store

X, W, M, S = RowSymbol("x"), RowSymbol("w"), RowScalarSymbol("m"), RowScalarSymbol("s")
LARGEST = Reduced(M, "max", X, "step 1", shift=True)


def sums(*bodies):
    return tuple(Reduced(RowScalarSymbol(f"s{i}"), "sum", body, "step 2") for i, body in enumerate(bodies))


def test_sums_with_the_exponential_as_a_factor_are_told_from_others():
    e, u = RowSymbol("e"), RowSymbol("u")
    lines = Recomputed([Assignment(u, X - M, 2), Assignment(e, exp(u), 3)])
    assert joined(Sweep((LARGEST,)), Sweep(sums(e, W, e * W - 2 * e)), lines) == (0, 0b101)
    assert joined(Sweep((*sums(W), LARGEST)), Sweep(sums(e)), lines) == (1, 1)


def test_a_mask_may_be_in_both():
    masked = Reduced(M, "max", Where(W > 0, X, -5), "step 1", shift=True)
    term = Where(W > 0, exp(Where(W > 0, X - M, 0)), 0)
    assert joined(Sweep((masked,)), Sweep(sums(term)), Recomputed([])) == (0, 1)
    assert joined(Sweep((masked,)), Sweep(sums(exp(X - M))), Recomputed([])) is None
    assert joined(Sweep((masked,)), Sweep(sums(Where(W > 1, exp(X - M), 0))), Recomputed([])) is None


REFUSED = {
    "of another value": (Sweep((LARGEST,)), Sweep(sums(exp(W - M)))),
    "of a multiple": (Sweep((LARGEST,)), Sweep(sums(exp(2 * X - 2 * M)))),
    "a square": (Sweep((LARGEST,)), Sweep(sums(exp(X - M) ** 2))),
    "a sum with what has no factor": (Sweep((LARGEST,)), Sweep(sums(exp(X - M) + W))),
    "m itself": (Sweep((LARGEST,)), Sweep(sums(exp(X - M), W * M))),
    "nothing with the factor": (Sweep((LARGEST,)), Sweep(sums(W))),
    "another value of the stage": (Sweep((LARGEST, *sums(W))), Sweep(sums(exp(X - M) * RowScalarSymbol("s0")))),
    "no shift": (Sweep((Reduced(M, "max", X, "step 1"),)), Sweep(sums(exp(X - M)))),
    "a stage that stores": (Sweep((LARGEST,)), Sweep(sums(exp(X - M)), stores=(Store(("y",), X),))),
    "extremes": (Sweep((LARGEST,)), Sweep((Reduced(S, "max", exp(X - M), "step 2"),))),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_none_of_it_stays_two_stages(why):
    assert joined(*REFUSED[why], Recomputed([])) is None


def test_means_are_divided():
    """The plan has means for a quotient of sums."""
    plan = planned(parse("def weighted(x: Row, w: Row):\n    e = exp(x)\n    return sum(e*w)/sum(e)\n"), proved=False)
    text = emit((plan.forward, plan.backward), Notes("weighted", "A program of the tests."))["layer.h"]
    assert re.search(r"const auto \[stage_1, stage_2\] = row\.template max_and_sums<0, 3>\(", text)
    assert text.count("= math::quotient(get<") == 2
