# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import directions as _directions
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "gated_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("z", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("z", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("z"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dz: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dz: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    z: npt.NDArray[Any]  # argument z of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, z, gamma, eps), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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
    z_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 -
            sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        z_dot: the tangent of z, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _JVP.call(saved, (x_dot, z_dot, gamma_dot), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddz: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy*silu_z
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        d2silu_z = dy*(gamma*dg + ddgamma*xhat)
        d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) -
            mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z +
            rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) -
            xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
        d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) -
            silu_z)))
        d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
        ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
            sigmoid_z)))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddz: the cotangent of dz, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dz is d2z, dgamma is
    d2gamma) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx, ddz, ddgamma)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the shape of the rows; None if a field has it.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, z, gamma, rstd)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_FORWARD = _directions.ForwardCall(
    _LAYER, _directions.only, _kernels.forward, at_once=True
)
_BACKWARD = _directions.LaterCall(
    _LAYER, "backward", Gradients, _kernels.backward, at_once=True
)
_JVP = _directions.LaterCall(
    _LAYER, "jvp", _directions.only, _second_order.jvp, at_once=True
)
_BACKWARD_BACKWARD = _directions.LaterCall(
    _LAYER,
    "backward_backward",
    SecondGradients,
    _second_order.backward_backward,
    at_once=True,
)
