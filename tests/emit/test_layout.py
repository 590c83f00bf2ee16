"""Emitted Python on lines of its own: each statement is broken as `ruff format` breaks it, and means what it meant."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lngen.emit.layout import WIDTH, call, statement, table
from tests.formatted import formatted
from tests.requirements import needs_ruff

NAMES = st.sampled_from(["x", "rstd", "mean_query_query_dot_2", "part_3[..., None]", "0.5"])
FUNCTIONS = st.sampled_from(["np.negative", "_rows.row_dot", "f"])
BINDS = {"or": 0, "and": 1, "+": 2, "-": 2, "*": 3, "/": 3}


def operated(sign: str, operands: list[tuple[str, int]]) -> tuple[str, int]:
    """Operands joined by an operator, in brackets where they need them; a text, and how its operator binds."""
    binds = BINDS[sign]
    needs = (own < binds or (own == binds and place) for place, (_, own) in enumerate(operands))
    texts = [f"({text})" if needed else text for needed, (text, _) in zip(needs, operands, strict=True)]
    return f" {sign} ".join(texts), binds


def grown(signs: str) -> st.SearchStrategy[tuple[str, int]]:
    """Expressions of calls and operators."""

    def larger(inner: st.SearchStrategy[tuple[str, int]]) -> st.SearchStrategy[tuple[str, int]]:
        operands = st.lists(inner, min_size=2, max_size=3)
        called = st.builds(lambda name, many: (call(name, *(text for text, _ in many)), 9), FUNCTIONS, operands)
        return st.one_of(called, st.builds(operated, st.sampled_from(signs.split()), operands))

    return st.recursive(st.builds(lambda name: (name, 9), NAMES), larger, max_leaves=24)


VALUES = st.builds(lambda made: made[0], st.one_of(grown("+ - * /"), grown("and or")))
STATEMENTS = st.one_of(
    st.builds("v = {}".format, VALUES),
    st.builds("return {}".format, VALUES),
    st.builds("if {}:".format, VALUES),
    st.builds("v_rows, v_block = {}".format, VALUES),
    st.builds(lambda many: f"return {', '.join(many)}", st.lists(VALUES, min_size=3, max_size=4)),
    st.builds(lambda many: f"v = f({table(dict(zip('abc', many, strict=False)))})", st.lists(VALUES, max_size=3)),
    st.builds(
        lambda many: f"def f({', '.join(f'{text}: int = 1' for text in many)}) -> tuple[int, int]:",
        st.lists(st.from_regex(r"[a-z]{4,20}_", fullmatch=True), unique=True, max_size=6),
    ),
)


@pytest.mark.ci
@given(STATEMENTS, st.integers(0, 3))
def test_a_statement_means_what_it_meant(text: str, depth: int) -> None:
    """A bracket that was taken for another's partner made a tuple of a value, without a word."""
    head, pad = "".join(f"{'    ' * level}if x:\n" for level in range(depth)), "    " * depth
    body = f"\n{pad}    pass" if text.endswith(":") else ""
    broken = "\n".join(statement(text, 4 * depth))
    assert ast.dump(ast.parse(f"{head}{broken}{body}")) == ast.dump(ast.parse(f"{head}{pad}{text}{body}"))


@pytest.mark.ci
@needs_ruff
@settings(max_examples=25)
@given(st.lists(STATEMENTS, min_size=1, max_size=30))
def test_ruff_leaves_it_as_it_is(texts: list[str]) -> None:
    text = "".join("\n".join([*statement(text), *["    pass"] * text.endswith(":"), "# end\n"]) for text in texts)
    assert statements_of(text) == statements_of(formatted(text))


def statements_of(text: str) -> list[str]:
    """The statements of a module that have a comment between them, each with its lines."""
    return [part.strip("\n") for part in text.split("# end\n")]


def test_a_long_text_is_several() -> None:
    """Python joins them again; no name in it is broken."""
    words = ", ".join(f"saved value_{place}" for place in range(20))
    lines = statement(f"tables = {table({'forward': '1', 'backward': f'{chr(34)}{words}{chr(34)}'})}", 4)
    assert max(map(len, lines)) <= WIDTH
    assert "value_19" in lines[-3]
    assert ast.literal_eval("\n".join(lines).split(" = ")[1]) == {"forward": 1, "backward": words}


@pytest.mark.parametrize("text", ["x = " + "a" * 100, "from_a_module_" + "b" * 80, "if " + "c" * 90 + ":"])
def test_what_cannot_be_broken_stays(text: str) -> None:
    assert statement(text, 4) == [f"    {text}"]
