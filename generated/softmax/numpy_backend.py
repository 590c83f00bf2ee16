# Made by lngen 0.1.0 from the definition of softmax.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops a row element; backward 3 row tensors (2 read, 1 written), 4 flops a row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# templates sha256:b3a640608eee732f7a260840dd6d35d21c60b1faf0b4906d0dd376f42c70ed25
"""Softmax over the feature axis.

    forward
        row_max = max(x)
        e_shifted = exp(x - row_max)
        sum_exp = sum(e_shifted)
        inv_sum_exp = 1/sum_exp
        y = inv_sum_exp*e_shifted
    backward
        dx = y*(dy - sum(dy*y))

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise
from math import prod
from numbers import Integral
from typing import NamedTuple

import numpy as np

BLOCK_BYTES = 768 * 1024
"""The size of a block of rows: it and its scratch buffers stay in the cache."""

CHUNKS = 16
"""How many runs of blocks the rows are cut into, whatever the thread count."""

FEW = 4096
"""The entries up to which all rows are one block, worked on where they stand."""

ROWS_TOGETHER = 64
"""A block has a multiple of so many rows, where it has more."""

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

    y: np.ndarray
    """y of forward."""


def forward(x, *, out=None, threads=1):
    """Softmax over the feature axis.

        row_max = max(x)
        e_shifted = exp(x - row_max)
        sum_exp = sum(e_shifted)
        inv_sum_exp = 1/sum_exp
        y = inv_sum_exp*e_shifted

    Args:
        x: shape (..., D).
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    x = _array("x", x, required=True)
    threads = _thread_count(threads)
    shape = _row_shape("x", x)
    leading = x
    _check_shape("x", x, shape, "the shape of x")
    given = {"x": x}
    dtypes, dtype = _types(given)
    y = _result("y", out, shape, leading.dtype, given)
    _forward(x, y, shape, dtype, threads)
    saved = Saved(shape, dtype, dtypes, y)
    return y, saved


def backward(saved, dy, *, out=None, threads=1):
    """The gradients of a loss, given those with respect to the outputs.

        dx = y*(dy - sum(dy*y))

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape, "the shape of y")
    threads = _thread_count(threads)
    given = {"dy": dy, "saved.y": saved.y}
    dtype = _types(given, saved.dtype)[1]
    out = _several(out, ("dx",))
    dx = _result("dx", out[0], shape, saved.dtypes.get("x"), given)
    _backward(saved.y, dy, dx, shape, dtype, threads)
    return Gradients(dx)


def jvp(saved, dx, *, out=None, threads=1):
    """What the outputs move by when each input moves by its tangent.

        dy = y*(dx - sum(dx*y))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape = saved.shape
    dx = _array("dx", dx, required=False)
    if dx is None:
        raise ValueError("every tangent is None; pass at least one")
    _check_shape("dx", dx, shape, "the shape of x")
    threads = _thread_count(threads)
    given = {"dx": dx, "saved.y": saved.y}
    dtype = _types(given, saved.dtype)[1]
    stored = saved.dtypes["x"]
    dy = _result("dy", out, shape, stored, given)
    _jvp(saved.y, dx, dy, shape, dtype, threads)
    return dy


def backward_backward(saved, cotangents, ddx, *, out=None, threads=1):
    """The gradients of a loss that depends on what `backward` returned.

        mean_dy = mean(dy*y)
        g = ddx*(dy - D*mean_dy)
        dx = y*(g + D*(mean(ddx*y)*(D*mean_dy - dy) - mean(g*y)))
        ddy = y*(ddx - sum(ddx*y))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape = saved.shape
    cotangents = _each_cotangent(cotangents, ("dy",))
    dy = _array("dy", cotangents[0], required=True)
    _check_shape("dy", dy, shape, "the shape of y")
    ddx = _array("ddx", ddx, required=False)
    if ddx is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _check_shape("ddx", ddx, shape, "the shape of x")
    threads = _thread_count(threads)
    given = {"dy": dy, "ddx": ddx, "saved.y": saved.y}
    dtype = _types(given, saved.dtype)[1]
    out = _several(out, ("dx", "ddy"))
    dx = _result("dx", out[0], shape, saved.dtypes.get("x"), given)
    ddy = _result("ddy", out[1], shape, dy.dtype, given)
    _backward_backward(saved.y, dy, ddx, dx, ddy, shape, dtype, threads)
    return SecondGradients(dx, ddy)


def _forward(x_rows, y_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    few = _are_few(rows * features, dtype, x_rows, y_out)
    height, chunks = _partition(rows, features * dtype.itemsize, 1, few)
    ones = np.ones(features, dtype)

    def block(x, y_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 2: row_max = max(x)
        row_max = np.maximum.reduce(x, axis=-1, keepdims=True, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = np.subtract(x, row_max, out=y_block)
        # step 4: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=y_block)
        # step 5: sum_exp = sum(e_shifted)
        sum_exp = _row_sum(e_shifted, ones, out=row_scalar_1)
        # step 6: inv_sum_exp = 1/sum_exp
        inv_sum_exp = np.divide(1.0, sum_exp, out=row_scalar_1)
        # step 7: y = e_shifted*inv_sum_exp
        np.multiply(e_shifted, inv_sum_exp, out=y_block)

    def sweep(share):
        read_x = _Reader(x_rows, dtype, height)
        y_writer = _Writer((y_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, start, stop in share:
            block(
                read_x(start, stop),
                y_writer.block(start, stop),
                row_scalar_buffers[:, : stop - start],
            )
            y_writer.write()

    if few:
        block(
            _whole(x_rows, rows, features),
            _whole(y_out, rows, features),
            np.empty((1, rows, 1), dtype),
        )
    else:
        _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(y_rows, dy_rows, dx_out, shape, dtype, threads):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    few = _are_few(rows * features, dtype, y_rows, dy_rows, dx_out)
    height, chunks = _partition(rows, features * dtype.itemsize, 1, few)

    def block(y, dy, dx_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 13: sum_dy_y = sum(dy*y)
        sum_dy_y = _row_sum(dy, y, out=row_scalar_1)
        # step 13: dx = (dy - sum_dy_y)*y
        dx = np.subtract(dy, sum_dy_y, out=dx_block)
        np.multiply(dx, y, out=dx_block)

    def sweep(share):
        read_y = _Reader(y_rows, dtype, height)
        read_dy = _Reader(dy_rows, dtype, height)
        dx_writer = _Writer((dx_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, start, stop in share:
            block(
                read_y(start, stop),
                read_dy(start, stop),
                dx_writer.block(start, stop),
                row_scalar_buffers[:, : stop - start],
            )
            dx_writer.write()

    if few:
        block(
            _whole(y_rows, rows, features),
            _whole(dy_rows, rows, features),
            _whole(dx_out, rows, features),
            np.empty((1, rows, 1), dtype),
        )
    else:
        _run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(y_rows, dx_rows, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    few = _are_few(rows * features, dtype, y_rows, dx_rows, dy_out)
    height, chunks = _partition(rows, features * dtype.itemsize, 1, few)

    def block(y, dx, dy_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 14: sum_dx_y = sum(dx*y)
        sum_dx_y = _row_sum(dx, y, out=row_scalar_1)
        # step 14: dy = (dx - sum_dx_y)*y
        dy = np.subtract(dx, sum_dx_y, out=dy_block)
        np.multiply(dy, y, out=dy_block)

    def sweep(share):
        read_y = _Reader(y_rows, dtype, height)
        read_dx = _Reader(dx_rows, dtype, height)
        dy_writer = _Writer((dy_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, start, stop in share:
            block(
                read_y(start, stop),
                read_dx(start, stop),
                dy_writer.block(start, stop),
                row_scalar_buffers[:, : stop - start],
            )
            dy_writer.write()

    if few:
        block(
            _whole(y_rows, rows, features),
            _whole(dx_rows, rows, features),
            _whole(dy_out, rows, features),
            np.empty((1, rows, 1), dtype),
        )
    else:
        _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    y_rows, dy_rows, ddx_rows, dx_out, ddy_out, shape, dtype, threads
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    few = _are_few(rows * features, dtype, y_rows, dy_rows, ddx_rows, ddy_out, dx_out)
    height, chunks = _partition(rows, features * dtype.itemsize, 1, few)
    D = scalar(features)

    def block(y, dy, ddx, ddy_block, dx_block, row_buffers, row_scalar_buffers):
        buffer_1 = row_buffers[0]
        row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4 = row_scalar_buffers
        # step 15: mean_dy = mean(dy*y)
        mean_dy = _row_mean(dy, y, out=row_scalar_1)
        # step 17: mean_ddx_y = mean(ddx*y)
        mean_ddx_y = _row_mean(ddx, y, out=row_scalar_2)
        # step 18: sum_ddx_y = sum(ddx*y)
        sum_ddx_y = _row_sum(ddx, y, out=row_scalar_3)
        # step 16: mean_dy_scaled = mean_dy*D
        mean_dy_scaled = np.multiply(mean_dy, D, out=row_scalar_1)
        # step 16: g = (dy - mean_dy_scaled)*ddx
        g = np.subtract(dy, mean_dy_scaled, out=ddy_block)
        g = np.multiply(g, ddx, out=dx_block)
        # step 17: mean_g_y = mean(g*y)
        mean_g_y = _row_mean(g, y, out=row_scalar_4)
        # step 18: ddy = (ddx - sum_ddx_y)*y
        ddy = np.subtract(ddx, sum_ddx_y, out=ddy_block)
        np.multiply(ddy, y, out=ddy_block)
        # step 17: dx = (g + ((mean_dy_scaled - dy)*mean_ddx_y - mean_g_y)*D)*y
        dx = np.subtract(mean_dy_scaled, dy, out=buffer_1)
        dx = np.multiply(dx, mean_ddx_y, out=buffer_1)
        dx = np.subtract(dx, mean_g_y, out=buffer_1)
        dx = np.multiply(dx, D, out=buffer_1)
        dx = np.add(g, dx, out=dx_block)
        np.multiply(dx, y, out=dx_block)

    def sweep(share):
        read_y = _Reader(y_rows, dtype, height)
        read_dy = _Reader(dy_rows, dtype, height)
        read_ddx = _Reader(ddx_rows, dtype, height)
        ddy_writer = _Writer((ddy_out,), dtype, height)
        dx_writer = _Writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((4, height, 1), dtype)
        for _, start, stop in share:
            block(
                read_y(start, stop),
                read_dy(start, stop),
                read_ddx(start, stop),
                ddy_writer.block(start, stop),
                dx_writer.block(start, stop),
                row_buffers[:, : stop - start],
                row_scalar_buffers[:, : stop - start],
            )
            ddy_writer.write()
            dx_writer.write()

    if few:
        block(
            _whole(y_rows, rows, features),
            _whole(dy_rows, rows, features),
            _whole(ddx_rows, rows, features),
            _whole(ddy_out, rows, features),
            _whole(dx_out, rows, features),
            np.empty((1, rows, features), dtype),
            np.empty((4, rows, 1), dtype),
        )
    else:
        _run(sweep, chunks, threads, features * dtype.itemsize)


def _row_sum(a, b, out):
    """The sum of a*b over each row, with no buffer for the products."""
    np.vecdot(a, b, out=out[:, 0])
    return out


def _row_mean(a, b, out):
    """The mean of a*b over each row."""
    return np.divide(_row_sum(a, b, out), a.shape[-1], out=out)


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
    plain = width == 1 or array.strides[-1] == array.itemsize
    direct = plain and array.dtype == dtype and array.flags.aligned
    return array.reshape(-1, width), direct


class _Reader:
    """Blocks of rows in the compute type: views where the array has it, else copies.

    Of an array that is not there they are None.
    """

    def __init__(self, array, dtype, height, row_scalars=False):
        self.rows, self.direct = None, True
        if array is None:
            return
        self.rows, self.direct = _rows(array, dtype, row_scalars)
        width = 1 if row_scalars else array.shape[-1]
        self.scratch = None if self.direct else np.empty((height, width), dtype)

    def __call__(self, start, stop):
        if self.direct:
            return None if self.rows is None else self.rows[start:stop]
        copy = self.scratch[: stop - start]
        copy[...] = self.rows[start:stop]
        return copy


class _Writer:
    """Blocks of a result to compute in: its own memory where it has the compute type.

    Of several arrays that hold the same result, those after the first are copied to.
    """

    def __init__(self, arrays, dtype, height, row_scalars=False):
        by_id = {id(array): array for array in arrays if array is not None}
        distinct = list(by_id.values())
        self.own, self.scratch, self.others = None, None, []
        if not distinct:
            return
        rows = [_rows(array, dtype, row_scalars) for array in distinct]
        self.own = rows[0][0] if rows[0][1] else None
        self.others = [other for other, _ in (rows if self.own is None else rows[1:])]
        width = 1 if row_scalars else distinct[0].shape[-1]
        self.scratch = np.empty((height, width), dtype) if self.own is None else None

    def block(self, start, stop):
        """Where to compute rows `start` to `stop`."""
        self.span = slice(start, stop)
        if self.own is not None:
            self.current = self.own[self.span]
        else:
            scratch = self.scratch
            self.current = None if scratch is None else scratch[: stop - start]
        return self.current

    def write(self):
        """Hand on the rows that were computed in the last block."""
        for other in self.others:
            other[self.span] = self.current


def _are_few(entries, dtype, *arrays):
    """Whether all rows can be one block: few, of the compute type, and without gaps."""
    if not 0 < entries <= FEW:
        return False
    there = [array for array in arrays if array is not None]
    return all(array.dtype == dtype and array.flags.c_contiguous for array in there)


def _whole(array, rows, width):
    """All rows of an array that has no gaps, as one block."""
    return None if array is None else array.reshape(rows, width)


def _partition(rows, row_bytes, least_rows, few):
    """The rows of a block, and all blocks as (chunk, start, stop), chunk by chunk.

    Neither depends on the thread count, so no sum does. A `few` rows are one block.
    Long rows have fewer chunks where each has sums of its own.
    """
    if few:
        return rows, [()]
    height = max(least_rows, BLOCK_BYTES // row_bytes)
    height -= height % ROWS_TOGETHER if height > ROWS_TOGETHER else 0
    height = min(height, max(rows, 1))
    blocks = [(start, min(start + height, rows)) for start in range(0, rows, height)]
    fewer = CHUNKS if least_rows == 1 else min(CHUNKS, max(2, BLOCK_BYTES // row_bytes))
    together = max(1, -(-len(blocks) // fewer))
    runs = [blocks[i : i + together] for i in range(0, len(blocks), together)]
    return height, [[(chunk, *span) for span in run] for chunk, run in enumerate(runs)]


def _run(sweep, chunks, threads, row_bytes):
    """Sweep all chunks, each thread a share of them with scratch buffers of its own."""

    def work(share):
        with np.errstate():  # puts the buffer size back too
            if row_bytes >= LONG_ROW:
                np.setbufsize(UFUNC_BUFFER)
            sweep([block for chunk in share for block in chunk])

    shares = [chunks[i::threads] for i in range(min(threads, len(chunks)))]
    if len(shares) == 1:
        work(shares[0])
    elif shares:
        with ThreadPoolExecutor(len(shares)) as pool:
            tasks = [pool.submit(copy_context().run, work, share) for share in shares]
        for task in tasks:
            task.result()


def _array(name, value, required):
    """A floating-point array; None stays None for what may be left out."""
    if value is None:
        if required:
            raise TypeError(f"{name} is None; pass an array of floats")
        return None
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} is no array: its parts differ in length; pass an array of floats"
        ) from None
    known = array.dtype.type in (np.float16, np.float32, np.float64, np.longdouble)
    if not known and array.dtype.name != "bfloat16":
        raise TypeError(
            f"{name} is of type {array.dtype}, not floating point; "
            f"pass real floats, such as {name}.astype(np.float64)"
        )
    return array


def _thread_count(threads):
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


def _check_saved(saved):
    """Refuse what forward did not return, and arrays whose shape was changed since."""
    if not isinstance(saved, Saved):
        raise TypeError(
            f"saved is of type {type(saved).__name__}; "
            "pass what forward of softmax returned as its second value"
        )
    known = isinstance(saved.shape, tuple) and isinstance(saved.dtypes, dict)
    types = (saved.dtype, *saved.dtypes.values()) if known else (None,)
    floats = all(isinstance(dtype, np.dtype) and dtype.kind in "fV" for dtype in types)
    if not floats or not saved.dtypes.keys() >= {"x"}:
        raise TypeError(f"saved.shape, dtype or dtypes was changed; {_AS_IT_WAS}")
    for name, shape, given in (
        ("y", saved.shape, True),
    ):
        array = getattr(saved, name)
        if not (isinstance(array, np.ndarray) if given else array is None):
            found = type(array).__name__
            raise TypeError(f"saved.{name} is of type {found}; {_AS_IT_WAS}")
        _check_shape(f"saved.{name}", array, shape, "what forward saw")


def _each_cotangent(cotangents, names):
    """The cotangents one by one; a single one may come without a tuple."""
    if not isinstance(cotangents, tuple):
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
    there = {name: array for name, array in given.items() if array is not None}
    dtypes = {name: np.asarray(array).dtype for name, array in there.items()}
    kinds = {dtypes[name] for name in there if not isinstance(there[name], float)}
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
    result and stand for this one too.
    """
    if dtype is None:
        if out is not None:
            raise ValueError(f"out for {name}: its input was left out, so pass None")
        return None
    if out is None:
        for other in like:
            if other is not None and other.dtype == dtype:
                return other
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


def _overlaps_itself(array):
    """Whether two entries share memory; where that is hard to tell, they do."""
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
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
