# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization."""

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
    "name": "rms_norm_gated",
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
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

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

        g = gamma*dy
        dh = rstd*(g - hhat*mean(g*hhat))
        dx = dh*silu_z
        dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*hhat)

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

        h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
        y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))

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

        g = gamma*dy
        mean_g_hhat = mean(g*hhat)
        dh = rstd*(g - mean_g_hhat*hhat)
        ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dg = rstd*(ddh - hhat*mean(ddh*hhat))
        d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) -
            mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
        d2silu_z = d2h*x + ddx*dh
        d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
        d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*hhat

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
