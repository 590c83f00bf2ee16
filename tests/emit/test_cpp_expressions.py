"""Expressions in C++: precedence, literals of the compute type, what is converted, what is refused."""

from fractions import Fraction

import pytest
import sympy
from sympy import Integer, Rational

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol, Sigmoid, Where
from lngen.emit.cpp.expressions import CppPrinter, Kinds, literal
from lngen.errors import LngenError

x, dy, dz = RowSymbol("x"), RowSymbol("dy"), RowScalarSymbol("dz")
mu, gamma, alpha = RowScalarSymbol("mu"), FeatureSymbol("gamma"), ScalarSymbol("alpha")


@pytest.fixture
def printer() -> CppPrinter:
    names = {symbol: symbol.name for symbol in (x, dy, dz, mu, gamma, alpha)}
    return CppPrinter(names, {dy: Kinds(zero=True), dz: Kinds(zero=True)})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Integer(3), "A(3)"),
        (Integer(10) ** 12, "A(1000000000000.0)"),
        (Rational(1, 3), "A(0.33333333333333333333)"),
        (Fraction(1, 100000), "A(0.00001)"),
        (sympy.sqrt(sympy.pi), "A(1.7724538509055160273)"),
        (sympy.exp(1), "A(2.7182818284590452354)"),
    ],
)
def test_literals(number: sympy.Expr, text: str) -> None:
    assert literal(number) == text


def test_a_literal_is_the_number() -> None:
    for number in (Rational(1, 7), Rational(2**60 + 1, 3), Rational(1, 10**30), Integer(2) ** 40):
        digits = literal(number).removeprefix("A(").removesuffix(")")
        assert float(digits) == float(number)


def test_a_number_no_double_holds_is_refused() -> None:
    with pytest.raises(LngenError, match="larger than any double"):
        literal(Integer(10) ** 400)


def test_what_may_be_a_type_is_converted_where_a_number_is_needed(printer: CppPrinter) -> None:
    assert printer.line(dy * x + dz / x) == "dy*x + dz / x"
    assert printer.line(sympy.exp(dy * x)) == "math::exp(A(dy*x))"
    assert printer.line(sympy.tanh(dy * x)) == "math::tanh(dy*x)"
    assert printer.line(Where(dy > 0, x, 1)) == "choose<A>(A(dy) > A(0), x, A(1))"


def test_an_unknown_function_is_refused(printer: CppPrinter) -> None:
    with pytest.raises(LngenError, match=r"the C\+\+ backend cannot write gamma, which occurs in gamma\(x\)"):
        printer.line(x + sympy.gamma(x))
    with pytest.raises(LngenError, match="cannot write And"):
        printer.line(Where(sympy.And(x > 0, x < mu), 1, x))


def test_an_unknown_symbol_is_refused(printer: CppPrinter) -> None:
    with pytest.raises(LngenError, match="with stranger, which nothing defines"):
        printer.line(RowSymbol("stranger") + 1)


def test_a_number_is_a_literal(printer: CppPrinter) -> None:
    assert printer.line(sympy.S.Zero) == "A(0)"
    assert printer.line(Sigmoid(Integer(0))) == "A(0.5)"


def test_what_the_largest_entry_is_taken_from_is_rounded():
    t, x, m = RowSymbol("t"), RowSymbol("x"), RowScalarSymbol("m")
    names = {each: each.name for each in (t, x, m)}
    assert CppPrinter(names, {}, True, {}, {m}).line(t * x - m) == "math::difference(t*x, A(m))"
    assert CppPrinter(names, {}, True).line(t * x - m) == "t*x - m"
