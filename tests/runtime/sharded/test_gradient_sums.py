"""Sums of gradients over processes: on threads, against sums that are exact."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.sharded import collectives
from lngen.runtime.sharded.gradient_sums import summed


def on_threads(given, communicators=None):
    """Return the results of several threads for their arguments."""
    group = communicators or collectives.ThreadCommunicator.together(len(given), timeout=5.0)
    with ThreadPoolExecutor(len(given)) as pool:
        tasks = [pool.submit(summed, one, own) for one, own in zip(group, given, strict=True)]
        return [task.result() for task in tasks]


def gradients(rank, dtype=np.float32, features=7):
    rng = np.random.default_rng(rank)
    return {
        "gamma": rng.standard_normal(features).astype(dtype),
        "beta": rng.standard_normal((2, features)).astype(dtype),
        "alpha": np.asarray(rng.standard_normal(), dtype),
    }


def exact(values):
    """The sum of numbers, rounded once, to float64."""
    return np.vectorize(lambda *each: float(sum(map(Fraction, each))))(*(np.float64(value) for value in values))


def require_same_bits(results):
    first = results[0]
    for other in results[1:]:
        assert [*other] == [*first]
        assert all(other[name].tobytes() == first[name].tobytes() for name in first)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("size", [2, 5])
def test_it_is_the_exact_sum_rounded_to_its_type(dtype, size):
    given = [gradients(rank, dtype) for rank in range(size)]
    found = on_threads(given)
    require_same_bits(found)
    for name, value in found[0].items():
        values = [each[name] for each in given]
        assert (value.dtype, value.shape) == (np.dtype(dtype), values[0].shape)
        if dtype != np.float64:
            # Sums of so few numbers of at most 24 bits and like size are exact in float64, and rounded once.
            np.testing.assert_array_equal(value, exact(values).astype(dtype))
        else:
            bound = (size - 1) * np.finfo(dtype).eps * np.abs(values).sum(axis=0)
            assert (np.abs(value - exact(values)) <= bound).all()


def test_small_numbers_are_not_lost_in_a_large_one():
    given = [{"x": np.float32([value])} for value in (2.0**24, 1.0, 1.0, -(2.0**24))]
    assert [each["x"].tolist() for each in on_threads(given)] == [[2.0]] * 4


def test_long_double_is_added_up_as_such():
    tiny = np.finfo(np.longdouble).eps
    given = [{"x": np.asarray([value], np.longdouble)} for value in (1, tiny)]
    assert on_threads(given)[0]["x"][0] == 1 + tiny


def test_several_types_and_none_are_together():
    given = [
        {"z": np.ones(3, np.float16), "a": np.full((), 0.25), "m": np.zeros((0, 4), np.float32), "b": np.ones(2)}
        for _ in range(3)
    ]
    for found in on_threads(given):
        assert [(name, value.dtype, value.shape) for name, value in found.items()] == [
            (name, value.dtype, value.shape) for name, value in given[0].items()
        ]
        np.testing.assert_array_equal(found["z"], np.full(3, 3.0))
        assert found["a"] == 0.75
    assert on_threads([{}, {}]) == [{}, {}]


def test_the_order_of_names_and_of_bytes_is_each_ones_own():
    given = [{"a": np.float32([1.0]), "b": np.float32([2.0])}, {"b": np.array([3.0], ">f4"), "a": np.float32([4.0])}]
    one, other = on_threads(given)
    assert ([*one], [*other]) == (["a", "b"], ["b", "a"])
    assert (one["a"], one["b"], other["a"], other["b"]) == (5.0, 5.0, 5.0, 5.0)
    assert other["b"].dtype == np.dtype(">f4")


def test_one_process_has_a_copy_of_its_own():
    given = gradients(0)
    found = summed(collectives.Alone(), given)
    require_same_bits([given, found])
    found["gamma"] += 1.0
    assert not np.array_equal(found["gamma"], given["gamma"])


@pytest.mark.parametrize("size", [3, 4])
def test_what_is_large_is_added_up_by_all_and_no_bit_is_another(size, monkeypatch):
    given = [gradients(rank, features=101) for rank in range(size)]
    together = on_threads(given)
    asked = []
    monkeypatch.setattr(collectives, "GATHERED_BYTES", 0)
    monkeypatch.setattr(
        collectives.ThreadCommunicator,
        "all_to_all",
        lambda self, sent, own=collectives.ThreadCommunicator.all_to_all: asked.append(sent.nbytes) or own(self, sent),
    )
    apart = on_threads(given)
    assert len(asked) == size
    require_same_bits([*together, *apart])


class Counts(collectives.Alone):
    def __init__(self):
        self.sent = []

    def all_gather(self, sent):
        self.sent.append(sent.size)
        return super().all_gather(sent)


def test_all_arrays_of_a_type_take_one_collective_and_another_says_what_they_are():
    one = Counts()
    summed(one, gradients(0))
    assert len(one.sent) == 2
    many = Counts()
    summed(many, gradients(0) | {f"x{number}": np.ones(3) for number in range(99)})
    assert many.sent[0] == one.sent[0] < 100


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"gamma": np.float32([1, 2, 3])}, r"gamma is .* of shape \(2,\) on rank 0 and .* of shape \(3,\) on rank 2"),
        ({"gamma": np.float64([1, 2])}, r"gamma is an array of float32 .* on rank 0 and an array of float64 and of"),
        ({"beta": np.float32([1, 2])}, "beta is not there on rank 0 and an array of float32 and of shape .* on rank 2"),
        ({}, "gamma is an array .* on rank 0 and not there on rank 2: each has to sum gradients of the same names"),
        # As many bytes, and the same names.
        ({"gamma": np.float16([1, 2, 3, 4])}, r"of float32 .* on rank 0 and an array of float16 and of shape \(4,\)"),
    ],
)
def test_processes_that_differ_are_all_told_what_differs(other, message):
    group = collectives.ThreadCommunicator.together(3, timeout=5.0)
    given = [{"gamma": np.float32([1, 2])}] * 2 + [other]
    with ThreadPoolExecutor(3) as pool:
        tasks = [pool.submit(summed, *each) for each in zip(group, given, strict=True)]
        for task in tasks:
            with pytest.raises(RuntimeError, match=message):
                task.result()


def test_one_that_refuses_its_gradients_tells_the_others():
    group = collectives.ThreadCommunicator.together(2, timeout=20.0)
    start = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        good = pool.submit(summed, group[0], {"gamma": np.ones(3)})
        bad = pool.submit(summed, group[1], {"gamma": np.ones(3, int)})
        with pytest.raises(TypeError, match="gamma is of type int64"):
            bad.result()
        with pytest.raises(
            collectives.PeerError, match="rank 1 refused the call, so this process stops too: TypeError: gamma is of"
        ):
            good.result()
    assert time.monotonic() - start < 10


def test_one_that_makes_another_call_is_refused():
    group = collectives.ThreadCommunicator.together(2, timeout=5.0)
    with ThreadPoolExecutor(2) as pool:
        tasks = [
            pool.submit(summed, group[0], {"gamma": np.ones(2)}),
            pool.submit(collectives.exchange, group[1], 7, 1, np.zeros((32, 1), np.uint8)),
        ]
        for task in tasks:
            with pytest.raises(RuntimeError, match="each has to call the same functions in the same order"):
                task.result()


@pytest.mark.parametrize(
    ("communicator", "given", "message"),
    [
        (collectives.Alone(), {"gamma": None}, "gamma is None; pass an array of floats"),
        (collectives.Alone(), {"gamma": np.arange(3)}, "gamma is of type int64, not floating point; pass real floats"),
        (collectives.Alone(), {"norm": {"gamma": np.ones(3)}}, "norm is of type dict; pass an array of floats"),
        (collectives.Alone(), [np.ones(3)], "gradients is of type list; pass a mapping of names to arrays"),
        (collectives.Alone(), {0: np.ones(3)}, "gradients has the key 0 of type int; pass names"),
        ({"gamma": np.ones(3)}, collectives.Alone(), "communicator is of type dict; pass one of `collectives`"),
        (None, {"gamma": np.ones(3)}, "communicator is of type NoneType; pass one of `collectives`"),
    ],
)
def test_what_cannot_be_summed_is_refused(communicator, given, message):
    with pytest.raises(TypeError, match=message):
        summed(communicator, given)


def test_what_is_not_finite_stays_so():
    given = [{"x": np.float32([np.inf, 1.0, np.nan])}, {"x": np.float32([1.0, np.inf, 1.0])}]
    for found in on_threads(given):
        assert found["x"][:2].tolist() == [math.inf, math.inf]
        assert math.isnan(found["x"][2])
