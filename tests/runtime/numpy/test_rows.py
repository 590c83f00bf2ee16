"""Sums of rows."""

import numpy as np

from lngen.runtime.numpy import rows


def test_a_long_row_is_summed_in_pieces() -> None:
    """A running sum of 2**25 ones in float32 would end at 2**24."""
    ones = np.ones((1, 2**25 + 3), np.float32)
    assert rows.row_dot(ones, ones).item() == 2**25 + 4  # rounded from 2**25 + 3


def test_one_row_adds_no_negative_zero() -> None:
    assert not np.signbit(rows.sum_of_rows(np.array([1.0]), np.array([[-0.0]]))).any()


def test_rows_are_added_with_their_weights() -> None:
    block = np.arange(6.0).reshape(3, 1, 2)
    assert rows.sum_rows(block).tolist() == [6, 9]
    assert rows.sum_rows(block, np.array([[[1.0]], [[0.0]], [[2.0]]])).tolist() == [8, 11]
