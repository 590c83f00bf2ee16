import mpmath
import numpy as np
import pytest
import sympy

from lngen.algebra.numeric import Arithmetic, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import D, Mean, RowScalarSymbol, RowSymbol, axes
from lngen.language.oracle.evaluate import evaluate, mp_numbers
from lngen.report.explanation.emulation import DIGITS, Rounded, exactly, in_type, ordinary
from tests.report.explanation.layers import of_file, shipped
from tests.shipped import DEFINITIONS
from tests.tiers import sample

x, y, m = RowSymbol("x"), RowSymbol("y"), RowScalarSymbol("m")


def public(symbol, value):
    return value[:, 0] if isinstance(symbol, RowScalarSymbol) else value


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::5]), ids=lambda path: path.stem)
def test_exactly_gives_the_outputs_of_the_definition(path):
    plan = of_file(path)
    rows = ordinary(plan, 5)
    arguments = [*plan.forward.rows, *plan.forward.parameters]
    given = {each.name: public(each.symbol, rows.values[each.symbol]) for each in arguments}
    expected = evaluate(plan.derivation.definition, given, mp_numbers(DIGITS))
    found = exactly(plan, rows).outputs
    for name, value in expected.items():
        assert max(abs(np.ravel(found[name] - np.reshape(value, found[name].shape)))) < 1e-50


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::5]), ids=lambda path: path.stem)
def test_exactly_gives_the_gradients_of_the_chain_rule_as_it_stands(path):
    plan = of_file(path)
    rows, d = ordinary(plan, 5), plan.derivation
    with mpmath.workdps(DIGITS):
        given = {s: np.frompyfunc(mpmath.mpf, 1, 1)(v) for s, v in rows.values.items()} | {D: mpmath.mpf(5)}
        written = evaluate_equations((*d.written.equations, *d.adjoint.equations), given, Arithmetic(DIGITS))
    found = exactly(plan, rows).gradients
    compared = [gradient for _, gradient in d.gradients if axes(gradient).rows and gradient in written]
    assert compared
    with mpmath.workdps(DIGITS):
        for gradient in compared:
            assert np.max(np.abs(found[gradient.name] - written[gradient])) < 1e-50


@pytest.mark.parametrize(
    ("expression", "values", "expected"),
    [
        (x + y - m, {x: 1.0, y: 2.0**-24, m: 1.0}, 0.0),  # added first, in the order of emitted code
        (x * y / m, {x: 1e20, y: 1e20, m: 1e30}, np.inf),
        (x**2 * y, {x: 1e20, y: 1e-30}, np.inf),
        (1 / sympy.sqrt(m), {m: 0.0}, np.inf),
        (sympy.exp(x), {x: 89.0}, np.inf),
        (sympy.exp(x), {x: 1.0}, float(np.float32(2.718281828459045))),
    ],
)
def test_rounded_rounds_every_operation_on_its_own(expression, values, expected):
    given = {symbol: np.float32([[value]]) for symbol, value in values.items()}
    with np.errstate(all="ignore"):
        found = evaluate_expression(expression, given | {D: 1}, Rounded(np.float32))
    assert found.dtype == np.float32
    assert found[0, 0] == expected


def test_rounded_adds_neighbours_in_pairs():
    row = np.float32([[1.0, 2.0**-24, 2.0**-24, 2.0**-24]])
    found = evaluate_expression(Mean(x) * D, {x: row, D: 4}, Rounded(np.float32))
    # 1 + u is 1, and u + u is not lost: one after the other all three would be.
    assert found[0, 0] == np.float32(1 + 2.0**-23)


def test_in_type_computes_float16_in_float32_and_rounds_results():
    plan = shipped("layer_norm")
    rows = ordinary(plan, 8).stored(np.float16)
    found = in_type(plan, rows, np.float16)
    assert np.array_equal(found.outputs["y"], found.outputs["y"].astype(np.float16))
    rstd = next(value for symbol, value in found.values.items() if symbol.name == "rstd")
    assert not np.array_equal(rstd, rstd.astype(np.float16))


def test_constants_have_no_storage_type():
    plan = shipped("layer_norm")
    (eps,) = (p.symbol for p in plan.forward.parameters if p.kind == "Constant")
    assert ordinary(plan, 4).stored(np.float16).values[eps] == 1e-5
