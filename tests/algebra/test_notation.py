import ast
import re

import pytest
import sympy
from sympy import Rational

from lngen.algebra.notation import latex, latex_name, text
from lngen.algebra.notation.plain import WORDS
from lngen.algebra.symbols import (
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    StopGradient,
    SumRows,
    Where,
)
from lngen.derivation.gradients import derive
from lngen.language.parsing import load
from tests.shipped import DEFINITIONS
from tests.tiers import sample

x, g, t, xhat, r = (RowSymbol(name) for name in ("x", "g", "t", "xhat", "r"))
mu, var, std, p = (RowScalarSymbol(name) for name in ("mu", "var", "std", "p"))
rstd = RowScalarSymbol("rstd", positive=True)
gamma, beta = FeatureSymbol("gamma"), FeatureSymbol("beta")
alpha, eps = ScalarSymbol("alpha"), ScalarSymbol("eps", positive=True)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (D - 1, "D - 1"),
        (2 * D + 1, "2*D + 1"),
        (-x - t, "-t - x"),
        (g - mu - xhat * p, "g - mu - p*xhat"),
        (t * (x - D * Mean(t * x)), "t*(x - sum(t*x))"),
        (D * Mean(g) / (D - 1), "sum(g)/(D - 1)"),
        (SumRows(FeatureSum(g * x)), "sum_rows(sum(g*x))"),
        ((var + eps) ** Rational(-3, 2), "1/(var + eps)**(3/2)"),
        (x / (2 * mu), "x/(2*mu)"),
        (Rational(3, 2) * x, "3*x/2"),
        (x + Rational(1, 100000), "x + 1e-5"),
        (Rational(44715, 10**6) * x**3, "0.044715*x**3"),
        (x * (-t - mu), "-x*(t + mu)"),
        (alpha * (2 * x - 2 * mu), "2*alpha*(x - mu)"),
        ((x * t) ** 2, "t**2*x**2"),
        (Where(std > 0, 1 / std, 0), "where(std > 0, 1/std, 0)"),
        (StopGradient(x) * Sigmoid(-x), "stop_gradient(x)*sigmoid(-x)"),
        (sympy.Abs(x) * sympy.sign(t), "abs(x)*sign(t)"),
        (sympy.exp(-(x**2) / 2) / sympy.sqrt(sympy.pi), "exp(-x**2/2)/sqrt(pi)"),
        (Rational(-1, 3), "-1/3"),
        (x ** Rational(1, 3), "x**(1/3)"),
    ],
)
def test_it_is_written_as_a_person_would(expression, expected):
    assert text(expression) == expected


def every_expression(path):
    derivation = derive(load(path))
    found = [q.expression for q in derivation.forward.equations]
    found += [q.expression for q in derivation.adjoint.equations]
    found += [q.expression for q in derivation.backward]
    for step in derivation.steps:
        found += [step.after] if step.before is None else [step.before, step.after]
    return found


def read_back(written, symbols):
    """The expression that a text says, read with Python's precedence."""
    names = {word: function for function, word in WORDS.items()} | {s.name: s for s in symbols}
    names["pi"] = sympy.pi
    tree = ast.parse(written, mode="eval").body

    def walk(node):
        match node:
            case ast.Constant(value=value):
                return Rational(repr(value))
            case ast.Name(id=name):
                return names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -walk(operand)
            case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
                return sympy.sqrt(walk(argument))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return names[name](*map(walk, arguments))
            case ast.Compare(left=left, ops=[ast.LtE()], comparators=[right]):
                return walk(left) <= walk(right)
            case ast.Compare(left=left, ops=[ast.GtE()], comparators=[right]):
                return walk(left) >= walk(right)
            case ast.Compare(left=left, ops=[ast.Gt()], comparators=[right]):
                return walk(left) > walk(right)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = walk(left), walk(right)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
                    case ast.Pow():
                        return a**b
        raise AssertionError(ast.dump(node))

    return walk(tree)


def plain_sums(expression):
    return sympy.expand(expression.replace(FeatureSum, lambda body: D * Mean(body)))


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_what_is_written_means_what_it_was_written_from(path):
    for expression in every_expression(path):
        again = read_back(text(expression), {*expression.free_symbols, D})
        difference = plain_sums(again) - plain_sums(expression)
        # Bodies of means may be written with another sign or number taken out.
        assert sympy.simplify(difference.replace(Mean, lambda b: Mean(sympy.expand(b)))) == 0, text(expression)


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_it_can_stand_in_any_comment_and_latex_in_markdown(path):
    for expression in every_expression(path):
        written = text(expression)
        assert written.isascii()
        assert written.isprintable()
        assert "\\" not in written
        assert "*/" not in written
        assert "/*" not in written
        written = latex(expression)
        assert re.search(r"\\[^A-Za-z]", written) is None
        assert r"\operatorname" not in written
        depth = 0
        for character in written:
            depth += (character == "{") - (character == "}")
            assert depth >= 0
        assert depth == 0
        assert written.count(r"\left") == written.count(r"\right")


@pytest.mark.parametrize("name", ["x_centred", "mean_g_xhat", "x1", "dgamma_rows", "d", "hat", "dhat", "g_2"])
def test_no_two_names_look_the_same_in_latex(name):
    others = ["x", "mean", "dx", "dgamma", "g", "hat_x", "xhat", "g2x"]
    assert latex_name(name) not in [latex_name(other) for other in others]
