# Made by lngen 0.1.0 from the definition of softmax.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 4 flops per row element.
# Evidence: 1 output, 31 steps, 20 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Softmax over the feature axis."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime import calls as _calls
from .._runtime import directions as _directions
from .._runtime import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "softmax",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row")],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [_interface.saved("y", "output", ["...", "D"])],
    "gradients": [_interface.gradient("x")],
    "counterparts": [_interface.counterpart("torch.nn.Softmax", {}, {"dim": -1})],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes, each in the shape and type of its input; None for an
    input that was left out of `forward`.
    """

    dx: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """What `backward_backward` computes: gradients with respect to the inputs and to the
    cotangents; None for what was left out or was None.
    """

    dx: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # that forward computed in
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for one left out
    y: npt.NDArray[Any]  # output y of forward


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Softmax over the feature axis.

        m = max(x)
        e_shifted = exp(x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    return _FORWARD.call((x,), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        dx = y*(dy - sum(dy*y))

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    return _BACKWARD.call(saved, (dy,), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        y_dot = y*(x_dot - sum(x_dot*y))

    Args:
        saved: what `forward` returned.
        x_dot: the tangent of x; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns y_dot, the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
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
    """The gradients of a loss that depends on what `backward` returned.

        mean_dy_y = mean(dy*y)
        d2y_part = ddx*(dy - D*mean_dy_y)
        d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
        ddy = y*(ddx - sum(ddx*y))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs (dx is d2x) and to the
    cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    y: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its fields, which are looked at as by `backward`.

    Args:
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (y,)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_FORWARD = _directions.ForwardCall(
    _LAYER, _directions.only, _kernels.forward, _kernels.forward_fast
)
_BACKWARD = _directions.LaterCall(
    _LAYER, "backward", Gradients, _kernels.backward, _kernels.backward_fast
)
_JVP = _directions.LaterCall(_LAYER, "jvp", _directions.only, _second_order.jvp)
_BACKWARD_BACKWARD = _directions.LaterCall(
    _LAYER, "backward_backward", SecondGradients, _second_order.backward_backward
)
