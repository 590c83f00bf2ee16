"""Plain text from marked text: no two words become one, and only clashing names change."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from lngen.algebra.symbols import D, Mean, RowSymbol
from lngen.emit.cpp.reserved import CPP
from lngen.emit.spelling import (
    PYTHON,
    Language,
    marked,
    marked_program,
    reading,
    spelled,
    spellings,
)
from lngen.language.names import fault
from lngen.plan.program import Assignment, RowProgram, Stage, Store

_NAMES = st.from_regex(r"[a-d_]{1,4}", fullmatch=True).filter(lambda name: fault(name) is None)
_PARTS = st.tuples(st.sampled_from(["", "read_", "d"]), _NAMES, st.sampled_from(["", "_out", "_rows"]))


@pytest.mark.ci
@settings(max_examples=30)
@given(st.lists(_PARTS, max_size=12), st.lists(st.from_regex(r"[a-d_]{1,6}", fullmatch=True), max_size=8))
@pytest.mark.parametrize("language", [PYTHON, CPP])
def test_no_two_words_become_one(language: Language, parts: list[tuple[str, str, str]], machine: list[str]) -> None:
    words = {before + marked(name) + after for before, name, after in parts}
    found = spellings(" + ".join([*sorted(words), *machine]), language)
    assert set(found) == words
    assert len(set(found.values())) == len(words)
    assert not set(found.values()) & set(machine)
    assert all(language.legal(name) for name in found.values())


@pytest.mark.parametrize(
    ("name", "spelling"),
    [("half", "half_"), ("a__b", "a_b_"), ("NULL", "NULL_"), ("float4", "float4_"), ("gamma", "gamma"), ("x", "x")],
)
def test_what_cuda_reserves_is_spelled_otherwise(name: str, spelling: str) -> None:
    assert spelled(f"A {marked(name)} = threadIdx.x;", CPP) == f"A {spelling} = threadIdx.x;"
    assert spelled(f"{marked(name)} = {name}.x", PYTHON) == f"{name}_ = {name}.x".replace("__b_", "_b_")


def test_what_stands_as_it_is_on_purpose_is_not_multiplied_out() -> None:
    x, y, z = (RowSymbol(name) for name in "xyz")
    expression = sympy.Mul(2, x + Mean(y) * D, evaluate=False)
    stage = Stage(temps=(Assignment(z, expression, 1),), stores=(Store(("z",), z),))
    program = RowProgram("f", "forward", 1, (), (), (), (stage,), (), (), (Store(("z",), z),), ())
    (temp,) = marked_program(program).stages[0].temps
    assert reading(str(temp.expression)) == str(expression)
    assert temp.expression.args[0] == 2
