"""Blocks of rows, and sums over them."""

import numpy as np
import pytest

from lngen.runtime import rows


@pytest.mark.parametrize("count", [0, 1, 63, 1000, 12_345])
@pytest.mark.parametrize("least_rows", [1, 4])
def test_blocks_have_each_row_once_in_order(count: int, least_rows: int) -> None:
    height, chunks = rows.partition(count, 4096, least_rows)
    spans = [span for chunk in chunks for _, span in chunk]
    assert [row for span in spans for row in range(span.start, span.stop)] == list(range(count))
    assert all(0 < span.stop - span.start <= height for span in spans)
    assert len(chunks) <= rows.CHUNKS
    assert [number for number, chunk in enumerate(chunks) for _ in chunk] == [n for chunk in chunks for n, _ in chunk]


@pytest.mark.parametrize("threads", [1, 3, 50])
def test_threads_share_the_chunks(threads: int) -> None:
    _, chunks = rows.partition(5000, 4096, 1)
    seen: list[rows.Block] = []
    rows.run(seen.extend, chunks, threads, 4096)
    assert sorted(n for n, _ in seen) == sorted(n for chunk in chunks for n, _ in chunk)
    assert {span.start for _, span in seen} == {span.start for chunk in chunks for _, span in chunk}


def test_an_error_in_a_thread_is_raised() -> None:
    def fail(_: list[rows.Block]) -> None:
        raise FloatingPointError

    _, chunks = rows.partition(5000, 4096, 1)
    with pytest.raises(FloatingPointError):
        rows.run(fail, chunks, 2, 4096)


def test_a_block_of_the_compute_type_is_a_view_and_of_another_a_copy() -> None:
    single = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    read = rows.reader(single, np.dtype(np.float32), 4)
    assert np.shares_memory(read(slice(1, 3)), single)  # type: ignore[arg-type]
    copied = rows.reader(single, np.dtype(np.float64), 4)(slice(1, 3))
    assert copied is not None
    assert (copied.dtype, copied.tolist()) == (np.float64, [[3, 4, 5], [6, 7, 8]])
    assert rows.reader(None, np.dtype(np.float64), 4)(slice(0, 1)) is None


def test_rows_that_no_stride_reaches_are_read_and_written() -> None:
    array = np.zeros((3, 4, 2), np.float32)[:, ::3]
    place, hand_on = rows.writer((array,), np.dtype(np.float32), 6)
    for span in (slice(0, 4), slice(4, 6)):
        block = place(span)
        assert block is not None
        block[...] = np.arange(span.start, span.stop)[:, None]
        hand_on(span)
    assert array[..., 0].tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_long_row_is_summed_in_pieces() -> None:
    """A running sum of 2**25 ones in float32 would end at 2**24."""
    ones = np.ones((1, 2**25 + 3), np.float32)
    assert rows.row_sum(ones, ones, out=np.empty((1, 1), np.float32)).item() == 2**25 + 4  # rounded from 2**25 + 3


def test_one_row_adds_no_negative_zero() -> None:
    assert not np.signbit(rows.sum_of_rows(np.array([1.0]), np.array([[-0.0]]))).any()
