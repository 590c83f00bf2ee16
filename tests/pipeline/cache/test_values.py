"""Derivations as text: what is read is what was written, and reading runs nothing but the table's constructors."""

import json
from fractions import Fraction

import pytest
import sympy

from lngen.algebra.growth import Growth
from lngen.algebra.symbols import D, FeatureSymbol, Mean, RowSymbol, Sigmoid, Where
from lngen.pipeline.cache.results import NotKept
from lngen.pipeline.cache.values import decode, encode, encode_surely
from tests import corpus

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
        Growth.at_the_ends([x], [(y, sympy.exp(x)), (RowSymbol("s"), Sigmoid(y))]),
        "\ud800 is no text of UTF-8, and \x00 and µ are",
    ],
)
def test_it_is_read_as_it_was_written(value):
    read = decode(encode_surely(value))
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
    part = Mean(x**2) + 1
    assert len(json.loads(encode((part, part, part * y)))) < len(json.loads(encode((part, part**2, part * y))))


@pytest.mark.parametrize("name", corpus.SAMPLED)
def test_every_plan_is_read_as_it_was_made(name):
    plan = corpus.planned(name)
    given = plan.derivation.definition
    read = decode(encode_surely(plan, given), given)
    assert read == plan
    assert read.derivation.definition is given


@pytest.mark.parametrize("value", [1.5, {"a": 1}, sympy.Dummy("x"), sympy.Symbol("x"), (object(),), sympy.Float(1)])
def test_what_is_not_in_the_table_is_not_kept(value):
    with pytest.raises(NotKept):
        encode_surely(value)


def test_what_is_not_read_back_as_it_was_is_not_kept():
    class Text(str):
        pass

    with pytest.raises(NotKept):
        encode_surely((sympy.exp(sympy.log(x, evaluate=False), evaluate=False), Text("a")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "nothing",
        '[["os.system"]]',
        '["ls",["eval",0]]',
        '[["tuple",7]]',
        '["x",["RowSymbol",0]]',
        '[["Proof"]]',
        "[" * 100_000,
        '["x",["Mean",0,0]]',
    ],
)
def test_another_text_is_an_error_and_runs_nothing(text):
    with pytest.raises(ValueError):  # noqa: PT011
        decode(text)
