"""The straight way of a call: which arguments take it, and that it leaves others to the long one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.native import straight
from lngen.runtime.native.straight import Unusual
from tests.requirements import needs_gxx

pytestmark = needs_gxx

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
DIRECTIONS = ("forward", "backward", "jvp", "backward_backward")


class Taken(Exception):
    """Signal that a call takes the long way."""


@pytest.fixture
def norm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Layer norm, whose long way raises `Taken`."""
    module = importlib.import_module("generated.layer_norm.cpu_backend")

    def long(*given: Any) -> Any:
        raise Taken

    for name in DIRECTIONS:
        monkeypatch.setattr(importlib.import_module("generated.layer_norm.numpy_backend"), f"_{name}", long)
    return module


def arrays(dtype: Any, rows: int = 3, features: int = 8) -> Any:
    draw = np.random.default_rng(0)
    return tuple(draw.standard_normal(shape).astype(dtype) for shape in ((rows, features), (features,), (features,)))


def unaligned(x: Any) -> Any:
    """The same entries from an odd address on."""
    made = np.frombuffer(bytearray(x.nbytes + 1), x.dtype, x.size, offset=1).reshape(x.shape)
    made[...] = x
    assert made.flags.c_contiguous
    assert not made.flags.aligned
    return made


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [2, 1, 0])
def test_call_of_dense_arrays_takes_the_straight_way(norm: Any, count: int, threads: int) -> None:
    x, *parameters = arrays(np.float32)
    own = np.empty_like(x)
    assert norm.forward(x, *parameters[:count], out=own, threads=threads)[0] is own
    y, saved = norm.forward(x, *parameters[:count], threads=threads)
    assert (own == y).all()
    found = norm.backward(saved, x, threads=threads)
    outs = [None if each is None else np.empty_like(each) for each in found]
    again = norm.backward(saved, x, out=outs, threads=threads)
    assert all(a is b for a, b in zip(again, outs, strict=True))
    assert [each is None for each in found] == [False, count < 1, count < 2]
    norm.jvp(saved, x, threads=threads)
    norm.backward_backward(saved, x, x, threads=threads)


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float64, ml_dtypes.bfloat16, np.float16])
def test_call_of_dense_arrays_of_each_type_takes_the_straight_way(norm: Any, dtype: Any) -> None:
    x, gamma, beta = arrays(dtype)
    y, saved = norm.forward(x, gamma, beta)
    assert {each.dtype for each in (y, *norm.backward(saved, x))} == {x.dtype}


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_call_with_parameters_of_fewer_bits_takes_the_straight_way(norm: Any, dtype: Any) -> None:
    x, gamma, beta = arrays(np.float32)
    y, saved = norm.forward(x, gamma.astype(dtype), beta.astype(dtype))
    expected, _ = norm.forward(x, gamma.astype(dtype).astype(np.float32), beta.astype(dtype).astype(np.float32))
    assert (y == expected).all()
    assert norm.backward(saved, y).dgamma.dtype == dtype


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, -1)[..., ::2],
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(x.dtype.newbyteorder()),
        lambda x: x.astype(np.longdouble),
        lambda x: x.view(type("Own", (np.ndarray,), {})),
        lambda x: x.astype(int),
        lambda x: unaligned(x),
        lambda x: x[..., :0],
        lambda x: x[0, 0],
        lambda x: None,
    ],
)
def test_call_of_other_rows_takes_the_long_way(norm: Any, change: Callable[[Any], Any]) -> None:
    x, gamma, _ = arrays(np.float32)
    with pytest.raises(Taken):
        norm.forward(change(x), gamma)
    _, saved = norm.forward(x, gamma)
    for direction in (norm.backward, norm.jvp):
        with pytest.raises(Taken):
            direction(saved, change(x))


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [3, 8]},
        {"shape": ()},
        {"shape": (3, 9)},
        {"dtype": DOUBLE},
        {"dtype": "float32"},
        {"dtypes": (SINGLE, SINGLE)},
        {"dtypes": (None, SINGLE, None)},
        {"dtypes": (SINGLE, None, None)},
        {"dtypes": (DOUBLE, SINGLE, None)},
        {"dtypes": (SINGLE, "float32", None)},
        {"dtypes": (SINGLE, [], None)},
        {"gamma": None},
        {"gamma": np.ones(8)},
        {"gamma": np.ones(9, np.float32)},
        {"mu": np.ones(4, np.float32)},
        {"rstd": np.ones(3)},
        {"x": None},
    ],
)
def test_call_with_saved_values_that_were_changed_takes_the_long_way(norm: Any, changes: dict[str, Any]) -> None:
    x, gamma, _ = arrays(np.float32)
    _, saved = norm.forward(x, gamma)
    for direction in (norm.backward, norm.jvp):
        with pytest.raises(Taken):
            direction(saved._replace(**changes), x)


@pytest.mark.parametrize("threads", [0, True, 1.0, None, np.int64(1)])
def test_call_with_other_threads_takes_the_long_way(norm: Any, threads: Any) -> None:
    x, *_ = arrays(np.float32)
    with pytest.raises(Taken):
        norm.forward(x, threads=threads)
    with pytest.raises(Taken):
        norm.backward(norm.forward(x)[1], x, threads=threads)


def test_call_without_any_tangent_or_with_one_of_what_was_left_out_takes_the_long_way(norm: Any) -> None:
    x, gamma, _ = arrays(np.float32)
    _, saved = norm.forward(x)
    for given in ((None,), (x, gamma)):
        with pytest.raises(Taken):
            norm.jvp(saved, *given)


@pytest.mark.parametrize(
    "out",
    [
        lambda x, gamma: x,
        lambda x, gamma: x[::-1],
        lambda x, gamma: np.empty_like(x)[:, :7],
        lambda x, gamma: np.empty(x.shape),
        lambda x, gamma: np.broadcast_to(np.float32(0), x.shape),
        lambda x, gamma: np.empty_like(x).view(np.matrix),
        lambda x, gamma: (np.empty_like(x),),
    ],
)
def test_out_that_is_no_plain_array_apart_takes_the_long_way(norm: Any, out: Any) -> None:
    x, gamma, _ = arrays(np.float32)
    with pytest.raises(Taken):
        norm.forward(x, gamma, out=out(x, gamma))


def test_outs_that_overlap_or_that_no_result_has_take_the_long_way(norm: Any) -> None:
    x, gamma, _ = arrays(np.float32)
    _, saved = norm.forward(x, gamma)
    own, rows = np.empty_like(gamma), np.empty_like(x)
    for out in ((None, saved.mu, None), (None, own, own), (rows, rows[0], None), (None, None), "abc", rows):
        with pytest.raises(Taken):
            norm.backward(saved, x, out=out)
    _, narrow = norm.forward(x, gamma.astype(np.float16))
    for dgamma in (own, own.astype(np.float16)):
        with pytest.raises(Taken):
            norm.backward(narrow, x, out=(None, dgamma, None))


@pytest.mark.parametrize("value", [2, np.float32(2), np.array(2.0), np.array([2], np.float32), "2"])
def test_number_of_another_kind_is_unusual(value: Any) -> None:
    with pytest.raises(Unusual):
        straight.number(SINGLE, value)


def test_number_and_integers_are_converted() -> None:
    for given in (2.0, np.array(2, np.float16), np.array(2, np.float32)):
        found = straight.number(SINGLE, given)
        assert (found, found.shape, found.dtype) == (2, (), SINGLE)
    whole = straight.integers((2,), np.array([2**40, -3]))
    assert (whole.tolist(), whole.dtype) == ([2**31 - 1, -3], np.dtype(np.int32))
    assert straight.integers((), np.array(7, np.uint8)).shape == ()
    for wrong in (7, np.array([1.0, 2.0]), np.array([[1, 2]]), [1, 2]):
        with pytest.raises(Unusual):
            straight.integers((2,), wrong)


def test_arrays_that_are_not_aligned_give_the_same_bits() -> None:
    module = importlib.import_module("generated.layer_norm.cpu_backend")
    x, gamma, beta = arrays(np.float32)
    y, saved = module.forward(x, gamma, beta)
    out = unaligned(np.zeros_like(x))
    found, kept = module.forward(unaligned(x), unaligned(gamma), unaligned(beta), out=out)
    assert found is out
    assert (out == y).all()
    for one, other in zip(module.backward(kept, unaligned(x)), module.backward(saved, x), strict=True):
        assert (one == other).all()


def test_error_of_the_long_way_has_no_other_behind() -> None:
    module = importlib.import_module("generated.layer_norm.cpu_backend")
    with pytest.raises(TypeError) as refused:
        module.forward(np.ones((2, 4), int))
    assert refused.value.__context__ is None
