# Made by lngen 0.1.0 from the definition of rms_norm.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops a row element; backward 3 row tensors (2 read, 1 written), 9 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2; derivation.md says of what.
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
# templates sha256:6bd70fbebb21a81e1eaea1235993af1d270e7fbe298b8f3e87a4cf2c1d1a81a0
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

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise
from math import isfinite, prod
from numbers import Real
from typing import NamedTuple

import numpy as np

BLOCK_BYTES = 768 * 1024
"""The size of a block of rows: it and its scratch buffers stay in the cache."""

CHUNKS = 16
"""How many runs of blocks the rows are cut into, whatever the thread count."""

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
    """x of forward."""

    gamma: np.ndarray | None
    """The argument gamma of forward."""

    rstd: np.ndarray
    """The row scalar rstd, one a row."""


def forward(x, gamma=None, *, eps=1e-5, out=None, threads=1):
    """Root-mean-square normalization over the feature axis.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        eps: a constant, a finite number.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    x = _array("x", x, required=True)
    gamma = _array("gamma", gamma, required=False)
    eps = _constant("eps", eps)
    threads = _thread_count(threads)
    shape = _row_shape("x", x)
    leading = x
    _check_shape("x", x, shape, "the shape of x")
    _check_shape("gamma", gamma, shape[-1:], "(D,)")
    given = {"x": x, "gamma": gamma}
    dtypes, dtype = _types(given)
    y = _result("y", out, shape, leading.dtype, given)
    rstd = np.empty(shape[:-1], dtype)
    _forward(x, gamma, eps, y, rstd, shape, dtype, threads)
    saved = Saved(shape, dtype, dtypes, x, gamma, rstd)
    return y, saved


def backward(saved, dy, *, out=None, threads=1):
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
    _check_saved(saved)
    shape = saved.shape
    dy = _array("dy", dy, required=True)
    _check_shape("dy", dy, shape, "the shape of y")
    threads = _thread_count(threads)
    given = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype = _types(given, saved.dtype)[1]
    out = _several(out, ("dx", "dgamma"))
    dx = _result("dx", out[0], shape, saved.dtypes.get("x"), given)
    dgamma = _result("dgamma", out[1], shape[-1:], saved.dtypes.get("gamma"), given)
    _backward(saved.x, dy, saved.rstd, saved.gamma, dx, dgamma, shape, dtype, threads)
    return Gradients(dx, dgamma)


def _forward(x_rows, gamma, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _partition(rows, features * dtype.itemsize, 1)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = scalar(eps)

    def sweep(share):
        read_x = _Reader(x_rows, dtype, height)
        rstd_writer = _Writer((rstd_out,), dtype, height, row_scalars=True)
        y_writer = _Writer((y_out,), dtype, height)
        for _, start, stop in share:
            x = read_x(start, stop)
            rstd_block = rstd_writer.block(start, stop)
            y_block = y_writer.block(start, stop)
            # step 1: ms = mean(x**2)
            ms = _row_mean(x, x, out=rstd_block)
            # step 2: rstd = 1/sqrt(ms + eps)
            rstd = np.add(ms, eps, out=rstd_block)
            rstd = np.sqrt(rstd, out=rstd_block)
            rstd = np.divide(1.0, rstd, out=rstd_block)
            rstd_writer.write(rstd)
            # step 3: xhat = x*rstd
            xhat = np.multiply(x, rstd, out=y_block)
            # step 4: y = xhat*gamma
            if gamma is not None:
                y = np.multiply(xhat, gamma, out=y_block)
            else:
                y = xhat
            y_writer.write(y)

    _run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows, dy_rows, rstd_rows, gamma, dx_out, dgamma_out, shape, dtype, threads
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _partition(rows, features * dtype.itemsize, 4)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def sweep(share):
        read_x = _Reader(x_rows, dtype, height)
        read_dy = _Reader(dy_rows, dtype, height)
        read_rstd = _Reader(rstd_rows, dtype, height, row_scalars=True)
        dx_writer = _Writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, start, stop in share:
            x = read_x(start, stop)
            dy = read_dy(start, stop)
            rstd = read_rstd(start, stop)
            dx_block = dx_writer.block(start, stop)
            buffer_1 = row_buffers[0, : stop - start]
            row_scalar_1 = row_scalar_buffers[0, : stop - start]
            # step 3: xhat = x*rstd
            xhat = np.multiply(x, rstd, out=dx_block)
            # step 9: dgamma = sum over rows of dy*xhat
            if gamma is not None:
                part = np.multiply(dy, xhat, out=buffer_1)
                _add_rows(part, dgamma_sums[chunk], column)
                # step 5: g = dy*gamma
                g = np.multiply(dy, gamma, out=buffer_1)
            else:
                g = dy
            # step 8: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _row_mean(g, xhat, out=row_scalar_1)
            # step 8: dx = (g - xhat*mean_g_xhat)*rstd
            dx = np.multiply(xhat, mean_g_xhat, out=dx_block)
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
            dx_writer.write(dx)

    _run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        dgamma_out[...] = dgamma


def _row_sum(a, b, out):
    """The sum of a*b over each row, with no buffer for the products."""
    np.vecdot(a, b, out=out[:, 0])
    return out


def _row_mean(a, b, out):
    """The mean of a*b over each row."""
    return np.divide(_row_sum(a, b, out), a.shape[-1], out=out)


def _add_rows(block, sums, column):
    """Add the rows of a block to running sums, by way of `column`."""
    np.add.reduce(block, axis=0, out=column)
    np.add(sums, column, out=sums)


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
    """Blocks of rows in the compute type: views where the array has it, else copies."""

    def __init__(self, array, dtype, height, row_scalars=False):
        self.rows, self.direct = _rows(array, dtype, row_scalars)
        width = 1 if row_scalars else array.shape[-1]
        self.scratch = None if self.direct else np.empty((height, width), dtype)

    def __call__(self, start, stop):
        if self.direct:
            return self.rows[start:stop]
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
        rows = [_rows(array, dtype, row_scalars) for array in distinct]
        self.own = rows[0][0] if rows[0][1] else None
        self.others = [other for other, _ in (rows if self.own is None else rows[1:])]
        width = 1 if row_scalars else distinct[0].shape[-1]
        self.scratch = np.empty((height, width), dtype) if self.own is None else None

    def block(self, start, stop):
        """Where to compute rows `start` to `stop`."""
        self.span = slice(start, stop)
        own = self.scratch[: stop - start] if self.own is None else self.own[self.span]
        self.current = own
        return own

    def write(self, value):
        """The finished rows of this block, which may have been computed elsewhere."""
        if self.own is not None and value is not self.current:
            self.current[...] = value
        for other in self.others:
            other[self.span] = value


def _partition(rows, row_bytes, least_rows):
    """The rows of a block, and all blocks as (chunk, start, stop), chunk by chunk.

    Neither depends on the thread count, so no sum does.
    """
    height = min(max(least_rows, BLOCK_BYTES // row_bytes), max(rows, 1))
    blocks = [(start, min(start + height, rows)) for start in range(0, rows, height)]
    together = max(1, -(-len(blocks) // CHUNKS))
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
    array = np.asarray(value)
    known = array.dtype.type in (np.float16, np.float32, np.float64, np.longdouble)
    if not known and array.dtype.name != "bfloat16":
        raise TypeError(
            f"{name} is of type {array.dtype}, not floating point; "
            f"pass real floats, such as {name}.astype(np.float64)"
        )
    return array


def _constant(name, value):
    """A finite real number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{name} is {value!r} of type {kind}; pass a number")
    if not isfinite(value):
        raise ValueError(f"{name} is {value!r}; pass a finite number")
    return value


def _thread_count(threads):
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads is {threads!r}; pass a whole number, 1 or more")
    if threads < 1:
        raise ValueError(f"threads is {threads}; pass 1 or more")
    return threads


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


def _check_saved(saved):
    """Refuse what forward did not return, and arrays whose shape was changed since."""
    if not isinstance(saved, Saved):
        raise TypeError(
            f"saved is of type {type(saved).__name__}; "
            "pass what forward of rms_norm returned as its second value"
        )
    row_scalars = saved.shape[:-1]
    for name, shape in (
        ("x", saved.shape),
        ("gamma", saved.shape[-1:]),
        ("rstd", row_scalars),
    ):
        _check_shape(f"saved.{name}", getattr(saved, name), shape, "what forward saw")


def _types(given, widest=None):
    """The type of each array that is given, and the type to compute in."""
    there = {name: array for name, array in given.items() if array is not None}
    dtypes = {name: np.asarray(array).dtype for name, array in there.items()}
    kinds = [] if widest is None else [widest]
    for name, dtype in dtypes.items():
        if not isinstance(there[name], float):
            narrow = dtype.itemsize == 2
            kinds.append(np.dtype(np.float32) if narrow else dtype.newbyteorder("="))
    return dtypes, np.result_type(*kinds)


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
    for other, array in given.items():
        if isinstance(array, np.ndarray) and _overlap(out, array):
            raise ValueError(f"out for {name} overlaps {other}; pass another array")
    given[f"out for {name}"] = out
    return out


def _overlap(a, b):
    """Whether two arrays share memory; where that is hard to tell, they do."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
