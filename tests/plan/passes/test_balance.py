"""Products that stay in range: the same values, no partial product beyond those of the forward."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Expr

from lngen.algebra.equations import Names
from lngen.algebra.growth import ARGUMENT, EXPONENTIAL, Growth
from lngen.algebra.symbols import (
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    Sigmoid,
    Softplus,
    SumRows,
    Where,
    symbol_like,
)
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived
from lngen.plan.lines import ProgramLine
from lngen.plan.passes.balance import balanced, grown, met_by_readers
from tests.tiers import sample

e, x, y, g, dx = (RowSymbol(name) for name in ("e", "x", "y", "g", "dx"))
r, s, m = (RowScalarSymbol(name) for name in ("r", "s", "m"))
GROWTH = Growth({e: EXPONENTIAL, x: ARGUMENT, r: -EXPONENTIAL, s: -EXPONENTIAL, m: EXPONENTIAL}, EXPONENTIAL)

PRODUCTS = [
    e**2 * r**2 * g,
    e * r * (e * g - 1) * s,
    m * r**2,
    x * e * r,
    g * (e**3 * r**3 + x) * r,
    e**2 * g / (m**2),
    m**2 * g / (m + 1) ** 2,
]


@pytest.mark.parametrize("product", PRODUCTS, ids=str)
def test_the_same_value_in_range(product: Expr) -> None:
    lines = balanced([ProgramLine(dx, product, 1)], [GROWTH], Names(["dx"]))
    assert len(lines) > 1
    (growth,) = grown([GROWTH], lines)
    assert not any(growth.overreach(line.expression) for line in lines)
    written = lines[-1].expression
    for line in reversed(lines[:-1]):
        written = written.xreplace({line.symbol: line.expression})
    assert (written - product).expand() == 0


@pytest.mark.parametrize("product", [e * g, e * r * g, x**2 * g, e**2 * g, r**2 * g], ids=str)
def test_what_is_in_range_or_has_no_partner_stays(product: Expr) -> None:
    lines = [ProgramLine(dx, product, 1)]
    assert balanced(lines, [GROWTH], Names(["dx"])) == lines


def test_what_vanishes_far_below_zero_meets_what_grows_there() -> None:
    """The square of 1/softplus overflows float32 at -60, and its product with the sigmoid is 1."""
    s = RowSymbol("s")
    above, below, *_ = Growth.at_the_ends([x], [(e, Softplus(x)), (y, 1 / e), (s, Sigmoid(x))])
    lines = [ProgramLine(dx, -g * s * y**2, 1)]
    assert balanced(lines, [above], Names(["dx"])) == lines
    scaled, last = balanced(lines, [below], Names(["dx"]))
    assert scaled.expression == s * y
    assert last.expression == -g * y * scaled.symbol


def test_a_row_may_have_entries_at_both_ends() -> None:
    """A row with entries 60 and -60: a quotient by the mean of exponentials vanishes, and 1/softplus does not."""
    quotient = (m, 1 / Mean(e)), (RowSymbol("q"), m * y)
    ends = Growth.at_the_ends([x], [(e, sympy.exp(x)), (y, 1 / Softplus(x)), *quotient])
    product = g * y**2 * Sigmoid(x)
    assert [end.overreach(product) for end in ends] == [0, 0, EXPONENTIAL, 0, 0]
    scaled, last = balanced([ProgramLine(dx, product, 1)], ends, Names(["dx"]))
    assert (scaled.expression, last.expression) == (y * Sigmoid(x), g * y * scaled.symbol)


def test_an_exponent_that_grows_as_an_exponential_may_be_far_below_zero() -> None:
    """The factors `u*u` and a vanished sigmoid of u are not computed on their own at u = -1e30."""
    u, s = RowSymbol("u"), RowSymbol("s")
    ends = Growth.at_the_ends([x], [(u, sympy.exp(x) * x), (s, Sigmoid(u))])
    assert [end.degree(s) for end in ends] == [0, 0, 0, -25 * EXPONENTIAL, 0]
    scaled, last = balanced([ProgramLine(dx, g * s * u**2, 1)], ends, Names(["dx"]))
    assert (scaled.expression, last.expression) == (s * u, g * u * scaled.symbol)


def test_what_is_too_small_meets_what_its_reader_multiplies_it_by() -> None:
    """The cotangent of an exponential, divided by a square of their sum, is no float; times the exponential it is."""
    d, a = RowSymbol("d"), RowScalarSymbol("a")
    lines = [ProgramLine(a, Mean(g) * r**2, 1), ProgramLine(d, a + g * r**2, 2), ProgramLine(dx, d * e, 3)]
    met = met_by_readers(lines, [GROWTH], Names(["dx"]), [dx])
    assert [str(line.symbol) for line in met] == ["a_scaled", "d_scaled", "dx"]
    assert met[0].expression == lines[0].expression * e
    assert met[1].expression == met[0].symbol + g * r**2 * e


@pytest.mark.parametrize("value", [RowMax(e**2), SumRows(e**2)], ids=str)
def test_only_what_a_factor_goes_into_is_multiplied_there(value: Expr) -> None:
    a = symbol_like("a", value)
    lines = [ProgramLine(a, value, 1), ProgramLine(dx, a * r, 2)]
    assert met_by_readers(lines, [GROWTH], Names(["dx"]), [dx]) == lines


def test_a_result_stays_beside_what_its_reader_multiplies_it_by() -> None:
    d = RowSymbol("d")
    lines = [ProgramLine(d, g * e**2, 1), ProgramLine(dx, d * r, 2)]
    met = met_by_readers(lines, [GROWTH], Names(["dx"]), [d, dx])
    assert [line.expression for line in met] == [g * e**2, g * e**2 * r, met[1].symbol]


def test_a_side_of_a_select_stays_in_range_too() -> None:
    scaled, last = balanced([ProgramLine(dx, Where(g > 0, e**2 * r**2, 0), 1)], [GROWTH], Names(["dx"]))
    assert scaled.expression == e * r
    assert last.expression == Where(g > 0, e * r * scaled.symbol, 0)


def test_as_much_as_the_forward_grows_its_gradients_may() -> None:
    """x**3*s**3 of a row under a fourth power is in range wherever the power is: nothing is multiplied earlier."""
    growth = Growth().of_forward([x], [(m, x**4), (s, m ** Fraction(-1, 4))])
    assert growth.most == 4
    assert not growth.overreach(x**3 * s**3 * g)


QUOTIENTS = {
    "two normalizations of one row": "p = e/sum(e); q = (e - min(e))/(max(e) - min(e) + 0.01); return q, p",
    "their product": "p = e/sum(e); q = (e - min(e))/(max(e) - min(e) + 0.01); return p*q",
    "a range norm": "return (e - min(e))/(max(e) - min(e) + 0.01)",
    "a cube": "p = e/sum(e); return p**3 + p*min(e)/max(e)",
}


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(QUOTIENTS, ["a cube"]))
def test_gradients_are_right_up_to_the_largest_exponential(name: str) -> None:
    """The squares of these exponentials overflow float32; the same code in float64 is the reference."""
    definition = parse(f"def f(x: Row):\n    e = exp(x); {QUOTIENTS[name]}")
    module = module_from_files(derived(definition, proved=False).files, "f")
    rng = np.random.default_rng(7)
    rows = 20 * rng.standard_normal((5, 32))
    rows = (rows + 80 - rows.max(-1, keepdims=True)).astype(np.float32)
    found: dict[type, list[np.ndarray]] = {}
    for dtype in (np.float32, np.float64):
        outputs, saved = module.forward(rows.astype(dtype))
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        one, two = np.random.default_rng(3).standard_normal((2, *rows.shape)).astype(dtype)
        cotangents = (one, two)[: len(outputs)]
        jvp = module.jvp(saved, two)
        second = module.backward_backward(saved, cotangents, two)
        first = module.backward(saved, *cotangents)
        found[dtype] = [*outputs, *first, *(jvp if isinstance(jvp, tuple) else (jvp,)), *second]
    for single, double in zip(found[np.float32], found[np.float64], strict=True):
        assert np.abs(single - double).max() <= 1e-4 * np.abs(double).max()


def test_what_a_sigmoid_leaves_to_1_is_not_multiplied_out() -> None:
    """1 less a sigmoid is as small as an exponential, and its terms are not: `x**2 - x**2*s` would cancel at s = 1."""
    s = RowSymbol("s")
    growth = Growth.at_the_ends([x], [(e, x**2), (s, Sigmoid(e))])
    lines = [ProgramLine(dx, g * e * (1 - s), 1)]
    assert balanced(lines, growth, Names(["dx"])) == lines
