# Made by lngen 0.1.0 from the definition of layer_norm_gelu.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# Cost: forward 2 row tensors (1 read, 1 written), 15 flops a row element; backward 3 row tensors (2 read, 1 written), 30 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Layer normalization, then the Gaussian error linear unit.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        u_2 = sqrt(2)*u/2
        erf_u_2 = erf(u_2)
        y = u*(1 + erf_u_2)/2
    backward
        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(du*xhat)
        dbeta = sum_rows(du)

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

    beta: np.ndarray | None
    """The argument beta of forward."""

    mu: np.ndarray
    """The row scalar mu, one a row."""

    mu_residual: np.ndarray
    """The row scalar mu_residual, one a row."""

    rstd: np.ndarray
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, gamma=None, beta=None, *, eps=1e-5, out=None, threads=1):
    """Layer normalization, then the Gaussian error linear unit.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        u_2 = sqrt(2)*u/2
        erf_u_2 = erf(u_2)
        y = u*(1 + erf_u_2)/2

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        eps: a constant, a finite number of 0 or more.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _constant("eps", eps, signed=False)
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
            y_, mu_, mu_residual_, rstd_ = _at_once(
                _forward_small, x, gamma, beta, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "gamma": gamma, "beta": beta}
                (y_,) = _placed(("y",), (y_,), (out,), given_)
            saved = _Saved(
                shape_, dtype_, dtypes_, x, gamma, beta, mu_, mu_residual_, rstd_
            )
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
    rstd_ = _empty(shape_[:-1], dtype_)
    _forward(x, gamma, beta, eps, y_, mu_, mu_residual_, rstd_, shape_, dtype_, threads)
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, beta, mu_, mu_residual_, rstd_)
    return y_, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(du*xhat)
        dbeta = sum_rows(du)

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
            and _fits(saved.beta, shape_[-1:], dtype_, "beta" in saved.dtypes)
            and _fits(saved.mu, shape_[:-1], dtype_)
            and _fits(saved.mu_residual, shape_[:-1], dtype_)
            and _fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dgamma_, dbeta_ = _at_once(
                _backward_small,
                saved.x,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                saved.gamma,
                saved.beta,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.beta": saved.beta,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.rstd": saved.rstd,
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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
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
        saved.rstd,
        saved.gamma,
        saved.beta,
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

        dy = (1 + erf_u_2 + 2*u_2*exp(-u_2**2)/sqrt(pi))*(dgamma*xhat + dbeta +
            rstd*gamma*(dx - mean(dx) - xhat*mean(dx*xhat)))/2

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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_ = _result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        saved.gamma,
        saved.beta,
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

        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        mean_g = mean(g)
        mean_g_2 = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        ddu = gamma*dg + ddgamma*xhat + ddbeta
        du_2 = ddu*dy*exp(-u_2**2)*(sqrt(2) - u*u_2)/sqrt(pi)
        g_7 = gamma*du_2 - mean_g_2*rstd*ddx
        dx = rstd*(g_7 + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(2*mean_g_2*xhat + mean_g - g) - xhat*mean(ddx*g)) -
            mean(g_7) - mean(ddgamma*du) - xhat*mean(g_7*xhat) -
            xhat*mean(ddgamma*du*xhat))
        dgamma = sum_rows(du_2*xhat + dg*du)
        dbeta = sum_rows(du_2)
        ddy = ddu*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2

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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
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
        saved.rstd,
        saved.gamma,
        saved.beta,
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
    rstd_out,
    shape,
    dtype,
    threads,
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    far_from = np.asarray(2.0, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _repeated(gamma)
    if beta is not None:
        beta_wide = _repeated(beta)

    def block(x, mu_block, mu_residual_block, rstd_block, y_block, row_buffers):
        buffer_1, buffer_2, buffer_3 = row_buffers
        # step 1: mu = mean(x)
        mu = _row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _row_mean(x_shifted, x_shifted, D, out=rstd_block)
        # step 2: mu_residual = mean(x_shifted)
        _residual(x_shifted, mu, var, D, far_from, one_over_D, out=mu_residual_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.add(var, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=y_block)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            u = xhat
        if beta is not None:
            u = _by_feature(np.add, u, beta_wide, out=y_block)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 9: y = (1/2)*(erf_u_2 + 1)*u
        y = np.add(erf_u_2, 1.0, out=buffer_1)
        y = np.multiply(y, u, out=y_block)
        np.multiply(y, 0.5, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        place_mu, hand_on_mu = _writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_rstd, hand_on_rstd = _writer((rstd_out,), dtype, height, row_scalars=True)
        place_y, hand_on_y = _writer((y_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                place_mu(span),
                place_mu_residual(span),
                place_rstd(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_mu(span)
            hand_on_mu_residual(span)
            hand_on_rstd(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    dy_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    dx_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _repeated(gamma)
    if beta is not None:
        beta_wide = _repeated(beta)
    if gamma is not None:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if beta is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        mu,
        mu_residual,
        rstd,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dx_block)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        else:
            u = xhat
        if beta is not None:
            u = _by_feature(np.add, u, beta_wide, out=buffer_1)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_2)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _erf(u_2, out=buffer_3, work=(buffer_4,))
        # step 22: du = dy*((1/2)*erf_u_2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        du = np.multiply(erf_u_2, 0.5, out=buffer_3)
        part = np.square(u_2, out=buffer_2)
        part = np.negative(part, out=buffer_2)
        part = np.exp(part, out=buffer_2)
        part = np.multiply(part, u, out=buffer_1)
        part = np.multiply(part, constant_2, out=buffer_1)
        du = np.add(du, part, out=buffer_1)
        du = np.add(du, 0.5, out=buffer_1)
        du = np.multiply(dy, du, out=buffer_1)
        # step 18: dgamma = sum over rows of du*xhat
        if gamma is not None:
            part_2 = np.multiply(du, xhat, out=buffer_2)
            _add_rows(part_2, each_row, dgamma_sums[chunk], column)
        # step 19: dbeta = sum over rows of du
        if beta is not None:
            _add_rows(du, each_row, dbeta_sums[chunk], column)
        # step 17: mean_g_xhat = mean(du*xhat*gamma)
        if gamma is not None:
            mean_g_xhat = _row_sum(part_2, gamma_over_D, out=row_scalar_1)
        else:
            mean_g_xhat = _row_mean(du, xhat, D, out=row_scalar_1)
        # step 14: g = du*gamma
        if gamma is not None:
            g = _by_feature(np.multiply, du, gamma_wide, out=buffer_1)
        else:
            g = du
        # step 17: mean_g = mean(g)
        mean_g = _row_sum(g, one_over_D, out=row_scalar_2)
        # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffer_1)
        part_3 = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part_3, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if beta is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows,
    dx_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    dgamma,
    dbeta,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    needs_dbeta_wide = dbeta is not None and (dx_rows is not None or dgamma is not None)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # 1/sqrt(pi)
    constant_2 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if gamma is not None:
        gamma_wide = _repeated(gamma)
    if beta is not None:
        beta_wide = _repeated(beta)
    if dgamma is not None:
        dgamma_wide = _repeated(dgamma)
    if needs_dbeta_wide:
        dbeta_wide = _repeated(dbeta)

    def block(x, dx, mu, mu_residual, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 23: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=dy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dy_block)
        # step 23: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _row_mean(dx, xhat, D, out=row_scalar_2)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        else:
            u = xhat
        if beta is not None:
            u = _by_feature(np.add, u, beta_wide, out=buffer_1)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 23: dy = (xhat*dgamma + (dx - mean_dx - xhat*mean_dx_xhat)*rstd*gamma +
        #   dbeta)*((1/2)*erf_u_2 + 1/sqrt(pi)*exp(-u_2**2)*u_2 + 1/2)
        if dgamma is not None:
            dy = _by_feature(np.multiply, xhat, dgamma_wide, out=buffer_3)
        if dx_rows is not None:
            part = _by_row(np.subtract, dx, mean_dx, out=buffer_4)
            part_2 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part = np.subtract(part, part_2, out=dy_block)
        if gamma is not None and dx_rows is not None:
            part = _by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=dy_block)
        if dx_rows is not None and dgamma is None:
            dy = part
        if needs_dbeta_wide:
            dy = _by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None:
            dy = dbeta
        part_3 = np.multiply(erf_u_2, 0.5, out=buffer_2)
        part_4 = np.square(u_2, out=buffer_4)
        part_4 = np.negative(part_4, out=buffer_4)
        part_4 = np.exp(part_4, out=buffer_4)
        part_4 = np.multiply(part_4, u_2, out=buffer_1)
        part_4 = np.multiply(part_4, constant_2, out=buffer_1)
        part_3 = np.add(part_3, part_4, out=buffer_1)
        part_3 = np.add(part_3, 0.5, out=buffer_1)
        np.multiply(dy, part_3, out=dy_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
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
    rstd_rows,
    gamma,
    beta,
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
    scalar = dtype.type
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    needs_ddbeta_wide = ddbeta is not None and (
        ddx_rows is not None or ddgamma is not None
    )
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    # sqrt(2)
    constant_3 = scalar("1.41421356237309504880168872420969807857")
    # 1/sqrt(pi)
    constant_4 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    # step 32: mean_ddgamma_du = mean(du*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
    if gamma is not None:
        gamma_wide = _repeated(gamma)
    if beta is not None:
        beta_wide = _repeated(beta)
    if ddgamma is not None:
        ddgamma_wide = _repeated(ddgamma)
    if needs_ddbeta_wide:
        ddbeta_wide = _repeated(ddbeta)
    if gamma is not None:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if beta is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        (
            buffer_1,
            buffer_2,
            buffer_3,
            buffer_4,
            buffer_5,
            buffer_6,
            buffer_7,
            buffer_8,
        ) = row_buffers
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
            row_scalar_7,
            row_scalar_8,
            row_scalar_9,
        ) = row_scalar_buffers
        # step 28: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _row_sum(ddx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        x_shifted = _by_row(np.subtract, x, mu, out=ddy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 28: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _row_mean(ddx, xhat, D, out=row_scalar_2)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        else:
            u = xhat
        if beta is not None:
            u = _by_feature(np.add, u, beta_wide, out=ddy_block)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 24: du = dy*((1/2)*erf_u_2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        part = np.multiply(erf_u_2, 0.5, out=buffer_2)
        part_2 = np.square(u_2, out=buffer_3)
        part_2 = np.negative(part_2, out=buffer_3)
        part_2 = np.exp(part_2, out=buffer_3)
        part_3 = np.multiply(part_2, u, out=buffer_4)
        part_3 = np.multiply(part_3, constant_2, out=buffer_4)
        part = np.add(part, part_3, out=buffer_2)
        part = np.add(part, 0.5, out=buffer_2)
        if ddx_rows is not None or ddgamma is not None:
            du = np.multiply(dy, part, out=buffer_4)
        # step 32: mean_ddgamma_du = mean(du*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_du = _row_sum(du, ddgamma_over_D, out=row_scalar_3)
            # step 32: mean_ddgamma_du_xhat = mean(du*xhat*ddgamma)
            part_4 = np.multiply(du, xhat, out=buffer_5)
            mean_ddgamma_du_xhat = _row_sum(part_4, ddgamma_over_D, out=row_scalar_4)
        # step 25: g = du*gamma
        if needs_g:
            g = _by_feature(np.multiply, du, gamma_wide, out=buffer_5)
        if needs_g_2:
            g = du
        # step 26: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _row_sum(g, one_over_D, out=row_scalar_5)
            # step 27: mean_g_2 = mean(g*xhat)
            mean_g_2 = _row_mean(g, xhat, D, out=row_scalar_6)
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _row_mean(ddx, g, D, out=row_scalar_7)
            # step 31: mean_g_2_scaled = mean_g_2*rstd
            mean_g_2_scaled = np.multiply(mean_g_2, rstd, out=row_scalar_8)
            # step 32: mean_g_2_scaled_2 = 2*mean_g_2
            mean_g_2_scaled_2 = np.multiply(mean_g_2, 2.0, out=row_scalar_6)
            # step 32: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = np.multiply(mean_ddx, mean_g, out=row_scalar_9)
            # step 28: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _by_row(np.subtract, ddx, mean_ddx, out=buffer_6)
            part_5 = _by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_7)
            dg = np.subtract(dg, part_5, out=buffer_6)
            dg = np.multiply(dg, rstd, out=buffer_6)
        # step 29: ddu = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddu = _by_feature(np.multiply, xhat, ddgamma_wide, out=buffer_7)
        if needs_g:
            part_6 = _by_feature(np.multiply, dg, gamma_wide, out=buffer_8)
        if needs_g_2:
            part_6 = dg
        if ddx_rows is not None and ddgamma is not None:
            ddu = np.add(ddu, part_6, out=buffer_7)
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            ddu = part_6
        if needs_g_2:
            ddu = part_6
        if needs_ddbeta_wide:
            ddu = _by_feature(np.add, ddu, ddbeta_wide, out=buffer_7)
        if ddx_rows is None and ddgamma is None:
            ddu = ddbeta
        # step 30: du_2 = 1/sqrt(pi)*(sqrt(2) - u*u_2)*ddu*dy*exp(-u_2**2)
        du_2 = np.multiply(u, u_2, out=ddy_block)
        du_2 = np.subtract(constant_3, du_2, out=ddy_block)
        du_2 = np.multiply(du_2, ddu, out=ddy_block)
        du_2 = np.multiply(du_2, dy, out=ddy_block)
        du_2 = np.multiply(du_2, part_2, out=ddy_block)
        du_2 = np.multiply(du_2, constant_4, out=buffer_1)
        # step 33: dgamma = sum over rows of dg*du + du_2*xhat
        if needs_g:
            part_7 = np.multiply(dg, du, out=ddy_block)
        if gamma is not None:
            part_8 = np.multiply(du_2, xhat, out=buffer_3)
        if needs_g:
            part_7 = np.add(part_7, part_8, out=ddy_block)
        if gamma is not None and ddx_rows is None:
            part_7 = part_8
        if gamma is not None:
            _add_rows(part_7, each_row, dgamma_sums[chunk], column)
        # step 34: dbeta = sum over rows of du_2
        if beta is not None:
            _add_rows(du_2, each_row, dbeta_sums[chunk], column)
        # step 31: g_7 = du_2*gamma - ddx*mean_g_2_scaled
        if gamma is not None:
            g_7 = _by_feature(np.multiply, du_2, gamma_wide, out=buffer_1)
        else:
            g_7 = du_2
        if ddx_rows is not None:
            part_9 = _by_row(np.multiply, ddx, mean_g_2_scaled, out=ddy_block)
            g_7 = np.subtract(g_7, part_9, out=buffer_1)
        # step 32: mean_g_7 = mean(g_7)
        mean_g_7 = _row_sum(g_7, one_over_D, out=row_scalar_1)
        # step 32: mean_g_7_xhat = mean(g_7*xhat)
        mean_g_7_xhat = _row_mean(g_7, xhat, D, out=row_scalar_8)
        # step 35: ddy = ddu*((1/2)*erf_u_2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u +
        #   1/2)
        np.multiply(ddu, part, out=ddy_block)
        # step 32: dx = (g_7 + du*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_2_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd
        #   - mean_ddgamma_du - mean_g_7 - xhat*mean_ddgamma_du_xhat -
        #   xhat*mean_g_7_xhat)*rstd
        if ddgamma is not None:
            dx = _by_feature(np.multiply, du, ddgamma_wide, out=buffer_2)
            dx = np.add(g_7, dx, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dx = g_7
        if gamma is not None and ddx_rows is None and ddgamma is None:
            dx = g_7
        if gamma is None and ddx_rows is None:
            dx = g_7
        if ddx_rows is not None:
            part_10 = _by_row(np.multiply, xhat, mean_ddx_scaled, out=buffer_2)
            part_11 = _by_row(np.multiply, xhat, mean_g_2_scaled_2, out=buffer_3)
            part_11 = np.add(part_11, mean_g, out=buffer_3)
            part_11 = np.subtract(part_11, g, out=buffer_3)
            part_11 = np.multiply(part_11, mean_ddx_xhat, out=buffer_3)
            part_10 = np.add(part_10, part_11, out=buffer_2)
            part_12 = _by_row(np.multiply, xhat, mean_ddx_g, out=buffer_3)
            part_10 = np.subtract(part_10, part_12, out=buffer_2)
            part_10 = np.multiply(part_10, rstd, out=buffer_2)
            dx = np.add(dx, part_10, out=buffer_1)
        if ddgamma is not None:
            dx = np.subtract(dx, mean_ddgamma_du, out=buffer_1)
        dx = np.subtract(dx, mean_g_7, out=buffer_1)
        if ddgamma is not None:
            part_13 = _by_row(np.multiply, xhat, mean_ddgamma_du_xhat, out=buffer_2)
            dx = np.subtract(dx, part_13, out=buffer_1)
        part_14 = np.multiply(xhat, mean_g_7_xhat, out=dx_block)
        dx = np.subtract(dx, part_14, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_mu = _reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _reader(mu_residual_rows, dtype, height, row_scalars=True)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((8, height, features), dtype)
        row_scalar_buffers = np.empty((9, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddy(span)
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if beta is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _round_to(dbeta_out, ..., dbeta)


def _forward_small(x, gamma, beta, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    far_from = np.asarray(2.0, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 3: var = mean(x_shifted**2)
    var = (vecdot(x_shifted, x_shifted) / D)[..., np.newaxis]
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = _residual(x_shifted, mu, var, D, far_from, one_over_D)
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = x_shifted
    # step 4: rstd = 1/sqrt(var + eps)
    rstd = var + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = np.multiply(xhat, gamma, out=xhat)
    else:
        u = xhat
    if beta is not None:
        u = np.add(u, beta, out=u)
    # step 7: u_2 = (sqrt(2)/2)*u
    u_2 = u * constant_1
    # step 8: erf_u_2 = erf(u_2)
    erf_u_2 = _erf(u_2)
    # step 9: y = (1/2)*(erf_u_2 + 1)*u
    y = np.add(erf_u_2, 1.0, out=erf_u_2)
    y = np.multiply(y, u, out=y)
    y = np.multiply(y, 0.5, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def _backward_small(
    x, dy, mu_rows, mu_residual_rows, rstd_rows, gamma, beta, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = xhat * gamma
    else:
        u = xhat
    if beta is not None:
        u = u + beta
    # step 7: u_2 = (sqrt(2)/2)*u
    u_2 = u * constant_1
    # step 8: erf_u_2 = erf(u_2)
    erf_u_2 = _erf(u_2)
    # step 22: du = dy*((1/2)*erf_u_2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
    du = np.multiply(erf_u_2, 0.5, out=erf_u_2)
    part = np.square(u_2, out=u_2)
    part = np.negative(part, out=part)
    part = np.exp(part, out=part)
    part = np.multiply(part, u, out=part)
    part = np.multiply(part, constant_2, out=part)
    du = np.add(du, part, out=du)
    du = np.add(du, 0.5, out=du)
    du = np.multiply(dy, du, out=du)
    # step 18: dgamma = sum over rows of du*xhat
    if gamma is not None:
        part_2 = du * xhat
        dgamma = _sum_of_rows(
            _equal_weights(rows, 1.0, dtype), part_2.reshape(-1, features)
        )
    # step 19: dbeta = sum over rows of du
    if beta is not None:
        dbeta = _sum_of_rows(_equal_weights(rows, 1.0, dtype), du.reshape(-1, features))
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        mean_g_xhat = vecdot(part_2, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat = (vecdot(du, xhat) / D)[..., np.newaxis]
    # step 14: g = du*gamma
    if gamma is not None:
        g = np.multiply(du, gamma, out=du)
    else:
        g = du
    # step 17: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = np.subtract(g, mean_g, out=g)
    part_3 = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part_3, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    if beta is None:
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


def _residual(shifted, mean, spread, divisor, far_from, one_over_D, out=None):
    """The mean that rounding has left in a row, where it may matter; elsewhere 0.

    That is where the mean lay more than 2 deviations from zero: `far_from` times the
    root of `spread`, the sum of the squares of `shifted` over `divisor`. There it is
    taken off `shifted`, and `spread` is put right.
    """
    out = np.sqrt(spread, out=out)
    far = np.greater(np.absolute(mean), np.multiply(out, far_from, out=out))
    out.fill(0.0)
    if np.count_nonzero(far):
        these = ... if far.all() else far[..., 0]
        rows = shifted[these]  # of all rows they are themselves, of some a copy
        left = _row_sum(rows, one_over_D, out=np.empty_like(spread[these]))
        np.subtract(rows, left, out=rows)
        out[these] = left
        spread[these] = _row_sum(rows, rows, out=left) / divisor
        if these is not ...:
            shifted[these] = rows
    return out


def _less_residual(shifted, residual):
    """The rows less what rounding has left of their mean, which is 0 for most."""
    if np.count_nonzero(residual):
        np.subtract(shifted, residual, out=shifted)
    return shifted


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


def _polynomial(coefficients, x, out):
    """A polynomial by Horner's scheme, the highest power first."""
    first, second, *others = coefficients
    np.add(np.multiply(x, first, out=out), second, out=out)
    for coefficient in others:
        np.add(np.multiply(out, x, out=out), coefficient, out=out)
    return out


def _erf(x, out=None, work=None):
    """The error function, within 2 ulp in float32 and float64, to 1e-16 in longdouble.

    x + x*P(x**2 - 1.125) for |x| <= 1.5; beyond that, entries are picked out, and are
    1 - exp(-x**2)*Q(w) with w linear in 1/(|x| + 2). `out` is not x.
    """
    x = np.asarray(x)
    (t,) = work or (np.empty_like(x),)
    out = np.empty_like(x) if out is None else out
    top, middle, near, far = _ERF_FLOAT32 if x.dtype == np.float32 else _ERF_FLOAT64
    np.minimum(np.absolute(x, out=t), 1.5, out=t)
    np.subtract(np.square(t, out=t), 1.125, out=t)
    _polynomial(near, t, out)
    with np.errstate(invalid="ignore"):  # an infinite x, which is beyond
        np.add(np.multiply(out, x, out=out), x, out=out)
    beyond = np.flatnonzero(np.greater(np.absolute(x, out=t), 1.5))
    if beyond.size:
        signed = x.take(beyond)
        size = np.minimum(np.absolute(signed), top)
        w = 1.0 / (size + 2.0) - middle
        scaled = _polynomial(far, w, np.empty_like(w))
        out.put(beyond, np.copysign(1.0 - np.exp(-(size**2)) * scaled, signed))
    return out


_ERF_FLOAT32 = (
    4,
    0.22619047619047616,
    (
        6.205873060404022e-07,
        -5.743587953751249e-06,
        4.58739438052091e-05,
        -0.0003336776807077745,
        0.002113284028803979,
        -0.01143929907610633,
        0.052076083521700726,
        -0.20022448077852753,
        -0.1831638252160808,
    ),
    (
        -6.405750234248778,
        1.73975578098436,
        4.924012026208114,
        3.509726701422565,
        1.5331562609733602,
        0.21683534919618572,
    ),
)
_ERF_FLOAT64 = (
    6,
    0.20535714285714285,
    (
        1.5889546007818838e-13,
        -2.4075144884490414e-12,
        3.3348513684153505e-11,
        -4.380817997617544e-10,
        5.3236115921634245e-09,
        -5.943647517532254e-08,
        6.052458308324918e-07,
        -5.57194417152782e-06,
        4.588856069743332e-05,
        -0.0003338413250436483,
        0.002113278881814353,
        -0.011439241436458074,
        0.05207608401055205,
        -0.2002244862536007,
        -0.1831638252160808,
    ),
    (
        -756.4838289414425,
        48.56125999652139,
        188.87577802369916,
        -52.01564857347395,
        -41.98814669454468,
        21.697159694581213,
        11.663614665435107,
        -7.983735302592422,
        -5.600510081335931,
        2.403055202532812,
        4.749528866731571,
        3.207108885781873,
        1.3932609618792846,
        0.186373736649343,
    ),
)


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
            "pass what forward of layer_norm_gelu returned as its second value"
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
    _check_kept("beta", saved.beta, saved.shape[-1:], "beta" in saved.dtypes)
    _check_kept("mu", saved.mu, row_scalars)
    _check_kept("mu_residual", saved.mu_residual, row_scalars)
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
