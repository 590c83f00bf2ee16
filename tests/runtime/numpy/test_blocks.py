"""Rows taken block by block."""

import operator
from typing import Any

import numpy as np
import pytest

from lngen.runtime.numpy import blocks, rows


@pytest.mark.parametrize("count", [0, 1, 63, 1000, 12_345])
@pytest.mark.parametrize("least_rows", [1, 4])
def test_blocks_have_each_row_once_in_order(count: int, least_rows: int) -> None:
    height, chunks = blocks.partition(count, 4096, least_rows)
    spans = [span for chunk in chunks for _, span in chunk]
    assert [row for span in spans for row in range(span.start, span.stop)] == list(range(count))
    assert all(0 < span.stop - span.start <= height for span in spans)
    assert len(chunks) <= rows.CHUNKS
    assert [number for number, chunk in enumerate(chunks) for _ in chunk] == [n for chunk in chunks for n, _ in chunk]


@pytest.mark.parametrize("threads", [1, 3, 50])
def test_threads_share_the_chunks(threads: int) -> None:
    x = np.random.default_rng(0).standard_normal((5000, 512))
    y, half = np.empty_like(x), np.empty(len(x), np.float32)

    def block(x: Any, y: Any, buffers: Any) -> Any:
        np.multiply(x, 2, out=buffers[0])
        return np.add(buffers[0], 0, out=y), x[:, 0] / 2, rows.sum_rows(x), x.size

    call = blocks.Work(x.shape, x.dtype, threads)
    taken = {"rows": (x,), "into": (y,), "into_row_scalars": (half,), "buffers": 1, "feature_sums": 1, "sums": 1}
    *places, sums, size = blocks.each_block(block, call, **taken)
    assert all(map(operator.is_, places, (y, half)))
    assert np.array_equal(y, 2 * x)
    assert np.array_equal(half, (x[:, 0] / 2).astype(np.float32))
    assert size == x.size
    *_, alone, _ = blocks.each_block(block, call._replace(threads=1), **taken)
    assert np.array_equal(sums, alone)
    np.testing.assert_allclose(sums, x.sum(0), atol=1e-10)


def test_an_error_in_a_thread_is_raised() -> None:
    def fail(x: Any) -> Any:
        raise FloatingPointError

    x = np.zeros((5000, 1024), np.float32)
    with pytest.raises(FloatingPointError):
        blocks.each_block(fail, blocks.Work(x.shape, x.dtype, 2), (x,))


def test_a_block_of_the_compute_type_is_a_view_and_of_another_a_copy() -> None:
    single = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    call = blocks.Work(single.shape, single.dtype, 1)
    read = blocks.reader(single, call, 4)
    assert np.shares_memory(read(slice(1, 3)), single)  # type: ignore[arg-type]
    copied = blocks.reader(single, call._replace(dtype=np.dtype(np.float64)), 4)(slice(1, 3))
    assert copied is not None
    assert (copied.dtype, copied.tolist()) == (np.float64, [[3, 4, 5], [6, 7, 8]])
    assert blocks.reader(None, call, 4)(slice(0, 1)) is None


def test_rows_that_no_stride_reaches_are_read_and_written() -> None:
    array = np.zeros((3, 4, 2), np.float32)[:, ::3]
    place, keep, is_there = blocks.writer(array, blocks.Work(array.shape, array.dtype, 1), 6)
    assert not is_there
    for span in (slice(0, 4), slice(4, 6)):
        block = place(span)
        assert block is not None
        block[...] = np.arange(span.start, span.stop)[:, None]
        keep(span, block)
    assert array[..., 0].tolist() == [[0, 1], [2, 3], [4, 5]]


def test_row_scalars_that_no_stride_reaches_are_written() -> None:
    array = np.zeros((3, 4), np.float32)[:, ::3]
    keep = blocks.keeper(array, blocks.Work((*array.shape, 5), array.dtype, 1))
    keep(slice(0, 4), np.arange(4.0, dtype=np.float32))
    keep(slice(4, 6), np.arange(4.0, 6.0))
    assert array.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_what_is_not_in_the_memory_of_its_result_is_copied_there() -> None:
    x = np.arange(6.0).reshape(2, 3)
    single, double = np.empty((2, 3), np.float32), np.empty((2, 3))
    call = blocks.Work(x.shape, x.dtype, 1)
    blocks.each_block(lambda x, *memory: (x, x, None), call, (x,), into=(single, double, None))
    assert np.array_equal(single, x)
    assert np.array_equal(double, x)


def test_few_rows_are_taken_at_once_without_memory() -> None:
    x, s = np.arange(12.0).reshape(2, 2, 3), np.arange(4.0).reshape(2, 2)
    made = blocks.each_block(
        lambda x, s, w, y_block=None: (x * s + w, y_block), blocks.Work(x.shape, x.dtype, 1), (x,), (s,), (np.ones(3),)
    )
    assert np.array_equal(made[0], x * s[..., None] + 1)
    assert made[1] is None


def test_results_are_stored_in_their_types_but_for_those_that_are_in_place() -> None:
    y, w, s = np.arange(3.0), np.zeros(2, np.float16), np.zeros(())
    blocks.stored((y, w, None, s), (y, np.array([1.0, 1e-30]), np.ones(2), None))
    assert (y.tolist(), w.tolist(), s.item()) == ([0, 1, 2], [1, 0], 0)
    blocks.stored((y,), None)
