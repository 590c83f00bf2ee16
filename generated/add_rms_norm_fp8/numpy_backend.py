# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

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
from .._runtime.numpy import casts as _casts
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import casts as _types
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # shape (..., D), rounded to float8_e4m3fn
    h: npt.NDArray[Any]  # shape (..., D)


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dscale: npt.NDArray[Any] | None
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
    scale: float | npt.NDArray[Any] | None  # argument scale of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    scale: float | npt.NDArray[Any] | None = None,
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
    scale: float | npt.NDArray[Any] | None = None,
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
    scale: float | npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat/scale

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        scale: a number or a 0-d array. If omitted it is 1, at no cost.
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
    return _forward(_FORWARD, x, residual, gamma, scale, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    residual: Any,
    gamma: Any,
    scale: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, residual, gamma = _calls.arrays(2, x=x, residual=residual, gamma=gamma)
    scale = _calls.scalar("scale", scale, False)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", residual=residual)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma)
    _read = {"x": x, "residual": residual, "gamma": gamma, "scale": scale}
    _dtypes, _dtype = _calls.types(_read)
    y_, h_ = _calls.results(
        out,
        _read,
        _by.empty,
        y=(_shape, _types.dtype("float8_e4m3fn", "y")),
        h=(_shape, x.dtype),
    )
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, h_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            residual,
            _calls.parameter(gamma, _dtype),
            _calls.number(scale, _dtype),
            eps,
        ),
    )
    _shown = Outputs(*_calls.returned((y_, h_), out))
    _saved = Saved(_shape, _dtype, _dtypes, h_, gamma, scale, rstd_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, gamma, scale, eps = values
    y_out, h_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    eps = np.asarray(eps, dtype)
    # step 5, pass 1: scale_shifted = 1/scale
    if scale is not None:
        scale_shifted = np.reciprocal(scale)
    # step 5, pass 2: y = xhat*gamma*scale_shifted
    if gamma is not None and scale is not None:
        part = gamma * scale_shifted
    if gamma is not None and scale is None:
        part = gamma
    if gamma is None and scale is not None:
        part = scale_shifted

    def block(x, residual, y_block=None, h_block=None):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_dot(h, h) / D
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5, pass 2: y = xhat*gamma*scale_shifted
        if gamma is not None or scale is not None:
            y = np.multiply(xhat, part, out=xhat)
        else:
            y = xhat
        return _casts.cast(y, "float8_e4m3fn"), h, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows),
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

        g = gamma*dy/scale
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)/scale
        dscale = -sum_rows(sum(gamma*dy*xhat))/scale**2

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
    _of_x, _of_residual, _of_gamma, _of_scale = saved[2]
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
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_, dscale_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
        dscale=((), _of_scale),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_, dscale_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, dh),
        (
            saved.h,
            _calls.parameter(saved.gamma, _dtype),
            _calls.number(saved.scale, _dtype),
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned((dx_, dresidual_, dgamma_, dscale_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, gamma, scale, rstd_rows = fields
    dx_out, dresidual_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    with_scale_and_dy = scale is not None and dy_rows is not None
    with_gamma_and_scale_and_dy = (
        gamma is not None and scale is not None and dy_rows is not None
    )
    with_gamma_and_dy_without_scale = (
        gamma is not None and scale is None and dy_rows is not None
    )
    with_scale_and_dy_without_gamma = (
        gamma is None and scale is not None and dy_rows is not None
    )
    D = _rows.number(features, dtype)
    if with_scale_and_dy:
        scale = np.asarray(scale, dtype)
        # step 6, pass 3: scale_shifted_2 = 1/scale
        scale_shifted_2 = np.reciprocal(scale)
    # step 6, pass 4: g = dy*gamma*scale_shifted_2
    if with_gamma_and_scale_and_dy:
        part_2 = gamma * scale_shifted_2
    if with_gamma_and_dy_without_scale:
        part_2 = gamma
    if with_scale_and_dy_without_gamma:
        part_2 = scale_shifted_2
    # step 17, pass 13: dscale = -dscale_rows/scale**2
    if with_scale_and_dy:
        part_3 = np.square(scale)

    def block(h, dy, dh, rstd, dx_block=None, dresidual_block=None):
        dgamma_rows = dscale_rows = None
        # step 15, pass 9: dgamma_rows = sum over rows of dy*h*rstd
        if gamma is not None and dy_rows is not None:
            part = np.multiply(dy, h, out=dx_block)
            dgamma_rows = _rows.sum_rows(part, rstd)
        # step 17, pass 6: sum_dy_gamma_xhat_unscaled = sum(dy*h*gamma)
        if with_gamma_and_scale_and_dy:
            sum_dy_gamma_xhat_unscaled = _rows.row_dot(part, gamma)
        if with_scale_and_dy_without_gamma:
            sum_dy_gamma_xhat_unscaled = _rows.row_dot(dy, h)
        # step 6, pass 4: g = dy*gamma*scale_shifted_2
        if dy_rows is not None and (gamma is not None or scale is not None):
            g = np.multiply(dy, part_2, out=dx_block)
        if gamma is None and scale is None and dy_rows is not None:
            g = dy
        # step 12, pass 5: mean_g_xhat_unscaled = mean(g*h)
        if dy_rows is not None:
            mean_g_xhat_unscaled = _rows.row_dot(g, h) / D
            # step 12, pass 7: mean_g_xhat = mean_g_xhat_unscaled*rstd
            mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 17, pass 8: sum_dy_gamma_xhat = rstd*sum_dy_gamma_xhat_unscaled
        if with_scale_and_dy:
            sum_dy_gamma_xhat = rstd * sum_dy_gamma_xhat_unscaled
            # step 17, pass 10: dscale_rows = sum over rows of sum_dy_gamma_xhat
            dscale_rows = np.add.reduce(sum_dy_gamma_xhat, axis=None)
        # step 12, pass 11: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
        if dy_rows is not None:
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
        return dx_result, dresidual, dgamma_rows, dscale_rows

    dx_result, dresidual, dgamma_rows, dscale_rows = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dresidual_out),
        feature_sums=1,
        sums=1,
    )
    # step 15, pass 12: dgamma = dgamma_rows/scale
    if with_gamma_and_scale_and_dy:
        dgamma = dgamma_rows / scale
    if with_gamma_and_dy_without_scale:
        dgamma = dgamma_rows
    # step 17, pass 13: dscale = -dscale_rows/scale**2
    if with_scale_and_dy:
        dscale = np.negative(dscale_rows) / part_3
    if scale is not None and dy_rows is None:
        dscale = 0.0
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    if gamma is None:
        dgamma = None
    if scale is None:
        dscale = None
    return dx_result, dresidual, dgamma, dscale


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    scale_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = residual_dot + x_dot
        y_dot = (gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat)) -
            scale_dot*gamma*xhat/scale)/scale

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        residual_dot: the tangent of residual, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, residual_dot, gamma_dot, scale_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    residual_dot: Any,
    gamma_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma, _of_scale = saved[2]
    x_dot, residual_dot, gamma_dot = _calls.arrays(
        0, x_dot=x_dot, residual_dot=residual_dot, gamma_dot=gamma_dot
    )
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", x_dot, residual_dot, gamma_dot, scale_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of residual", residual_dot=residual_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _read = {
        "x_dot": x_dot,
        "residual_dot": residual_dot,
        "gamma_dot": gamma_dot,
        "scale_dot": scale_dot,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, h_dot_ = _calls.results(
        out, _read, _by.empty, y_dot=(_shape, _of_x), h_dot=(_shape, _of_x)
    )
    _by.fill(
        (y_dot_, h_dot_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            residual_dot,
            _calls.parameter(gamma_dot, _dtype),
            _calls.number(scale_dot, _dtype),
        ),
        (
            saved.h,
            _calls.parameter(saved.gamma, _dtype),
            _calls.number(saved.scale, _dtype),
            saved.rstd,
        ),
    )
    return Outputs(*_calls.returned((y_dot_, h_dot_), out))


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, residual_dot_rows, gamma_dot, scale_dot = arguments
    h_rows, gamma, scale, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_x_dot_and_residual_dot = (
        x_dot_rows is not None and residual_dot_rows is not None
    )
    with_x_dot_or_residual_dot = x_dot_rows is not None or residual_dot_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 26, pass 15: scale_shifted_2 = 1/scale
    if scale is not None:
        scale_shifted_2 = np.reciprocal(scale)
    # step 26, pass 16: scale_dot_scaled = scale_dot/scale
    if scale_dot is not None:
        scale_dot_scaled = scale_dot / scale
    # step 26, pass 17: y_dot = (xhat*gamma_dot + (h_dot -
    #   xhat*mean_h_dot_xhat)*rstd*gamma - xhat*gamma*scale_dot_scaled)*scale_shifted_2
    if gamma is not None and scale_dot is not None:
        part_2 = gamma * scale_dot_scaled
    if gamma is None and scale_dot is not None:
        part_2 = scale_dot_scaled

    def block(
        h,
        x_dot,
        residual_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 18: h_dot = residual_dot + x_dot
        if with_x_dot_and_residual_dot:
            h_dot = np.add(residual_dot, x_dot, out=h_dot_block)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is not None and residual_dot_rows is None:
            h_dot = x_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 26: mean_h_dot_xhat = mean(h_dot*xhat)
        if with_x_dot_or_residual_dot:
            mean_h_dot_xhat = _rows.row_dot(h_dot, xhat) / D
        # step 26, pass 17: y_dot = (xhat*gamma_dot + (h_dot -
        #   xhat*mean_h_dot_xhat)*rstd*gamma -
        #   xhat*gamma*scale_dot_scaled)*scale_shifted_2
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if with_x_dot_or_residual_dot:
            part = _rows.by_row(np.multiply, xhat, mean_h_dot_xhat, out=buffers[1])
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
        if gamma_dot is None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = part
        if x_dot_rows is None and residual_dot_rows is None and gamma_dot is None:
            y_dot = 0.0
        if scale_dot is not None:
            part_3 = np.multiply(xhat, part_2, out=xhat)
            y_dot = np.subtract(y_dot, part_3, out=y_dot_block)
        if scale is not None:
            y_dot = np.multiply(y_dot, scale_shifted_2, out=y_dot_block)
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
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy/scale
        mean_g_xhat = mean(g*xhat)
        sum_rows_dy_xhat = sum_rows(dy*xhat)
        mean_dy_gamma_xhat = mean(gamma*dy*xhat)
        sum_rows_product = sum_rows(D*mean_dy_gamma_xhat)
        ddh = ddresidual + ddx
        dg = rstd*(ddh - xhat*mean(ddh*xhat))
        d2x = rstd*(ddgamma*dy/scale + ddscale*mean_dy_gamma_xhat*xhat/scale**2 +
            rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh -
            xhat*mean(ddh*g)) - ddscale*gamma*dy/scale**2 -
            xhat*mean(ddgamma*dy*xhat)/scale)
        d2residual = d2x
        d2gamma = sum_rows(dy*(dg - ddscale*xhat/scale))/scale
        d2scale = (2*ddscale*sum_rows_product/scale - sum(ddgamma*sum_rows_dy_xhat) -
            sum_rows(sum(gamma*dg*dy)))/scale**2
        ddy = (gamma*dg + ddgamma*xhat - ddscale*gamma*xhat/scale)/scale

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddresidual: the cotangent of dresidual, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dresidual is
    d2residual, dgamma is d2gamma, dscale is d2scale) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    dy_, dh_ = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy_,
        dh_,
        ddx,
        ddresidual,
        ddgamma,
        ddscale,
        out,
        threads,
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dh: Any,
    ddx: Any,
    ddresidual: Any,
    ddgamma: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_gamma, _of_scale = saved[2]
    dy, dh, ddx, ddresidual, ddgamma = _calls.arrays(
        0, dy=dy, dh=dh, ddx=ddx, ddresidual=ddresidual, ddgamma=ddgamma
    )
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddresidual, ddgamma, ddscale)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
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
        "ddscale": ddscale,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_, dscale_, ddy_, ddh_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
        dscale=((), _of_scale),
        ddy=(_shape, None if dy is None else dy.dtype),
        ddh=(_shape, None if dh is None else dh.dtype),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_, dscale_, ddy_, ddh_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            dh,
            ddx,
            ddresidual,
            _calls.parameter(ddgamma, _dtype),
            _calls.number(ddscale, _dtype),
        ),
        (
            saved.h,
            _calls.parameter(saved.gamma, _dtype),
            _calls.number(saved.scale, _dtype),
            saved.rstd,
        ),
    )
    return SecondGradients(
        *_calls.returned((dx_, dresidual_, dgamma_, dscale_, ddy_, ddh_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma, ddscale = arguments
    h_rows, gamma, scale, rstd_rows = fields
    dx_out, dresidual_out, _, _, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_scale_and_dy = scale is not None and dy_rows is not None
    with_dy_and_ddscale = dy_rows is not None and ddscale is not None
    with_gamma_and_dy_and_ddscale = (
        gamma is not None and dy_rows is not None and ddscale is not None
    )
    with_dy_and_ddgamma = dy_rows is not None and ddgamma is not None
    needs_part_3 = (
        gamma is not None
        and scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_part_3_2 = (
        gamma is not None
        and scale is None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_part_3_3 = (
        gamma is None
        and scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    with_scale_and_dy_and_ddgamma = (
        scale is not None and dy_rows is not None and ddgamma is not None
    )
    needs_part_6 = scale is None and dy_rows is not None and ddgamma is not None
    needs_part_12 = gamma is None and dy_rows is not None and ddscale is not None
    needs_mean_g_xhat = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2scale_rows = (
        scale is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    D = _rows.number(features, dtype)
    if with_scale_and_dy:
        scale = np.asarray(scale, dtype)
    if with_dy_and_ddscale:
        ddscale = np.asarray(ddscale, dtype)
    # step 27, pass 18: scale_shifted_2 = 1/scale
    if with_scale_and_dy:
        scale_shifted_2 = np.reciprocal(scale)
        # step 48, pass 19: ddscale_scaled = ddscale/scale**2
        part = np.square(scale)
    if with_dy_and_ddscale:
        ddscale_scaled = ddscale / part
        # step 64, pass 20: ddscale_scaled_2 = ddscale/scale
        ddscale_scaled_2 = ddscale / scale
    # step 29: mean_dy_gamma_xhat = mean(dy*xhat*gamma)
    if with_gamma_and_dy_and_ddscale:
        gamma_over_D = gamma / D
    # step 48: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if with_dy_and_ddgamma:
        ddgamma_over_D = ddgamma / D
    # step 27, pass 21: g = dy*gamma*scale_shifted_2
    if needs_part_3:
        part_3 = gamma * scale_shifted_2
    if needs_part_3_2:
        part_3 = gamma
    if needs_part_3_3:
        part_3 = scale_shifted_2
    # step 48, pass 27: d2x = (xhat*mean_dy_gamma_xhat_scaled_2 +
    #   dy*ddgamma*scale_shifted_2 + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat -
    #   xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat_scaled -
    #   dy*gamma*ddscale_scaled)*rstd
    if with_scale_and_dy_and_ddgamma:
        part_6 = ddgamma * scale_shifted_2
    if needs_part_6:
        part_6 = ddgamma
    if with_gamma_and_dy_and_ddscale:
        part_12 = gamma * ddscale_scaled
    if needs_part_12:
        part_12 = ddscale_scaled
    # step 64, pass 28: ddy = (xhat*ddgamma + dg*gamma -
    #   xhat*gamma*ddscale_scaled_2)*scale_shifted_2
    if with_gamma_and_dy_and_ddscale:
        part_15 = gamma * ddscale_scaled_2
    if needs_part_12:
        part_15 = ddscale_scaled_2
    if ddgamma is None or dy_rows is None:
        part_6 = None

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        part_6_wide,
        ddgamma_wide,
        gamma_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 4,
    ):
        ddy = ddh_result = sum_rows_dy_xhat = d2gamma_rows = sum_rows_product = None
        d2scale_rows = None
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _rows.by_row(np.multiply, h, rstd, out=dresidual_block)
        # step 34: sum_rows_dy_xhat = sum over rows of dy*xhat
        if dy_rows is not None and (
            ddgamma is not None or (gamma is not None and ddscale is not None)
        ):
            part_2 = np.multiply(dy, xhat, out=dx_block)
        if with_scale_and_dy_and_ddgamma:
            sum_rows_dy_xhat = _rows.sum_rows(part_2)
        # step 29: mean_dy_gamma_xhat = mean(dy*xhat*gamma)
        if with_gamma_and_dy_and_ddscale:
            mean_dy_gamma_xhat = _rows.row_dot(part_2, gamma_over_D)
        if needs_part_12:
            mean_dy_gamma_xhat = _rows.row_dot(dy, xhat) / D
        # step 48: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if with_dy_and_ddgamma:
            mean_ddgamma_dy_xhat = _rows.row_dot(part_2, ddgamma_over_D)
        # step 27, pass 21: g = dy*gamma*scale_shifted_2
        if dy_rows is not None and (
            (gamma is not None and ddx_rows is not None)
            or (scale is not None and ddresidual_rows is not None)
            or (gamma is not None and ddresidual_rows is not None)
            or (scale is not None and ddx_rows is not None)
        ):
            g = np.multiply(dy, part_3, out=dx_block)
        if gamma is None and scale is None and dy_rows is not None:
            g = dy
        # step 28: mean_g_xhat = mean(g*xhat)
        if needs_mean_g_xhat:
            mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 32: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffers[0])
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 54: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g_xhat:
            mean_ddh_xhat = _rows.row_dot(ddh, xhat) / D
            # step 48: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_dot(ddh, g) / D
        # step 35, pass 22: mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat*D
        if with_dy_and_ddscale:
            mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat * D
            # step 35, pass 26: sum_rows_product = sum over rows of
            #   mean_dy_gamma_xhat_scaled
            sum_rows_product = np.add.reduce(mean_dy_gamma_xhat_scaled, axis=None)
        # step 48, pass 23: mean_g_xhat_scaled = 3*mean_g_xhat
        if needs_mean_g_xhat:
            mean_g_xhat_scaled = mean_g_xhat * 3.0
        # step 48, pass 24: mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat/scale
        if with_scale_and_dy_and_ddgamma:
            mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat / scale
        if needs_part_6:
            mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat
        # step 48, pass 25: mean_dy_gamma_xhat_scaled_2 =
        #   mean_dy_gamma_xhat*ddscale/scale**2
        if with_dy_and_ddscale:
            mean_dy_gamma_xhat_scaled_2 = mean_dy_gamma_xhat * ddscale_scaled
        # step 54: dg = (ddh - xhat*mean_ddh_xhat)*rstd
        if needs_mean_g_xhat:
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=ddy_block)
            dg = np.subtract(ddh, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[1])
        if (
            gamma is not None
            and dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddscale is not None
        ):
            dg = 0.0
        # step 57, pass 29: d2gamma_rows = sum over rows of (dg - xhat*ddscale/scale)*dy
        if with_gamma_and_dy_and_ddscale:
            part_4 = np.multiply(xhat, ddscale_scaled_2, out=ddy_block)
            part_4 = np.subtract(dg, part_4, out=part_4)
        if (
            gamma is not None
            and dy_rows is not None
            and ddscale is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_4 = dg
        if (
            gamma is not None
            and dy_rows is not None
            and (
                ddx_rows is not None
                or ddresidual_rows is not None
                or ddscale is not None
            )
        ):
            part_4 = np.multiply(part_4, dy, out=ddy_block)
            d2gamma_rows = _rows.sum_rows(part_4)
        # step 60: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if needs_part_3:
            part_5 = np.multiply(dg, dy, out=ddy_block)
            sum_dg_dy_gamma = _rows.row_dot(part_5, gamma)
        if needs_part_3_3:
            sum_dg_dy_gamma = _rows.row_dot(dg, dy)
        # step 60, pass 30: d2scale_rows = sum over rows of sum_dg_dy_gamma
        if needs_d2scale_rows:
            d2scale_rows = np.add.reduce(sum_dg_dy_gamma, axis=None)
        # step 48, pass 27: d2x = (xhat*mean_dy_gamma_xhat_scaled_2 +
        #   dy*ddgamma*scale_shifted_2 + ((xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat -
        #   xhat*mean_ddh_g - ddh*mean_g_xhat)*rstd - xhat*mean_ddgamma_dy_xhat_scaled -
        #   dy*gamma*ddscale_scaled)*rstd
        if with_dy_and_ddscale:
            d2x = _rows.by_row(
                np.multiply, xhat, mean_dy_gamma_xhat_scaled_2, out=ddy_block
            )
        if with_dy_and_ddgamma:
            part_7 = _rows.by_feature(np.multiply, dy, part_6_wide, out=buffers[2])
        if dy_rows is not None and ddgamma is not None and ddscale is not None:
            d2x = np.add(d2x, part_7, out=d2x)
        if dy_rows is not None and ddgamma is not None and ddscale is None:
            d2x = part_7
        if needs_mean_g_xhat:
            part_8 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[3])
            part_8 = np.subtract(part_8, g, out=dx_block)
            part_8 = np.multiply(part_8, mean_ddh_xhat, out=part_8)
            part_9 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[3])
            part_8 = np.subtract(part_8, part_9, out=part_8)
            part_10 = _rows.by_row(np.multiply, ddh, mean_g_xhat, out=buffers[3])
            part_8 = np.subtract(part_8, part_10, out=part_8)
            part_8 = np.multiply(part_8, rstd, out=part_8)
        if dy_rows is not None and (
            (ddx_rows is not None and ddgamma is not None)
            or (ddresidual_rows is not None and ddscale is not None)
            or (ddx_rows is not None and ddscale is not None)
            or (ddresidual_rows is not None and ddgamma is not None)
        ):
            d2x = np.add(d2x, part_8, out=part_8)
        if dy_rows is not None and ddgamma is None and ddscale is None:
            d2x = part_8
        if with_dy_and_ddgamma:
            part_11 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat_scaled, out=buffers[3]
            )
            d2x = np.subtract(d2x, part_11, out=dx_block)
        if with_dy_and_ddscale:
            part_13 = np.multiply(dy, part_12, out=buffers[2])
            d2x = np.subtract(d2x, part_13, out=dx_block)
        if dy_rows is not None:
            d2x = np.multiply(d2x, rstd, out=d2x)
        else:
            d2x = 0.0
        # step 64, pass 28: ddy = (xhat*ddgamma + dg*gamma -
        #   xhat*gamma*ddscale_scaled_2)*scale_shifted_2
        if with_dy_and_ddgamma:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if (
            gamma is not None
            and dy_rows is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_14 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if (
            gamma is None
            and dy_rows is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            part_14 = dg
        if (
            dy_rows is not None
            and ddgamma is not None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            ddy = np.add(ddy, part_14, out=ddy)
        if (
            dy_rows is not None
            and ddgamma is None
            and (ddx_rows is not None or ddresidual_rows is not None)
        ):
            ddy = part_14
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddgamma is None
        ):
            ddy = 0.0
        if with_dy_and_ddscale:
            part_16 = np.multiply(xhat, part_15, out=xhat)
            ddy = np.subtract(ddy, part_16, out=part_16)
        if with_scale_and_dy:
            ddy = np.multiply(ddy, scale_shifted_2, out=ddy_block)
        if dh_rows is not None and (ddx_rows is None or ddresidual_rows is None):
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None and ddresidual_rows is not None:
            ddh_result = ddh
        if dy_rows is None:
            dx = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx = d2x
        dresidual = _rows.filled(d2x, dresidual_block, shape, dtype)
        return (
            dx,
            dresidual,
            ddy,
            ddh_result,
            sum_rows_dy_xhat,
            d2gamma_rows,
            sum_rows_product,
            d2scale_rows,
        )

    (
        dx,
        dresidual,
        ddy,
        ddh_result,
        sum_rows_dy_xhat,
        d2gamma_rows,
        sum_rows_product,
        d2scale_rows,
    ) = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows),
        row_scalars=(rstd_rows,),
        features=(part_6, ddgamma, gamma),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=4,
        feature_sums=2,
        sums=2,
    )
    # step 57, pass 31: d2gamma = d2gamma_rows/scale
    if (
        gamma is not None
        and dy_rows is not None
        and (
            ddscale is not None
            or (scale is not None and ddx_rows is not None)
            or (scale is not None and ddresidual_rows is not None)
        )
    ):
        d2gamma = d2gamma_rows / scale
    if needs_part_3_2:
        d2gamma = d2gamma_rows
    # step 60: sum_ddgamma_sum_rows_dy_xhat = sum(ddgamma*sum_rows_dy_xhat)
    if with_scale_and_dy_and_ddgamma:
        sum_ddgamma_sum_rows_dy_xhat = np.vecdot(ddgamma, sum_rows_dy_xhat)
    # step 60, pass 32: d2scale = (2*ddscale*sum_rows_product/scale - d2scale_rows -
    #   sum_ddgamma_sum_rows_dy_xhat)/scale**2
    if with_dy_and_ddscale:
        d2scale = 2.0 * (ddscale * sum_rows_product) / scale
    if (
        scale is not None
        and dy_rows is not None
        and ddscale is None
        and (ddx_rows is not None or ddresidual_rows is not None)
    ):
        d2scale = 0.0
    if needs_d2scale_rows:
        d2scale = d2scale - d2scale_rows
    if (
        scale is not None
        and dy_rows is not None
        and ddx_rows is None
        and ddresidual_rows is None
        and ddscale is None
    ):
        d2scale = 0.0
    if with_scale_and_dy_and_ddgamma:
        d2scale = d2scale - sum_ddgamma_sum_rows_dy_xhat
    if with_scale_and_dy:
        d2scale = d2scale / part
    if scale is not None and dy_rows is None:
        d2scale = 0.0
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None and ddscale is None
    ):
        d2gamma = np.full(features, 0.0, dtype)
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    if gamma is None:
        d2gamma = None
    if scale is None:
        d2scale = None
    return dx, dresidual, d2gamma, d2scale, ddy, ddh_result


def saved_from(
    *,
    h: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    scale: float | npt.NDArray[Any] | None = None,
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
    fields_ = (h, gamma, scale, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, h, gamma, scale, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "add_rms_norm_fp8")
    _calls.check_first_fields(saved, (True, True, False, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[3] is not None)
    _shape = saved.shape
    _calls.check_kept(_shape, h=saved.h)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


INTERFACE: _interface.Interface = {
    "name": "add_rms_norm_fp8",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("residual", "Row"),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("scale", "Scalar", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [
        _interface.output("y", "Row", cast="float8_e4m3fn"),
        _interface.output("h", "Row"),
    ],
    "saved": [
        _interface.saved("h", "output", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("scale", "input", []),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("residual"),
        _interface.gradient("gamma", may_be_none=True),
        _interface.gradient("scale", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class AddRMSNormFP8(_modules.NumpyModule):
    """`add_rms_norm_fp8` as an object with the parameters gamma and scale.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        scale: False omits it; its initial value is 1.
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
        scale: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1)
        self._parameter("scale", scale, (), 1)
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
            self.parameters.get("scale"),
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
        self.gradients = self._of_parameters(gamma=found.dgamma, scale=found.dscale)
        return found.dx, found.dresidual
