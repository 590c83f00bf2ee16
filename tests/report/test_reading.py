"""Parts of a report for its reader: a legend, derivatives of functions, the Jacobian as a projection, one notation."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.notation import text
from lngen.algebra.symbols import Mean, RowSymbol, Sigmoid, derivative
from lngen.derivation.derivation import Derivation
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.report.derivatives import stated
from lngen.report.legend import legend
from lngen.report.projection import projections
from tests.corpus import derivation

NO_EPS = "def f(x: Row): return x*rsqrt(mean(x**2))"
TWO_OUTPUTS = "def f(x: Row, r: Row):\n    h = x + r\n    y = h*mean(h)\n    return y, h"
OBLIQUE = "def f(x: Row, eps: Constant = 1e-5): return x*(mean(x**4) + eps)**(-0.25)"


def made(name: str) -> Derivation:
    """A derivation of the corpus, or of the text of a definition."""
    return derive(parse(name)) if name.startswith("def ") else derivation(name)


@pytest.mark.parametrize(
    ("name", "over", "gradient"),
    [
        (
            "layer_norm",
            "mean, sum: over the D features of a row; sum_rows: over the rows",
            "dy is the gradient of the loss",
        ),
        (TWO_OUTPUTS, "mean, sum: over the D features of a row. Rows", "dy, dh are the gradients of the loss"),
        (
            'def f(x: Array["n (g c)"], w: Array["c"], a: Scalar, g: Size = 2): return a*w*x/sum(exp(x), "c")',
            'sum: over "c", the D entries of a row; sum_rows: over "n g", which number the rows. Rows do not mix.',
            "dy is",
        ),
        ("def f(x: Row): return x**2", "", "dy is the gradient of the loss with respect to y"),
    ],
)
def test_legend_speaks_of_the_signs_that_are_there(name: str, over: str, gradient: str) -> None:
    found = legend(made(name))
    assert found[-1].startswith(gradient)
    assert found[0].startswith(over)
    assert (len(found) >= 2) == bool(over)


@pytest.mark.parametrize("function", [sympy.exp, sympy.tanh, Sigmoid, sympy.erf, sympy.log, sympy.sqrt, sympy.Abs])
def test_a_stated_derivative_is_that_of_differentiation(function: type) -> None:
    u = RowSymbol("u")
    found = stated(function(u))
    assert found.text == text(derivative(function(u), u))


@pytest.mark.parametrize(
    ("name", "gradient", "matrix", "exact"),
    [
        ("layer_norm", "rstd*P*g", "I - 1*1'/D - xhat*xhat'/D", False),
        ("add_layer_norm", "dh + rstd*P*g", "I - 1*1'/D - xhat*xhat'/D", False),
        ("l2_norm", "rstd*P*dy", "I - y*y'", False),
        (NO_EPS, "rstd*P*dy", "I - y*y'/D", True),
    ],
)
def test_a_jacobian_that_is_a_projection_is_said_to_be_one(name: str, gradient: str, matrix: str, exact: bool) -> None:
    (found,) = projections(made(name))
    assert (found.gradient.text, found.matrix.text) == (gradient, matrix)
    assert ("P*P = P," in found.words) == exact
    assert ("Where eps = 0" in found.words) != exact


@pytest.mark.ci
@pytest.mark.parametrize("name", ["softmax", "cross_entropy", "power_norm", "mean_abs_norm", OBLIQUE])
def test_a_jacobian_that_is_none_is_not_said_to_be_one(name: str) -> None:
    assert projections(made(name)) == ()


def test_what_a_projection_lacks_is_what_it_lacks() -> None:
    """Write P*P out for a row of three numbers of mean zero, beside what is said of layer norm."""
    size = 3
    a, b = sympy.symbols("a b")
    row = sympy.Matrix([a, b, -a - b])  # of mean zero
    square = sum(entry**2 for entry in row) / size
    ones = sympy.ones(size, 1)
    projection = sympy.eye(size) - ones * ones.T / size - row * row.T / size
    lack = (1 - square) * row * row.T / size
    assert (projection * projection - (projection - lack)).expand() == sympy.zeros(size, size)
    (found,) = projections(made("layer_norm"))
    assert "P*P = P - eps*rstd**2*xhat*xhat'/D" in found.words
    identities = {left: right for _, left, right in made("layer_norm").identities}
    xhat = next(s for s in made("layer_norm").bases if s.name == "xhat")
    assert text(1 - identities[Mean(xhat**2)]) in ("eps*rstd**2", "rstd**2*eps")
