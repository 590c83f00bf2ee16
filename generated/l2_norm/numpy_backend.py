# Made by lngen 0.1.0 from the definition of l2_norm.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 3 flops a row element; backward 3 row tensors (2 read, 1 written), 6 flops a row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
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
    "name": "l2_norm",
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
    "constants": [
        {"name": "eps", "symbol": "eps", "default": 1e-12, "sign": "nonnegative"},
    ],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "rstd", "kind": "row scalar", "of": "rstd", "axes": ["..."]},
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

    rstd: npt.NDArray[Any]
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        y_, rstd_ = _rows.at_once(_forward_small, x, eps, shape_, dtype_)
        if out is not None:
            given_ = {"x": x}
            (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
        if not save:
            return y_, None
        dtypes_ = {"x": dtype_}
        saved = _Saved(shape_, dtype_, dtypes_, x, rstd_)
        return y_, saved
    x = _calls.array("x", x, required=True)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    given_ = {"x": x}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, eps, y_, rstd_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, rstd_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
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
    _calls.check_is_saved(saved, _Saved, "l2_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_ = _rows.at_once(
                _backward_small, saved.x, dy, saved.rstd, shape_, dtype_
            )
            if out is not None:
                given_ = {"dy": dy, "saved.x": saved.x, "saved.rstd": saved.rstd}
                (dx_,) = _calls.placed(("dx",), (dx_,), out, given_)
            return _Gradients(dx_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {"dy": dy, "saved.x": saved.x, "saved.rstd": saved.rstd}
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx",))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    _backward(saved.x, dy, saved.rstd, dx_, shape_, dtype_, threads)
    return _Gradients(dx_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
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
    dx = _calls.array("dx", dx, required=False)
    if dx is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    threads = _calls.thread_count(threads)
    given_ = {"dx": dx, "saved.x": saved.x, "saved.rstd": saved.rstd}
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(saved.x, dx, saved.rstd, dy_, shape_, dtype_, threads)
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
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    ddy_ = _calls.result("ddy", out[1], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x, dy_, ddx, saved.rstd, dx_, ddy_, shape_, dtype_, threads
    )
    return _SecondGradients(dx_, ddy_)


def _forward(x_rows, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    eps = np.asarray(eps, dtype)

    def block(x, rstd_block, y_block):
        # step 1: sum_x2 = sum(x**2)
        sum_x2 = _rows.row_sum(x, x, out=rstd_block)
        # step 2: rstd = 1/sqrt(sum_x2 + eps)
        rstd = np.add(sum_x2, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: y = x*rstd
        _rows.by_row(np.multiply, x, rstd, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), place_rstd(span), place_y(span))
            hand_on_rstd(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(x_rows, dy_rows, rstd_rows, dx_out, shape, dtype, threads):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)

    def block(x, dy, rstd, dx_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 6: sum_dy_y_unscaled = sum(dy*x)
        sum_dy_y_unscaled = _rows.row_sum(dy, x, out=row_scalar_1)
        # step 6: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = np.multiply(rstd, sum_dy_y_unscaled, out=row_scalar_1)
        # step 6: dx = (dy - x*rstd*sum_dy_y)*rstd
        part = np.multiply(rstd, sum_dy_y, out=row_scalar_1)
        dx = _rows.by_row(np.multiply, x, part, out=dx_block)
        dx = np.subtract(dy, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(x_rows, dx_rows, rstd_rows, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)

    def block(x, dx, rstd, dy_block, row_scalar_buffers):
        row_scalar_1 = row_scalar_buffers[0]
        # step 7: sum_dx_y_unscaled = sum(dx*x)
        sum_dx_y_unscaled = _rows.row_sum(dx, x, out=row_scalar_1)
        # step 7: sum_dx_y = rstd*sum_dx_y_unscaled
        sum_dx_y = np.multiply(rstd, sum_dx_y_unscaled, out=row_scalar_1)
        # step 7: dy = (dx - x*rstd*sum_dx_y)*rstd
        part = np.multiply(rstd, sum_dx_y, out=row_scalar_1)
        dy = _rows.by_row(np.multiply, x, part, out=dy_block)
        dy = np.subtract(dx, dy, out=dy_block)
        np.multiply(dy, rstd, out=dy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows, dy_rows, ddx_rows, rstd_rows, dx_out, ddy_out, shape, dtype, threads
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
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
        mean_dy_unscaled = _rows.row_mean(dy, x, D, out=row_scalar_2)
        # step 9: mean_ddx_y_unscaled = mean(ddx*x)
        mean_ddx_y_unscaled = _rows.row_mean(ddx, x, D, out=row_scalar_3)
        # step 9: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_mean(ddx, dy, D, out=row_scalar_4)
        # step 10: sum_ddx_y_unscaled = sum(ddx*x)
        sum_ddx_y_unscaled = _rows.row_sum(ddx, x, out=row_scalar_5)
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
        dx = _rows.by_row(np.multiply, x, part_2, out=dx_block)
        dx = np.subtract(dx, dy, out=dx_block)
        dx = np.multiply(dx, mean_ddx_y, out=dx_block)
        part_3 = _rows.by_row(np.multiply, ddx, mean_dy, out=ddy_block)
        dx = np.subtract(dx, part_3, out=dx_block)
        part_4 = np.multiply(mean_ddx_dy, rstd, out=row_scalar_2)
        part_5 = _rows.by_row(np.multiply, x, part_4, out=ddy_block)
        dx = np.subtract(dx, part_5, out=dx_block)
        np.multiply(dx, rstd_scaled, out=dx_block)
        # step 10: ddy = (ddx - x*rstd*sum_ddx_y)*rstd
        part_6 = np.multiply(rstd, sum_ddx_y, out=row_scalar_1)
        ddy = _rows.by_row(np.multiply, x, part_6, out=ddy_block)
        ddy = np.subtract(ddx, ddy, out=ddy_block)
        np.multiply(ddy, rstd, out=ddy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
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
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
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


def saved_from(
    *,
    x: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        rstd: the row scalar rstd, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "l2_norm")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
