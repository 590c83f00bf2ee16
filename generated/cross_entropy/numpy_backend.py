# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops a row element; backward 4 row tensors (2 read, 2 written), 9 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Cross entropy of soft targets with the softmax of a row, one number a row.

    forward
        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        logp = x - row_max - log_sum_exp
        sum_target = sum(logp*target)
        y = -sum_target
    backward
        dx = dy*(exp_shifted*sum(target)/sum_exp - target)
        dtarget = -dy*logp

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from itertools import pairwise
from math import prod
from numbers import Integral
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

    dtarget: np.ndarray
    """The gradient of target, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

    dtarget: np.ndarray
    """The gradient of target, in its shape and type."""

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

    target: np.ndarray
    """The argument target of forward."""

    row_max: np.ndarray
    """The row scalar row_max, one a row."""

    sum_exp: np.ndarray
    """The row scalar sum_exp, one a row."""

    log_sum_exp: np.ndarray
    """The row scalar log_sum_exp, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, target, *, out=None, threads=1):
    """Cross entropy of soft targets with the softmax of a row, one number a row.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        logp = x - row_max - log_sum_exp
        sum_target = sum(logp*target)
        y = -sum_target

    Args:
        x: shape (..., D).
        target: shape (..., D).
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    threads = _thread_count(threads)
    if _are_few(x):
        shape_, dtype_ = x.shape, x.dtype
        if _fits(target, shape_, dtype_):
            dtypes_ = {"x": dtype_, "target": dtype_}
            y_, row_max_, sum_exp_, log_sum_exp_ = _at_once(
                _forward_small, x, target, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "target": target}
                (y_,) = _placed(("y",), (y_,), (out,), given_)
            saved = _Saved(
                shape_, dtype_, dtypes_, x, target, row_max_, sum_exp_, log_sum_exp_
            )
            return y_, saved
    x = _array("x", x, required=True)
    target = _array("target", target, required=True)
    shape_ = _row_shape("x", x)
    leading_ = x
    _check_shape("x", x, shape_, "the shape of x")
    _check_shape("target", target, shape_, "the shape of x")
    given_ = {"x": x, "target": target}
    dtypes_, dtype_ = _types(given_)
    y_ = _result("y", out, shape_[:-1], leading_.dtype, given_)
    row_max_ = _empty(shape_[:-1], dtype_)
    sum_exp_ = _empty(shape_[:-1], dtype_)
    log_sum_exp_ = _empty(shape_[:-1], dtype_)
    _forward(x, target, y_, row_max_, sum_exp_, log_sum_exp_, shape_, dtype_, threads)
    saved = _Saved(shape_, dtype_, dtypes_, x, target, row_max_, sum_exp_, log_sum_exp_)
    return y_, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        dx = dy*(exp_shifted*sum(target)/sum_exp - target)
        dtarget = -dy*logp

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
            and _fits(dy, shape_[:-1], dtype_)
            and _fits(saved.target, shape_, dtype_)
            and _fits(saved.row_max, shape_[:-1], dtype_)
            and _fits(saved.sum_exp, shape_[:-1], dtype_)
            and _fits(saved.log_sum_exp, shape_[:-1], dtype_)
        ):
            dx_, dtarget_ = _at_once(
                _backward_small,
                saved.x,
                saved.target,
                dy,
                saved.row_max,
                saved.sum_exp,
                saved.log_sum_exp,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.target": saved.target,
                    "saved.row_max": saved.row_max,
                    "saved.sum_exp": saved.sum_exp,
                    "saved.log_sum_exp": saved.log_sum_exp,
                }
                dx_, dtarget_ = _placed(("dx", "dtarget"), (dx_, dtarget_), out, given_)
            return _Gradients(dx_, dtarget_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape_[:-1], "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
        "saved.log_sum_exp": saved.log_sum_exp,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dtarget"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dtarget_ = _result("dtarget", out[1], shape_, saved.dtypes.get("target"), given_)
    _backward(
        saved.x,
        saved.target,
        dy,
        saved.row_max,
        saved.sum_exp,
        saved.log_sum_exp,
        dx_,
        dtarget_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dtarget_)


def jvp(saved, dx=None, dtarget=None, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dlog_sum_exp = sum(dx*exp_shifted)/sum_exp
        dy = -sum(dtarget*logp + target*(dx - dlog_sum_exp))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dtarget: the tangent of target; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _array("dx", dx, required=False)
    dtarget = _array("dtarget", dtarget, required=False)
    if dx is None and dtarget is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_shape("dx", dx, shape_, "the shape of x")
    _check_shape("dtarget", dtarget, shape_, "the shape of target")
    threads = _thread_count(threads)
    given_ = {
        "dx": dx,
        "dtarget": dtarget,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
        "saved.log_sum_exp": saved.log_sum_exp,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_ = _result("dy", out, shape_[:-1], stored_, given_)
    _jvp(
        saved.x,
        saved.target,
        dx,
        dtarget,
        saved.row_max,
        saved.sum_exp,
        saved.log_sum_exp,
        dy_,
        shape_,
        dtype_,
        threads,
    )
    return dy_


def backward_backward(
    saved, cotangents, ddx=None, ddtarget=None, *, out=None, threads=1
):
    """The gradients of a loss that depends on what `backward` returned.

        mean_target = mean(target)
        g = -dy*ddtarget
        dx = g + D*exp_shifted*(dy*mean_target*(ddx - sum(ddx*exp_shifted)/sum_exp) -
            mean(g))/sum_exp
        dtarget = dy*(sum(ddx*exp_shifted)/sum_exp - ddx)
        ddy = D*(mean(-ddtarget*logp) + mean(ddx*(D*mean_target*exp_shifted/sum_exp -
            target)))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddtarget: the cotangent of dtarget, its gradient; None stands for zero.
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
    _check_shape("dy", dy_, shape_[:-1], "the shape of y")
    ddx = _array("ddx", ddx, required=False)
    ddtarget = _array("ddtarget", ddtarget, required=False)
    if ddx is None and ddtarget is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_shape("ddx", ddx, shape_, "the shape of x")
    _check_shape("ddtarget", ddtarget, shape_, "the shape of target")
    threads = _thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddtarget": ddtarget,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
        "saved.log_sum_exp": saved.log_sum_exp,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "dtarget", "ddy"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dtarget_ = _result("dtarget", out[1], shape_, saved.dtypes.get("target"), given_)
    ddy_ = _result("ddy", out[2], shape_[:-1], dy_.dtype, given_)
    _backward_backward(
        saved.x,
        saved.target,
        dy_,
        ddx,
        ddtarget,
        saved.row_max,
        saved.sum_exp,
        saved.log_sum_exp,
        dx_,
        dtarget_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dtarget_, ddy_)


def _forward(
    x_rows,
    target_rows,
    y_out,
    row_max_out,
    sum_exp_out,
    log_sum_exp_out,
    shape,
    dtype,
    threads,
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    ones = _equal_weights(features, 1.0, dtype)

    def block(
        x, target, row_max_block, sum_exp_block, log_sum_exp_block, y_block, row_buffers
    ):
        buffer_1, buffer_2 = row_buffers
        # step 2: row_max = max(x)
        row_max = np.maximum.reduce(x, axis=-1, keepdims=True, out=row_max_block)
        # step 3: x_shifted = x - row_max
        x_shifted = _by_row(np.subtract, x, row_max, out=buffer_1)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffer_2)
        # step 5: sum_exp = sum(exp_shifted)
        sum_exp = _row_sum(exp_shifted, ones, out=sum_exp_block)
        # step 6: log_sum_exp = log(sum_exp)
        log_sum_exp = np.log(sum_exp, out=log_sum_exp_block)
        # step 7: logp = x_shifted - log_sum_exp
        logp = np.subtract(x_shifted, log_sum_exp, out=buffer_1)
        # step 8: sum_target = sum(logp*target)
        sum_target = _row_sum(logp, target, out=y_block)
        # step 9: y = -sum_target
        np.negative(sum_target, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_target = _reader(target_rows, dtype, height)
        place_row_max, hand_on_row_max = _writer(
            (row_max_out,), dtype, height, row_scalars=True
        )
        place_sum_exp, hand_on_sum_exp = _writer(
            (sum_exp_out,), dtype, height, row_scalars=True
        )
        place_log_sum_exp, hand_on_log_sum_exp = _writer(
            (log_sum_exp_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _writer((y_out,), dtype, height, row_scalars=True)
        row_buffers = np.empty((2, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_target(span),
                place_row_max(span),
                place_sum_exp(span),
                place_log_sum_exp(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_row_max(span)
            hand_on_sum_exp(span)
            hand_on_log_sum_exp(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    target_rows,
    dy_rows,
    row_max_rows,
    sum_exp_rows,
    log_sum_exp_rows,
    dx_out,
    dtarget_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    ones = _equal_weights(features, 1.0, dtype)

    def block(
        x,
        target,
        dy,
        row_max,
        sum_exp,
        log_sum_exp,
        dtarget_block,
        dx_block,
        row_scalar_buffers,
    ):
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 15: sum_target_2 = sum(target)
        sum_target_2 = _row_sum(target, ones, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _by_row(np.subtract, x, row_max, out=dx_block)
        # step 7: logp = x_shifted - log_sum_exp
        logp = _by_row(np.subtract, x_shifted, log_sum_exp, out=dtarget_block)
        # step 13: dtarget = -logp*dy
        part = np.negative(dy, out=row_scalar_2)
        np.multiply(logp, part, out=dtarget_block)
        # step 15: sum_target_2_scaled = sum_target_2/sum_exp
        sum_target_2_scaled = np.divide(sum_target_2, sum_exp, out=row_scalar_1)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 15: dx = (exp_shifted*sum_target_2_scaled - target)*dy
        dx = np.multiply(exp_shifted, sum_target_2_scaled, out=dx_block)
        dx = np.subtract(dx, target, out=dx_block)
        np.multiply(dx, dy, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_target = _reader(target_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height, row_scalars=True)
        read_row_max = _reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _reader(log_sum_exp_rows, dtype, height, row_scalars=True)
        place_dtarget, hand_on_dtarget = _writer((dtarget_out,), dtype, height)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_target(span),
                read_dy(span),
                read_row_max(span),
                read_sum_exp(span),
                read_log_sum_exp(span),
                place_dtarget(span),
                place_dx(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dtarget(span)
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(
    x_rows,
    target_rows,
    dx_rows,
    dtarget_rows,
    row_max_rows,
    sum_exp_rows,
    log_sum_exp_rows,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    ones = _equal_weights(features, 1.0, dtype)

    def block(
        x, target, dx, dtarget, row_max, sum_exp, log_sum_exp, dy_block, row_buffers
    ):
        buffer_1, buffer_2 = row_buffers
        # step 3: x_shifted = x - row_max
        x_shifted = _by_row(np.subtract, x, row_max, out=buffer_1)
        # step 4: exp_shifted = exp(x_shifted)
        if dx_rows is not None:
            exp_shifted = np.exp(x_shifted, out=buffer_2)
            # step 16: sum_dx_exp_shifted = sum(dx*exp_shifted)
            sum_dx_exp_shifted = _row_sum(dx, exp_shifted, out=dy_block)
            # step 16: dlog_sum_exp = sum_dx_exp_shifted/sum_exp
            dlog_sum_exp = np.divide(sum_dx_exp_shifted, sum_exp, out=dy_block)
        # step 7: logp = x_shifted - log_sum_exp
        if dtarget_rows is not None:
            logp = np.subtract(x_shifted, log_sum_exp, out=buffer_1)
            # step 17: sum_dtarget_dx_logp = sum(dtarget*logp + (dx -
            #   dlog_sum_exp)*target)
            part = np.multiply(dtarget, logp, out=buffer_1)
        if dx_rows is not None:
            part_2 = _by_row(np.subtract, dx, dlog_sum_exp, out=buffer_2)
            part_2 = np.multiply(part_2, target, out=buffer_2)
        if dx_rows is not None and dtarget_rows is not None:
            part = np.add(part, part_2, out=buffer_1)
        if dtarget_rows is None:
            part = part_2
        sum_dtarget_dx_logp = _row_sum(part, ones, out=dy_block)
        # step 17: dy = -sum_dtarget_dx_logp
        np.negative(sum_dtarget_dx_logp, out=dy_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_target = _reader(target_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_dtarget = _reader(dtarget_rows, dtype, height)
        read_row_max = _reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _reader(log_sum_exp_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height, row_scalars=True)
        row_buffers = np.empty((2, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_target(span),
                read_dx(span),
                read_dtarget(span),
                read_row_max(span),
                read_sum_exp(span),
                read_log_sum_exp(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    target_rows,
    dy_rows,
    ddx_rows,
    ddtarget_rows,
    row_max_rows,
    sum_exp_rows,
    log_sum_exp_rows,
    dx_out,
    dtarget_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    one_over_D = _equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)

    def block(
        x,
        target,
        dy,
        ddx,
        ddtarget,
        row_max,
        sum_exp,
        log_sum_exp,
        dx_block,
        dtarget_block,
        ddy_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1 = row_buffers[0]
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 20: sum_exp_scaled = D/sum_exp
        sum_exp_scaled = np.divide(D, sum_exp, out=ddy_block)
        # step 18: mean_target = mean(target)
        if ddx_rows is not None:
            mean_target = _row_sum(target, one_over_D, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _by_row(np.subtract, x, row_max, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dtarget_block)
        # step 20: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        if ddx_rows is not None:
            sum_ddx_exp_shifted = _row_sum(ddx, exp_shifted, out=row_scalar_2)
        # step 7: logp = x_shifted - log_sum_exp
        if ddtarget_rows is not None:
            logp = np.subtract(x_shifted, log_sum_exp, out=dx_block)
            # step 22: mean_ddtarget_logp = mean(-ddtarget*logp)
            part = np.multiply(ddtarget, logp, out=dx_block)
            part = np.negative(part, out=dx_block)
            mean_ddtarget_logp = _row_sum(part, one_over_D, out=row_scalar_3)
            # step 19: g = -ddtarget*dy
            part_2 = np.negative(dy, out=row_scalar_4)
            g = _by_row(np.multiply, ddtarget, part_2, out=dx_block)
            # step 20: mean_g = mean(g)
            mean_g = _row_sum(g, one_over_D, out=row_scalar_4)
        # step 20: mean_target_scaled = dy*mean_target
        if ddx_rows is not None:
            mean_target_scaled = np.multiply(dy, mean_target, out=row_scalar_5)
            # step 20: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/sum_exp
            sum_ddx_exp_shifted_scaled = np.divide(
                sum_ddx_exp_shifted, sum_exp, out=row_scalar_2
            )
            # step 22: mean_target_scaled_2 = mean_target*D/sum_exp
            mean_target_scaled_2 = np.multiply(mean_target, D, out=row_scalar_1)
            mean_target_scaled_2 = np.divide(
                mean_target_scaled_2, sum_exp, out=row_scalar_1
            )
            # step 22: mean_ddx_exp_shifted_target =
            #   mean(ddx*(exp_shifted*mean_target_scaled_2 - target))
            part_3 = _by_row(
                np.multiply, exp_shifted, mean_target_scaled_2, out=buffer_1
            )
            part_3 = np.subtract(part_3, target, out=buffer_1)
            mean_ddx_exp_shifted_target = _row_mean(ddx, part_3, D, out=row_scalar_1)
            # step 20: dx = g + ((ddx - sum_ddx_exp_shifted_scaled)*mean_target_scaled -
            #   mean_g)*exp_shifted*sum_exp_scaled
            dx = _by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffer_1)
            dx = np.multiply(dx, mean_target_scaled, out=buffer_1)
        else:
            dx = 0.0
        if ddtarget_rows is not None:
            dx = np.subtract(dx, mean_g, out=buffer_1)
        dx = np.multiply(dx, exp_shifted, out=dtarget_block)
        dx = np.multiply(dx, sum_exp_scaled, out=dtarget_block)
        if ddtarget_rows is not None:
            dx = np.add(g, dx, out=dx_block)
        else:
            dx_block[...] = dx
        # step 21: dtarget = (sum_ddx_exp_shifted_scaled - ddx)*dy
        if ddx_rows is not None:
            dtarget = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=dtarget_block)
            dtarget = np.multiply(dtarget, dy, out=dtarget_block)
        else:
            dtarget = 0.0
            dtarget_block[...] = dtarget
        # step 22: ddy = (mean_ddtarget_logp + mean_ddx_exp_shifted_target)*D
        if ddx_rows is not None and ddtarget_rows is not None:
            ddy = np.add(mean_ddtarget_logp, mean_ddx_exp_shifted_target, out=ddy_block)
        if ddx_rows is None:
            ddy = mean_ddtarget_logp
        if ddtarget_rows is None:
            ddy = mean_ddx_exp_shifted_target
        np.multiply(ddy, D, out=ddy_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_target = _reader(target_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height, row_scalars=True)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_ddtarget = _reader(ddtarget_rows, dtype, height)
        read_row_max = _reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _reader(log_sum_exp_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        place_dtarget, hand_on_dtarget = _writer((dtarget_out,), dtype, height)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height, row_scalars=True)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_target(span),
                read_dy(span),
                read_ddx(span),
                read_ddtarget(span),
                read_row_max(span),
                read_sum_exp(span),
                read_log_sum_exp(span),
                place_dx(span),
                place_dtarget(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)
            hand_on_dtarget(span)
            hand_on_ddy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, target, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    ones = _equal_weights(features, 1.0, dtype)
    # step 2: row_max = max(x)
    row_max = np.maximum.reduce(x, axis=-1, keepdims=True)
    # step 3: x_shifted = x - row_max
    x_shifted = x - row_max
    # step 4: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted)
    # step 5: sum_exp = sum(exp_shifted)
    sum_exp = vecdot(exp_shifted, ones)[..., np.newaxis]
    # step 6: log_sum_exp = log(sum_exp)
    log_sum_exp = np.log(sum_exp)
    # step 7: logp = x_shifted - log_sum_exp
    logp = np.subtract(x_shifted, log_sum_exp, out=x_shifted)
    # step 8: sum_target = sum(logp*target)
    sum_target = vecdot(logp, target)[..., np.newaxis]
    # step 9: y = -sum_target
    y = np.negative(sum_target)
    row_max = row_max[..., 0]
    sum_exp = sum_exp[..., 0]
    log_sum_exp = log_sum_exp[..., 0]
    y = y[..., 0]
    return y, row_max, sum_exp, log_sum_exp


def _backward_small(
    x, target, dy_rows, row_max_rows, sum_exp_rows, log_sum_exp_rows, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    ones = _equal_weights(features, 1.0, dtype)
    dy = dy_rows[..., np.newaxis]
    row_max = row_max_rows[..., np.newaxis]
    sum_exp = sum_exp_rows[..., np.newaxis]
    log_sum_exp = log_sum_exp_rows[..., np.newaxis]
    # step 15: sum_target_2 = sum(target)
    sum_target_2 = vecdot(target, ones)[..., np.newaxis]
    # step 3: x_shifted = x - row_max
    x_shifted = x - row_max
    # step 7: logp = x_shifted - log_sum_exp
    logp = x_shifted - log_sum_exp
    # step 13: dtarget = -logp*dy
    part = np.negative(dy)
    dtarget = np.multiply(logp, part, out=logp)
    # step 15: sum_target_2_scaled = sum_target_2/sum_exp
    sum_target_2_scaled = sum_target_2 / sum_exp
    # step 4: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 15: dx = (exp_shifted*sum_target_2_scaled - target)*dy
    dx = np.multiply(exp_shifted, sum_target_2_scaled, out=exp_shifted)
    dx = np.subtract(dx, target, out=dx)
    dx = np.multiply(dx, dy, out=dx)
    return dx, dtarget


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


def _by_row(ufunc, block, values, out):
    """A ufunc of rows and one value a row, written to memory that is neither's.

    Short rows are filled with their values first: that, and a ufunc of two full blocks,
    takes less time than a loop for each row.
    """
    if block.shape[-1] * block.itemsize < LONG_ROW:
        np.copyto(out, values)
        values = out
    return ufunc(block, values, out=out)


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
    return saved.dtypes.keys() >= {"x", "target"}


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
            "pass what forward of cross_entropy returned as its second value"
        )


def _check_saved(saved):
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _check_is_saved(saved)
    shape, dtypes = saved.shape, saved.dtypes
    known = isinstance(shape, tuple) and isinstance(dtypes, dict)
    types = (saved.dtype, *dtypes.values()) if known else (None,)
    floats = all(isinstance(dtype, np.dtype) and dtype.kind in "fV" for dtype in types)
    if not floats or not dtypes.keys() >= {"x", "target"}:
        raise TypeError(f"saved.shape, dtype or dtypes was changed; {_AS_IT_WAS}")
    row_scalars = shape[:-1]
    _check_kept("x", saved.x, saved.shape)
    _check_kept("target", saved.target, saved.shape)
    _check_kept("row_max", saved.row_max, row_scalars)
    _check_kept("sum_exp", saved.sum_exp, row_scalars)
    _check_kept("log_sum_exp", saved.log_sum_exp, row_scalars)


def _check_kept(name, array, shape, given=True):
    if not (isinstance(array, np.ndarray) if given else array is None):
        found = type(array).__name__
        raise TypeError(f"saved.{name} is of type {found}; {_AS_IT_WAS}")
    if given and not _is_float(array.dtype):
        raise TypeError(f"saved.{name} is of type {array.dtype}; {_AS_IT_WAS}")
    _check_shape(f"saved.{name}", array, shape, "what forward saw")


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
