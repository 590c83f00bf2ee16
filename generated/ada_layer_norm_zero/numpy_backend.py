# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "ada_layer_norm_zero",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["..."], ["d"]]),
        _interface.given("branch", "Row", pattern=[["b"], ["..."], ["d"]]),
        _interface.given("gate", "Row", pattern=[["b"], ["d"]]),
        _interface.given("scale", "Row", pattern=[["b"], ["d"]]),
        _interface.given("shift", "Row", pattern=[["b"], ["d"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row"), _interface.output("h", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("branch", "input", ["...", "D"]),
        _interface.saved("gate", "input", ["...", "D"]),
        _interface.saved("scale", "input", ["...", "D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("branch"),
        _interface.gradient("gate"),
        _interface.gradient("scale"),
        _interface.gradient("shift"),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["..."], ["d"]], "features": ["d"], "sizes": []},
}


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # an array with the axes b ... d
    h: npt.NDArray[Any]  # an array with the axes b ... d


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dbranch: npt.NDArray[Any]
    dgate: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dbranch: npt.NDArray[Any]
    dgate: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]
    ddy: npt.NDArray[Any] | None
    ddh: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b ... d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    branch: npt.NDArray[Any]  # argument branch of forward
    gate: npt.NDArray[Any]  # argument gate of forward
    scale: npt.NDArray[Any]  # argument scale of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

        h = x + branch*gate
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        hhat = rstd*(h - mu)
        y = shift + hhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        branch: an array with the axes b ... d.
        gate: an array with the axes b d.
        scale: an array with the axes b d.
        shift: an array with the axes b d.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(Outputs, saved)`. `saved` is the argument of the other directions. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, branch, gate, scale, shift, eps), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = dy*(1 + scale)
        dx = dh + rstd*(g - mean(g) - hhat*mean(g*hhat))
        dbranch = dx*gate
        dgate = sum(branch*dx, "...")
        dscale = sum(dy*hhat, "...")
        dshift = sum(dy, "...")

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dh: the cotangent of h, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _BACKWARD.call(saved, (dy, dh), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    branch_dot: npt.NDArray[Any] | None = None,
    gate_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = x_dot + branch*gate_dot + branch_dot*gate
        y_dot = shift_dot + hhat*scale_dot + rstd*(1 + scale)*(h_dot - mean(h_dot) -
            hhat*mean(h_dot*hhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        branch_dot: the tangent of branch, in its shape; None stands for zero.
        gate_dot: the tangent of gate, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        shift_dot: the tangent of shift, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    arguments_ = (x_dot, branch_dot, gate_dot, scale_dot, shift_dot)
    return _JVP.call(saved, arguments_, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddbranch: npt.NDArray[Any] | None = None,
    ddgate: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_hhat = mean(g*hhat)
        dx = dh + rstd*(g - mean_g - mean_g_hhat*hhat)
        ddh = ddx + branch*ddgate + ddbranch*gate
        dg = rstd*(ddh - mean(ddh) - hhat*mean(ddh*hhat))
        d2hhat_part = ddscale*dy - mean_g_hhat*rstd*ddh
        d2x = rstd*(d2hhat_part + rstd*(mean_g*hhat*mean(ddh) +
            mean(ddh*hhat)*(2*mean_g_hhat*hhat + mean_g - g) - hhat*mean(ddh*g)) -
            mean(d2hhat_part) - hhat*mean(d2hhat_part*hhat))
        d2branch = d2x*gate + ddgate*dx
        d2gate = sum(branch*d2x + ddbranch*dx, "...")
        d2scale = sum(dg*dy, "...")
        d2shift = sum(0, "...")
        ddy = ddshift + ddscale*hhat + dg*(1 + scale)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddbranch: the cotangent of dbranch, in its shape; None stands for zero.
        ddgate: the cotangent of dgate, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        ddshift: the cotangent of dshift, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dbranch is d2branch,
    dgate is d2gate, dscale is d2scale, dshift is d2shift) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    arguments_ = (
        *_calls.each_cotangent(cotangents, ("dy", "dh")),
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
    )
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b ... d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, branch, gate, scale, mu, mu_residual, rstd)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _axes.AxesLayer(INTERFACE, Saved)
_FORWARD = _axes.AxesForward(_LAYER, Outputs, _kernels.forward, at_once=True)
_BACKWARD = _axes.AxesLater(
    _LAYER, "backward", Gradients, _kernels.backward, at_once=True
)
_JVP = _axes.AxesLater(_LAYER, "jvp", Outputs, _second_order.jvp, at_once=True)
_BACKWARD_BACKWARD = _axes.AxesLater(
    _LAYER,
    "backward_backward",
    SecondGradients,
    _second_order.backward_backward,
    at_once=True,
)
