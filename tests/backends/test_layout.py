"""Emitted Python on lines of its own: a long statement is broken, and means what it meant."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from lngen.backends.layout import wrapped

NAMES = st.sampled_from(["x", "rstd", "mean_query_query_dot_2", "part_3[..., None]", "0.5"])


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operands = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(
        st.builds(lambda name, many: f"{name}({', '.join(many)})", st.sampled_from(["np.negative", "f"]), operands),
        st.builds(lambda sign, many: f"({f' {sign} '.join(many)})", st.sampled_from(["+", "-", "*", "/"]), operands),
    )


EXPRESSIONS = st.recursive(NAMES, grown, max_leaves=24)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=3), st.sampled_from([" / ", " - ", " * "]), st.integers(0, 3))
def test_a_statement_that_is_broken_means_what_it_meant(values: list[str], sign: str, depth: int) -> None:
    """A bracket that was taken for another's partner made a tuple of a value, without a word."""
    for statement in (f"v = {sign.join(values)}", f"return {sign.join(values)}"):
        head = "".join(f"{'    ' * level}if x:\n" for level in range(depth))
        broken = "\n".join(wrapped(statement, 4 * depth))
        assert ast.dump(ast.parse(head + broken)) == ast.dump(ast.parse(f"{head}{'    ' * depth}{statement}"))


def test_a_long_sum_has_a_line_for_each_term() -> None:
    assert wrapped(f"v = (x + {'a' * 40}) / (y + {'b' * 40}) - ({'c' * 60})", 4) == [
        "    v = (",
        f"        (x + {'a' * 40})",
        f"        / (y + {'b' * 40})",
        f"        - ({'c' * 60})",
        "    )",
    ]
