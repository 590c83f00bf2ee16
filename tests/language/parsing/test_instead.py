"""What is told to those who write from habit: it has to be right, so each formula that is advised is read."""

import re

import pytest

from lngen.errors import DefinitionError
from lngen.language import public_names
from lngen.language.parsing import instead, parse

ADVICE = {**instead.FUNCTIONS, **instead.CONSTANTS, **instead.KEYWORDS}
FORMULAS = {
    name: found[1] for name, text in ADVICE.items() if (found := re.match(r"write ([^:;]+?)(?: for .*|[:;].*)?$", text))
}


def test_no_habit_is_a_name_of_the_language():
    assert not set(ADVICE) & set(public_names())


def test_most_advice_is_a_formula():
    assert len(FORMULAS) > 25


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_advised_is_a_definition(name):
    formula = FORMULAS[name].replace("a**b", "a**2")
    assert parse(
        f"def f(x: Row, a: Row, b: Row, low: Scalar, high: Scalar): return x + 0*(a + b + low + high) + {formula}"
    )


@pytest.mark.parametrize("name", instead.FUNCTIONS)
def test_a_function_is_answered_where_it_is_called_and_where_it_is_imported(name):
    for text in (f"def f(x: Row): return {name}(x)", f"from lngen.language import {name}\ndef f(x: Row): return 2*x"):
        with pytest.raises(DefinitionError) as refused:
            parse(text)
        assert refused.value.remedy == instead.FUNCTIONS[name]


def test_a_name_of_ones_own_is_nearer_than_a_habit():
    with pytest.raises(DefinitionError) as refused:
        parse("def f(x: Row):\n    var_x = mean(x**2)\n    return x*var_x + var")
    assert refused.value.remedy == "did you mean 'var_x'?"
