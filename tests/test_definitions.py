"""`lngen.run`: the values of a definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
import lngen.language
from lngen.errors import LngenError

TEXT = (
    "def scaled(x: Row, dx: RowScalar = 2, eps: Constant = 0.5):\n    y = x*dx + eps\n    m = max(y)\n    return y, m\n"
)


def test_run_of_a_text_a_file_and_a_name(tmp_path: Path) -> None:
    file = tmp_path / "scaled.py"
    file.write_text(TEXT)
    x = np.arange(6.0).reshape(2, 3)
    for definition in (TEXT, file):
        y, m = lngen.run(definition, x=x, dx=[1.0, -1.0], eps=0.0)
        assert np.array_equal(y, [[0, 1, 2], [-3, -4, -5]])
        assert np.array_equal(m, [2, -3])
    assert np.array_equal(lngen.run(TEXT, x=x)[0], 2 * x + 0.5)
    assert np.allclose(lngen.run("softmax", x=x).sum(-1), 1)


@pytest.mark.parametrize(
    ("words", "given", "message"),
    [
        (TEXT, {"x": [1.0], "gamma": 1}, "has no input 'gamma'; it has x, dx, eps"),
        (TEXT, {}, "needs its input 'x'"),
        (TEXT, {"x": [[1.0, 2.0]], "dx": [1.0, 2.0]}, "'dx' has shape (2,); a RowScalar has (1,)"),
        (TEXT, {"x": ["a"]}, "Pass real numbers"),
        ("layer_norm", {"x": [1.0], "eps": -1}, "eps is -1; pass 0 or more."),
        (TEXT, {"x": [1.0], "eps": "a"}, "eps is 'a' of type str; pass a number."),
        ("group_norm", {"x": [1.0]}, "lngen.load('group_norm').forward takes them"),
        ("layr_norm", {"x": [1.0]}, "Did you mean layer_norm?"),
    ],
)
def test_wrong_calls_of_run_are_told_what_instead(words: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(LngenError) as refused:
        lngen.run(words, **given)
    assert message in str(refused.value)


def test_inputs_of_run_are_passed_by_name() -> None:
    with pytest.raises(LngenError, match=r"by name: pass x=\.\.\."):
        lngen.run("softmax", [1.0, 2.0])


def test_a_function_of_the_language_says_how_values_are_had() -> None:
    with pytest.raises(TypeError, match=r"parsed, not called. Use `lngen\.run"):
        lngen.language.mean(np.ones(3))
