# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output.

Each direction is a function for callers, one that checks a call and makes its results
(`_forward`), and one with the mathematics (`_forward_of_rows`). Many rows are taken
block by block, in memory that stays in the cache; a small array is one block, for which
NumPy makes the memory. `*_rows` and `*_out` have all rows, and names without such an
end those of a block. A sum over rows is that of a block, and the blocks' are added.

A comment gives the derivation step of its line, and names are those of the derivation;
others begin or end with an underscore. A buffer is used again once it has been read.
"""

# A variable of the mathematics may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


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


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    residual: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, residual, gamma = _calls.arrays(2, x=x, residual=residual, gamma=gamma)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", residual=residual)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma)
    _read = {"x": x, "residual": residual, "gamma": gamma}
    _dtypes, _dtype = _calls.types(_read)
    y_, h_ = _calls.results(
        out, _read, _by.empty, y=(_shape, x.dtype), h=(_shape, x.dtype)
    )
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, h_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (x, residual, _calls.parameter(gamma, _dtype), eps),
    )
    _shown = Outputs(*_calls.returned((y_, h_), out))
    _saved = Saved(_shape, _dtype, _dtypes, h_, gamma, rstd_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, gamma, eps = values
    y_out, h_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, residual, gamma_wide, y_block=None, h_block=None):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_dot(h, h) / D
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5: y = xhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        return y, h, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows),
        features=(gamma,),
        into=(y_out, h_out),
        into_row_scalars=(rstd_out,),
    )


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


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dh: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    dy, dh = _calls.arrays(0, dy=dy, dh=dh)
    _calls.check_any("cotangent", dy, dh)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of h", dh=dh)
    _read = {
        "dy": dy,
        "dh": dh,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, dh),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Gradients(*_calls.returned((dx_, dresidual_, dgamma_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, rstd_rows = fields
    dx_out, dresidual_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_dy = gamma is not None and dy_rows is not None
    with_dy_without_gamma = gamma is None and dy_rows is not None
    D = _rows.number(features, dtype)
    # step 12, pass 1: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if with_gamma_and_dy:
        gamma_over_D = gamma / D

    def block(h, dy, dh, rstd, gamma_wide, dx_block=None, dresidual_block=None):
        dgamma = None
        # step 14, pass 3: dgamma = sum over rows of dy*h*rstd
        if with_gamma_and_dy:
            part = np.multiply(dy, h, out=dx_block)
            dgamma = _rows.sum_rows(part, rstd)
            # step 12, pass 1: mean_g_xhat_unscaled = mean(dy*h*gamma)
            mean_g_xhat_unscaled = _rows.row_dot(part, gamma_over_D)
        if with_dy_without_gamma:
            mean_g_xhat_unscaled = _rows.row_dot(dy, h) / D
        # step 6: g = dy*gamma
        if with_gamma_and_dy:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if with_dy_without_gamma:
            g = dy
        # step 12, pass 2: mean_g_xhat = mean_g_xhat_unscaled*rstd
        if dy_rows is not None:
            mean_g_xhat = mean_g_xhat_unscaled * rstd
            # step 12, pass 4: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
            dx = _rows.by_row(np.multiply, h, mean_g_xhat * rstd, out=dresidual_block)
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx)
        if dy_rows is None:
            dx = dh
            dx_result = _rows.filled(dh, dx_block, shape, dtype)
        else:
            dx_result = dx
        dresidual = _rows.filled(dx, dresidual_block, shape, dtype)
        return dx_result, dresidual, dgamma

    dx_result, dresidual, dgamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows),
        row_scalars=(rstd_rows,),
        features=(gamma,),
        into=(dx_out, dresidual_out),
        feature_sums=1,
    )
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    return dx_result, dresidual, dgamma


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


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    residual_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    x_dot, residual_dot, gamma_dot = _calls.arrays(
        0, x_dot=x_dot, residual_dot=residual_dot, gamma_dot=gamma_dot
    )
    _calls.check_any("tangent", x_dot, residual_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of residual", residual_dot=residual_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _read = {
        "x_dot": x_dot,
        "residual_dot": residual_dot,
        "gamma_dot": gamma_dot,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, h_dot_ = _calls.results(
        out, _read, _by.empty, y_dot=(_shape, _of_x), h_dot=(_shape, _of_x)
    )
    _by.fill(
        (y_dot_, h_dot_),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, residual_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Outputs(*_calls.returned((y_dot_, h_dot_), out))


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, residual_dot_rows, gamma_dot = arguments
    h_rows, gamma, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_x_dot_and_residual_dot = (
        x_dot_rows is not None and residual_dot_rows is not None
    )
    with_x_dot_or_residual_dot = x_dot_rows is not None or residual_dot_rows is not None
    D = _rows.number(features, dtype)

    def block(
        h,
        x_dot,
        residual_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,),
    ):
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 15: h_dot = residual_dot + x_dot
        if with_x_dot_and_residual_dot:
            h_dot = np.add(residual_dot, x_dot, out=h_dot_block)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is not None and residual_dot_rows is None:
            h_dot = x_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 22: mean_h_dot_xhat = mean(h_dot*xhat)
        if with_x_dot_or_residual_dot:
            mean_h_dot_xhat = _rows.row_dot(h_dot, xhat) / D
        # step 22: y_dot = xhat*gamma_dot + (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if with_x_dot_or_residual_dot:
            part = np.multiply(xhat, mean_h_dot_xhat, out=xhat)
            part = np.subtract(h_dot, part, out=part)
        if gamma is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if with_x_dot_or_residual_dot:
            part = np.multiply(part, rstd, out=part)
        if gamma_dot is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None:
            y_dot = part
        if x_dot_rows is None or residual_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(h_rows, x_dot_rows, residual_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out, h_dot_out),
        buffers=1,
    )


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
    dy_, dh_ = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, dh_, ddx, ddresidual, ddgamma, out, threads
    )


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
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma = saved[2]
    dy, dh, ddx, ddresidual, ddgamma = _calls.arrays(
        0, dy=dy, dh=dh, ddx=ddx, ddresidual=ddresidual, ddgamma=ddgamma
    )
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddresidual, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of h", dh=dh)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape, "the shape of residual", ddresidual=ddresidual)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _read = {
        "cotangents[0]": dy,
        "cotangents[1]": dh,
        "ddx": ddx,
        "ddresidual": ddresidual,
        "ddgamma": ddgamma,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_, ddy_, ddh_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
        ddy=(_shape, None if dy is None else dy.dtype),
        ddh=(_shape, None if dh is None else dh.dtype),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_, ddy_, ddh_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, dh, ddx, ddresidual, _calls.parameter(ddgamma, _dtype)),
        (saved.h, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return SecondGradients(
        *_calls.returned((dx_, dresidual_, dgamma_, ddy_, ddh_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma = arguments
    h_rows, gamma, rstd_rows = fields
    dx_out, dresidual_out, _, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_dy_and_ddgamma = dy_rows is not None and ddgamma is not None
    needs_g = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    with_dy_without_gamma = gamma is None and dy_rows is not None
    needs_mean_g_xhat = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2x = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    with_dy_without_ddgamma = dy_rows is not None and ddgamma is None
    D = _rows.number(features, dtype)
    # step 37: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if with_dy_and_ddgamma:
        ddgamma_over_D = ddgamma / D

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 3,
    ):
        ddy = ddh_result = d2gamma = None
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _rows.by_row(np.multiply, h, rstd, out=dresidual_block)
        # step 37: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if with_dy_and_ddgamma:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_dot(part, ddgamma_over_D)
        # step 23: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if with_dy_without_gamma:
            g = dy
        # step 24: mean_g_xhat = mean(g*xhat)
        if needs_mean_g_xhat:
            mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 27: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 43: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g_xhat:
            mean_ddh_xhat = _rows.row_dot(ddh, xhat) / D
            # step 37: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_dot(ddh, g) / D
            # step 37, pass 5: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 43: dg = (ddh - xhat*mean_ddh_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=ddy_block)
            dg = np.subtract(ddh, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        # step 44: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_2 = np.multiply(dg, dy, out=ddy_block)
            d2gamma = _rows.sum_rows(part_2)
        # step 37, pass 6: d2x = (dy*ddgamma + ((xhat*mean_g_xhat_scaled -
        #   g)*mean_ddh_xhat - xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if with_dy_and_ddgamma:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=ddy_block)
        if needs_mean_g_xhat:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[2])
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddh_xhat, out=part_3)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[2])
            part_3 = np.subtract(part_3, part_4, out=part_3)
            part_5 = _rows.by_row(np.multiply, ddh, mean_g_xhat, out=buffers[2])
            part_3 = np.subtract(part_3, part_5, out=part_3)
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if needs_d2x:
            d2x = np.add(d2x, part_3, out=part_3)
        if with_dy_without_ddgamma:
            d2x = part_3
        if with_dy_and_ddgamma:
            part_6 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[2]
            )
            d2x = np.subtract(d2x, part_6, out=dx_block)
        if dy_rows is not None:
            d2x = np.multiply(d2x, rstd, out=d2x)
        else:
            d2x = 0.0
        # step 47: ddy = xhat*ddgamma + dg*gamma
        if with_dy_and_ddgamma:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if with_dy_without_gamma:
            part_7 = dg
        if needs_d2x:
            ddy = np.add(ddy, part_7, out=ddy)
        if with_dy_without_ddgamma:
            ddy = part_7
        if dh_rows is not None and (ddx_rows is None or ddresidual_rows is None):
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None and ddresidual_rows is not None:
            ddh_result = ddh
        if dy_rows is None:
            dx = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx = d2x
        dresidual = _rows.filled(d2x, dresidual_block, shape, dtype)
        return dx, dresidual, ddy, ddh_result, d2gamma

    dx, dresidual, ddy, ddh_result, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=3,
        feature_sums=1,
    )
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None
    ):
        d2gamma = np.full(features, 0.0, dtype)
    return dx, dresidual, d2gamma, ddy, ddh_result


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
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, h, gamma, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "add_rms_norm")
    _calls.check_first_fields(saved, (True, True, False))
    _shape = saved.shape
    _calls.check_kept(_shape, h=saved.h)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


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

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class AddRMSNorm(_modules.NumpyModule):
    """`add_rms_norm` as an object with the parameter gamma.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: npt.NDArray[Any], residual: npt.NDArray[Any], *, save: bool = True
    ) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x, residual=residual)
        output, self._saved = self._layer().forward(
            x,
            residual,
            self.parameters.get("gamma"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(
        self, dy: npt.NDArray[Any] | None, dh: npt.NDArray[Any] | None = None
    ) -> _Gradients:
        """Return `(dx, dresidual)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        found = self._gradients(dy, dh)
        self.gradients = self._of_parameters(gamma=found.dgamma)
        return found.dx, found.dresidual
