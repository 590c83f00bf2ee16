"""Questions to the algebra, and what is opened to answer them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from lngen.check.validation.numpy_text import NamedValues
from lngen.check.validation.questions import OutOfWorkError, Questions
from lngen.check.validation.traced import UNCOMPUTED, Traced

X, Y = sympy.symbols("x y", real=True)


def test_what_differs_in_names_is_asked_once_and_what_does_not_is_another_question() -> None:
    questions = Questions()
    assert questions.vanishes((X + 1) ** 2 - X**2 - 2 * X - 1, str)
    assert questions.vanishes((Y + 1) ** 2 - Y**2 - 2 * Y - 1, str)
    assert questions.asked == 1
    assert questions.vanishes((X + Y) ** 2 - X**2 - 2 * X * Y - Y**2, str)
    assert not questions.vanishes((X + Y) ** 2 - X**2 - 2 * X * X - Y**2, str)


def test_work_is_counted_and_ends() -> None:
    free = Questions()
    free.vanishes((X + 1) ** 2 - X**2 - 2 * X - 1, str)
    assert free.spent > 0
    with pytest.raises(OutOfWorkError):
        Questions(free.spent - 1).vanishes((X + 1) ** 2 - X**2 - 2 * X - 1, str)


@pytest.mark.parametrize(("power", "is_equal"), [(2, True), (3, False)])
def test_a_name_that_one_side_alone_has_is_opened(power: int, is_equal: bool) -> None:
    """A long sum that both sides have stays a name: opened, it would have too many terms."""
    named, r = NamedValues(), Traced.symbol("r", 1)
    terms = [Traced.symbol(f"x{n}", 0.5) + 1 for n in range(40)]
    product = np.array([np.prod(terms)], object)
    square = named.written("square", np.array([r * r], object))
    total = named.written("total", product)
    found, wanted = square * total, np.array([r**power], object) * total
    assert named.trouble(found, wanted) == ("", False) if is_equal else named.trouble(found, wanted)[0]
    assert named.questions.spent < 1000 or not is_equal


def test_a_value_of_each_row_may_stand_in_every_entry_of_it() -> None:
    named, (a, b) = NamedValues(), (Traced.symbol("a", 1) * 2, Traced.symbol("b", 3) * 2)
    written = named.written("m", np.array([[a, a], [b, b]], object), varies=False)
    assert [len({str(each) for each in row}) for row in written] == [1, 1]
    assert named.trouble(np.array([[a, a]], object), np.array([[a]], object)) == ("", False)
    assert named.trouble(np.array([[a, b]], object), np.array([[a]], object))[1]


def test_a_value_that_was_left_out_is_no_result() -> None:
    found, wanted = np.array([UNCOMPUTED], object), np.array([Traced.of(1)], object)
    assert NamedValues().trouble(found, wanted)[1]
    assert NamedValues().trouble(found, wanted, is_line=True) == ("", False)


def test_a_number_is_compared_with_each_entry() -> None:
    entries = np.array([Traced.of(1), Traced.symbol("x", 2)], object)
    assert (Traced.of(1) != entries).tolist() == [False, True]
    assert (Traced.of(2) <= entries).tolist() == [False, True]


def test_a_sigmoid_that_is_written_out_is_one_and_nothing_else_is() -> None:
    x = Traced.symbol("x", 0.5)
    written = [str(1 / (1 + np.exp(np.array([u], object)))[0]) for u in (-x, x)]
    assert written == ["Sigmoid(x)", "Sigmoid(-x)"]
    assert "Sigmoid" not in str((2 / (1 + np.exp(np.array([-x], object))))[0])
    assert "Sigmoid" not in str((1 / (2 + np.exp(np.array([-x], object))))[0])
