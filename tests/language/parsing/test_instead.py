"""Advice on habits from other libraries: each advised formula is derived."""

import re

import pytest

from lngen.derivation.simplify import derive
from lngen.errors import DefinitionError
from lngen.language import KIND_NAMES, public_names
from lngen.language.parsing import instead, parse
from tests.shipped import LAYERS, ROOT

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


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_that_is_called_is_answered_with_its_lines(name):
    remedy = refused(f"def f(x: Row): return torch.{name}(x)").remedy
    assert remedy == refused(f"def f(x: Row): return {name}(x)").remedy
    lines = remedy.removeprefix("it is a layer of its own: write its lines, ").split("; ")
    shipped = (ROOT / "derive" / f"{name}.py").read_text(encoding="utf-8")
    signature = re.search(rf"def {name}\((.*?)\):", shipped, re.DOTALL)[1]
    result = re.search(r"return (.*)", shipped)[1]
    assert parse(f"def f({signature}):\n    " + "\n    ".join([*lines, f"return {result}"]))


@pytest.mark.parametrize(
    ("expression", "remedy"),
    [
        ("x.mean()", "write mean(x): values have no methods, and functions stand without a module"),
        ("np.mean(x)", "write mean(row): values have no methods, and functions stand without a module"),
        ("torch.maximum(x, 0)", "write maximum(a, b): values have no methods, and functions stand without a module"),
        ("math.pi*x", "write pi: it stands without a module"),
        ("x.shape[-1]*x", "write D for the number of features of a row"),
        ("x*len(x)", "write D for the number of features of a row"),
        ("mean(x, axis=-1)", "a reduction is over the feature axis, the last one, and broadcasts back by itself"),
        ("mean(x, dim=0)", f"a reduction is over the last axis alone; {instead.FUNCTIONS['reshape']}"),
        ("mean(x, axis=(0, 1))", f"a reduction is over the last axis alone; {instead.FUNCTIONS['reshape']}"),
        ("mean(x, 1)", f"write mean(row); a reduction is over the last axis alone; {instead.FUNCTIONS['reshape']}"),
        ("where(mask, x, 0)", "write a comparison in its place, as in (mask > 0)"),
        ("where((x > 0) & mask, x, 0)", "write a comparison in its place, as in (mask > 0)"),
        ("where(mask > 0, x)", "write where(mask > 0, x, b): b is the value where the condition does not hold"),
        ("where(mask > 0, x, -float('inf'))", instead.FUNCTIONS["float"]),
        ("(mask > 0)*x", "write where(mask > 0, 1, 0) for 1 where it holds and 0 elsewhere"),
        ("x*scale", "assign it first, or make it an input"),
    ],
)
def test_what_is_written_is_answered_in_its_own_words(expression, remedy):
    assert refused(f"def f(x: Row, mask: Data): return mask*x + {expression}").remedy == remedy


@pytest.mark.parametrize(
    "expression",
    [
        "where(mask > 0, x, 0)",
        "where(mask > 0, x, -1e30)",
        "where(mask > 0, 1, 0)*x",
        "where((x > 0) & (mask > 0), x, 0)",
    ],
)
def test_what_is_said_of_conditions_can_be_derived(expression):
    assert derive(parse(f"def f(x: Row, mask: Data): return mask*x + {expression}")).gradients


@pytest.mark.parametrize("word", instead.KINDS)
def test_a_kind_from_elsewhere_is_answered(word):
    error = refused(f"def f(x: Row, t: {word}): return x*t")
    assert error.message == f"there is no kind {word!r}"
    assert error.remedy == instead.KINDS[word]
    assert re.search(r"\b(Row|Data|Int|Feature|Scalar)\b", error.remedy)


def test_a_label_is_an_integer():
    for text in ("def f(x: Row, label: int): return x*label", "def f(x: Row, label: Data): return x[label]"):
        remedy = refused(text).remedy
        assert 'as `label: Int["..."]`' in remedy
        assert "write pick(x, label)" in remedy
    assert derive(parse('def f(x: Row, label: Int["..."]): return pick(x, label)')).gradients


def test_the_guide_that_is_named_is_there():
    guide = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert "\n### Axes\n" in guide
    assert "docs/language.md" in instead.FUNCTIONS["reshape"]


def test_a_name_of_ones_own_is_nearer_than_a_habit():
    error = refused("def f(x: Row):\n    var_x = mean(x**2)\n    return x*var_x + var")
    assert error.remedy == "did you mean 'var_x'?"
