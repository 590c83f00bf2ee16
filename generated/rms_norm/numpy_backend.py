# Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
"""Root-mean-square normalization over the feature axis.

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
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
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
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
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
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization over the feature axis.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
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
    return _forward(_FORWARD, x, gamma, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, gamma = _calls.arrays(1, x=x, gamma=gamma)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma)
    _read = {"x": x, "gamma": gamma}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (x, _calls.parameter(gamma, _dtype), eps),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, gamma, rstd_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, gamma, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, y_block=None):
        # step 1: ms = mean(x**2)
        ms = _rows.row_dot(x, x) / D
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dx = rstd*(g - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)

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


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), dgamma=(_shape[-1:], _of_gamma)
    )
    _by.fill(
        (dx_, dgamma_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Gradients(*_calls.returned((dx_, dgamma_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, rstd_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(x, dy, rstd, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = None
        # step 12, pass 3: dgamma = sum over rows of dy*x*rstd
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            dgamma = _rows.sum_rows(part, rstd)
            # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_dot(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_dot(dy, x) / D
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 11, pass 2: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 11, pass 4: dx = (g - x*mean_g_xhat*rstd)*rstd
        dx = _rows.by_row(np.multiply, x, mean_g_xhat * rstd, out=buffers[0])
        dx = np.subtract(g, dx, out=dx_block)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dgamma

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(rstd_rows,),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
        feature_sums=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gamma_dot*xhat + rstd*gamma*(x_dot - xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, gamma_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma = saved[2]
    x_dot, gamma_dot = _calls.arrays(0, x_dot=x_dot, gamma_dot=gamma_dot)
    _calls.check_any("tangent", x_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _read = {
        "x_dot": x_dot,
        "gamma_dot": gamma_dot,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot = arguments
    x_rows, gamma, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, x_dot, rstd, gamma_dot_wide, gamma_wide, y_dot_block=None, buffers=(None,)
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 19: y_dot = xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        d2x = rstd*(ddgamma*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) -
            mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddgamma*dy*xhat))
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dgamma is d2gamma)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddgamma, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddgamma: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma = saved[2]
    dy, ddx, ddgamma = _calls.arrays(1, dy=dy, ddx=ddx, ddgamma=ddgamma)
    _calls.check_any("cotangent of a gradient", ddx, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgamma=(_shape[-1:], _of_gamma),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dgamma_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, _calls.parameter(ddgamma, _dtype)),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return SecondGradients(*_calls.returned((dx_, dgamma_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma = arguments
    x_rows, gamma, rstd_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_ddx = gamma is not None and ddx_rows is not None
    with_ddx_and_ddgamma = ddx_rows is not None and ddgamma is not None
    D = _rows.number(features, dtype)
    # step 32: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        dy,
        ddx,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        d2gamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=ddy_block)
        # step 37: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 32: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_dot(part, ddgamma_over_D)
        # step 20: g = dy*gamma
        if with_gamma_and_ddx:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 21: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_dot(ddx, g) / D
            # step 32, pass 5: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 37: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[0])
            dg = np.subtract(ddx, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 38: d2gamma = sum over rows of dg*dy
        if with_gamma_and_ddx:
            part_2 = np.multiply(dg, dy, out=buffers[1])
            d2gamma = _rows.sum_rows(part_2)
        # step 32, pass 6: d2x = (dy*ddgamma + ((xhat*mean_g_xhat_scaled -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[1])
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[2])
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddx_xhat, out=part_3)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[2])
            part_3 = np.subtract(part_3, part_4, out=part_3)
            part_5 = _rows.by_row(np.multiply, ddx, mean_g_xhat, out=buffers[2])
            part_3 = np.subtract(part_3, part_5, out=part_3)
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if with_ddx_and_ddgamma:
            d2x = np.add(d2x, part_3, out=part_3)
        if ddgamma is None:
            d2x = part_3
        else:
            part_6 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[2]
            )
            d2x = np.subtract(d2x, part_6, out=dx_block)
        d2x = np.multiply(d2x, rstd, out=d2x)
        # step 41: ddy = xhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=xhat)
        if with_gamma_and_ddx:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None:
            part_7 = dg
        if with_ddx_and_ddgamma:
            ddy = np.add(ddy, part_7, out=ddy)
        if ddgamma is None:
            ddy = part_7
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2gamma, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
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
    fields_ = (x, gamma, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gamma, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "rms_norm")
    _calls.check_first_fields(saved, (True, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[-1:], saved.dtypes[1] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


INTERFACE: _interface.Interface = {
    "name": "rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [
        _interface.counterpart(
            "torch.nn.RMSNorm",
            {"normalized_shape": "D", "weight": "gamma", "eps": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.llama.modeling_llama.LlamaRMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.mistral.modeling_mistral.MistralRMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.mixtral.modeling_mixtral.MixtralRMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.qwen2.modeling_qwen2.Qwen2RMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.qwen3.modeling_qwen3.Qwen3RMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.qwen3_moe.modeling_qwen3_moe.Qwen3MoeRMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.phi3.modeling_phi3.Phi3RMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.deepseek_v3.modeling_deepseek_v3.DeepseekV3RMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.olmo2.modeling_olmo2.Olmo2RMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.gpt_oss.modeling_gpt_oss.GptOssRMSNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "transformers.models.t5.modeling_t5.T5LayerNorm",
            {"weight": "gamma", "variance_epsilon": "eps"},
        ),
        _interface.counterpart(
            "timm.layers.norm.RmsNorm",
            {"normalized_shape": "D", "weight": "gamma", "eps": "eps"},
        ),
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class RMSNorm(_modules.NumpyModule):
    """`rms_norm` as an object with the parameter gamma.

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

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x)
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("gamma"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(gamma=found.dgamma)
        return found.dx
