# Made by lngen 0.1.0 from the definition of gated_rms_norm.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops a row element; backward 5 row tensors (3 read, 2 written), 20 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Root-mean-square normalization, then a gate: silu of another row.

    forward
        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat
    backward
        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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

    dz: np.ndarray
    """The gradient of z, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dz: np.ndarray
    """The gradient of z, in its shape and type."""

    dgamma: np.ndarray | None
    """The gradient of gamma, in its shape and type."""

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

    z: np.ndarray
    """The argument z of forward."""

    gamma: np.ndarray | None
    """The argument gamma of forward."""

    rstd: np.ndarray
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, z, gamma=None, *, eps=1e-5, out=None, threads=1):
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
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
        if _fits(z, shape_, dtype_) and (
            gamma is None or _fits(gamma, shape_[-1:], dtype_)
        ):
            dtypes_ = {"x": dtype_, "z": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            y_, rstd_ = _at_once(_forward_small, x, z, gamma, eps, shape_, dtype_)
            if out is not None:
                given_ = {"x": x, "z": z, "gamma": gamma}
                (y_,) = _placed(("y",), (y_,), (out,), given_)
            saved = _Saved(shape_, dtype_, dtypes_, x, z, gamma, rstd_)
            return y_, saved
    x = _array("x", x, required=True)
    z = _array("z", z, required=True)
    gamma = _array("gamma", gamma, required=False)
    shape_ = _row_shape("x", x)
    leading_ = x
    _check_shape("x", x, shape_, "the shape of x")
    _check_shape("z", z, shape_, "the shape of x")
    _check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "z": z, "gamma": gamma}
    dtypes_, dtype_ = _types(given_)
    y_ = _result("y", out, shape_, leading_.dtype, given_)
    rstd_ = _empty(shape_[:-1], dtype_)
    _forward(x, z, gamma, eps, y_, rstd_, shape_, dtype_, threads)
    saved = _Saved(shape_, dtype_, dtypes_, x, z, gamma, rstd_)
    return y_, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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
            and _fits(saved.z, shape_, dtype_)
            and _fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dz_, dgamma_ = _at_once(
                _backward_small,
                saved.x,
                saved.z,
                dy,
                saved.rstd,
                saved.gamma,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.z": saved.z,
                    "saved.gamma": saved.gamma,
                    "saved.rstd": saved.rstd,
                }
                dx_, dz_, dgamma_ = _placed(
                    ("dx", "dz", "dgamma"), (dx_, dz_, dgamma_), out, given_
                )
            return _Gradients(dx_, dz_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dz", "dgamma"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dz_ = _result("dz", out[1], shape_, saved.dtypes.get("z"), given_)
    dgamma_ = _result("dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_)
    _backward(
        saved.x,
        saved.z,
        dy,
        saved.rstd,
        saved.gamma,
        dx_,
        dz_,
        dgamma_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dz_, dgamma_)


def jvp(saved, dx=None, dz=None, dgamma=None, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*silu_z*xhat + gamma*dz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)) +
            rstd*gamma*silu_z*(dx - xhat*mean(dx*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dz: the tangent of z; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _array("dx", dx, required=False)
    dz = _array("dz", dz, required=False)
    dgamma = _array("dgamma", dgamma, required=False)
    if dx is None and dz is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_left_out("dgamma", dgamma, "gamma", saved)
    _check_shape("dx", dx, shape_, "the shape of x")
    _check_shape("dz", dz, shape_, "the shape of z")
    _check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _thread_count(threads)
    given_ = {
        "dx": dx,
        "dz": dz,
        "dgamma": dgamma,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_ = _result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        saved.z,
        dx,
        dz,
        saved.rstd,
        saved.gamma,
        dgamma,
        dy_,
        shape_,
        dtype_,
        threads,
    )
    return dy_


def backward_backward(
    saved, cotangents, ddx=None, ddz=None, ddgamma=None, *, out=None, threads=1
):
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy*silu_z
        mean_g = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        dsilu_z = dy*(gamma*dg + ddgamma*xhat)
        g_5 = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g*rstd*ddx
        dx = rstd*(g_5 + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g*xhat - g) -
            xhat*mean(ddx*g)) - xhat*mean(g_5*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
        dz = sigmoid_z*(dsilu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(dsilu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
        dgamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
        ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
            sigmoid_z)))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddz: the cotangent of dz, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
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
    ddz = _array("ddz", ddz, required=False)
    ddgamma = _array("ddgamma", ddgamma, required=False)
    if ddx is None and ddz is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_left_out("ddgamma", ddgamma, "gamma", saved)
    _check_shape("ddx", ddx, shape_, "the shape of x")
    _check_shape("ddz", ddz, shape_, "the shape of z")
    _check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddz": ddz,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dz", "dgamma", "ddy"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dz_ = _result("dz", out[1], shape_, saved.dtypes.get("z"), given_)
    dgamma_ = _result("dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_)
    ddy_ = _result("ddy", out[3], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        saved.z,
        dy_,
        ddx,
        ddz,
        saved.rstd,
        saved.gamma,
        ddgamma,
        dx_,
        dz_,
        dgamma_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dz_, dgamma_, ddy_)


def _forward(x_rows, z_rows, gamma, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _repeated(gamma)

    def block(x, z, rstd_block, y_block, row_buffers):
        buffer_1 = row_buffers[0]
        # step 1: ms = mean(x**2)
        ms = _row_mean(x, x, D, out=rstd_block)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: xhat = x*rstd
        xhat = _by_row(np.multiply, x, rstd, out=y_block)
        # step 4: sigmoid_z = Sigmoid(z)
        sigmoid_z = _sigmoid(z, out=buffer_1)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffer_1)
        # step 6: y = silu_z*xhat*gamma
        y = np.multiply(silu_z, xhat, out=y_block)
        if gamma is not None:
            _by_feature(np.multiply, y, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_z = _reader(z_rows, dtype, height)
        place_rstd, hand_on_rstd = _writer((rstd_out,), dtype, height, row_scalars=True)
        place_y, hand_on_y = _writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_z(span),
                place_rstd(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_rstd(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    z_rows,
    dy_rows,
    rstd_rows,
    gamma,
    dx_out,
    dz_out,
    dgamma_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
        gamma_wide = _repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        z,
        dy,
        rstd,
        dz_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*rstd
        xhat = _by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: sigmoid_z = Sigmoid(z)
        sigmoid_z = _sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffer_1)
        # step 14: dgamma = sum over rows of dy*silu_z*xhat
        part = np.multiply(dy, silu_z, out=buffer_1)
        if gamma is not None:
            part_2 = np.multiply(part, xhat, out=buffer_2)
            _add_rows(part_2, each_row, dgamma_sums[chunk], column)
            # step 9: g = dy*silu_z*gamma
            g = _by_feature(np.multiply, part, gamma_wide, out=buffer_1)
        else:
            g = part
        # step 12: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _row_mean(g, xhat, D, out=row_scalar_1)
        # step 16: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        dz = np.multiply(dy, sigmoid_z, out=buffer_2)
        dz = np.multiply(dz, xhat, out=buffer_2)
        part_3 = np.subtract(1.0, sigmoid_z, out=dz_block)
        part_3 = np.multiply(part_3, z, out=dz_block)
        part_3 = np.add(part_3, 1.0, out=dz_block)
        dz = np.multiply(dz, part_3, out=dz_block)
        if gamma is not None:
            _by_feature(np.multiply, dz, gamma_wide, out=dz_block)
        # step 12: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_z = _reader(z_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dz, hand_on_dz = _writer((dz_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_z(span),
                read_dy(span),
                read_rstd(span),
                place_dz(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dz(span)
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        _round_to(dgamma_out, ..., dgamma)


def _jvp(
    x_rows,
    z_rows,
    dx_rows,
    dz_rows,
    rstd_rows,
    gamma,
    dgamma,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (dx_rows is not None or dz_rows is not None)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _repeated(dgamma)
    if needs_gamma:
        gamma_wide = _repeated(gamma)

    def block(x, z, dx, dz, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*rstd
        xhat = _by_row(np.multiply, x, rstd, out=dy_block)
        # step 17: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _row_mean(dx, xhat, D, out=row_scalar_1)
        # step 4: sigmoid_z = Sigmoid(z)
        sigmoid_z = _sigmoid(z, out=buffer_1)
        # step 5: silu_z = sigmoid_z*z
        if dx_rows is not None or dgamma is not None:
            silu_z = np.multiply(sigmoid_z, z, out=buffer_2)
        # step 17: dy = silu_z*xhat*dgamma + (dx - xhat*mean_dx_xhat)*silu_z*rstd*gamma
        #   + dz*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        if dgamma is not None:
            dy = np.multiply(silu_z, xhat, out=buffer_3)
            dy = _by_feature(np.multiply, dy, dgamma_wide, out=buffer_3)
        if dx_rows is not None:
            part = _by_row(np.multiply, xhat, mean_dx_xhat, out=buffer_4)
            part = np.subtract(dx, part, out=buffer_4)
            part = np.multiply(part, silu_z, out=buffer_2)
        if gamma is not None and dx_rows is not None:
            part = _by_feature(np.multiply, part, gamma_wide, out=buffer_2)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=buffer_2)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=buffer_2)
        if dx_rows is not None and dgamma is None:
            dy = part
        if dz_rows is not None:
            part_2 = np.multiply(dz, sigmoid_z, out=buffer_4)
            part_2 = np.multiply(part_2, xhat, out=dy_block)
            part_3 = np.subtract(1.0, sigmoid_z, out=buffer_1)
            part_3 = np.multiply(part_3, z, out=buffer_1)
            part_3 = np.add(part_3, 1.0, out=buffer_1)
            part_2 = np.multiply(part_2, part_3, out=dy_block)
        if gamma is not None and dz_rows is not None:
            part_2 = _by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dz_rows is not None and (dx_rows is not None or dgamma is not None):
            dy = np.add(dy, part_2, out=dy_block)
        if gamma is not None and dx_rows is None and dgamma is None:
            dy = part_2
        if gamma is None and dx_rows is None:
            dy = part_2
        if dz_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_z = _reader(z_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_dz = _reader(dz_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_z(span),
                read_dx(span),
                read_dz(span),
                read_rstd(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    z_rows,
    dy_rows,
    ddx_rows,
    ddz_rows,
    rstd_rows,
    gamma,
    ddgamma,
    dx_out,
    dz_out,
    dgamma_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    needs_part = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_g_5 = gamma is not None and ddz_rows is not None
    needs_mean_g_5_xhat = ddx_rows is not None or ddz_rows is not None
    needs_dz = ddz_rows is not None and (ddx_rows is not None or ddgamma is not None)
    needs_part_10 = gamma is not None and ddx_rows is None and ddgamma is None
    needs_part_10_2 = gamma is None and ddx_rows is None
    needs_part_12 = gamma is None and ddx_rows is not None and ddz_rows is not None
    needs_part_12_2 = gamma is None and ddz_rows is None
    needs_ddy = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 23: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
    if needs_gamma:
        gamma_wide = _repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _repeated(ddgamma)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        z,
        dy,
        ddx,
        ddz,
        rstd,
        dz_block,
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
            buffer_9,
            buffer_10,
        ) = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 3: xhat = x*rstd
        xhat = _by_row(np.multiply, x, rstd, out=dx_block)
        # step 20: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _row_mean(ddx, xhat, D, out=row_scalar_1)
        # step 4: sigmoid_z = Sigmoid(z)
        sigmoid_z = _sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 23: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
        if needs_part:
            part = np.multiply(dy, silu_z, out=buffer_1)
        if ddgamma is not None:
            part_2 = np.multiply(part, xhat, out=buffer_2)
            mean_ddgamma_dy_silu_z = _row_sum(part_2, ddgamma_over_D, out=row_scalar_2)
        # step 18: g = dy*silu_z*gamma
        if needs_g:
            g = _by_feature(np.multiply, part, gamma_wide, out=buffer_2)
        if needs_g_2:
            g = part
        # step 19: mean_g = mean(g*xhat)
        if ddx_rows is not None:
            mean_g = _row_mean(g, xhat, D, out=row_scalar_3)
            # step 23: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _row_mean(ddx, g, D, out=row_scalar_4)
            # step 22: mean_g_scaled = mean_g*rstd
            mean_g_scaled = np.multiply(mean_g, rstd, out=row_scalar_5)
            # step 23: mean_g_scaled_2 = 2*mean_g
            mean_g_scaled_2 = np.multiply(mean_g, 2.0, out=row_scalar_3)
            # step 20: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_3)
            dg = np.subtract(ddx, dg, out=buffer_3)
            dg = np.multiply(dg, rstd, out=buffer_3)
            # step 25: dgamma = sum over rows of (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
            #   sigmoid_z)*z + 1))*dy
            part_3 = np.multiply(dg, silu_z, out=buffer_4)
        if ddz_rows is not None:
            part_4 = np.multiply(ddz, sigmoid_z, out=buffer_5)
            part_4 = np.multiply(part_4, xhat, out=buffer_5)
        part_5 = np.subtract(1.0, sigmoid_z, out=buffer_6)
        if ddz_rows is not None:
            part_6 = np.multiply(part_5, z, out=buffer_7)
            part_6 = np.add(part_6, 1.0, out=buffer_7)
            part_4 = np.multiply(part_4, part_6, out=buffer_5)
        if ddx_rows is not None and ddz_rows is not None:
            part_3 = np.add(part_3, part_4, out=buffer_4)
        if ddx_rows is None and ddz_rows is not None:
            part_3 = part_4
        if needs_gamma:
            part_7 = np.multiply(part_3, dy, out=buffer_8)
            _add_rows(part_7, each_row, dgamma_sums[chunk], column)
        # step 21: dsilu_z = (xhat*ddgamma + dg*gamma)*dy
        if ddgamma is not None:
            dsilu_z = _by_feature(np.multiply, xhat, ddgamma_wide, out=buffer_8)
        if needs_g:
            part_8 = _by_feature(np.multiply, dg, gamma_wide, out=buffer_3)
        if needs_g_2:
            part_8 = dg
        if ddx_rows is not None and ddgamma is not None:
            dsilu_z = np.add(dsilu_z, part_8, out=buffer_3)
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            dsilu_z = part_8
        if needs_g_2:
            dsilu_z = part_8
        if needs_part:
            dsilu_z = np.multiply(dsilu_z, dy, out=buffer_3)
        # step 22: g_5 = ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma -
        #   ddx*mean_g_scaled
        if ddz_rows is not None:
            g_5 = np.multiply(ddz, dy, out=buffer_8)
            g_5 = np.multiply(g_5, sigmoid_z, out=buffer_8)
            g_5 = np.multiply(g_5, part_6, out=buffer_8)
        if needs_g_5:
            g_5 = _by_feature(np.multiply, g_5, gamma_wide, out=buffer_8)
        if ddx_rows is not None and ddz_rows is None:
            g_5 = 0.0
        if ddx_rows is not None:
            part_9 = _by_row(np.multiply, ddx, mean_g_scaled, out=buffer_5)
            g_5 = np.subtract(g_5, part_9, out=buffer_5)
        # step 23: mean_g_5_xhat = mean(g_5*xhat)
        if needs_mean_g_5_xhat:
            mean_g_5_xhat = _row_mean(g_5, xhat, D, out=row_scalar_5)
        # step 24: dz = (dsilu_z + (1 - sigmoid_z)*ddz*dy*xhat*gamma + (1 -
        #   sigmoid_z)*(dsilu_z*z + ((1 - sigmoid_z)*z + 1 -
        #   silu_z)*ddz*dy*xhat*gamma))*sigmoid_z
        if ddz_rows is not None:
            dz = np.multiply(part_5, ddz, out=buffer_9)
            dz = np.multiply(dz, dy, out=buffer_9)
            dz = np.multiply(dz, xhat, out=buffer_9)
        if needs_g_5:
            dz = _by_feature(np.multiply, dz, gamma_wide, out=buffer_9)
        if needs_dz:
            dz = np.add(dsilu_z, dz, out=buffer_9)
        if ddz_rows is None:
            dz = dsilu_z
        if needs_part:
            part_10 = np.multiply(dsilu_z, z, out=buffer_10)
        if ddz_rows is not None:
            part_11 = np.subtract(part_6, silu_z, out=buffer_3)
            part_11 = np.multiply(part_11, ddz, out=buffer_3)
            part_11 = np.multiply(part_11, dy, out=buffer_3)
            part_11 = np.multiply(part_11, xhat, out=buffer_3)
        if needs_g_5:
            part_11 = _by_feature(np.multiply, part_11, gamma_wide, out=buffer_3)
        if needs_dz:
            part_10 = np.add(part_10, part_11, out=buffer_3)
        if needs_part_10:
            part_10 = part_11
        if needs_part_10_2:
            part_10 = part_11
        part_10 = np.multiply(part_5, part_10, out=buffer_6)
        dz = np.add(dz, part_10, out=buffer_3)
        np.multiply(dz, sigmoid_z, out=dz_block)
        # step 26: ddy = silu_z*xhat*ddgamma + (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
        #   sigmoid_z)*z + 1))*gamma
        if ddgamma is not None:
            ddy = np.multiply(silu_z, xhat, out=ddy_block)
            ddy = _by_feature(np.multiply, ddy, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_12 = _by_feature(np.multiply, part_3, gamma_wide, out=buffer_3)
        if needs_part_12:
            part_12 = part_3
        if needs_part_12_2:
            part_12 = part_3
        if needs_part_10_2:
            part_12 = part_3
        if needs_ddy:
            ddy = np.add(ddy, part_12, out=ddy_block)
        if gamma is not None and ddgamma is None:
            ddy = part_12
        if needs_part_12:
            ddy = part_12
        if needs_part_12_2:
            ddy = part_12
        if needs_part_10_2:
            ddy = part_12
        if ddgamma is None:
            ddy_block[...] = ddy
        # step 23: dx = (g_5 + dy*silu_z*ddgamma + ((xhat*mean_g_scaled_2 -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_ddgamma_dy_silu_z -
        #   xhat*mean_g_5_xhat)*rstd
        if ddgamma is not None:
            dx = _by_feature(np.multiply, part, ddgamma_wide, out=buffer_1)
        if needs_ddy:
            dx = np.add(g_5, dx, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dx = g_5
        if needs_part_10:
            dx = g_5
        if needs_part_10_2:
            dx = g_5
        if ddx_rows is not None:
            part_13 = _by_row(np.multiply, xhat, mean_g_scaled_2, out=buffer_3)
            part_13 = np.subtract(part_13, g, out=buffer_2)
            part_13 = np.multiply(part_13, mean_ddx_xhat, out=buffer_2)
            part_14 = _by_row(np.multiply, xhat, mean_ddx_g, out=buffer_3)
            part_13 = np.subtract(part_13, part_14, out=buffer_2)
            part_13 = np.multiply(part_13, rstd, out=buffer_2)
            dx = np.add(dx, part_13, out=buffer_1)
        if ddgamma is not None:
            part_15 = _by_row(np.multiply, xhat, mean_ddgamma_dy_silu_z, out=buffer_2)
            dx = np.subtract(dx, part_15, out=buffer_1)
        if needs_mean_g_5_xhat:
            part_16 = np.multiply(xhat, mean_g_5_xhat, out=dx_block)
            dx = np.subtract(dx, part_16, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_z = _reader(z_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_ddz = _reader(ddz_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dz, hand_on_dz = _writer((dz_out,), dtype, height)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_buffers = np.empty((10, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_z(span),
                read_dy(span),
                read_ddx(span),
                read_ddz(span),
                read_rstd(span),
                place_dz(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dz(span)
            hand_on_ddy(span)
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if ddx_rows is None and ddz_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _round_to(dgamma_out, ..., dgamma)


def _forward_small(x, z, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
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
    # step 4: sigmoid_z = Sigmoid(z)
    sigmoid_z = _sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
    # step 6: y = silu_z*xhat*gamma
    y = np.multiply(silu_z, xhat, out=silu_z)
    if gamma is not None:
        y = np.multiply(y, gamma, out=y)
    rstd = rstd[..., 0]
    return y, rstd


def _backward_small(x, z, dy, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    D = np.asarray(features, dtype)
    rstd = rstd_rows[..., np.newaxis]
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: sigmoid_z = Sigmoid(z)
    sigmoid_z = _sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = sigmoid_z * z
    # step 14: dgamma = sum over rows of dy*silu_z*xhat
    part = np.multiply(dy, silu_z, out=silu_z)
    if gamma is not None:
        part_2 = part * xhat
        dgamma = _sum_of_rows(
            _equal_weights(rows, 1.0, dtype), part_2.reshape(-1, features)
        )
        # step 9: g = dy*silu_z*gamma
        g = np.multiply(part, gamma, out=part)
    else:
        g = part
    # step 12: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 16: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
    dz = dy * sigmoid_z
    dz = np.multiply(dz, xhat, out=dz)
    part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
    part_3 = np.multiply(part_3, z, out=part_3)
    part_3 = np.add(part_3, 1.0, out=part_3)
    dz = np.multiply(dz, part_3, out=dz)
    if gamma is not None:
        dz = np.multiply(dz, gamma, out=dz)
    # step 12: dx = (g - xhat*mean_g_xhat)*rstd
    dx = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(g, dx, out=g)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    return dx, dz, dgamma


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


def _sigmoid(u, out=None):
    """1/(1 + exp(-u)); where exp(-u) is infinite, its reciprocal is the right 0."""
    with np.errstate(over="ignore"):
        below = np.add(np.exp(np.negative(u, out=out), out=out), 1.0, out=out)
    return np.divide(1.0, below, out=out)


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
    return saved.dtypes.keys() >= {"x", "z"}


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
            "pass what forward of gated_rms_norm returned as its second value"
        )


def _check_saved(saved):
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _check_is_saved(saved)
    shape, dtypes = saved.shape, saved.dtypes
    known = isinstance(shape, tuple) and isinstance(dtypes, dict)
    types = (saved.dtype, *dtypes.values()) if known else (None,)
    floats = all(isinstance(dtype, np.dtype) and dtype.kind in "fV" for dtype in types)
    if not floats or not dtypes.keys() >= {"x", "z"}:
        raise TypeError(f"saved.shape, dtype or dtypes was changed; {_AS_IT_WAS}")
    row_scalars = shape[:-1]
    _check_kept("x", saved.x, saved.shape)
    _check_kept("z", saved.z, saved.shape)
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
