# Made by lngen 0.1.0 from the definition of add_rms_norm.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 5 flops a row element; backward 4 row tensors (3 read, 1 written), 10 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Residual addition, then root-mean-square normalization; the sum is the second output.

    forward
        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat
    backward
        g = gamma*dy
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from itertools import pairwise
from math import isfinite, prod
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np


def _second_level_cache():
    """The size of a core's second-level cache; 1 MiB where the system does not tell."""
    try:
        return os.sysconf("SC_LEVEL2_CACHE_SIZE") or 2**20
    except (AttributeError, ValueError, OSError):
        return 2**20


BLOCK_BYTES = min(max(_second_level_cache() // 2, 384 * 1024), 1024 * 1024)
"""The size of a block of rows: it and its scratch buffers stay in the cache."""

CHUNKS = 16
"""How many runs of blocks the rows are cut into, whatever the thread count."""

FEW_BYTES = 128 * 1024
"""The size up to which rows are taken at once, not block by block."""

ROWS_TOGETHER = 64
"""A block has a multiple of so many rows, where it has more."""

SHORT_ROW = 4096
"""The entries that a loop over features should have; shorter rows share one."""

PIECE = 1024
"""The entries of a row that are summed together; a longer row is summed in pieces."""

LONG_ROW = 2048
"""The bytes of a row from which a small ufunc buffer pays."""

UFUNC_BUFFER = 256
"""That buffer, in elements: NumPy expands broadcast operands into a larger one."""


class Outputs(NamedTuple):
    """What `forward` computes."""

    y: np.ndarray
    """shape (..., D)."""

    h: np.ndarray
    """shape (..., D)."""


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dresidual: np.ndarray
    """The gradient of residual, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dresidual: np.ndarray
    """The gradient of residual, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""

    ddy: np.ndarray | None
    """The gradient of dy, the cotangent of y."""

    ddh: np.ndarray | None
    """The gradient of dh, the cotangent of h."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple
    """The shape of the row inputs."""

    dtype: np.dtype
    """The type that `forward` computed in."""

    dtypes: dict
    """The type of each input that was given."""

    h: np.ndarray
    """The output h of forward."""

    gamma: np.ndarray | None
    """The argument gamma of forward."""

    rstd: np.ndarray
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Outputs = Outputs
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, residual, gamma=None, *, eps=1e-5, out=None, threads=1):
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        eps: a constant, a finite number of 0 or more.
        out: Outputs, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(Outputs, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _constant("eps", eps, signed=False)
    threads = _thread_count(threads)
    if _are_few(x):
        shape_, dtype_ = x.shape, x.dtype
        if _fits(residual, shape_, dtype_) and (
            gamma is None or _fits(gamma, shape_[-1:], dtype_)
        ):
            dtypes_ = {"x": dtype_, "residual": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            y_, h_, rstd_ = _at_once(
                _forward_small, x, residual, gamma, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "residual": residual, "gamma": gamma}
                y_, h_ = _placed(("y", "h"), (y_, h_), out, given_)
            saved = _Saved(shape_, dtype_, dtypes_, h_, gamma, rstd_)
            return _Outputs(y_, h_), saved
    x = _array("x", x, required=True)
    residual = _array("residual", residual, required=True)
    gamma = _array("gamma", gamma, required=False)
    shape_ = _row_shape("x", x)
    leading_ = x
    _check_shape("x", x, shape_, "the shape of x")
    _check_shape("residual", residual, shape_, "the shape of x")
    _check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "residual": residual, "gamma": gamma}
    dtypes_, dtype_ = _types(given_)
    out = _several(out, ("y", "h"))
    y_ = _result("y", out[0], shape_, leading_.dtype, given_)
    h_ = _result("h", out[1], shape_, leading_.dtype, given_)
    rstd_ = _empty(shape_[:-1], dtype_)
    _forward(x, residual, gamma, eps, y_, h_, rstd_, shape_, dtype_, threads)
    saved = _Saved(shape_, dtype_, dtypes_, h_, gamma, rstd_)
    return _Outputs(y_, h_), saved


def backward(saved, dy, dh=None, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y; None stands for zero.
        dh: the cotangent of h; None stands for zero.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.
    dx and dresidual are one and the same array, unless `out` has one for each.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_is_saved(saved)
    threads = _thread_count(threads)
    if _are_few(saved.h):
        shape_, dtype_ = saved.h.shape, saved.h.dtype
        if (
            _is_of_one_type(saved, shape_, dtype_)
            and (dy is None or _fits(dy, shape_, dtype_))
            and (dh is None or _fits(dh, shape_, dtype_))
            and _fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _fits(saved.rstd, shape_[:-1], dtype_)
            and (dy is not None or dh is not None)
        ):
            dx_, dresidual_, dgamma_ = _at_once(
                _backward_small,
                saved.h,
                dy,
                dh,
                saved.rstd,
                saved.gamma,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "dh": dh,
                    "saved.h": saved.h,
                    "saved.gamma": saved.gamma,
                    "saved.rstd": saved.rstd,
                }
                dx_, dresidual_, dgamma_ = _placed(
                    ("dx", "dresidual", "dgamma"),
                    (dx_, dresidual_, dgamma_),
                    out,
                    given_,
                )
            return _Gradients(dx_, dresidual_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _array("dy", dy, required=False)
    dh = _array("dh", dh, required=False)
    if dy is None and dh is None:
        raise ValueError("every cotangent is None; pass at least one")
    _check_shape("dy", dy, shape_, "the shape of y")
    _check_shape("dh", dh, shape_, "the shape of h")
    given_ = {
        "dy": dy,
        "dh": dh,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dresidual", "dgamma"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dresidual_ = _result(
        "dresidual", out[1], shape_, saved.dtypes.get("residual"), given_, like=(dx_,)
    )
    dgamma_ = _result("dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_)
    _backward(
        saved.h,
        dy,
        dh,
        saved.rstd,
        saved.gamma,
        dx_,
        dresidual_,
        dgamma_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dresidual_, dgamma_)


def jvp(saved, dx=None, dresidual=None, dgamma=None, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dh = dresidual + dx
        dy = dgamma*xhat + rstd*gamma*(dh - xhat*mean(dh*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dresidual: the tangent of residual; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: Outputs, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Outputs, the tangent of each, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _array("dx", dx, required=False)
    dresidual = _array("dresidual", dresidual, required=False)
    dgamma = _array("dgamma", dgamma, required=False)
    if dx is None and dresidual is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_left_out("dgamma", dgamma, "gamma", saved)
    _check_shape("dx", dx, shape_, "the shape of x")
    _check_shape("dresidual", dresidual, shape_, "the shape of residual")
    _check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _thread_count(threads)
    given_ = {
        "dx": dx,
        "dresidual": dresidual,
        "dgamma": dgamma,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    out = _several(out, ("dy", "dh"))
    dy_ = _result("dy", out[0], shape_, stored_, given_)
    dh_ = _result("dh", out[1], shape_, stored_, given_)
    _jvp(
        saved.h,
        dx,
        dresidual,
        saved.rstd,
        saved.gamma,
        dgamma,
        dy_,
        dh_,
        shape_,
        dtype_,
        threads,
    )
    return _Outputs(dy_, dh_)


def backward_backward(
    saved, cotangents, ddx=None, ddresidual=None, ddgamma=None, *, out=None, threads=1
):
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g*xhat)
        ddh = ddresidual + ddx
        dg = rstd*(ddh - xhat*mean(ddh*xhat))
        dx = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g*xhat - g) - mean_g*ddh -
            xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
        dresidual = dx
        dgamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddresidual: the cotangent of dresidual, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    cotangents = _each_cotangent(cotangents, ("dy", "dh"))
    dy_ = _array("dy", cotangents[0], required=False)
    _check_shape("dy", dy_, shape_, "the shape of y")
    dh_ = _array("dh", cotangents[1], required=False)
    _check_shape("dh", dh_, shape_, "the shape of h")
    if dy_ is None and dh_ is None:
        raise ValueError("every cotangent is None; pass at least one")
    ddx = _array("ddx", ddx, required=False)
    ddresidual = _array("ddresidual", ddresidual, required=False)
    ddgamma = _array("ddgamma", ddgamma, required=False)
    if ddx is None and ddresidual is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_left_out("ddgamma", ddgamma, "gamma", saved)
    _check_shape("ddx", ddx, shape_, "the shape of x")
    _check_shape("ddresidual", ddresidual, shape_, "the shape of residual")
    _check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "cotangents[1]": dh_,
        "ddx": ddx,
        "ddresidual": ddresidual,
        "ddgamma": ddgamma,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dresidual", "dgamma", "ddy", "ddh"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dresidual_ = _result(
        "dresidual", out[1], shape_, saved.dtypes.get("residual"), given_, like=(dx_,)
    )
    dgamma_ = _result("dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_)
    ddy_ = _result("ddy", out[3], shape_, None if dy_ is None else dy_.dtype, given_)
    ddh_ = _result("ddh", out[4], shape_, None if dh_ is None else dh_.dtype, given_)
    _backward_backward(
        saved.h,
        dy_,
        dh_,
        ddx,
        ddresidual,
        saved.rstd,
        saved.gamma,
        ddgamma,
        dx_,
        dresidual_,
        dgamma_,
        ddy_,
        ddh_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dresidual_, dgamma_, ddy_, ddh_)


def _forward(
    x_rows, residual_rows, gamma, eps, y_out, h_out, rstd_out, shape, dtype, threads
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _repeated(gamma)

    def block(x, residual, h_block, rstd_block, y_block):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _row_mean(h, h, D, out=rstd_block)
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 4: xhat = h*rstd
        xhat = _by_row(np.multiply, h, rstd, out=y_block)
        # step 5: y = xhat*gamma
        if gamma is not None:
            _by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_residual = _reader(residual_rows, dtype, height)
        place_h, hand_on_h = _writer((h_out,), dtype, height)
        place_rstd, hand_on_rstd = _writer((rstd_out,), dtype, height, row_scalars=True)
        place_y, hand_on_y = _writer((y_out,), dtype, height)
        for _, span in share:
            block(
                read_x(span),
                read_residual(span),
                place_h(span),
                place_rstd(span),
                place_y(span),
            )
            hand_on_h(span)
            hand_on_rstd(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    h_rows,
    dy_rows,
    dh_rows,
    rstd_rows,
    gamma,
    dx_out,
    dresidual_out,
    dgamma_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(
        chunk, h, dy, dh, rstd, dx_block, row_buffers, row_scalar_buffers, column
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 10: dgamma = sum over rows of dy*h*rstd
        if needs_gamma:
            part = np.multiply(dy, h, out=dx_block)
            _add_rows(part, rstd, dgamma_sums[chunk], column)
            # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
            mean_g_xhat_unscaled = _row_sum(part, gamma_over_D, out=row_scalar_1)
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _row_mean(dy, h, D, out=row_scalar_1)
        # step 6: g = dy*gamma
        if needs_gamma:
            g = _by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
        if dy_rows is not None:
            mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalar_1)
            # step 9: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
            part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalar_1)
            dx = _by_row(np.multiply, h, part_2, out=buffer_1)
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx_block)
        if dy_rows is None:
            dx = dh
            dx_block[...] = dx

    def sweep(share):
        read_h = _reader(h_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_dh = _reader(dh_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out, dresidual_out), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_h(span),
                read_dy(span),
                read_dh(span),
                read_rstd(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if gamma is not None and dy_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)


def _jvp(
    h_rows,
    dx_rows,
    dresidual_rows,
    rstd_rows,
    gamma,
    dgamma,
    dy_out,
    dh_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (
        dx_rows is not None or dresidual_rows is not None
    )
    needs_dh = dx_rows is None and dresidual_rows is None
    needs_mean_dh_xhat = dx_rows is not None or dresidual_rows is not None
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _repeated(dgamma)
    if needs_gamma:
        gamma_wide = _repeated(gamma)

    def block(
        h, dx, dresidual, rstd, dh_block, dy_block, row_buffers, row_scalar_buffers
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 4: xhat = h*rstd
        xhat = _by_row(np.multiply, h, rstd, out=dy_block)
        # step 11: dh = dresidual + dx
        if dx_rows is not None and dresidual_rows is not None:
            dh = np.add(dresidual, dx, out=dh_block)
        if dx_rows is None and dresidual_rows is not None:
            dh = dresidual
        if dx_rows is not None and dresidual_rows is None:
            dh = dx
        if needs_dh:
            dh = 0.0
        # step 12: mean_dh_xhat = mean(dh*xhat)
        if needs_mean_dh_xhat:
            mean_dh_xhat = _row_mean(dh, xhat, D, out=row_scalar_1)
        if dx_rows is None or dresidual_rows is None:
            dh_block[...] = dh
        # step 12: dy = xhat*dgamma + (dh - xhat*mean_dh_xhat)*rstd*gamma
        if dgamma is not None:
            dy = _by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if needs_mean_dh_xhat:
            part = np.multiply(xhat, mean_dh_xhat, out=dy_block)
            part = np.subtract(dh, part, out=dy_block)
        if needs_gamma:
            part = _by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if needs_mean_dh_xhat:
            part = np.multiply(part, rstd, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dresidual_rows is not None):
            dy = np.add(dy, part, out=dy_block)
        if dgamma is None:
            dy = part
        if needs_dh:
            dy_block[...] = dy

    def sweep(share):
        read_h = _reader(h_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_dresidual = _reader(dresidual_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dh, hand_on_dh = _writer((dh_out,), dtype, height)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_h(span),
                read_dx(span),
                read_dresidual(span),
                read_rstd(span),
                place_dh(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dh(span)
            hand_on_dy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    h_rows,
    dy_rows,
    dh_rows,
    ddx_rows,
    ddresidual_rows,
    rstd_rows,
    gamma,
    ddgamma,
    dx_out,
    dresidual_out,
    dgamma_out,
    ddy_out,
    ddh_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    needs_gamma = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_ddgamma = dy_rows is not None and ddgamma is not None
    needs_g = gamma is None and dy_rows is not None
    needs_mean_g = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_dx = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_dx_2 = dy_rows is not None and ddgamma is None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if needs_ddgamma:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if needs_ddgamma:
        ddgamma_over_D = np.divide(ddgamma, D)
    if needs_gamma:
        gamma_wide = _repeated(gamma)
    if needs_ddgamma:
        ddgamma_wide = _repeated(ddgamma)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        ddh_block,
        dx_block,
        ddy_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _by_row(np.multiply, h, rstd, out=ddy_block)
        # step 17: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _row_sum(part, ddgamma_over_D, out=row_scalar_1)
        # step 13: g = dy*gamma
        if needs_gamma:
            g = _by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g:
            g = dy
        # step 14: mean_g = mean(g*xhat)
        if needs_mean_g:
            mean_g = _row_mean(g, xhat, D, out=row_scalar_2)
        # step 15: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffer_1)
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 16: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g:
            mean_ddh_xhat = _row_mean(ddh, xhat, D, out=row_scalar_3)
            # step 17: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _row_mean(ddh, g, D, out=row_scalar_4)
        if dh_rows is not None:
            ddh_block[...] = ddh
        # step 17: mean_g_scaled = 3*mean_g
        if needs_mean_g:
            mean_g_scaled = np.multiply(mean_g, 3.0, out=row_scalar_5)
            # step 16: dg = (ddh - xhat*mean_ddh_xhat)*rstd
            dg = _by_row(np.multiply, xhat, mean_ddh_xhat, out=buffer_2)
            dg = np.subtract(ddh, dg, out=buffer_2)
            dg = np.multiply(dg, rstd, out=buffer_2)
        # step 19: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_2 = np.multiply(dg, dy, out=buffer_3)
            _add_rows(part_2, each_row, dgamma_sums[chunk], column)
        # step 17: dx = (dy*ddgamma + ((xhat*mean_g_scaled - g)*mean_ddh_xhat -
        #   xhat*mean_ddh_g - ddh*mean_g)*rstd - xhat*mean_ddgamma_dy_xhat)*rstd
        if needs_ddgamma:
            dx = _by_feature(np.multiply, dy, ddgamma_wide, out=buffer_3)
        if needs_mean_g:
            part_3 = _by_row(np.multiply, xhat, mean_g_scaled, out=buffer_4)
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddh_xhat, out=dx_block)
            part_4 = _by_row(np.multiply, xhat, mean_ddh_g, out=buffer_4)
            part_3 = np.subtract(part_3, part_4, out=dx_block)
            part_5 = np.multiply(ddh, mean_g, out=buffer_1)
            part_3 = np.subtract(part_3, part_5, out=dx_block)
            part_3 = np.multiply(part_3, rstd, out=dx_block)
        if needs_dx:
            dx = np.add(dx, part_3, out=dx_block)
        if needs_dx_2:
            dx = part_3
        if needs_ddgamma:
            part_6 = _by_row(np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffer_1)
            dx = np.subtract(dx, part_6, out=dx_block)
        if dy_rows is not None:
            dx = np.multiply(dx, rstd, out=dx_block)
        else:
            dx = 0.0
            dx_block[...] = dx
        # step 20: ddy = xhat*ddgamma + dg*gamma
        if needs_ddgamma:
            ddy = _by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_7 = _by_feature(np.multiply, dg, gamma_wide, out=buffer_1)
        if needs_g:
            part_7 = dg
        if needs_dx:
            ddy = np.add(ddy, part_7, out=ddy_block)
        if gamma is not None and dy_rows is not None and ddgamma is None:
            ddy = part_7
        if needs_g:
            ddy = part_7
        if needs_dx_2:
            ddy_block[...] = ddy

    def sweep(share):
        read_h = _reader(h_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_ddresidual = _reader(ddresidual_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_ddh, hand_on_ddh = _writer((ddh_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out, dresidual_out), dtype, height)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_h(span),
                read_dy(span),
                read_ddx(span),
                read_ddresidual(span),
                read_rstd(span),
                place_ddh(span),
                place_dx(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddh(span)
            hand_on_dx(span)
            hand_on_ddy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None
    ):
        dgamma = 0.0
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)


def _forward_small(x, residual, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: h = residual + x
    h = residual + x
    # step 2: ms = mean(h**2)
    ms = (vecdot(h, h) / D)[..., np.newaxis]
    # step 3: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 4: xhat = h*rstd
    xhat = h * rstd
    # step 5: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    rstd = rstd[..., 0]
    return y, h, rstd


def _backward_small(h, dy, dh, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    needs_gamma_over_D = gamma is not None and dy is not None
    needs_dgamma = gamma is not None and dy is None
    needs_mean_g_xhat_unscaled = gamma is None and dy is not None
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    D = np.asarray(features, dtype)
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    if dy is not None:
        rstd = rstd_rows[..., np.newaxis]
    # step 10: dgamma = sum over rows of dy*h*rstd
    if needs_gamma_over_D:
        part = dy * h
        dgamma = _sum_of_rows(rstd.ravel(), part.reshape(-1, features))
    if needs_dgamma:
        dgamma = 0.0
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    if needs_mean_g_xhat_unscaled:
        mean_g_xhat_unscaled = (vecdot(dy, h) / D)[..., np.newaxis]
    # step 6: g = dy*gamma
    if needs_gamma_over_D:
        g = dy * gamma
    if needs_mean_g_xhat_unscaled:
        g = dy
    # step 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
    if dy is not None:
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 9: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
        part_2 = mean_g_xhat * rstd
        dx = h * part_2
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
    if dy is not None and dh is not None:
        dx = np.add(dh, dx, out=dx)
    if dy is None:
        dx = dh
        dx = _filled(dx, out=np.empty(shape, dtype))
    if needs_dgamma:
        dgamma = _filled(dgamma, out=np.empty(features, dtype))
    if gamma is None:
        dgamma = None
    return dx, dx, dgamma


def _row_sum(a, b, out):
    """The sum of a*b over each row, with no buffer for the products."""
    vecdot = np.vecdot if a.shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    vecdot(a, b, out=out[..., 0])
    return out


def _vecdot_in_pieces(a, b, out=None):
    """np.vecdot of long rows, summed in pieces, and the pieces in pairs.

    Running sums over all of a row would lose digits.
    """
    left = a.shape[-1] % PIECE
    if left:
        end = np.vecdot(a[..., -left:], b[..., -left:])
        a, b = a[..., :-left], b[..., :-left]
    pieces = np.vecdot(
        a.reshape(*a.shape[:-1], -1, PIECE), b.reshape(*b.shape[:-1], -1, PIECE)
    )
    total = np.add.reduce(pieces, axis=-1, out=out)
    if left:
        total += end
    return total


def _row_mean(a, b, D, out):
    """The mean of a*b over each row."""
    return np.divide(_row_sum(a, b, out), D, out=out)


@lru_cache(maxsize=8)
def _equal_weights(count, weight, dtype):
    """A weight for each of `count` entries; what was made last is kept."""
    weights = np.full(count, weight, dtype)
    weights.flags.writeable = False
    return weights


def _sum_of_rows(weights, block, out=None):
    """The sum of the rows of a block, each times its weight."""
    if len(block) == 1:
        # A product of one row is slow in matmul, and 0 * infinity is 0 in dot.
        out = np.multiply(weights, block[0], out=out)
        return np.add(out, 0.0, out=out)  # no sum is -0
    if out is None:
        return weights.dot(block)  # sooner there than matmul
    return np.matmul(weights, block, out=out)


def _add_rows(block, weights, sums, column):
    """Add the rows of a block, each times its weight, to running sums."""
    _sum_of_rows(weights[: len(block), 0], block, out=column)
    np.add(sums, column, out=sums)


def _by_row(ufunc, block, values, out):
    """A ufunc of rows and one value a row, written to memory that is neither's.

    Short rows are filled with their values first: that, and a ufunc of two full blocks,
    takes less time than a loop for each row.
    """
    if block.shape[-1] * block.itemsize < LONG_ROW:
        np.copyto(out, values)
        values = out
    return ufunc(block, values, out=out)


def _repeated(values):
    """One value a feature, repeated for several rows where they are short."""
    together = SHORT_ROW // len(values)
    if together < 2:
        return values
    together = 1 << min(together, ROWS_TOGETHER).bit_length() - 1
    wide = np.empty((together, len(values)), values.dtype)
    wide[...] = values
    return wide.reshape(-1)


def _by_feature(ufunc, block, wide, out):
    """A ufunc of rows and one value a feature, on as many rows as `wide` is for."""
    features = block.shape[-1]
    if wide.size == features:
        return ufunc(block, wide, out=out)
    plain = block.flags.c_contiguous and out.flags.c_contiguous
    if block.size % wide.size or not plain:
        return ufunc(block, wide[:features], out=out)
    ufunc(block.reshape(-1, wide.size), wide, out=out.reshape(-1, wide.size))
    return out


def _filled(value, out):
    """A value that does not vary, written out."""
    out[...] = value
    return out


def _round_to(result, where, value):
    """Write a value in a result's own type, in which one that is too small is 0."""
    with np.errstate(under="ignore"):
        result[where] = value


class _Scattered:
    """The rows of an array that no single stride reaches, by their number."""

    def __init__(self, array):
        self.array = array

    def _index(self, span):
        return np.unravel_index(np.arange(span.start, span.stop), self.array.shape[:-1])

    def __getitem__(self, span):
        return self.array[self._index(span)]

    def __setitem__(self, span, value):
        self.array[self._index(span)] = value


def _rows(array, dtype, row_scalars):
    """An array as a list of rows, never copied, and whether blocks do as they are."""
    ready = array.dtype == dtype and array.flags.aligned
    if array.flags.c_contiguous:
        return array.reshape(-1, 1 if row_scalars else array.shape[-1]), ready
    if row_scalars:
        array = array[..., np.newaxis]
    steps = [
        step
        for step in zip(array.shape[:-1], array.strides[:-1], strict=True)
        if step[0] != 1
    ]
    if array.size and any(a[1] != b[1] * b[0] for a, b in pairwise(steps)):
        return _Scattered(array), False
    width = array.shape[-1]
    rows = array.reshape(-1, width)
    plain = width == 1 or array.strides[-1] == array.itemsize
    # A product of rows that lie backwards or in one place is added up in another order.
    apart = len(rows) < 2 or rows.strides[0] >= width * array.itemsize
    return rows, plain and apart and ready


def _reader(array, dtype, height, row_scalars=False):
    """What reads a block of rows in the compute type: views where the array has it.

    Other arrays are copied block by block. Of one that is not there it reads None.
    """
    if array is None:
        return lambda span: None
    rows, direct = _rows(array, dtype, row_scalars)
    if direct:
        return rows.__getitem__
    scratch = np.empty((height, 1 if row_scalars else array.shape[-1]), dtype)

    def read(span):
        copy = scratch[: span.stop - span.start]
        copy[...] = rows[span]
        return copy

    return read


def _writer(arrays, dtype, height, row_scalars=False):
    """What gives the place to compute a block of a result in, and what hands it on.

    The place is the result's own memory where that has the compute type. Of several
    arrays that hold the same result, those after the first are copied to.
    """
    distinct = list({id(a): a for a in arrays if a is not None}.values())
    if not distinct:
        return (lambda span: None), (lambda span: None)
    rows = [_rows(array, dtype, row_scalars) for array in distinct]
    first, direct = rows[0]
    others = [other for other, _ in (rows[1:] if direct else rows)]
    if direct and not others:
        return first.__getitem__, (lambda span: None)
    width = 1 if row_scalars else distinct[0].shape[-1]
    scratch = None if direct else np.empty((height, width), dtype)

    def place(span):
        return first[span] if direct else scratch[: span.stop - span.start]

    def hand_on(span):
        computed = place(span)
        for other in others:
            _round_to(other, span, computed)

    return place, hand_on


def _are_few(rows):
    """Whether they are few rows in an array of a type to compute in, without gaps."""
    return (
        type(rows) is np.ndarray
        and 0 < rows.nbytes <= FEW_BYTES
        and rows.dtype in _COMPUTED
        and rows.ndim > 0
        and rows.shape[-1] >= 1
        and rows.flags.c_contiguous
    )


def _fits(array, shape, dtype, given=True):
    """Whether it is an array of this shape and type, without gaps, or rightly None."""
    if not given:
        return array is None
    return (
        type(array) is np.ndarray
        and array.shape == shape
        and array.dtype == dtype
        and array.flags.c_contiguous
    )


def _is_of_one_type(saved, shape, dtype):
    """Whether forward saw arrays of this shape, all of this type."""
    same = type(saved.shape) is tuple and saved.shape == shape
    if not same or type(saved.dtypes) is not dict:
        return False
    for kind in (saved.dtype, *saved.dtypes.values()):
        if type(kind) is not type(dtype) or kind != dtype:
            return False
    return saved.dtypes.keys() >= {"x", "residual"}


def _at_once(small, *arguments):
    """Call what takes few rows; with a small ufunc buffer where several are long."""
    shape, dtype = arguments[-2:]
    if shape[-1] * dtype.itemsize < LONG_ROW or prod(shape[:-1]) == 1:
        return small(*arguments)
    return _with_small_buffer(small, *arguments)


def _with_small_buffer(function, *arguments):
    with np.errstate():  # puts the buffer size back too
        np.setbufsize(UFUNC_BUFFER)
        return function(*arguments)


def _partition(rows, row_bytes, least_rows):
    """The rows of a block, and all blocks as (chunk, span), chunk by chunk.

    Neither depends on the thread count, so no sum does.
    Long rows have fewer chunks where each has sums of its own.
    """
    height = max(least_rows, BLOCK_BYTES // row_bytes)
    height -= height % ROWS_TOGETHER if height > ROWS_TOGETHER else 0
    height = min(height, max(rows, 1))
    spans = [slice(i, min(i + height, rows)) for i in range(0, rows, height)]
    fewer = CHUNKS if least_rows == 1 else min(CHUNKS, max(2, BLOCK_BYTES // row_bytes))
    together = max(1, -(-len(spans) // fewer))
    runs = [spans[i : i + together] for i in range(0, len(spans), together)]
    return height, [[(chunk, span) for span in run] for chunk, run in enumerate(runs)]


def _run(sweep, chunks, threads, row_bytes):
    """Sweep all chunks, each thread a share of them with scratch buffers of its own."""

    def work(share):
        blocks = [block for chunk in share for block in chunk]
        if row_bytes < LONG_ROW:
            sweep(blocks)
        else:
            _with_small_buffer(sweep, blocks)

    shares = [chunks[i::threads] for i in range(min(threads, len(chunks)))]
    if len(shares) == 1:
        work(shares[0])
    elif shares:
        with ThreadPoolExecutor(len(shares)) as pool:
            tasks = [pool.submit(copy_context().run, work, share) for share in shares]
        for task in tasks:
            task.result()


_FLOATS = (np.float32, np.float64, np.float16, np.longdouble)


def _is_float(dtype):
    return dtype.type in _FLOATS or dtype.name == "bfloat16"


def _array(name, value, required):
    """A floating-point array; None stays None for what may be left out."""
    if type(value) is np.ndarray and value.dtype.type in _FLOATS:
        return value
    if value is None:
        if required:
            raise TypeError(f"{name} is None; pass an array of floats")
        return None
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, and its mask would be lost; "
            "pass an array, with zeros or an input of the layer for the mask"
        )
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} is no array: its parts differ in length; pass an array of floats"
        ) from None
    if not _is_float(array.dtype):
        raise TypeError(
            f"{name} is of type {array.dtype}, not floating point; "
            f"pass real floats, such as {name}.astype(np.float64)"
        )
    return array


def _float(name, value):
    try:
        return float(value)
    except OverflowError:
        problem = f"{name} is larger than any float; pass a finite number"
        raise ValueError(problem) from None


def _constant(name, value, signed=True):
    """A finite real number; not a negative one where it is taken to be positive."""
    if type(value) is float and isfinite(value) and (signed or value >= 0):
        return value
    if isinstance(value, np.ndarray) and not value.shape and value.dtype.kind in "fiu":
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{name} is {value!r} of type {kind}; pass a number")
    if not isfinite(_float(name, value)):
        raise ValueError(f"{name} is {value!r}; pass a finite number")
    if not signed and value < 0:
        raise ValueError(
            f"{name} is {value!r}; pass 0 or more: the gradients take it to be positive"
        )
    return value


def _thread_count(threads):
    if type(threads) is int and threads > 0:
        return threads
    if isinstance(threads, bool) or not isinstance(threads, Integral):
        raise TypeError(f"threads is {threads!r}; pass a whole number, 1 or more")
    if threads < 1:
        raise ValueError(f"threads is {threads}; pass 1 or more")
    return int(threads)


def _row_shape(name, array):
    """The shape of the rows, which have at least 1 feature."""
    if array.ndim < 1 or array.shape[-1] < 1:
        raise ValueError(
            f"{name} has shape {array.shape}; pass (..., D) with D of 1 or more"
        )
    return array.shape


def _check_shape(name, array, shape, meaning):
    if array is not None and array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape}; pass {meaning}, which is {shape}"
        )


_AS_IT_WAS = "pass saved as forward returned it"


def _check_is_saved(saved):
    """Refuse what forward did not return."""
    if not isinstance(saved, Saved):
        raise TypeError(
            f"saved is of type {type(saved).__name__}; "
            "pass what forward of add_rms_norm returned as its second value"
        )


def _check_saved(saved):
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _check_is_saved(saved)
    shape, dtypes = saved.shape, saved.dtypes
    known = isinstance(shape, tuple) and isinstance(dtypes, dict)
    types = (saved.dtype, *dtypes.values()) if known else (None,)
    floats = all(isinstance(dtype, np.dtype) and dtype.kind in "fV" for dtype in types)
    if not floats or not dtypes.keys() >= {"x", "residual"}:
        raise TypeError(f"saved.shape, dtype or dtypes was changed; {_AS_IT_WAS}")
    row_scalars = shape[:-1]
    _check_kept("h", saved.h, saved.shape)
    _check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _check_kept("rstd", saved.rstd, row_scalars)


def _check_kept(name, array, shape, given=True):
    if not (isinstance(array, np.ndarray) if given else array is None):
        found = type(array).__name__
        raise TypeError(f"saved.{name} is of type {found}; {_AS_IT_WAS}")
    if given and not _is_float(array.dtype):
        raise TypeError(f"saved.{name} is of type {array.dtype}; {_AS_IT_WAS}")
    _check_shape(f"saved.{name}", array, shape, "what forward saw")


def _check_left_out(name, value, source, saved):
    """Refuse a tangent, or the like, of an input that is not there."""
    if value is not None and source not in saved.dtypes:
        raise ValueError(f"{source} was left out of forward; pass None for {name}")


def _each_cotangent(cotangents, names):
    """The cotangents one by one; a single one may come without a tuple."""
    if not isinstance(cotangents, (tuple, list)):
        if len(names) > 1:
            kind = type(cotangents).__name__
            raise TypeError(f"cotangents is of type {kind}; pass a tuple for {names}")
        return (cotangents,)
    if len(cotangents) != len(names):
        count = len(cotangents)
        wanted = f"pass {len(names)}, for {names}"
        raise ValueError(f"cotangents has {count} entries; {wanted}")
    return cotangents


_COMPUTED = {np.dtype(np.float32), np.dtype(np.float64)}


def _types(given, widest=None):
    """The type of each array that is given, and the type to compute in."""
    dtypes = {name: array.dtype for name, array in given.items() if array is not None}
    kinds = set(dtypes.values())
    if widest is not None:
        kinds.add(widest)
    if len(kinds) == 1 and kinds <= _COMPUTED:
        return dtypes, kinds.pop()
    single = np.dtype(np.float32)
    wide = [single if kind.itemsize == 2 else kind.newbyteorder("=") for kind in kinds]
    return dtypes, np.result_type(*wide)


def _several(out, names):
    """`out=` as one array or None for each result."""
    if out is None:
        return [None] * len(names)
    if isinstance(out, np.ndarray) or not isinstance(out, (tuple, list)):
        kind = type(out).__name__
        raise TypeError(f"out is of type {kind}; pass a tuple for {names}")
    if len(out) != len(names):
        raise ValueError(f"out has {len(out)} entries; pass {len(names)}, for {names}")
    return list(out)


def _result(name, out, shape, dtype, given, like=()):
    """An array for a result: the caller's own if it will do, else a new one, else None.

    `dtype` is None for a result that there is not. `like` are arrays that hold the same
    result and stand for this one too, also where `out` is such a one.
    """
    if dtype is None:
        if out is not None:
            raise ValueError(f"out for {name}: its input was left out, so pass None")
        return None
    for other in like:
        if other is not None and other.dtype == dtype and (out is None or out is other):
            return other
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        kind = type(out).__name__
        raise TypeError(f"out for {name} is of type {kind}; pass an array")
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(
            f"out for {name} has shape {out.shape} and type {out.dtype}; "
            f"pass np.empty({shape}, {dtype})"
        )
    if not out.flags.writeable:
        raise ValueError(f"out for {name} is read-only; pass a writeable array")
    if _overlaps_itself(out):
        raise ValueError(f"out for {name} overlaps itself; pass an array of its own")
    for other, array in given.items():
        if isinstance(array, np.ndarray) and _overlap(out, array):
            raise ValueError(f"out for {name} overlaps {other}; pass another array")
    given[f"out for {name}"] = out
    return out


def _placed(names, values, out, given):
    """Results that are computed, in the arrays that the caller has for them, if any.

    Nothing is written if one of these will not do.
    """
    places = []
    for name, value, own in zip(names, values, _several(out, names), strict=True):
        if value is None:
            places.append(_result(name, own, None, None, given))
            continue
        known = zip(values, places, strict=False)
        like = [place for other, place in known if other is value]
        if own is None and not like:
            places.append(value)
        else:
            places.append(_result(name, own, value.shape, value.dtype, given, like))
    for value, place in zip(values, places, strict=True):
        if place is not value:
            place[...] = value
    return places


def _overlaps_itself(array):
    """Whether two entries share memory; where that is hard to tell, they do."""
    if array.flags.c_contiguous:
        return False
    axes = zip(array.strides, array.shape, strict=True)
    steps = sorted((abs(stride), size) for stride, size in axes if size > 1)
    reach = array.itemsize
    for stride, size in steps if array.size else ():
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False


def _overlap(a, b):
    """Whether two arrays share memory; where that is hard to tell, they do."""
    if a is not b and a.flags.owndata and b.flags.owndata:
        return False
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
