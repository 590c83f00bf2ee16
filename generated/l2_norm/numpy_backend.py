# Made by lngen 0.1.0 from the definition of l2_norm.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 3 flops a row element; backward 3 row tensors (2 read, 1 written), 6 flops a row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# templates sha256:1dcfe7bc783314526a455de79ba3f56c99b639d3173cef70b1b1c3940a673201
"""Each row divided by its Euclidean length.

    forward
        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x
    backward
        dx = rstd*(dy - y*sum(dy*y))

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
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


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: np.ndarray
    """The gradient of x, in its shape and type."""

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

    rstd: np.ndarray
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_empty = np.empty


def forward(x, *, eps=1e-12, out=None, threads=1):
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
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
        dtypes_ = {"x": dtype_}
        y_, rstd_ = _at_once(_forward_small, x, eps, shape_, dtype_)
        if out is not None:
            given_ = {"x": x}
            (y_,) = _placed(("y",), (y_,), (out,), given_)
        saved = _Saved(shape_, dtype_, dtypes_, x, rstd_)
        return y_, saved
    x = _array("x", x, required=True)
    shape_ = _row_shape("x", x)
    leading_ = x
    _check_shape("x", x, shape_, "the shape of x")
    given_ = {"x": x}
    dtypes_, dtype_ = _types(given_)
    y_ = _result("y", out, shape_, leading_.dtype, given_)
    rstd_ = _empty(shape_[:-1], dtype_)
    _forward(x, eps, y_, rstd_, shape_, dtype_, threads)
    saved = _Saved(shape_, dtype_, dtypes_, x, rstd_)
    return y_, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        dx = rstd*(dy - y*sum(dy*y))

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
            and _fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_ = _at_once(_backward_small, saved.x, dy, saved.rstd, shape_, dtype_)
            if out is not None:
                given_ = {"dy": dy, "saved.x": saved.x, "saved.rstd": saved.rstd}
                (dx_,) = _placed(("dx",), (dx_,), out, given_)
            return _Gradients(dx_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape_, "the shape of y")
    given_ = {"dy": dy, "saved.x": saved.x, "saved.rstd": saved.rstd}
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx",))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    _backward(saved.x, dy, saved.rstd, dx_, shape_, dtype_, threads)
    return _Gradients(dx_)


def jvp(saved, dx=None, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dy = rstd*(dx - y*sum(dx*y))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _array("dx", dx, required=False)
    if dx is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_shape("dx", dx, shape_, "the shape of x")
    threads = _thread_count(threads)
    given_ = {"dx": dx, "saved.x": saved.x, "saved.rstd": saved.rstd}
    dtype_ = _types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_ = _result("dy", out, shape_, stored_, given_)
    _jvp(saved.x, dx, saved.rstd, dy_, shape_, dtype_, threads)
    return dy_


def backward_backward(saved, cotangents, ddx=None, *, out=None, threads=1):
    """The gradients of a loss that depends on what `backward` returned.

        mean_dy = mean(dy*y)
        dx = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy*y - dy) - mean_dy*ddx - y*mean(ddx*dy))
        ddy = rstd*(ddx - y*sum(ddx*y))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
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
    if ddx is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_shape("ddx", ddx, shape_, "the shape of x")
    threads = _thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _types(given_, saved.dtype)[1]
    out = _several(out, ("dx", "ddy"))
    dx_ = _result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    ddy_ = _result("ddy", out[1], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x, dy_, ddx, saved.rstd, dx_, ddy_, shape_, dtype_, threads
    )
    return _SecondGradients(dx_, ddy_)


def _forward(x_rows, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    eps = np.asarray(eps, dtype)

    def block(x, rstd_block, y_block):
        # step 1: sum_x2 = sum(x**2)
        sum_x2 = _row_sum(x, x, out=rstd_block)
        # step 2: rstd = 1/sqrt(sum_x2 + eps)
        rstd = np.add(sum_x2, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: y = x*rstd
        _by_row(np.multiply, x, rstd, out=y_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        place_rstd, hand_on_rstd = _writer((rstd_out,), dtype, height, row_scalars=True)
        place_y, hand_on_y = _writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), place_rstd(span), place_y(span))
            hand_on_rstd(span)
            hand_on_y(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(x_rows, dy_rows, rstd_rows, dx_out, shape, dtype, threads):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)

    def block(x, dy, rstd, dx_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 6: sum_dy_y_unscaled = sum(dy*x)
        sum_dy_y_unscaled = _row_sum(dy, x, out=row_scalar_1)
        # step 6: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = np.multiply(rstd, sum_dy_y_unscaled, out=row_scalar_1)
        # step 6: dx = (dy - x*rstd*sum_dy_y)*rstd
        part = np.multiply(rstd, sum_dy_y, out=row_scalar_1)
        dx = _by_row(np.multiply, x, part, out=dx_block)
        dx = np.subtract(dy, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dy(span),
                read_rstd(span),
                place_dx(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(x_rows, dx_rows, rstd_rows, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)

    def block(x, dx, rstd, dy_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 7: sum_dx_y_unscaled = sum(dx*x)
        sum_dx_y_unscaled = _row_sum(dx, x, out=row_scalar_1)
        # step 7: sum_dx_y = rstd*sum_dx_y_unscaled
        sum_dx_y = np.multiply(rstd, sum_dx_y_unscaled, out=row_scalar_1)
        # step 7: dy = (dx - x*rstd*sum_dx_y)*rstd
        part = np.multiply(rstd, sum_dx_y, out=row_scalar_1)
        dy = _by_row(np.multiply, x, part, out=dy_block)
        dy = np.subtract(dx, dy, out=dy_block)
        np.multiply(dy, rstd, out=dy_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dx = _reader(dx_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _writer((dy_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_rstd(span),
                place_dy(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows, dy_rows, ddx_rows, rstd_rows, dx_out, ddy_out, shape, dtype, threads
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    # step 9: mean_dy_scaled = 3*mean_dy*D
    part = np.multiply(3.0, D)

    def block(x, dy, ddx, rstd, dx_block, ddy_block, row_scalar_buffers):
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
        ) = row_scalar_buffers
        # step 9: rstd_scaled = rstd**2*D
        rstd_scaled = np.square(rstd, out=row_scalar_1)
        rstd_scaled = np.multiply(rstd_scaled, D, out=row_scalar_1)
        # step 8: mean_dy_unscaled = mean(dy*x)
        mean_dy_unscaled = _row_mean(dy, x, D, out=row_scalar_2)
        # step 9: mean_ddx_y_unscaled = mean(ddx*x)
        mean_ddx_y_unscaled = _row_mean(ddx, x, D, out=row_scalar_3)
        # step 9: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _row_mean(ddx, dy, D, out=row_scalar_4)
        # step 10: sum_ddx_y_unscaled = sum(ddx*x)
        sum_ddx_y_unscaled = _row_sum(ddx, x, out=row_scalar_5)
        # step 8: mean_dy = mean_dy_unscaled*rstd
        mean_dy = np.multiply(mean_dy_unscaled, rstd, out=row_scalar_2)
        # step 9: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = np.multiply(mean_ddx_y_unscaled, rstd, out=row_scalar_3)
        # step 10: sum_ddx_y = rstd*sum_ddx_y_unscaled
        sum_ddx_y = np.multiply(rstd, sum_ddx_y_unscaled, out=row_scalar_5)
        # step 9: mean_dy_scaled = 3*mean_dy*D
        mean_dy_scaled = np.multiply(mean_dy, part, out=row_scalar_6)
        # step 9: dx = ((x*mean_dy_scaled*rstd - dy)*mean_ddx_y - ddx*mean_dy -
        #   x*mean_ddx_dy*rstd)*rstd_scaled
        part_2 = np.multiply(mean_dy_scaled, rstd, out=row_scalar_6)
        dx = _by_row(np.multiply, x, part_2, out=dx_block)
        dx = np.subtract(dx, dy, out=dx_block)
        dx = np.multiply(dx, mean_ddx_y, out=dx_block)
        part_3 = _by_row(np.multiply, ddx, mean_dy, out=ddy_block)
        dx = np.subtract(dx, part_3, out=dx_block)
        part_4 = np.multiply(mean_ddx_dy, rstd, out=row_scalar_2)
        part_5 = _by_row(np.multiply, x, part_4, out=ddy_block)
        dx = np.subtract(dx, part_5, out=dx_block)
        np.multiply(dx, rstd_scaled, out=dx_block)
        # step 10: ddy = (ddx - x*rstd*sum_ddx_y)*rstd
        part_6 = np.multiply(rstd, sum_ddx_y, out=row_scalar_1)
        ddy = _by_row(np.multiply, x, part_6, out=ddy_block)
        ddy = np.subtract(ddx, ddy, out=ddy_block)
        np.multiply(ddy, rstd, out=ddy_block)

    def sweep(share):
        read_x = _reader(x_rows, dtype, height)
        read_dy = _reader(dy_rows, dtype, height)
        read_ddx = _reader(ddx_rows, dtype, height)
        read_rstd = _reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _writer((dx_out,), dtype, height)
        place_ddy, hand_on_ddy = _writer((ddy_out,), dtype, height)
        row_scalar_buffers = np.empty((6, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_rstd(span),
                place_dx(span),
                place_ddy(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)
            hand_on_ddy(span)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    eps = np.asarray(eps, dtype)
    # step 1: sum_x2 = sum(x**2)
    sum_x2 = vecdot(x, x)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(sum_x2 + eps)
    rstd = sum_x2 + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: y = x*rstd
    y = x * rstd
    rstd = rstd[..., 0]
    return y, rstd


def _backward_small(x, dy, rstd_rows, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    vecdot = np.vecdot if shape[-1] <= 2 * PIECE else _vecdot_in_pieces
    rstd = rstd_rows[..., np.newaxis]
    # step 6: sum_dy_y_unscaled = sum(dy*x)
    sum_dy_y_unscaled = vecdot(dy, x)[..., np.newaxis]
    # step 6: sum_dy_y = rstd*sum_dy_y_unscaled
    sum_dy_y = rstd * sum_dy_y_unscaled
    # step 6: dx = (dy - x*rstd*sum_dy_y)*rstd
    part = rstd * sum_dy_y
    dx = x * part
    dx = np.subtract(dy, dx, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    return dx


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
            "pass what forward of l2_norm returned as its second value"
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
    _check_kept("rstd", saved.rstd, row_scalars)


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
