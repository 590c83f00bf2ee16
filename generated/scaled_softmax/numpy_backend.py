# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops a row element; backward 3 row tensors (2 read, 1 written), 11 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Softmax with a learned inverse temperature.

    forward
        row_max = max(scale*x)
        e_shifted = exp(scale*x - row_max)
        sum_exp_u = sum(e_shifted)
        inv_sum_exp_u = 1/sum_exp_u
        y = inv_sum_exp_u*e_shifted
    backward
        g = y*(dy - sum(dy*y))
        dx = scale*g
        dscale = sum_rows(sum(g*x))

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
    "name": "scaled_softmax",
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
            "name": "scale",
            "symbol": "scale",
            "kind": "Scalar",
            "axes": [],
            "default": 1,
        },
    ],
    "constants": [],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "scale", "kind": "input", "of": "scale", "axes": []},
        {"name": "row_max", "kind": "row scalar", "of": "row_max", "axes": ["..."]},
        {
            "name": "inv_sum_exp_u",
            "kind": "row scalar",
            "of": "inv_sum_exp_u",
            "axes": ["..."],
        },
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dscale", "of": "scale", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dscale: npt.NDArray[Any] | None
    """The gradient of scale, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dscale: npt.NDArray[Any] | None
    """The gradient of scale, in its shape and type."""

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

    scale: float | npt.NDArray[Any] | None
    """The argument scale of forward."""

    row_max: npt.NDArray[Any]
    """The row scalar row_max, one a row."""

    inv_sum_exp_u: npt.NDArray[Any]
    """The row scalar inv_sum_exp_u, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Softmax with a learned inverse temperature.

        row_max = max(scale*x)
        e_shifted = exp(scale*x - row_max)
        sum_exp_u = sum(e_shifted)
        inv_sum_exp_u = 1/sum_exp_u
        y = inv_sum_exp_u*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or a 0-d array; left out it is 1, and costs nothing.
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
        if scale is None or _calls.fits(scale, (), dtype_):
            y_, row_max_, inv_sum_exp_u_ = _rows.at_once(
                _forward_small, x, scale, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "scale": scale}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if scale is not None:
                dtypes_["scale"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, scale, row_max_, inv_sum_exp_u_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    scale = _calls.scalar("scale", scale, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    given_ = {"x": x, "scale": scale}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    row_max_ = _calls.empty(shape_[:-1], dtype_)
    inv_sum_exp_u_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, scale, y_, row_max_, inv_sum_exp_u_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, scale, row_max_, inv_sum_exp_u_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = y*(dy - sum(dy*y))
        dx = scale*g
        dscale = sum_rows(sum(g*x))

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "scaled_softmax")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.scale, (), dtype_, "scale" in saved.dtypes)
            and _calls.fits(saved.row_max, shape_[:-1], dtype_)
            and _calls.fits(saved.inv_sum_exp_u, shape_[:-1], dtype_)
        ):
            dx_, dscale_ = _rows.at_once(
                _backward_small,
                saved.x,
                dy,
                saved.row_max,
                saved.inv_sum_exp_u,
                saved.scale,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.row_max": saved.row_max,
                    "saved.inv_sum_exp_u": saved.inv_sum_exp_u,
                }
                dx_, dscale_ = _calls.placed(
                    ("dx", "dscale"), (dx_, dscale_), out, given_
                )
            return _Gradients(dx_, dscale_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.inv_sum_exp_u": saved.inv_sum_exp_u,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dscale"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dscale_ = _calls.result("dscale", out[1], (), saved.dtypes.get("scale"), given_)
    _backward(
        saved.x,
        dy,
        saved.row_max,
        saved.inv_sum_exp_u,
        saved.scale,
        dx_,
        dscale_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dscale_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dscale: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        du = dscale*x + scale*dx
        dy = y*(du - sum(du*y))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dscale: the tangent of scale; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dscale = _calls.scalar("dscale", dscale, required=False)
    if dx is None and dscale is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dscale", dscale, "scale", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dscale": dscale,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.inv_sum_exp_u": saved.inv_sum_exp_u,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.row_max,
        saved.inv_sum_exp_u,
        saved.scale,
        dscale,
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
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        mean_dy = mean(dy*y)
        g = y*(dy - D*mean_dy)
        dg = ddscale*x + scale*ddx
        g_3 = dg*(dy - D*mean_dy)
        g_4 = y*(g_3 + D*(mean(dg*y)*(D*mean_dy - dy) - mean(g_3*y)))
        dx = scale*g_4 + ddscale*g
        dscale = sum_rows(D*(mean(g_4*x) + mean(ddx*g)))
        ddy = y*(dg - sum(dg*y))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddscale: the cotangent of dscale, its gradient; None stands for zero.
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
    ddscale = _calls.scalar("ddscale", ddscale, required=False)
    if ddx is None and ddscale is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddscale", ddscale, "scale", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddscale": ddscale,
        "saved.x": saved.x,
        "saved.row_max": saved.row_max,
        "saved.inv_sum_exp_u": saved.inv_sum_exp_u,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dscale", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dscale_ = _calls.result("dscale", out[1], (), saved.dtypes.get("scale"), given_)
    ddy_ = _calls.result("ddy", out[2], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.row_max,
        saved.inv_sum_exp_u,
        saved.scale,
        ddscale,
        dx_,
        dscale_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dscale_, ddy_)


def _forward(
    x_rows, scale, y_out, row_max_out, inv_sum_exp_u_out, shape, dtype, threads
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(x, row_max_block, inv_sum_exp_u_block, y_block):
        # step 2: row_max = max(x*scale)
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        row_max = np.maximum.reduce(part, axis=-1, keepdims=True, out=row_max_block)
        # step 3: u = x*scale - row_max
        u = np.subtract(part, row_max, out=y_block)
        # step 4: e_shifted = exp(u)
        e_shifted = np.exp(u, out=y_block)
        # step 5: sum_exp_u = sum(e_shifted)
        sum_exp_u = _rows.row_sum(e_shifted, ones, out=inv_sum_exp_u_block)
        # step 6: inv_sum_exp_u = 1/sum_exp_u
        inv_sum_exp_u = np.reciprocal(sum_exp_u, out=inv_sum_exp_u_block)
        # step 7: y = e_shifted*inv_sum_exp_u
        np.multiply(e_shifted, inv_sum_exp_u, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_row_max, hand_on_row_max = _rows.writer(
            (row_max_out,), dtype, height, row_scalars=True
        )
        place_inv_sum_exp_u, hand_on_inv_sum_exp_u = _rows.writer(
            (inv_sum_exp_u_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(
                read_x(span),
                place_row_max(span),
                place_inv_sum_exp_u(span),
                place_y(span),
            )
            hand_on_row_max(span)
            hand_on_inv_sum_exp_u(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    dy_rows,
    row_max_rows,
    inv_sum_exp_u_rows,
    scale,
    dx_out,
    dscale_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    if scale is not None:
        scale = np.asarray(scale, dtype)
        dscale_sums = np.zeros(len(chunks), dtype)

    def block(
        chunk, x, dy, row_max, inv_sum_exp_u, dx_block, row_buffers, row_scalar_buffers
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=dx_block)
        # step 4: e_shifted = exp(u)
        e_shifted = np.exp(u, out=dx_block)
        # step 7: y = e_shifted*inv_sum_exp_u
        y = np.multiply(e_shifted, inv_sum_exp_u, out=dx_block)
        # step 14: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_sum(dy, y, out=row_scalar_1)
        # step 14: g = (dy - sum_dy_y)*y
        g = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffer_1)
        g = np.multiply(g, y, out=dx_block)
        # step 13: sum_g_x = sum(g*x)
        if scale is not None:
            sum_g_x = _rows.row_sum(g, x, out=row_scalar_1)
            # step 13: dscale = sum over rows of sum_g_x
            dscale_sums[chunk] += np.add.reduce(sum_g_x, axis=None)
            # step 12: dx = g*scale
            np.multiply(g, scale, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_inv_sum_exp_u = _rows.reader(
            inv_sum_exp_u_rows, dtype, height, row_scalars=True
        )
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_row_max(span),
                read_inv_sum_exp_u(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if scale is not None:
        dscale = np.add.reduce(dscale_sums, axis=0)
        _rows.round_to(dscale_out, ..., dscale)


def _jvp(
    x_rows,
    dx_rows,
    row_max_rows,
    inv_sum_exp_u_rows,
    scale,
    dscale,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if dscale is not None:
        dscale = np.asarray(dscale, dtype)

    def block(x, dx, row_max, inv_sum_exp_u, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=dy_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=dy_block)
        # step 4: e_shifted = exp(u)
        e_shifted = np.exp(u, out=dy_block)
        # step 7: y = e_shifted*inv_sum_exp_u
        y = np.multiply(e_shifted, inv_sum_exp_u, out=dy_block)
        # step 15: du = dx*scale + x*dscale
        if scale is not None and dx_rows is not None:
            du = np.multiply(dx, scale, out=buffer_1)
        if scale is None:
            du = dx
        if dscale is not None:
            part = np.multiply(x, dscale, out=buffer_2)
        if dx_rows is not None and dscale is not None:
            du = np.add(du, part, out=buffer_1)
        if dx_rows is None:
            du = part
        # step 16: sum_du_y = sum(du*y)
        sum_du_y = _rows.row_sum(du, y, out=row_scalar_1)
        # step 16: dy = (du - sum_du_y)*y
        dy = np.subtract(du, sum_du_y, out=buffer_1)
        np.multiply(dy, y, out=dy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_inv_sum_exp_u = _rows.reader(
            inv_sum_exp_u_rows, dtype, height, row_scalars=True
        )
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_row_max(span),
                read_inv_sum_exp_u(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    dy_rows,
    ddx_rows,
    row_max_rows,
    inv_sum_exp_u_rows,
    scale,
    ddscale,
    dx_out,
    dscale_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_dg = scale is not None and ddx_rows is not None
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)
    D = np.asarray(features, dtype)
    if scale is not None:
        dscale_sums = np.zeros(len(chunks), dtype)

    def block(
        chunk,
        x,
        dy,
        ddx,
        row_max,
        inv_sum_exp_u,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 3: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=ddy_block)
        # step 4: e_shifted = exp(u)
        e_shifted = np.exp(u, out=ddy_block)
        # step 7: y = e_shifted*inv_sum_exp_u
        y = _rows.by_row(np.multiply, e_shifted, inv_sum_exp_u, out=dx_block)
        # step 17: mean_dy = mean(dy*y)
        mean_dy = _rows.row_mean(dy, y, D, out=row_scalar_1)
        # step 19: dg = ddx*scale + x*ddscale
        if needs_dg:
            dg = np.multiply(ddx, scale, out=ddy_block)
        if scale is None:
            dg = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffer_1)
        if ddx_rows is not None and ddscale is not None:
            dg = np.add(dg, part, out=ddy_block)
        if ddx_rows is None:
            dg = part
        # step 21: mean_dg_y = mean(dg*y)
        mean_dg_y = _rows.row_mean(dg, y, D, out=row_scalar_2)
        # step 24: sum_dg_y = sum(dg*y)
        sum_dg_y = _rows.row_sum(dg, y, out=row_scalar_3)
        # step 18: mean_dy_scaled = mean_dy*D
        mean_dy_scaled = np.multiply(mean_dy, D, out=row_scalar_1)
        # step 18: g = (dy - mean_dy_scaled)*y
        part_2 = _rows.by_row(np.subtract, dy, mean_dy_scaled, out=buffer_2)
        if scale is not None:
            g = np.multiply(part_2, y, out=buffer_3)
        # step 23: mean_ddx_g = mean(ddx*g)
        if needs_dg:
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_4)
        # step 20: g_3 = (dy - mean_dy_scaled)*dg
        g_3 = np.multiply(part_2, dg, out=buffer_2)
        # step 21: mean_g_3_y = mean(g_3*y)
        mean_g_3_y = _rows.row_mean(g_3, y, D, out=row_scalar_5)
        # step 24: ddy = (dg - sum_dg_y)*y
        ddy = np.subtract(dg, sum_dg_y, out=ddy_block)
        np.multiply(ddy, y, out=ddy_block)
        # step 21: g_4 = (g_3 + ((mean_dy_scaled - dy)*mean_dg_y - mean_g_3_y)*D)*y
        g_4 = np.subtract(mean_dy_scaled, dy, out=buffer_1)
        g_4 = np.multiply(g_4, mean_dg_y, out=buffer_1)
        g_4 = np.subtract(g_4, mean_g_3_y, out=buffer_1)
        g_4 = np.multiply(g_4, D, out=buffer_1)
        g_4 = np.add(g_3, g_4, out=buffer_1)
        g_4 = np.multiply(g_4, y, out=dx_block)
        # step 23: mean_g_4_x = mean(g_4*x)
        if scale is not None:
            mean_g_4_x = _rows.row_mean(g_4, x, D, out=row_scalar_1)
        # step 22: dx = g*ddscale + g_4*scale
        if ddscale is not None:
            dx = np.multiply(g, ddscale, out=buffer_1)
        if scale is not None:
            part_3 = np.multiply(g_4, scale, out=dx_block)
        else:
            part_3 = g_4
        if ddscale is not None:
            np.add(dx, part_3, out=dx_block)
        # step 23: mean_g_4_x_scaled = (mean_ddx_g + mean_g_4_x)*D
        if needs_dg:
            mean_g_4_x_scaled = np.add(mean_ddx_g, mean_g_4_x, out=row_scalar_1)
        if ddx_rows is None:
            mean_g_4_x_scaled = mean_g_4_x
        if scale is not None:
            mean_g_4_x_scaled = np.multiply(mean_g_4_x_scaled, D, out=row_scalar_1)
            # step 23: dscale = sum over rows of mean_g_4_x_scaled
            dscale_sums[chunk] += np.add.reduce(mean_g_4_x_scaled, axis=None)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_row_max = _rows.reader(row_max_rows, dtype, height, row_scalars=True)
        read_inv_sum_exp_u = _rows.reader(
            inv_sum_exp_u_rows, dtype, height, row_scalars=True
        )
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_row_max(span),
                read_inv_sum_exp_u(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_ddy(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if scale is not None:
        dscale = np.add.reduce(dscale_sums, axis=0)
        _rows.round_to(dscale_out, ..., dscale)


def _forward_small(x, scale, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
        # step 2: row_max = max(x*scale)
        part = x * scale
    else:
        part = x
    row_max = np.maximum.reduce(part, axis=-1, keepdims=True)
    # step 3: u = x*scale - row_max
    u = part - row_max
    # step 4: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 5: sum_exp_u = sum(e_shifted)
    sum_exp_u = vecdot(e_shifted, ones)[..., np.newaxis]
    # step 6: inv_sum_exp_u = 1/sum_exp_u
    inv_sum_exp_u = np.reciprocal(sum_exp_u)
    # step 7: y = e_shifted*inv_sum_exp_u
    y = np.multiply(e_shifted, inv_sum_exp_u, out=e_shifted)
    row_max = row_max[..., 0]
    inv_sum_exp_u = inv_sum_exp_u[..., 0]
    return y, row_max, inv_sum_exp_u


def _backward_small(x, dy, row_max_rows, inv_sum_exp_u_rows, scale, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    if scale is not None:
        scale = np.asarray(scale, dtype)
    row_max = row_max_rows[..., np.newaxis]
    inv_sum_exp_u = inv_sum_exp_u_rows[..., np.newaxis]
    # step 3: u = x*scale - row_max
    if scale is not None:
        u = x * scale
    else:
        u = x
    u = u - row_max
    # step 4: e_shifted = exp(u)
    e_shifted = np.exp(u, out=u)
    # step 7: y = e_shifted*inv_sum_exp_u
    y = np.multiply(e_shifted, inv_sum_exp_u, out=e_shifted)
    # step 14: sum_dy_y = sum(dy*y)
    sum_dy_y = vecdot(dy, y)[..., np.newaxis]
    # step 14: g = (dy - sum_dy_y)*y
    g = dy - sum_dy_y
    g = np.multiply(g, y, out=g)
    # step 13: sum_g_x = sum(g*x)
    if scale is not None:
        sum_g_x = vecdot(g, x)[..., np.newaxis]
        # step 13: dscale = sum over rows of sum_g_x
        dscale = np.add.reduce(sum_g_x, axis=None)
        # step 12: dx = g*scale
        dx = np.multiply(g, scale, out=g)
    else:
        dx = g
    if scale is not None:
        dscale = _rows.filled(dscale, out=np.empty((), dtype))
    else:
        dscale = None
    return dx, dscale


def saved_from(
    *,
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    row_max: npt.NDArray[Any],
    inv_sum_exp_u: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        scale: the argument scale of forward.
        row_max: the row scalar row_max, one a row.
        inv_sum_exp_u: the row scalar inv_sum_exp_u, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, scale, row_max, inv_sum_exp_u)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, scale, row_max, inv_sum_exp_u)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "scaled_softmax")
    _calls.check_first_fields(saved, ("x",))
    _calls.check_number("scale", saved.scale, "scale" in saved.dtypes)
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("row_max", saved.row_max, row_scalars)
    _calls.check_kept("inv_sum_exp_u", saved.inv_sum_exp_u, row_scalars)
