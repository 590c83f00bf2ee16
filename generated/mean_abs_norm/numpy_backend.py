# Made by lngen 0.1.0 from the definition of mean_abs_norm.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops a row element; backward 3 row tensors (2 read, 1 written), 18 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Centred rows divided by their mean absolute deviation.

    forward
        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta
    backward
        g = gamma*dy
        dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

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


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""

    dbeta: np.ndarray | None
    """The gradient of beta, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""

    dbeta: np.ndarray | None
    """The gradient of beta, in its shape and type."""

    ddy: np.ndarray
    """The gradient of dy, the cotangent of y."""


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

    x: np.ndarray
    """The argument x of forward."""

    gamma: np.ndarray | None
    """The argument gamma of forward."""

    mu: np.ndarray
    """The row scalar mu, one a row."""

    mu_residual: np.ndarray
    """The row scalar mu_residual, one a row."""

    scale: np.ndarray
    """The row scalar scale, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, gamma=None, beta=None, *, eps=1e-5, out=None, threads=1):
    """Centred rows divided by their mean absolute deviation.

        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        eps: a constant, a finite number.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _constant("eps", eps)
    threads = _thread_count(threads)
    if _are_few(x):
        shape_, dtype_ = x.shape, x.dtype
        if (gamma is None or _fits(gamma, shape_[-1:], dtype_)) and (
            beta is None or _fits(beta, shape_[-1:], dtype_)
        ):
            dtypes_ = {"x": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            if beta is not None:
                dtypes_["beta"] = dtype_
            y_, mu_, mu_residual_, scale_ = _at_once(
                _forward_small, x, gamma, beta, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "gamma": gamma, "beta": beta}
                (y_,) = _placed(("y",), (y_,), (out,), given_)
            saved = _Saved(shape_, dtype_, dtypes_, x, gamma, mu_, mu_residual_, scale_)
            return y_, saved
    x = _array("x", x, required=True)
    gamma = _array("gamma", gamma, required=False)
    beta = _array("beta", beta, required=False)
    shape_ = _row_shape("x", x)
    leading_ = x
    _check_shape("x", x, shape_, "the shape of x")
    _check_shape("gamma", gamma, shape_[-1:], "(D,)")
    _check_shape("beta", beta, shape_[-1:], "(D,)")
    given_ = {"x": x, "gamma": gamma, "beta": beta}
    dtypes_, dtype_ = _types(given_)
    y_ = _result("y", out, shape_, leading_.dtype, given_)
    mu_ = _empty(shape_[:-1], dtype_)
    mu_residual_ = _empty(shape_[:-1], dtype_)
    scale_ = _empty(shape_[:-1], dtype_)
    _forward(
        x, gamma, beta, eps, y_, mu_, mu_residual_, scale_, shape_, dtype_, threads
    )
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, mu_, mu_residual_, scale_)
    return y_, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_is_saved(saved)
    threads = _thread_count(threads)
    if _are_few(saved.x):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _is_of_one_type(saved, shape_, dtype_)
            and _fits(dy, shape_, dtype_)
            and _fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _fits(saved.mu, shape_[:-1], dtype_)
            and _fits(saved.mu_residual, shape_[:-1], dtype_)
            and _fits(saved.scale, shape_[:-1], dtype_)
        ):
            dx_, dgamma_, dbeta_ = _at_once(
                _backward_small,
                saved.x,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.scale,
                saved.gamma,
                "beta" in saved.dtypes,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.scale": saved.scale,
                }
                dx_, dgamma_, dbeta_ = _placed(
                    ("dx", "dgamma", "dbeta"), (dx_, dgamma_, dbeta_), out, given_
                )
            return _Gradients(dx_, dgamma_, dbeta_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dgamma", "dbeta"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _result("dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_)
    dbeta_ = _result("dbeta", out[2], shape_[-1:], saved.dtypes.get("beta"), given_)
    _backward(
        saved.x,
        dy,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        dx_,
        dgamma_,
        dbeta_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dgamma_, dbeta_)


def jvp(saved, dx=None, dgamma=None, dbeta=None, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*xhat + dbeta + scale*gamma*(dx + mean(dx)*(xhat*mean(sign(xhat)) -
            1) - xhat*mean(dx*sign(xhat)))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        dbeta: the tangent of beta; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _array("dx", dx, required=False)
    dgamma = _array("dgamma", dgamma, required=False)
    dbeta = _array("dbeta", dbeta, required=False)
    if dx is None and dgamma is None and dbeta is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_left_out("dgamma", dgamma, "gamma", saved)
    _check_left_out("dbeta", dbeta, "beta", saved)
    _check_shape("dx", dx, shape_, "the shape of x")
    _check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    _check_shape("dbeta", dbeta, shape_[-1:], "the shape of beta")
    threads = _thread_count(threads)
    given_ = {
        "dx": dx,
        "dgamma": dgamma,
        "dbeta": dbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_ = _result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        dgamma,
        dbeta,
        dy_,
        shape_,
        dtype_,
        threads,
    )
    return dy_


def backward_backward(
    saved, cotangents, ddx=None, ddgamma=None, ddbeta=None, *, out=None, threads=1
):
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g)
        mean_xhat = mean(sign(xhat))
        mean_g_2 = mean(g*xhat)
        dmean_g_2 = sum(scale*ddx*(mean_xhat - sign(xhat)))
        dmean_g = sum(-scale*ddx)
        dg = scale*ddx + dmean_g_2*xhat/D + dmean_g/D
        dxhat = ddgamma*dy + dmean_g_2*g/D
        dscale = sum(dxhat*x_centred) + sum(ddx*(g + mean_g_2*(mean_xhat - sign(xhat)) -
            mean_g))
        dspread = -dscale*scale**2
        dx_centred = scale*dxhat + dspread*sign(x_centred)/D
        dmu = sum(-dx_centred)
        dx = dx_centred + dmu/D
        dgamma = sum_rows(dg*dy)
        dbeta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        ddbeta: the cotangent of dbeta, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    cotangents = _each_cotangent(cotangents, ("dy",))
    dy_ = _array("dy", cotangents[0], required=True)
    _check_shape("dy", dy_, shape_, "the shape of y")
    ddx = _array("ddx", ddx, required=False)
    ddgamma = _array("ddgamma", ddgamma, required=False)
    ddbeta = _array("ddbeta", ddbeta, required=False)
    if ddx is None and ddgamma is None and ddbeta is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_left_out("ddgamma", ddgamma, "gamma", saved)
    _check_left_out("ddbeta", ddbeta, "beta", saved)
    _check_shape("ddx", ddx, shape_, "the shape of x")
    _check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    _check_shape("ddbeta", ddbeta, shape_[-1:], "the shape of beta")
    threads = _thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dgamma", "dbeta", "ddy"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _result("dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_)
    dbeta_ = _result("dbeta", out[2], shape_[-1:], saved.dtypes.get("beta"), given_)
    ddy_ = _result("ddy", out[3], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        ddgamma,
        ddbeta,
        dx_,
        dgamma_,
        dbeta_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dgamma_, dbeta_, ddy_)


def _forward(
    x_rows,
    gamma,
    beta,
    eps,
    y_out,
    mu_out,
    mu_residual_out,
    scale_out,
    shape,
    dtype,
    threads,
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _repeated(gamma)
    if beta is not None:
        beta_wide = _repeated(beta)

    def block(x, mu_block, mu_residual_block, scale_block, y_block, row_buffers):
        buffer_1 = row_buffers[0]
        # step 1: mu = mean(x)
        mu = _row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=y_block)
        # step 2: mu_residual = mean(x_shifted)
        mu_residual = _row_sum(x_shifted, one_over_D, out=mu_residual_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=y_block)
        # step 3: spread = mean(Abs(x_centred))
        part = np.absolute(x_centred, out=buffer_1)
        spread = _row_sum(part, one_over_D, out=scale_block)
        # step 4: scale = 1/(spread + eps)
        scale = np.add(spread, eps, out=scale_block)
        scale = np.reciprocal(scale, out=scale_block)
        # step 5: xhat = x_centred*scale
        xhat = np.multiply(x_centred, scale, out=y_block)
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            _by_feature(np.add, y, beta_wide, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        place_mu, hand_on_mu = _writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_scale, hand_on_scale = _writer(
            (scale_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                place_mu(span),
                place_mu_residual(span),
                place_scale(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_mu(span)
            hand_on_mu_residual(span)
            hand_on_scale(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    dy_rows,
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    dx_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if dbeta_out is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        mu,
        mu_residual,
        scale,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3 = row_scalar_buffers
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=dx_block)
        # step 11: dgamma = sum over rows of dy*x_centred*scale
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffer_1)
            _add_rows(part, scale, dgamma_sums[chunk], column)
        # step 12: dbeta = sum over rows of dy
        if dbeta_out is not None:
            _add_rows(dy, each_row, dbeta_sums[chunk], column)
        # step 10: mean_xhat = mean(sign(x_centred))
        part_2 = np.sign(x_centred, out=buffer_2)
        mean_xhat = _row_sum(part_2, one_over_D, out=row_scalar_1)
        # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
        if gamma is not None:
            mean_g_xhat_unscaled = _row_sum(part, gamma_over_D, out=row_scalar_2)
        else:
            mean_g_xhat_unscaled = _row_mean(dy, x_centred, D, out=row_scalar_2)
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 10: mean_g = mean(g)
        mean_g = _row_sum(g, one_over_D, out=row_scalar_3)
        # step 10: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalar_2)
        # step 10: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
        dx = np.subtract(mean_xhat, part_2, out=buffer_1)
        dx = np.multiply(dx, mean_g_xhat, out=buffer_1)
        dx = np.add(g, dx, out=dx_block)
        dx = np.subtract(dx, mean_g, out=dx_block)
        np.multiply(dx, scale, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_scale = _reader(scale_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((3, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
                read_scale(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if dbeta_out is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows,
    dx_rows,
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    dgamma,
    dbeta,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and dx_rows is not None
    needs_dbeta_wide = dbeta is not None and (dx_rows is not None or dgamma is not None)
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if dgamma is not None:
        dgamma_wide = _repeated(dgamma)
    if needs_gamma:
        gamma_wide = _repeated(gamma)
    if needs_dbeta_wide:
        dbeta_wide = _repeated(dbeta)

    def block(x, dx, mu, mu_residual, scale, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3 = row_scalar_buffers
        # step 13: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if dx_rows is not None or dgamma is not None:
            x_shifted = _by_row(np.subtract, x, mu, out=dy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=dy_block)
            # step 5: xhat = x_centred*scale
            xhat = np.multiply(x_centred, scale, out=dy_block)
        # step 13: mean_xhat = mean(sign(xhat))
        if dx_rows is not None:
            part = np.sign(xhat, out=buffer_1)
            mean_xhat = _row_sum(part, one_over_D, out=row_scalar_2)
            # step 13: mean_dx_xhat = mean(dx*sign(xhat))
            mean_dx_xhat = _row_mean(dx, part, D, out=row_scalar_3)
        # step 13: dy = xhat*dgamma + (dx + (xhat*mean_xhat - 1)*mean_dx -
        #   xhat*mean_dx_xhat)*scale*gamma + dbeta
        if dgamma is not None:
            dy = _by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if dx_rows is not None:
            part_2 = _by_row(np.multiply, xhat, mean_xhat, out=buffer_2)
            part_2 = np.subtract(part_2, 1.0, out=buffer_2)
            part_2 = np.multiply(part_2, mean_dx, out=buffer_2)
            part_2 = np.add(dx, part_2, out=buffer_2)
            part_3 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part_2 = np.subtract(part_2, part_3, out=dy_block)
        if needs_gamma:
            part_2 = _by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part_2 = np.multiply(part_2, scale, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part_2, out=dy_block)
        if dx_rows is not None and dgamma is None:
            dy = part_2
        if needs_dbeta_wide:
            dy = _by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None:
            dy = dbeta
        if dx_rows is None and (dgamma is None or dbeta is None):
            dy_block[...] = dy

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_scale = _reader(scale_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((3, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_mu(span),
                read_mu_residual(span),
                read_scale(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    dy_rows,
    ddx_rows,
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    ddgamma,
    ddbeta,
    dx_out,
    dgamma_out,
    dbeta_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and ddx_rows is not None
    needs_ddbeta_wide = ddbeta is not None and (
        ddx_rows is not None or ddgamma is not None
    )
    needs_x_shifted = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is None and ddx_rows is not None
    needs_dxhat = ddx_rows is not None and ddgamma is not None
    needs_ddy = ddx_rows is None and ddgamma is not None
    needs_ddy_2 = ddx_rows is None and ddgamma is None
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    ones = _equal_weights(features, 1.0, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma_wide = _repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _repeated(ddgamma)
    if needs_ddbeta_wide:
        ddbeta_wide = _repeated(ddbeta)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        scale,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4 = row_scalar_buffers
        # step 19: dmean_g = sum(-ddx*scale)
        if ddx_rows is not None:
            part = np.negative(scale, out=row_scalar_1)
            part_2 = _by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _row_sum(part_2, ones, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _by_row(np.subtract, x, mu, out=ddy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=ddy_block)
            # step 16: mean_xhat = mean(sign(x_centred))
            part_3 = np.sign(x_centred, out=dx_block)
        if ddx_rows is not None:
            mean_xhat = _row_sum(part_3, one_over_D, out=row_scalar_2)
        # step 14: g = dy*gamma
        if needs_gamma:
            g = _by_feature(np.multiply, dy, gamma_wide, out=buffer_1)
        if needs_g:
            g = dy
        # step 15: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _row_sum(g, one_over_D, out=row_scalar_3)
            # step 17: mean_g_2_unscaled = mean(g*x_centred)
            mean_g_2_unscaled = _row_mean(g, x_centred, D, out=row_scalar_4)
            # step 17: mean_g_2 = mean_g_2_unscaled*scale
            mean_g_2 = np.multiply(mean_g_2_unscaled, scale, out=row_scalar_4)
            # step 20: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalar_1)
            # step 18: dmean_g_2_unscaled = sum(ddx*(mean_xhat - sign(x_centred)))
            part_4 = np.subtract(mean_xhat, part_3, out=buffer_2)
            dmean_g_2_unscaled = _row_sum(ddx, part_4, out=row_scalar_2)
            # step 22: sum_ddx_g_xhat = sum((g + (mean_xhat - sign(x_centred))*mean_g_2
            #   - mean_g)*ddx)
            part_5 = np.multiply(part_4, mean_g_2, out=buffer_2)
            part_5 = np.add(g, part_5, out=buffer_2)
            part_5 = np.subtract(part_5, mean_g, out=buffer_2)
            sum_ddx_g_xhat = _row_sum(part_5, ddx, out=row_scalar_3)
            # step 18: dmean_g_2 = dmean_g_2_unscaled*scale
            dmean_g_2 = np.multiply(dmean_g_2_unscaled, scale, out=row_scalar_2)
            # step 20: dmean_g_2_scaled = dmean_g_2/D
            dmean_g_2_scaled = np.divide(dmean_g_2, D, out=row_scalar_2)
            # step 20: dg = ddx*scale + x_centred*dmean_g_2_scaled*scale +
            #   dmean_g_scaled
            dg = _by_row(np.multiply, ddx, scale, out=buffer_2)
            part_6 = np.multiply(dmean_g_2_scaled, scale, out=row_scalar_4)
            part_7 = _by_row(np.multiply, x_centred, part_6, out=buffer_3)
            dg = np.add(dg, part_7, out=buffer_2)
            dg = np.add(dg, dmean_g_scaled, out=buffer_2)
        # step 27: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_8 = np.multiply(dg, dy, out=buffer_3)
            _add_rows(part_8, each_row, dgamma_sums[chunk], column)
        # step 21: dxhat = dy*ddgamma + g*dmean_g_2_scaled
        if ddgamma is not None:
            dxhat = _by_feature(np.multiply, dy, ddgamma_wide, out=buffer_3)
        if ddx_rows is not None:
            part_9 = np.multiply(g, dmean_g_2_scaled, out=buffer_1)
        if needs_dxhat:
            dxhat = np.add(dxhat, part_9, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dxhat = part_9
        # step 22: sum_dxhat_x_centred = sum(dxhat*x_centred)
        if needs_x_shifted:
            sum_dxhat_x_centred = _row_sum(dxhat, x_centred, out=row_scalar_1)
        # step 29: ddy = dg*gamma + x_centred*scale*ddgamma + ddbeta
        if needs_gamma:
            ddy = _by_feature(np.multiply, dg, gamma_wide, out=buffer_2)
        if needs_g:
            ddy = dg
        if ddgamma is not None:
            part_10 = _by_feature(np.multiply, x_centred, ddgamma_wide, out=ddy_block)
            part_10 = np.multiply(part_10, scale, out=ddy_block)
        if needs_dxhat:
            ddy = np.add(ddy, part_10, out=ddy_block)
        if needs_ddy:
            ddy = part_10
        if needs_ddbeta_wide:
            ddy = _by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if needs_ddy_2:
            ddy = ddbeta
        if ddgamma is None and (ddbeta is None or ddx_rows is None):
            ddy_block[...] = ddy
        # step 22: dscale = sum_ddx_g_xhat + sum_dxhat_x_centred
        if ddx_rows is not None:
            dscale = np.add(sum_ddx_g_xhat, sum_dxhat_x_centred, out=row_scalar_1)
        if needs_ddy:
            dscale = sum_dxhat_x_centred
        # step 23: dspread = -dscale*scale**2
        if needs_x_shifted:
            dspread = np.square(scale, out=row_scalar_2)
            dspread = np.multiply(dscale, dspread, out=row_scalar_1)
            dspread = np.negative(dspread, out=row_scalar_1)
            # step 24: dspread_scaled = dspread/D
            dspread_scaled = np.divide(dspread, D, out=row_scalar_1)
            # step 24: dx_centred = dxhat*scale + sign(x_centred)*dspread_scaled
            dx_centred = np.multiply(dxhat, scale, out=buffer_1)
            part_11 = np.multiply(part_3, dspread_scaled, out=dx_block)
            dx_centred = np.add(dx_centred, part_11, out=dx_block)
            # step 25: dmu = sum(-dx_centred)
            part_12 = np.negative(dx_centred, out=buffer_1)
            dmu = _row_sum(part_12, ones, out=row_scalar_1)
            # step 26: dmu_scaled = dmu/D
            dmu_scaled = np.divide(dmu, D, out=row_scalar_1)
            # step 26: dx = dx_centred + dmu_scaled
            dx = np.add(dx_centred, dmu_scaled, out=dx_block)
        if needs_ddy_2:
            dx = 0.0
            dx_block[...] = dx

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_scale = _reader(scale_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((4, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_mu(span),
                read_mu_residual(span),
                read_scale(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddy(span)
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if gamma is not None and ddx_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _round_to(dbeta_out, ..., 0.0)


def _forward_small(x, gamma, beta, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = vecdot(x_shifted, one_over_D)[..., np.newaxis]
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 3: spread = mean(Abs(x_centred))
    part = np.absolute(x_centred)
    spread = vecdot(part, one_over_D)[..., np.newaxis]
    # step 4: scale = 1/(spread + eps)
    scale = spread + eps
    scale = np.reciprocal(scale)
    # step 5: xhat = x_centred*scale
    xhat = np.multiply(x_centred, scale, out=x_centred)
    # step 6: y = xhat*gamma + beta
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    scale = scale[..., 0]
    return y, mu, mu_residual, scale


def _backward_small(
    x, dy, mu_rows, mu_residual_rows, scale_rows, gamma, wants_dbeta, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    scale = scale_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 11: dgamma = sum over rows of dy*x_centred*scale
    if gamma is not None:
        part = dy * x_centred
        dgamma = _sum_of_rows(scale.ravel(), part.reshape(-1, features))
    # step 12: dbeta = sum over rows of dy
    if wants_dbeta:
        dbeta = _sum_of_rows(_equal_weights(rows, 1.0, dtype), dy.reshape(-1, features))
    # step 10: mean_xhat = mean(sign(x_centred))
    part_2 = np.sign(x_centred)
    mean_xhat = vecdot(part_2, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x_centred) / D)[..., np.newaxis]
    # step 7: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 10: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat = mean_g_xhat_unscaled*scale
    mean_g_xhat = mean_g_xhat_unscaled * scale
    # step 10: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
    dx = np.subtract(mean_xhat, part_2, out=part_2)
    dx = np.multiply(dx, mean_g_xhat, out=dx)
    dx = np.add(g, dx, out=dx)
    dx = np.subtract(dx, mean_g, out=dx)
    dx = np.multiply(dx, scale, out=dx)
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dgamma, dbeta


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
    return saved.dtypes.keys() >= {"x"}


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
            "pass what forward of mean_abs_norm returned as its second value"
        )


def _check_saved(saved):
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _check_is_saved(saved)
    shape, dtypes = saved.shape, saved.dtypes
    known = isinstance(shape, tuple) and isinstance(dtypes, dict)
    types = (saved.dtype, *dtypes.values()) if known else (None,)
    floats = all(isinstance(dtype, np.dtype) and dtype.kind in "fV" for dtype in types)
    if not floats or not dtypes.keys() >= {"x"}:
        raise TypeError(f"saved.shape, dtype or dtypes was changed; {_AS_IT_WAS}")
    row_scalars = shape[:-1]
    _check_kept("x", saved.x, saved.shape)
    _check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _check_kept("mu", saved.mu, row_scalars)
    _check_kept("mu_residual", saved.mu_residual, row_scalars)
    _check_kept("scale", saved.scale, row_scalars)


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
