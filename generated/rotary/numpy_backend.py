# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import directions as _directions
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "rotary",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["a", "b"]
        ),
        _interface.given("cosine", "Data", pattern=[["t"], ["d"]]),
        _interface.given("sine", "Data", pattern=[["t"], ["d"]]),
    ],
    "constants": [],
    "outputs": [
        _interface.output(
            "y", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["y_0", "y_1"]
        )
    ],
    "saved": [
        _interface.saved("cosine", "input", ["...", "D"]),
        _interface.saved("sine", "input", ["...", "D"]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["b"], ["h"], ["t"], ["d"]],
        "features": ["d"],
        "sizes": [],
        "parts": {"s": 2},
    },
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b h t d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    cosine: npt.NDArray[Any]  # argument cosine of forward
    sine: npt.NDArray[Any]  # argument sine of forward


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has an array with the axes b h t (s d), s of size 2. `saved`
    is the argument of the other directions. The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _FORWARD.call((x, cosine, sine), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        da = cosine*dy_0 + dy_1*sine
        db = cosine*dy_1 - dy_0*sine
        dx = join(da, db)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _BACKWARD.call(saved, (dy,), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        a_dot = at(x_dot, s=0)
        b_dot = at(x_dot, s=1)
        y_0_dot = a_dot*cosine - b_dot*sine
        y_1_dot = b_dot*cosine + a_dot*sine
        y_dot = join(y_0_dot, y_1_dot)

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _JVP.call(saved, (x_dot,), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        dda = at(ddx, s=0)
        ddb = at(ddx, s=1)
        d2a = 0
        d2b = 0
        ddy_0 = cosine*dda - ddb*sine
        ddy_1 = cosine*ddb + dda*sine
        d2x = join(d2a, d2b)
        ddy = join(ddy_0, ddy_1)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b h t d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (cosine, sine)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _axes.AxesLayer(INTERFACE, Saved)
_FORWARD = _axes.AxesForward(_LAYER, _directions.only, _kernels.forward, at_once=True)
_BACKWARD = _axes.AxesLater(
    _LAYER, "backward", Gradients, _kernels.backward, at_once=True
)
_JVP = _axes.AxesLater(_LAYER, "jvp", _directions.only, _second_order.jvp, at_once=True)
_BACKWARD_BACKWARD = _axes.AxesLater(
    _LAYER,
    "backward_backward",
    SecondGradients,
    _second_order.backward_backward,
    at_once=True,
)
