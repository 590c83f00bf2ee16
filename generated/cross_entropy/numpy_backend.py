# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops a row element; backward 4 row tensors (2 read, 2 written), 9 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
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
    "name": "cross_entropy",
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
            "name": "target",
            "symbol": "target",
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
    ],
    "constants": [],
    "outputs": [{"name": "y", "symbol": "y", "kind": "RowScalar", "axes": ["..."]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "target", "kind": "input", "of": "target", "axes": ["...", "D"]},
        {"name": "row_max", "kind": "row scalar", "of": "row_max", "axes": ["..."]},
        {"name": "sum_exp", "kind": "row scalar", "of": "sum_exp", "axes": ["..."]},
        {
            "name": "log_sum_exp",
            "kind": "row scalar",
            "of": "log_sum_exp",
            "axes": ["..."],
        },
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dtarget", "of": "target", "may_be_none": False},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dtarget: npt.NDArray[Any]
    """The gradient of target, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dtarget: npt.NDArray[Any]
    """The gradient of target, in its shape and type."""

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

    target: npt.NDArray[Any]
    """The argument target of forward."""

    row_max: npt.NDArray[Any]
    """The row scalar row_max, one a row."""

    sum_exp: npt.NDArray[Any]
    """The row scalar sum_exp, one a row."""

    log_sum_exp: npt.NDArray[Any]
    """The row scalar log_sum_exp, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
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
        if _calls.fits(target, shape_, dtype_):
            y_, row_max_, sum_exp_, log_sum_exp_ = _rows.at_once(
                _forward_small, x, target, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "target": target}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_, "target": dtype_}
            saved = _Saved(
                shape_, dtype_, dtypes_, x, target, row_max_, sum_exp_, log_sum_exp_
            )
            return y_, saved
    x = _calls.array("x", x, required=True)
    target = _calls.array("target", target, required=True)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("target", target, shape_, "the shape of x")
    given_ = {"x": x, "target": target}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_[:-1], leading_.dtype, given_)
    row_max_ = _calls.empty(shape_[:-1], dtype_)
    sum_exp_ = _calls.empty(shape_[:-1], dtype_)
    log_sum_exp_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, target, y_, row_max_, sum_exp_, log_sum_exp_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, target, row_max_, sum_exp_, log_sum_exp_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
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
    _calls.check_is_saved(saved, _Saved, "cross_entropy")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x", "target"))
            and _calls.fits(dy, shape_[:-1], dtype_)
            and _calls.fits(saved.target, shape_, dtype_)
            and _calls.fits(saved.row_max, shape_[:-1], dtype_)
            and _calls.fits(saved.sum_exp, shape_[:-1], dtype_)
            and _calls.fits(saved.log_sum_exp, shape_[:-1], dtype_)
        ):
            dx_, dtarget_ = _rows.at_once(
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
                dx_, dtarget_ = _calls.placed(
                    ("dx", "dtarget"), (dx_, dtarget_), out, given_
                )
            return _Gradients(dx_, dtarget_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_[:-1], "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
        "saved.log_sum_exp": saved.log_sum_exp,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dtarget"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dtarget_ = _calls.result(
        "dtarget", out[1], shape_, saved.dtypes.get("target"), given_
    )
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


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dtarget: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
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
    dx = _calls.array("dx", dx, required=False)
    dtarget = _calls.array("dtarget", dtarget, required=False)
    if dx is None and dtarget is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dtarget", dtarget, shape_, "the shape of target")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dtarget": dtarget,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.row_max": saved.row_max,
        "saved.sum_exp": saved.sum_exp,
        "saved.log_sum_exp": saved.log_sum_exp,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_[:-1], stored_, given_)
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
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddtarget: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
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
    cotangents = _calls.each_cotangent(cotangents, ("dy",))
    dy_ = _calls.array("dy", cotangents[0], required=True)
    _calls.check_shape("dy", dy_, shape_[:-1], "the shape of y")
    ddx = _calls.array("ddx", ddx, required=False)
    ddtarget = _calls.array("ddtarget", ddtarget, required=False)
    if ddx is None and ddtarget is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddtarget", ddtarget, shape_, "the shape of target")
    threads = _calls.thread_count(threads)
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
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dtarget", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dtarget_ = _calls.result(
        "dtarget", out[1], shape_, saved.dtypes.get("target"), given_
    )
    ddy_ = _calls.result("ddy", out[2], shape_[:-1], dy_.dtype, given_)
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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(
        x, target, row_max_block, sum_exp_block, log_sum_exp_block, y_block, row_buffers
    ):
        buffer_1, buffer_2 = row_buffers
        # step 2: row_max = max(x)
        row_max = np.maximum.reduce(x, axis=-1, keepdims=True, out=row_max_block)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=buffer_1)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffer_2)
        # step 5: sum_exp = sum(exp_shifted)
        sum_exp = _rows.row_sum(exp_shifted, ones, out=sum_exp_block)
        # step 6: log_sum_exp = log(sum_exp)
        log_sum_exp = np.log(sum_exp, out=log_sum_exp_block)
        # step 7: logp = x_shifted - log_sum_exp
        logp = np.subtract(x_shifted, log_sum_exp, out=buffer_1)
        # step 8: sum_target = sum(logp*target)
        sum_target = _rows.row_sum(logp, target, out=y_block)
        # step 9: y = -sum_target
        np.negative(sum_target, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_target = _rows.reader(target_rows, dtype, height)
        place_row_max, hand_on_row_max = _rows.writer(
            (row_max_out,), dtype, height, row_scalars=True
        )
        place_sum_exp, hand_on_sum_exp = _rows.writer(
            (sum_exp_out,), dtype, height, row_scalars=True
        )
        place_log_sum_exp, hand_on_log_sum_exp = _rows.writer(
            (log_sum_exp_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height, row_scalars=True)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)

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
        sum_target_2 = _rows.row_sum(target, ones, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 7: logp = x_shifted - log_sum_exp
        logp = _rows.by_row(np.subtract, x_shifted, log_sum_exp, out=dtarget_block)
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
        read_x = _rows.reader(x_rows, dtype, height)
        read_target = _rows.reader(target_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height, row_scalars=True)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _rows.reader(
            log_sum_exp_rows, dtype, height, row_scalars=True
        )
        place_dtarget, hand_on_dtarget = _rows.writer((dtarget_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(
        x, target, dx, dtarget, row_max, sum_exp, log_sum_exp, dy_block, row_buffers
    ):
        buffer_1, buffer_2 = row_buffers
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=buffer_1)
        # step 4: exp_shifted = exp(x_shifted)
        if dx_rows is not None:
            exp_shifted = np.exp(x_shifted, out=buffer_2)
            # step 16: sum_dx_exp_shifted = sum(dx*exp_shifted)
            sum_dx_exp_shifted = _rows.row_sum(dx, exp_shifted, out=dy_block)
            # step 16: dlog_sum_exp = sum_dx_exp_shifted/sum_exp
            dlog_sum_exp = np.divide(sum_dx_exp_shifted, sum_exp, out=dy_block)
        # step 7: logp = x_shifted - log_sum_exp
        if dtarget_rows is not None:
            logp = np.subtract(x_shifted, log_sum_exp, out=buffer_1)
            # step 17: sum_dtarget_dx_logp = sum(dtarget*logp + (dx -
            #   dlog_sum_exp)*target)
            part = np.multiply(dtarget, logp, out=buffer_1)
        if dx_rows is not None:
            part_2 = _rows.by_row(np.subtract, dx, dlog_sum_exp, out=buffer_2)
            part_2 = np.multiply(part_2, target, out=buffer_2)
        if dx_rows is not None and dtarget_rows is not None:
            part = np.add(part, part_2, out=buffer_1)
        if dtarget_rows is None:
            part = part_2
        sum_dtarget_dx_logp = _rows.row_sum(part, ones, out=dy_block)
        # step 17: dy = -sum_dtarget_dx_logp
        np.negative(sum_dtarget_dx_logp, out=dy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_target = _rows.reader(target_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dtarget = _rows.reader(dtarget_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _rows.reader(
            log_sum_exp_rows, dtype, height, row_scalars=True
        )
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height, row_scalars=True)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
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
            mean_target = _rows.row_sum(target, one_over_D, out=row_scalar_1)
        # step 3: x_shifted = x - row_max
        x_shifted = _rows.by_row(np.subtract, x, row_max, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dtarget_block)
        # step 20: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        if ddx_rows is not None:
            sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=row_scalar_2)
        # step 7: logp = x_shifted - log_sum_exp
        if ddtarget_rows is not None:
            logp = np.subtract(x_shifted, log_sum_exp, out=dx_block)
            # step 22: mean_ddtarget_logp = mean(-ddtarget*logp)
            part = np.multiply(ddtarget, logp, out=dx_block)
            part = np.negative(part, out=dx_block)
            mean_ddtarget_logp = _rows.row_sum(part, one_over_D, out=row_scalar_3)
            # step 19: g = -ddtarget*dy
            part_2 = np.negative(dy, out=row_scalar_4)
            g = _rows.by_row(np.multiply, ddtarget, part_2, out=dx_block)
            # step 20: mean_g = mean(g)
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_4)
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
            part_3 = _rows.by_row(
                np.multiply, exp_shifted, mean_target_scaled_2, out=buffer_1
            )
            part_3 = np.subtract(part_3, target, out=buffer_1)
            mean_ddx_exp_shifted_target = _rows.row_mean(
                ddx, part_3, D, out=row_scalar_1
            )
            # step 20: dx = g + ((ddx - sum_ddx_exp_shifted_scaled)*mean_target_scaled -
            #   mean_g)*exp_shifted*sum_exp_scaled
            dx = _rows.by_row(
                np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffer_1
            )
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
        read_x = _rows.reader(x_rows, dtype, height)
        read_target = _rows.reader(target_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height, row_scalars=True)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddtarget = _rows.reader(ddtarget_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_sum_exp = _rows.reader(sum_exp_rows, dtype, height, row_scalars=True)
        read_log_sum_exp = _rows.reader(
            log_sum_exp_rows, dtype, height, row_scalars=True
        )
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_dtarget, hand_on_dtarget = _rows.writer((dtarget_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer(
            (ddy_out,), dtype, height, row_scalars=True
        )
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, target, shape, dtype):
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
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
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


def saved_from(
    *,
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    row_max: npt.NDArray[Any],
    sum_exp: npt.NDArray[Any],
    log_sum_exp: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        target: the argument target of forward.
        row_max: the row scalar row_max, one a row.
        sum_exp: the row scalar sum_exp, one a row.
        log_sum_exp: the row scalar log_sum_exp, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, target, row_max, sum_exp, log_sum_exp)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, target, row_max, sum_exp, log_sum_exp)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "cross_entropy")
    _calls.check_first_fields(saved, ("x", "target"))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("target", saved.target, saved.shape)
    _calls.check_kept("row_max", saved.row_max, row_scalars)
    _calls.check_kept("sum_exp", saved.sum_exp, row_scalars)
    _calls.check_kept("log_sum_exp", saved.log_sum_exp, row_scalars)
