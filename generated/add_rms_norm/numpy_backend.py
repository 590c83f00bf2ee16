# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output."""

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
    "name": "add_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("residual", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row"), _interface.output("h", "Row")],
    "saved": [
        _interface.saved("h", "output", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("residual"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # shape (..., D)
    h: npt.NDArray[Any]  # shape (..., D)


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any] | None
    ddh: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    h: npt.NDArray[Any]  # output h of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
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
    return _forward(_FORWARD, x, residual, gamma, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)

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
    return _backward(_BACKWARD, saved, dy, dh, out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = residual_dot + x_dot
        y_dot = gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        residual_dot: the tangent of residual, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, residual_dot, gamma_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy
        mean_g_xhat = mean(g*xhat)
        ddh = ddresidual + ddx
        dg = rstd*(ddh - xhat*mean(ddh*xhat))
        d2x = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) -
            mean_g_xhat*ddh - xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
        d2residual = d2x
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddresidual: the cotangent of dresidual, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dresidual is
    d2residual, dgamma is d2gamma) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    dy, dh = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, dh, ddx, ddresidual, ddgamma, out, threads
    )


def saved_from(
    *,
    h: npt.NDArray[Any],
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
    fields_ = (h, gamma, rstd)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    residual: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    residual = _calls.array("residual", residual, True, may_be_labels=True)
    gamma = _calls.array("gamma", gamma, False)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shape("residual", residual, _shape, "the shape of x")
    _calls.check_shape("gamma", gamma, _shape[-1:], "(D,)")
    _read = (x, residual, gamma)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "residual", "gamma"), _read))
    _out = _calls.several(out, ("y", "h"))
    y_ = _calls.result("y", _out[0], _shape, x.dtype, _given, _by.empty)
    h_ = _calls.result("h", _out[1], _shape, x.dtype, _given, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, h_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(_made, _work, (x, residual, _calls.parameter(gamma, _dtype), eps))
    _saved = Saved(_shape, _dtype, _dtypes, h_, gamma, rstd_) if save else None
    _shown = Outputs(*_calls.returned((y_, h_), out))
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dh: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, False)
    dh = _calls.array("dh", dh, False)
    _calls.check_any("cotangent", dy, dh)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _calls.check_shape("dh", dh, _shape, "the shape of h")
    _read = (dy, dh, saved.h, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(zip(("dy", "dh", "saved.h", "saved.gamma", "saved.rstd"), _read))
    )
    _out = _calls.several(out, ("dx", "dresidual", "dgamma"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dresidual_ = _calls.result(
        "dresidual", _out[1], _shape, _of_residual, _given, _by.empty
    )
    dgamma_ = _calls.result(
        "dgamma", _out[2], _shape[-1:], _of_gamma, _given, _by.empty
    )
    _made = (dx_, dresidual_, dgamma_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, dh),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    residual_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    residual_dot = _calls.array("residual_dot", residual_dot, False)
    gamma_dot = _calls.array("gamma_dot", gamma_dot, False)
    _calls.check_any("tangent", x_dot, residual_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shape("x_dot", x_dot, _shape, "the shape of x")
    _calls.check_shape("residual_dot", residual_dot, _shape, "the shape of residual")
    _calls.check_shape("gamma_dot", gamma_dot, _shape[-1:], "the shape of gamma")
    _read = (x_dot, residual_dot, gamma_dot, saved.h, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "residual_dot",
                    "gamma_dot",
                    "saved.h",
                    "saved.gamma",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("y_dot", "h_dot"))
    y_dot_ = _calls.result("y_dot", _out[0], _shape, _of_x, _given, _by.empty)
    h_dot_ = _calls.result("h_dot", _out[1], _shape, _of_x, _given, _by.empty)
    _made = (y_dot_, h_dot_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (x_dot, residual_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Outputs(*_calls.returned(_made, out))


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dh: Any,
    ddx: Any,
    ddresidual: Any,
    ddgamma: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, False)
    dh = _calls.array("dh", dh, False)
    ddx = _calls.array("ddx", ddx, False)
    ddresidual = _calls.array("ddresidual", ddresidual, False)
    ddgamma = _calls.array("ddgamma", ddgamma, False)
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddresidual, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _calls.check_shape("dh", dh, _shape, "the shape of h")
    _calls.check_shape("ddx", ddx, _shape, "the shape of x")
    _calls.check_shape("ddresidual", ddresidual, _shape, "the shape of residual")
    _calls.check_shape("ddgamma", ddgamma, _shape[-1:], "the shape of gamma")
    _read = (dy, dh, ddx, ddresidual, ddgamma, saved.h, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "cotangents[1]",
                    "ddx",
                    "ddresidual",
                    "ddgamma",
                    "saved.h",
                    "saved.gamma",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dresidual", "dgamma", "ddy", "ddh"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dresidual_ = _calls.result(
        "dresidual", _out[1], _shape, _of_residual, _given, _by.empty
    )
    dgamma_ = _calls.result(
        "dgamma", _out[2], _shape[-1:], _of_gamma, _given, _by.empty
    )
    ddy_ = _calls.result(
        "ddy", _out[3], _shape, None if dy is None else dy.dtype, _given, _by.empty
    )
    ddh_ = _calls.result(
        "ddh", _out[4], _shape, None if dh is None else dh.dtype, _given, _by.empty
    )
    _made = (dx_, dresidual_, dgamma_, ddy_, ddh_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, dh, ddx, ddresidual, _calls.parameter(ddgamma, _dtype)),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "add_rms_norm")
    _calls.check_first_fields(saved, (True, True, False))
    _shape = saved.shape
    _calls.check_kept("h", saved.h, _shape)
    _calls.check_kept("gamma", saved.gamma, _shape[-1:], saved.dtypes[2] is not None)
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
