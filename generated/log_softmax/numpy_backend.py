# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops a row element; backward 3 row tensors (2 read, 1 written), 5 flops a row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""The logarithm of softmax over the feature axis.

    forward
        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = x - row_max - log_sum_exp
    backward
        dx = dy - exp_shifted*sum(dy)/sum_exp

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
    "name": "log_softmax",
    "minimum_features": 1,
    "inputs": [
        {
            "name": "x",
            "symbol": "x",
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
    ],
    "constants": [],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "row_max", "kind": "row scalar", "of": "row_max", "axes": ["..."]},
        {"name": "sum_exp", "kind": "row scalar", "of": "sum_exp", "axes": ["..."]},
    ],
    "gradients": [{"name": "dx", "of": "x", "may_be_none": False}],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

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

    row_max: npt.NDArray[Any]
    """The row scalar row_max, one a row."""

    sum_exp: npt.NDArray[Any]
    """The row scalar sum_exp, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """The logarithm of softmax over the feature axis.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = x - row_max - log_sum_exp

    Args:
        x: shape (..., D).
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        y_, row_max_, sum_exp_ = _rows.at_once(_forward_small, x, shape_, dtype_)
        if out is not None:
            given_ = {"x": x}
            (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
        if not save:
            return y_, None
        dtypes_ = {"x": dtype_}
        saved = _Saved(shape_, dtype_, dtypes_, x, row_max_, sum_exp_)
        return y_, saved
    x = _calls.array("x", x, required=True)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    given_ = {"x": x}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    row_max_ = _calls.empty(shape_[:-1], dtype_)
    sum_exp_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, y_, row_max_, sum_exp_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, row_max_, sum_exp_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        dx = dy - exp_shifted*sum(dy)/sum_exp

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "log_softmax")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.row_max, shape_[:-1], dtype_)
            and _calls.fits(saved.sum_exp, shape_[:-1], dtype_)
        ):
            dx_ = _rows.at_once(
                _backward_small,
                saved.x,
                dy,
                saved.row_max,
                saved.sum_exp,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.row_max": saved.row_max,
                    "saved.sum_exp": saved.sum_exp,
                }
                (dx_,) = _calls.placed(("dx",), (dx_,), out, given_)
            return _Gradients(dx_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx",))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    _backward(saved.x, dy, saved.row_max, saved.sum_exp, dx_, shape_, dtype_, threads)
    return _Gradients(dx_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dlog_sum_exp = sum(dx*exp_shifted)/sum_exp
        dy = dx - dlog_sum_exp

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
    dx = _calls.array("dx", dx, required=False)
    if dx is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(saved.x, dx, saved.row_max, saved.sum_exp, dy_, shape_, dtype_, threads)
    return dy_


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        mean_dy = mean(dy)
        dx = D*mean_dy*exp_shifted*(sum(ddx*exp_shifted)/sum_exp - ddx)/sum_exp
        ddy = ddx - sum(ddx*exp_shifted)/sum_exp

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
    cotangents = _calls.each_cotangent(cotangents, ("dy",))
    dy_ = _calls.array("dy", cotangents[0], required=True)
    _calls.check_shape("dy", dy_, shape_, "the shape of y")
    ddx = _calls.array("ddx", ddx, required=False)
    if ddx is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    ddy_ = _calls.result("ddy", out[1], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.row_max,
        saved.sum_exp,
        dx_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, ddy_)


def _forward(x_rows, y_out, row_max_out, sum_exp_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(
        x, row_max_block, sum_exp_block, y_block, row_buffers, row_scalar_buffers
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 2: row_max = max(x)
        row_max = np.maximum.reduce(x, axis=-1, keepdims=True, out=row_max_block)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=y_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffer_1)
        # step 5: sum_exp = sum(exp_shifted)
        sum_exp = _rows.row_sum(exp_shifted, ones, out=sum_exp_block)
        # step 6: log_sum_exp = log(sum_exp)
        log_sum_exp = np.log(sum_exp, out=row_scalar_1)
        # step 7: y = x_shifted - log_sum_exp
        np.subtract(x_shifted, log_sum_exp, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_row_max, hand_on_row_max = _rows.writer(
            (row_max_out,), dtype, height, row_scalars=True
        )
        place_sum_exp, hand_on_sum_exp = _rows.writer(
            (sum_exp_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                place_row_max(span),
                place_sum_exp(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_row_max(span)
            hand_on_sum_exp(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows, dy_rows, row_max_rows, sum_exp_rows, dx_out, shape, dtype, threads
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, dy, row_max, sum_exp, dx_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 13: sum_dy = sum(dy)
        sum_dy = _rows.row_sum(dy, ones, out=row_scalar_1)
        # step 13: sum_exp_scaled = sum_dy/sum_exp
        sum_exp_scaled = np.divide(sum_dy, sum_exp, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 13: dx = dy - exp_shifted*sum_exp_scaled
        dx = np.multiply(exp_shifted, sum_exp_scaled, out=dx_block)
        np.subtract(dy, dx, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dy(span),
                read_row_max(span),
                read_sum_exp(span),
                place_dx(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(x_rows, dx_rows, row_max_rows, sum_exp_rows, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)

    def block(x, dx, row_max, sum_exp, dy_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dy_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dy_block)
        # step 14: sum_dx_exp_shifted = sum(dx*exp_shifted)
        sum_dx_exp_shifted = _rows.row_sum(dx, exp_shifted, out=row_scalar_1)
        # step 14: dlog_sum_exp = sum_dx_exp_shifted/sum_exp
        dlog_sum_exp = np.divide(sum_dx_exp_shifted, sum_exp, out=row_scalar_1)
        # step 15: dy = dx - dlog_sum_exp
        _rows.by_row(np.subtract, dx, dlog_sum_exp, out=dy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_row_max(span),
                read_sum_exp(span),
                place_dy(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    dy_rows,
    ddx_rows,
    row_max_rows,
    sum_exp_rows,
    dx_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)

    def block(x, dy, ddx, row_max, sum_exp, dx_block, ddy_block, row_scalar_buffers):
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 16: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dx_block)
        # step 17: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=row_scalar_2)
        # step 17: sum_exp_scaled = mean_dy*D/sum_exp
        sum_exp_scaled = np.multiply(mean_dy, D, out=row_scalar_1)
        sum_exp_scaled = np.divide(sum_exp_scaled, sum_exp, out=row_scalar_1)
        # step 17: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/sum_exp
        sum_ddx_exp_shifted_scaled = np.divide(
            sum_ddx_exp_shifted, sum_exp, out=row_scalar_2
        )
        # step 17: dx = exp_shifted*(sum_ddx_exp_shifted_scaled - ddx)*sum_exp_scaled
        dx = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=ddy_block)
        dx = np.multiply(exp_shifted, dx, out=dx_block)
        np.multiply(dx, sum_exp_scaled, out=dx_block)
        # step 18: ddy = ddx - sum_ddx_exp_shifted_scaled
        _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=ddy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_row_max(span),
                read_sum_exp(span),
                place_dx(span),
                place_ddy(span),
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)
            hand_on_ddy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
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
    # step 7: y = x_shifted - log_sum_exp
    y = np.subtract(x_shifted, log_sum_exp, out=x_shifted)
    row_max = row_max[..., 0]
    sum_exp = sum_exp[..., 0]
    return y, row_max, sum_exp


def _backward_small(x, dy, row_max_rows, sum_exp_rows, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    row_max = row_max_rows[..., np.newaxis]
    sum_exp = sum_exp_rows[..., np.newaxis]
    # step 13: sum_dy = sum(dy)
    sum_dy = vecdot(dy, ones)[..., np.newaxis]
    # step 13: sum_exp_scaled = sum_dy/sum_exp
    sum_exp_scaled = sum_dy / sum_exp
    # step 3: x_shifted = x - row_max
    x_shifted = x - row_max
    # step 4: exp_shifted = exp(x_shifted)
    exp_shifted = np.exp(x_shifted, out=x_shifted)
    # step 13: dx = dy - exp_shifted*sum_exp_scaled
    dx = np.multiply(exp_shifted, sum_exp_scaled, out=exp_shifted)
    dx = np.subtract(dy, dx, out=dx)
    return dx


def saved_from(
    *,
    x: npt.NDArray[Any],
    row_max: npt.NDArray[Any],
    sum_exp: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        row_max: the row scalar row_max, one a row.
        sum_exp: the row scalar sum_exp, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, row_max, sum_exp)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, row_max, sum_exp)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "log_softmax")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("row_max", saved.row_max, row_scalars)
    _calls.check_kept("sum_exp", saved.sum_exp, row_scalars)
