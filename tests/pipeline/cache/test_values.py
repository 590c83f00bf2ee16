"""Values as bytes: what is read is what was written, and reading runs nothing but constructors."""

import io
import os
import pickle
from fractions import Fraction

import pytest
import sympy

from lngen.algebra.symbols import D, FeatureSymbol, Mean, RowSymbol, Sigmoid, Where
from lngen.derived import derive
from lngen.pipeline.cache import values
from lngen.pipeline.cache.results import NotKept
from lngen.pipeline.cache.values import decode, encode
from lngen.runtime.native.compiler import Library

MARK = "LNGEN_EVALUATED"
EVIL = f"__import__('os').environ.__setitem__('{MARK}', '1')"
x, y = RowSymbol("x"), RowSymbol("y", positive=True)


@pytest.mark.parametrize(
    "value",
    [
        None,
        (True, 1, "1", False, 0),
        (Fraction(1, 3), 10**40),
        (sympy.Integer(7), sympy.Rational(-2, 7), sympy.S.Half, sympy.S.One, sympy.S.NegativeOne, sympy.S.Zero),
        (sympy.pi, sympy.E, sympy.oo, -sympy.oo, sympy.true),
        D * Mean(x / y) ** 3 - Mean(x**2),
        Where(x > 0, Sigmoid(x), sympy.Max(x, FeatureSymbol("g"))),
        tuple(relation(x, y) for relation in (sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Eq, sympy.Ne)),
        "\ud800 is no text of UTF-8, and \x00 and µ are",
    ],
)
def test_it_is_read_as_it_was_written(value):
    read = decode(encode(value))
    assert read == value
    assert sympy.srepr(read) == sympy.srepr(value)


def test_nothing_is_evaluated_again():
    product = sympy.Mul(x, x, evaluate=False)
    assert decode(encode(product)) == product != x**2
    assert decode(encode(sympy.Add(x, sympy.Integer(0), evaluate=False))).args == (x, 0)


def test_assumptions_are_those_that_were_given():
    plain, positive = decode(encode((RowSymbol("y"), y)))
    assert plain.is_positive is None
    assert positive.is_positive
    assert (type(plain), plain.is_real) == (RowSymbol, True)


def test_equal_parts_are_written_once():
    part, again = (sympy.Pow(sympy.Add(x, y, evaluate=False), 2, evaluate=False) for _ in range(2))
    assert len(encode((part * y, again * y))) < len(encode((part * y, again**3 * y)))


class Loose:
    """A value of a class that is not lngen's."""


@pytest.mark.parametrize("value", [(object(),), Loose(), lambda: 1, float("nan"), derive])
def test_what_is_not_read_back_as_it_was_is_not_kept(value):
    with pytest.raises(NotKept):
        encode(value)


class Calls:
    """A value that asks for a call as it is read."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nothing",
        b"[" * 100_000,
        *(
            pickle.dumps(Calls(*call))
            for call in (
                (os.system, ("exit 1",)),
                (io.open, (os.devnull, "w")),
                (sympy.sympify, ("x",)),
                (derive, ("def f(x: Row): return x**2",)),
                (Mean, (1, 2, 3)),
                *((kind, (EVIL,)) for kind in (sympy.exp, sympy.Derivative, sympy.Poly, sympy.Matrix, Mean)),
                (values._unevaluated, ("sympy.core.function", "Derivative", EVIL)),
                (values._unevaluated, (Mean.__module__, "Mean", EVIL)),
                (values._unevaluated, ("fractions", "Fraction", "1")),
                (Library, ("libm.so.6",)),
            )
        ),
    ],
)
def test_another_content_is_an_error_and_runs_nothing(content, monkeypatch):
    monkeypatch.delenv(MARK, raising=False)
    with pytest.raises(ValueError):  # noqa: PT011
        decode(content)
    assert MARK not in os.environ
