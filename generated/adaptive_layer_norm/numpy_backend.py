# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
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
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
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
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, scale, shift, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

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
    return _backward(_BACKWARD, saved, dy, out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - mean(x_dot) -
            xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        shift_dot: the tangent of shift, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, scale_dot, shift_dot, out, threads)


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
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) -
            mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
        d2scale = dg*dy
        d2shift = 0
        ddy = ddshift + ddscale*xhat + dg*(1 + scale)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        ddshift: the cotangent of dshift, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dscale is d2scale,
    dshift is d2shift) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, ddx, ddscale, ddshift, out, threads
    )


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
    fields_ = (x, scale, mu, mu_residual, rstd)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    scale: Any,
    shift: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    scale = _calls.array("scale", scale, True, may_be_labels=True)
    shift = _calls.array("shift", shift, True, may_be_labels=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shape("scale", scale, _shape, "the shape of x")
    _calls.check_shape("shift", shift, _shape, "the shape of x")
    _read = (x, scale, shift)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "scale", "shift"), _read))
    y_ = _calls.result("y", out, _shape, x.dtype, _given, _by.empty)
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, mu_, mu_residual_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(_made, _work, (x, scale, shift, eps))
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, scale, mu_, mu_residual_, rstd_)
        if save
        else None
    )
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _read = (dy, saved.x, saved.scale, saved.mu, saved.mu_residual, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "saved.x",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dscale", "dshift"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dscale_ = _calls.result("dscale", _out[1], _shape, _of_scale, _given, _by.empty)
    dshift_ = _calls.result("dshift", _out[2], _shape, _of_shift, _given, _by.empty)
    _made = (dx_, dscale_, dshift_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy,),
        (saved.x, saved.scale, saved.mu, saved.mu_residual, saved.rstd),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    scale_dot: Any,
    shift_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    scale_dot = _calls.array("scale_dot", scale_dot, False)
    shift_dot = _calls.array("shift_dot", shift_dot, False)
    _calls.check_any("tangent", x_dot, scale_dot, shift_dot)
    _shape = saved.shape
    _calls.check_shape("x_dot", x_dot, _shape, "the shape of x")
    _calls.check_shape("scale_dot", scale_dot, _shape, "the shape of scale")
    _calls.check_shape("shift_dot", shift_dot, _shape, "the shape of shift")
    _read = (
        x_dot,
        scale_dot,
        shift_dot,
        saved.x,
        saved.scale,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "scale_dot",
                    "shift_dot",
                    "saved.x",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _given, _by.empty)
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (x_dot, scale_dot, shift_dot),
        (saved.x, saved.scale, saved.mu, saved.mu_residual, saved.rstd),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddscale: Any,
    ddshift: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    ddscale = _calls.array("ddscale", ddscale, False)
    ddshift = _calls.array("ddshift", ddshift, False)
    _calls.check_any("cotangent of a gradient", ddx, ddscale, ddshift)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _calls.check_shape("ddx", ddx, _shape, "the shape of x")
    _calls.check_shape("ddscale", ddscale, _shape, "the shape of scale")
    _calls.check_shape("ddshift", ddshift, _shape, "the shape of shift")
    _read = (
        dy,
        ddx,
        ddscale,
        ddshift,
        saved.x,
        saved.scale,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddx",
                    "ddscale",
                    "ddshift",
                    "saved.x",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dscale", "dshift", "ddy"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dscale_ = _calls.result("dscale", _out[1], _shape, _of_scale, _given, _by.empty)
    dshift_ = _calls.result("dshift", _out[2], _shape, _of_shift, _given, _by.empty)
    ddy_ = _calls.result("ddy", _out[3], _shape, dy.dtype, _given, _by.empty)
    _made = (dx_, dscale_, dshift_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, ddx, ddscale, ddshift),
        (saved.x, saved.scale, saved.mu, saved.mu_residual, saved.rstd),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "adaptive_layer_norm")
    _calls.check_first_fields(saved, (True, True, True))
    _shape = saved.shape
    _calls.check_kept("x", saved.x, _shape)
    _calls.check_kept("scale", saved.scale, _shape)
    _calls.check_kept("mu", saved.mu, _shape[:-1])
    _calls.check_kept("mu_residual", saved.mu_residual, _shape[:-1])
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
