"""Advice on habits from other libraries: each advised formula is derived."""

import pytest

from lngen.derivation.gradients import derive
from lngen.errors import DefinitionError
from lngen.language import KIND_NAMES, public_names
from lngen.language.parsing import instead, parse

ADVICE = {**instead.FUNCTIONS, **instead.CONSTANTS, **instead.ATTRIBUTES, **instead.KEYWORDS}


def refused(text: str) -> DefinitionError:
    with pytest.raises(DefinitionError) as found:
        parse(text)
    return found.value


def test_no_habit_is_a_name_of_the_language():
    assert not set(ADVICE) & set(public_names())
    assert not set(instead.KINDS) & set(KIND_NAMES)


@pytest.mark.parametrize("name", instead.FUNCTIONS)
def test_a_function_is_answered_wherever_it_is_written(name):
    """Called, imported, as a method, in a module."""
    for text in (
        f"def f(x: Row): return {name}(x)",
        f"from lngen.language import {name}\ndef f(x: Row): return 2*x",
        f"def f(x: Row): return x.{name}(2)",
        f"def f(x: Row): return np.{name}(x, 2)",
    ):
        assert refused(text).remedy == (instead.ATTRIBUTES if "x." in text else {}).get(name, instead.FUNCTIONS[name])


@pytest.mark.parametrize(
    ("expression", "remedy"),
    [
        ("np.mean(x)", "write mean(row): values have no methods, and functions stand without a module"),
        ("torch.maximum(x, 0)", "write maximum(a, b): values have no methods, and functions stand without a module"),
        (
            "mean(x, axis=-1)",
            "write mean(x): a reduction is over the feature axis, the last one, and broadcasts back by itself",
        ),
        ("mean(x, axis=(0, 1))", f"a reduction is over the last axis alone; {instead.FUNCTIONS['reshape']}"),
        ("mean(x, 1)", f"a reduction is over the last axis alone; {instead.FUNCTIONS['reshape']}"),
        ("where(mask, x, 0)", "write a comparison in its place, as in (mask > 0)"),
        ("where((x > 0) & mask, x, 0)", "write a comparison in its place, as in (mask > 0)"),
        ("where(mask > 0, x)", "write where(mask > 0, x, b): b is the value where the condition does not hold"),
        ("(mask > 0)*x", "write where(mask > 0, 1, 0) for 1 where it holds and 0 elsewhere"),
    ],
)
def test_what_is_written_is_answered_in_its_own_words(expression, remedy):
    assert refused(f"def f(x: Row, mask: Data): return mask*x + {expression}").remedy == remedy


def test_a_label_is_an_integer():
    for text in ("def f(x: Row, label: int): return x*label", "def f(x: Row, label: Data): return x[label]"):
        remedy = refused(text).remedy
        assert 'as `label: Int["..."]`' in remedy
        assert "write pick(x, label)" in remedy
    assert derive(parse('def f(x: Row, label: Int["..."]): return pick(x, label)')).gradients
