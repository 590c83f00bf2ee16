# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
# Evidence: 1 output, 20 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Layer normalization with a scale and a shift for every entry, from elsewhere."""

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
    "name": "adaptive_layer_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("scale", "Row"),
        _interface.given("shift", "Row"),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("scale", "input", ["...", "D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("scale"),
        _interface.gradient("shift"),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes, each in the shape and type of its input; None for an
    input that was left out of `forward`.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """What `backward_backward` computes: gradients with respect to the inputs and to the
    cotangents; None for what was left out or was None.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # that forward computed in
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for one left out
    x: npt.NDArray[Any]  # argument x of forward
    scale: npt.NDArray[Any]  # argument scale of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
        eps: a constant, a finite number of 0 or more.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, scale, shift, eps), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

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
    dx: npt.NDArray[Any] | None = None,
    dscale: npt.NDArray[Any] | None = None,
    dshift: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - mean(x_dot) -
            xhat*mean(x_dot*xhat))

    Args:
        saved: what `forward` returned.
        dx: x_dot, the tangent of x; None stands for zero.
        dscale: scale_dot, the tangent of scale; None stands for zero.
        dshift: shift_dot, the tangent of shift; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns y_dot, the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    return _JVP.call(saved, (dx, dscale, dshift), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        g_2 = ddscale*dy - mean_g_xhat*rstd*ddx
        d2x = rstd*(g_2 + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) -
            mean(g_2) - xhat*mean(g_2*xhat))
        d2scale = dg*dy
        d2shift = 0
        ddy = ddshift + ddscale*xhat + dg*(1 + scale)

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddscale: the cotangent of dscale, its gradient; None stands for zero.
        ddshift: the cotangent of dshift, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dscale is d2scale,
    dshift is d2shift) and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx, ddscale, ddshift)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
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
    fields_ = (x, scale, mu, mu_residual, rstd)
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
