"""The public functions of a layer from its interface; emitted code tests them with mathematics that says something."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from lngen.runtime.numpy import directions
from lngen.runtime.protocol.interface import Interface

INTERFACE: Interface = {
    "name": "scaled",
    "minimum_features": 1,
    "inputs": [
        {"name": "x", "symbol": "x", "kind": "Row", "axes": ["...", "D"], "default": None},
        {"name": "w", "symbol": "w", "kind": "Feature", "axes": ["D"], "default": 1},
    ],
    "constants": [{"name": "c", "symbol": "c", "default": 2, "sign": "any"}],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "w", "kind": "input", "of": "w", "axes": ["D"]},
        {"name": "c", "kind": "constant", "of": "c", "axes": []},
        {"name": "s", "kind": "row scalar", "of": "s", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dw", "of": "w", "may_be_none": True},
    ],
    "directions": ["forward", "backward"],
}


class Saved(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: npt.NDArray[Any]
    w: npt.NDArray[Any] | None
    c: float
    s: npt.NDArray[Any]


class Gradients(NamedTuple):
    dx: npt.NDArray[Any]
    dw: npt.NDArray[Any] | None


def _forward(values: Any, results: Any, call: Any) -> Any:
    (x, w, c), (_, dtype, threads) = values, call
    made = np.asarray(c, dtype) * x * (1 if w is None else w), x.sum(-1)
    if not threads:
        return made
    assert all(value is None or value.dtype == dtype for value in (w, c))
    for place, value in zip(results, made, strict=True):
        place[...] = value
    return results


def _backward(arguments: Any, fields: Any, results: Any, call: Any) -> None:
    (dy,), (x, w, c, _), (dx, dw) = arguments, fields, results
    dx[...] = c * dy * (1 if w is None else w)
    if dw is not None:
        dw[...] = (c * dy * x).reshape(-1, call.features).sum(0)


def _jvp(arguments: Any, fields: Any, results: Any, call: Any) -> None:
    (dx, dw), (x, w, c, _), (dy,) = arguments, fields, results
    assert dw is not None
    dy[...] = c * ((0 if dx is None else dx * (1 if w is None else w)) + x * dw)


LAYER = directions.HostLayer(INTERFACE, Saved)
FORWARD = directions.ForwardCall(LAYER, directions.only, _forward, at_once=True)
BACKWARD = directions.LaterCall(LAYER, "backward", Gradients, _backward)
JVP = directions.LaterCall(LAYER, "jvp", directions.only, _jvp, filled=("w_dot",))

X, W = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 4.0])


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("w", [W, None])
def test_both_ways_return_and_save_the_same(kind: Any, w: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    values = (X.astype(kind), None if w is None else w.astype(kind), 2.0)
    ways = []
    for few in (2**30, 0):
        monkeypatch.setattr(directions.rows, "FAST_PATH_BYTES", few)
        ways.append(FORWARD.call(values, True, None, 1))
    for y, saved in ways:
        assert saved is not None
        assert np.array_equal(y, (2 * X * (1 if w is None else w)).astype(kind))
        assert y.dtype == kind
        assert saved.dtypes == (np.dtype(kind), None if w is None else np.dtype(kind))
        assert saved.x is values[0]
        assert saved.w is values[1]
        assert saved.s.dtype == saved.dtype == (np.float64 if kind is np.float64 else np.float32)


def test_gradients_are_in_the_types_of_their_inputs() -> None:
    _, saved = FORWARD.call((X, W.astype(np.float32), 3), True, None, 1)
    gradients = BACKWARD.call(saved, (X,), None, 1)
    assert gradients.dw is not None
    assert (gradients.dx.dtype, gradients.dw.dtype) == (np.float64, np.float32)
    assert np.array_equal(gradients.dx, 3 * X * W)
    _, saved = FORWARD.call((X, None, 3), True, None, 1)
    assert BACKWARD.call(saved, (X,), None, 1).dw is None


def test_what_is_filled_is_zeros() -> None:
    _, saved = FORWARD.call((X, W, 2.0), True, None, 1)
    assert np.array_equal(JVP.call(saved, (X, None), None, 1), 2 * X * W)


def test_results_go_where_the_caller_says() -> None:
    y, (dx, dw) = np.empty_like(X), (np.empty_like(X), np.empty_like(W))
    found, saved = FORWARD.call((X, W, 2.0), True, y, 1)
    assert found is y
    gradients = BACKWARD.call(saved, (X,), (dx, dw), 1)
    assert gradients.dx is dx
    assert gradients.dw is dw
    assert FORWARD.call((X, W, 2.0), False, None, 1)[1] is None
    with pytest.raises(ValueError, match=r"out for dx overlaps saved\.x"):
        BACKWARD.call(saved, (y,), (X, None), 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((None, W, 2.0), "x is None; pass an array of floats"),
        ((X, W[:2], 2.0), r"w has shape \(2,\); pass \(D,\), which is \(3,\)"),
        ((np.zeros((2, 0)), None, 2.0), r"x has shape \(2, 0\); pass \(..., D\) with D of 1 or more"),
    ],
)
def test_what_will_not_do_is_refused(values: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        FORWARD.call(values, True, None, 1)


def test_saved_is_made_from_its_fields() -> None:
    _, saved = FORWARD.call((X, W, 2.0), True, None, 1)
    assert saved is not None
    assert LAYER.saved_from(saved[3:], None, None, None) == saved
    with pytest.raises(TypeError, match=r"saved\.c is of type str; pass saved as forward returned it"):
        LAYER.check_saved(saved._replace(c="2"))
    with pytest.raises(TypeError, match="pass what forward of scaled returned as its second value"):
        BACKWARD.call(X, (X,), None, 1)
