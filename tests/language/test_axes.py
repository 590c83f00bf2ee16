"""Named axes: patterns, and definitions whose arrays have them."""

from __future__ import annotations

import pytest

from lngen.errors import DefinitionError
from lngen.language.axes import Pattern, PatternError, RowAxes
from lngen.language.parsing import parse
from lngen.language.syntax import Kind

GROUPS = """
def groups(x: Array["n (g c) h w"], gamma: Array["(g c)"] = 1, mask: Data["h w"] = 1, g: Size = 32):
    return gamma*(x*mask - mean(x, "h c w"))
"""


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("", ()),
        ("  b  ...d ", (("b",), ("...",), ("d",))),
        ("n ( g c ) h", (("n",), ("g", "c"), ("h",))),
        ("(b d)", (("b", "d"),)),
    ],
)
def test_a_pattern_is_read(text, axes):
    assert Pattern.of(text).axes == axes
    assert Pattern.of(str(Pattern.of(text))).axes == axes


@pytest.mark.parametrize(
    "text", ["b, d", "b d b", "(g (c d))", "(... d)", "()", "(g", "g)", "1", "b.d", "b -> d", "....", "b\n#", "b" * 300]
)
def test_a_text_that_is_no_pattern_is_refused(text):
    with pytest.raises(PatternError):
        Pattern.of(text)


def test_a_definition_has_the_kinds_of_its_axes():
    definition = parse(GROUPS)
    assert definition.layout == RowAxes(Pattern.of("n (g c) h w"), ("c", "h", "w"))
    assert [entry.kind for entry in definition.inputs] == [Kind.ROW, Kind.ROW, Kind.DATA_PER_FEATURE]
    assert [(size.name, size.default) for size in definition.sizes] == [("g", 32)]
    assert definition.layout.lacks(Pattern.of("(g c)")) == ("n", "h", "w")
    assert definition.layout.lacks(Pattern.of("h w")) == ("c",)


def test_a_definition_says_its_axes_in_normal_form():
    texts = {
        parse(text).canonical()
        for text in (
            GROUPS,
            GROUPS.replace("= 32", "= 16"),
            GROUPS.replace('gamma: Array["(g c)"]', 'gamma: Array["n g c"]'),
            GROUPS.replace('"h c w"', '"h w"'),
        )
    }
    assert len(texts) == 4
    assert parse(GROUPS.replace('"h c w"', '"c h w"')).canonical() == parse(GROUPS).canonical()
    assert parse('def f(x: Array["b (g c)"], w: Array["c"]): return w*x')


def test_a_place_may_name_the_axes_of_the_row():
    text = 'def f(x: Array["b q k"], i: Int["q"]): return where(index(AXES) <= i, x, 0) + max(x, "k")'
    assert parse(text.replace("AXES", '"k"')).canonical() == parse(text.replace("AXES", "")).canonical()
    assert parse('def f(x: Array["b h w"]): return x + index("h w")').layout.features == ("h", "w")
    for axes, said in (('"q"', "and elsewhere 'k'"), ("3", "the axes are no text"), ('"k", 1', "takes 0 arguments")):
        with pytest.raises(DefinitionError, match=said):
            parse(text.replace("AXES", axes))
