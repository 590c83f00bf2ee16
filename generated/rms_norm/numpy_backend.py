# Made by lngen 0.1.0 from the definition of rms_norm.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops a row element; backward 3 row tensors (2 read, 1 written), 9 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Root-mean-square normalization over the feature axis.

    forward
        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = gamma*xhat
    backward
        g = gamma*dy
        dx = rstd*(g - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# What callers see is typed; a variable in between may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime import calls as _calls
from .._runtime import rows as _rows
from .._runtime import saved as _saved
from .._runtime.interface import Interface as _Interface

INTERFACE: _Interface = {
    "name": "rms_norm",
    "minimum_features": 1,
    "inputs": [
        {
            "name": "x",
            "symbol": "x",
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
        {
            "name": "gamma",
            "symbol": "gamma",
            "kind": "Feature",
            "axes": ["D"],
            "default": 1,
        },
    ],
    "constants": [
        {"name": "eps", "symbol": "eps", "default": 1e-5, "sign": "nonnegative"},
    ],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "rstd", "kind": "row scalar", "of": "rstd", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    ddy: npt.NDArray[Any]
    """The gradient of dy, the cotangent of y."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]
    """The shape of the row inputs."""

    dtype: np.dtype[Any]
    """The type that `forward` computed in."""

    dtypes: dict[str, np.dtype[Any]]
    """The type of each input that was given."""

    x: npt.NDArray[Any]
    """The argument x of forward."""

    gamma: npt.NDArray[Any] | None
    """The argument gamma of forward."""

    rstd: npt.NDArray[Any]
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


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
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        eps: a constant, a finite number of 0 or more.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        if gamma is None or _calls.fits(gamma, shape_[-1:], dtype_):
            y_, rstd_ = _rows.at_once(_forward_small, x, gamma, eps, shape_, dtype_)
            if out is not None:
                given_ = {"x": x, "gamma": gamma}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, gamma, rstd_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    gamma = _calls.array("gamma", gamma, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "gamma": gamma}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, gamma, eps, y_, rstd_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, rstd_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = rstd*(g - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "rms_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dgamma_ = _rows.at_once(
                _backward_small, saved.x, dy, saved.rstd, saved.gamma, shape_, dtype_
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.rstd": saved.rstd,
                }
                dx_, dgamma_ = _calls.placed(
                    ("dx", "dgamma"), (dx_, dgamma_), out, given_
                )
            return _Gradients(dx_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    _backward(
        saved.x, dy, saved.rstd, saved.gamma, dx_, dgamma_, shape_, dtype_, threads
    )
    return _Gradients(dx_, dgamma_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*xhat + rstd*gamma*(dx - xhat*mean(dx*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    if dx is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dgamma": dgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(saved.x, dx, saved.rstd, saved.gamma, dgamma, dy_, shape_, dtype_, threads)
    return dy_


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        dx = rstd*(ddgamma*dy + rstd*(mean(ddx*xhat)*(3*mean_g*xhat - g) - mean_g*ddx -
            xhat*mean(ddx*g)) - xhat*mean(ddgamma*dy*xhat))
        dgamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    cotangents = _calls.each_cotangent(cotangents, ("dy",))
    dy_ = _calls.array("dy", cotangents[0], required=True)
    _calls.check_shape("dy", dy_, shape_, "the shape of y")
    ddx = _calls.array("ddx", ddx, required=False)
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    if ddx is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    ddy_ = _calls.result("ddy", out[2], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.rstd,
        saved.gamma,
        ddgamma,
        dx_,
        dgamma_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dgamma_, ddy_)


def _forward(x_rows, gamma, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)

    def block(x, rstd_block, y_block):
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D, out=rstd_block)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), place_rstd(span), place_y(span))
            hand_on_rstd(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows, dy_rows, rstd_rows, gamma, dx_out, dgamma_out, shape, dtype, threads
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(chunk, x, dy, rstd, dx_block, row_buffers, row_scalar_buffers, column):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 9: dgamma = sum over rows of dy*x*rstd
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            _rows.add_rows(part, rstd, dgamma_sums[chunk], column)
            # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalar_1)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D, out=row_scalar_1)
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 8: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalar_1)
        # step 8: dx = (g - x*mean_g_xhat*rstd)*rstd
        part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalar_1)
        dx = _rows.by_row(np.multiply, x, part_2, out=buffer_1)
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_rstd(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        _rows.round_to(dgamma_out, ..., dgamma)


def _jvp(x_rows, dx_rows, rstd_rows, gamma, dgamma, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and dx_rows is not None
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)

    def block(x, dx, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dy_block)
        # step 10: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalar_1)
        # step 10: dy = xhat*dgamma + (dx - xhat*mean_dx_xhat)*rstd*gamma
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if dx_rows is not None:
            part = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part = np.subtract(dx, part, out=dy_block)
        if needs_gamma:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=dy_block)
        if dgamma is None:
            dy = part
        if dx_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_rstd(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    dy_rows,
    ddx_rows,
    rstd_rows,
    gamma,
    ddgamma,
    dx_out,
    dgamma_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and ddx_rows is not None
    needs_dx = ddx_rows is not None and ddgamma is not None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 14: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        rstd,
        dx_block,
        ddy_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=ddy_block)
        # step 13: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalar_1)
        # step 14: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D, out=row_scalar_2)
        # step 11: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 12: mean_g = mean(g*xhat)
        if ddx_rows is not None:
            mean_g = _rows.row_mean(g, xhat, D, out=row_scalar_3)
            # step 14: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_4)
            # step 14: mean_g_scaled = 3*mean_g
            mean_g_scaled = np.multiply(mean_g, 3.0, out=row_scalar_5)
            # step 13: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_1)
            dg = np.subtract(ddx, dg, out=buffer_1)
            dg = np.multiply(dg, rstd, out=buffer_1)
        # step 15: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_2 = np.multiply(dg, dy, out=buffer_2)
            _rows.add_rows(part_2, each_row, dgamma_sums[chunk], column)
        # step 14: dx = (dy*ddgamma + ((xhat*mean_g_scaled - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g - ddx*mean_g)*rstd - xhat*mean_ddgamma_dy_xhat)*rstd
        if ddgamma is not None:
            dx = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_2)
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_scaled, out=buffer_3)
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddx_xhat, out=dx_block)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffer_3)
            part_3 = np.subtract(part_3, part_4, out=dx_block)
            part_5 = _rows.by_row(np.multiply, ddx, mean_g, out=buffer_3)
            part_3 = np.subtract(part_3, part_5, out=dx_block)
            part_3 = np.multiply(part_3, rstd, out=dx_block)
        if needs_dx:
            dx = np.add(dx, part_3, out=dx_block)
        if ddgamma is None:
            dx = part_3
        else:
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffer_3)
            dx = np.subtract(dx, part_6, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)
        # step 16: ddy = xhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_1)
        if gamma is None:
            part_7 = dg
        if needs_dx:
            ddy = np.add(ddy, part_7, out=ddy_block)
        if gamma is not None and ddgamma is None:
            ddy = part_7
        if gamma is None:
            ddy = part_7
        if ddgamma is None:
            ddy_block[...] = ddy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_rstd(span),
                place_dx(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)
            hand_on_ddy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if ddx_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _forward_small(x, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: ms = mean(x**2)
    ms = (vecdot(x, x) / D)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    rstd = rstd[..., 0]
    return y, rstd


def _backward_small(x, dy, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    rstd = rstd_rows[..., np.newaxis]
    # step 9: dgamma = sum over rows of dy*x*rstd
    if gamma is not None:
        part = dy * x
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
        # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x) / D)[..., np.newaxis]
    # step 5: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 8: mean_g_xhat = mean_g_xhat_unscaled*rstd
    mean_g_xhat = mean_g_xhat_unscaled * rstd
    # step 8: dx = (g - x*mean_g_xhat*rstd)*rstd
    part_2 = mean_g_xhat * rstd
    dx = x * part_2
    dx = np.subtract(g, dx, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    return dx, dgamma


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        gamma: the argument gamma of forward.
        rstd: the row scalar rstd, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, gamma, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, gamma, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "rms_norm")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
