# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops a row element; backward 6 row tensors (3 read, 3 written), 13 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)
    backward
        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

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
    "name": "adaptive_layer_norm",
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
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
        {
            "name": "shift",
            "symbol": "shift",
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
    ],
    "constants": [
        {"name": "eps", "symbol": "eps", "default": 1e-6, "sign": "nonnegative"},
    ],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "scale", "kind": "input", "of": "scale", "axes": ["...", "D"]},
        {"name": "mu", "kind": "row scalar", "of": "mu", "axes": ["..."]},
        {
            "name": "mu_residual",
            "kind": "row scalar",
            "of": "mu_residual",
            "axes": ["..."],
        },
        {"name": "rstd", "kind": "row scalar", "of": "rstd", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dscale", "of": "scale", "may_be_none": False},
        {"name": "dshift", "of": "shift", "may_be_none": False},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dscale: npt.NDArray[Any]
    """The gradient of scale, in its shape and type."""

    dshift: npt.NDArray[Any]
    """The gradient of shift, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dscale: npt.NDArray[Any]
    """The gradient of scale, in its shape and type."""

    dshift: npt.NDArray[Any]
    """The gradient of shift, in its shape and type."""

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

    scale: npt.NDArray[Any]
    """The argument scale of forward."""

    mu: npt.NDArray[Any]
    """The row scalar mu, one a row."""

    mu_residual: npt.NDArray[Any]
    """The row scalar mu_residual, one a row."""

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
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
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
        if _calls.fits(scale, shape_, dtype_) and _calls.fits(shift, shape_, dtype_):
            y_, mu_, mu_residual_, rstd_ = _rows.at_once(
                _forward_small, x, scale, shift, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "scale": scale, "shift": shift}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_, "scale": dtype_, "shift": dtype_}
            saved = _Saved(shape_, dtype_, dtypes_, x, scale, mu_, mu_residual_, rstd_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    scale = _calls.array("scale", scale, required=True)
    shift = _calls.array("shift", shift, required=True)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("scale", scale, shape_, "the shape of x")
    _calls.check_shape("shift", shift, shape_, "the shape of x")
    given_ = {"x": x, "scale": scale, "shift": shift}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    mu_ = _calls.empty(shape_[:-1], dtype_)
    mu_residual_ = _calls.empty(shape_[:-1], dtype_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(
        x, scale, shift, eps, y_, mu_, mu_residual_, rstd_, shape_, dtype_, threads
    )
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, scale, mu_, mu_residual_, rstd_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "adaptive_layer_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x", "scale", "shift"))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.scale, shape_, dtype_)
            and _calls.fits(saved.mu, shape_[:-1], dtype_)
            and _calls.fits(saved.mu_residual, shape_[:-1], dtype_)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dscale_, dshift_ = _rows.at_once(
                _backward_small,
                saved.x,
                saved.scale,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.scale": saved.scale,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.rstd": saved.rstd,
                }
                dx_, dscale_, dshift_ = _calls.placed(
                    ("dx", "dscale", "dshift"), (dx_, dscale_, dshift_), out, given_
                )
            return _Gradients(dx_, dscale_, dshift_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dscale", "dshift"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dscale_ = _calls.result("dscale", out[1], shape_, saved.dtypes.get("scale"), given_)
    dshift_ = _calls.result("dshift", out[2], shape_, saved.dtypes.get("shift"), given_)
    _backward(
        saved.x,
        saved.scale,
        dy,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        dx_,
        dscale_,
        dshift_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dscale_, dshift_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dscale: npt.NDArray[Any] | None = None,
    dshift: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dshift + dscale*xhat + rstd*(1 + scale)*(dx - mean(dx) -
            xhat*mean(dx*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dscale: the tangent of scale; None stands for zero.
        dshift: the tangent of shift; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dscale = _calls.array("dscale", dscale, required=False)
    dshift = _calls.array("dshift", dshift, required=False)
    if dx is None and dscale is None and dshift is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dscale", dscale, shape_, "the shape of scale")
    _calls.check_shape("dshift", dshift, shape_, "the shape of shift")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dscale": dscale,
        "dshift": dshift,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        saved.scale,
        dx,
        dscale,
        dshift,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
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
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_2 = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        g_3 = ddscale*dy - mean_g_2*rstd*ddx
        dx = rstd*(g_3 + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_2*xhat +
            mean_g - g) - xhat*mean(ddx*g)) - mean(g_3) - xhat*mean(g_3*xhat))
        dscale = dg*dy
        dshift = 0
        ddy = ddshift + ddscale*xhat + dg*(1 + scale)

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddscale: the cotangent of dscale, its gradient; None stands for zero.
        ddshift: the cotangent of dshift, its gradient; None stands for zero.
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
    ddscale = _calls.array("ddscale", ddscale, required=False)
    ddshift = _calls.array("ddshift", ddshift, required=False)
    if ddx is None and ddscale is None and ddshift is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddscale", ddscale, shape_, "the shape of scale")
    _calls.check_shape("ddshift", ddshift, shape_, "the shape of shift")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddscale": ddscale,
        "ddshift": ddshift,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dscale", "dshift", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dscale_ = _calls.result("dscale", out[1], shape_, saved.dtypes.get("scale"), given_)
    dshift_ = _calls.result("dshift", out[2], shape_, saved.dtypes.get("shift"), given_)
    ddy_ = _calls.result("ddy", out[3], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        saved.scale,
        dy_,
        ddx,
        ddscale,
        ddshift,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        dx_,
        dscale_,
        dshift_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dscale_, dshift_, ddy_)


def _forward(
    x_rows,
    scale_rows,
    shift_rows,
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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    far_from = np.asarray(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(
        x, scale, shift, mu_block, mu_residual_block, rstd_block, y_block, row_buffers
    ):
        buffer_1 = row_buffers[0]
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D, out=rstd_block)
        # step 2: mu_residual = mean(x_shifted)
        _rows.residual(
            x_shifted, mu, var, D, far_from, one_over_D, out=mu_residual_block
        )
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.add(var, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=y_block)
        # step 6: y = shift + (scale + 1)*xhat
        y = np.add(scale, 1.0, out=buffer_1)
        y = np.multiply(y, xhat, out=y_block)
        np.add(shift, y, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height)
        read_shift = _rows.reader(shift_rows, dtype, height)
        place_mu, hand_on_mu = _rows.writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _rows.writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_scale(span),
                read_shift(span),
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

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    scale_rows,
    dy_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    dx_out,
    dscale_out,
    dshift_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)

    def block(
        x,
        scale,
        dy,
        mu,
        mu_residual,
        rstd,
        dscale_block,
        dshift_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dscale_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 7: g = dy*(scale + 1)
        g = np.add(scale, 1.0, out=dscale_block)
        g = np.multiply(dy, g, out=buffer_1)
        # step 10: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_1)
        # step 10: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalar_2)
        # step 11: dscale = dy*xhat
        np.multiply(dy, xhat, out=dscale_block)
        dshift_block[...] = dy
        # step 10: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffer_1)
        part = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dscale, hand_on_dscale = _rows.writer((dscale_out,), dtype, height)
        place_dshift, hand_on_dshift = _rows.writer((dshift_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_scale(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dscale(span),
                place_dshift(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dscale(span)
            hand_on_dshift(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _jvp(
    x_rows,
    scale_rows,
    dx_rows,
    dscale_rows,
    dshift_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)

    def block(
        x,
        scale,
        dx,
        dscale,
        dshift,
        mu,
        mu_residual,
        rstd,
        dy_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 12: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _rows.row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if dx_rows is not None or dscale_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = np.multiply(x_centred, rstd, out=dy_block)
        # step 12: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalar_2)
        # step 12: dy = dshift + dscale*xhat + (dx - mean_dx - xhat*mean_dx_xhat)*(scale
        #   + 1)*rstd
        if dscale_rows is not None:
            dy = np.multiply(dscale, xhat, out=buffer_1)
        if dscale_rows is not None and dshift_rows is not None:
            dy = np.add(dshift, dy, out=buffer_1)
        if dscale_rows is None and dshift_rows is not None:
            dy = dshift
        if dx_rows is not None:
            part = _rows.by_row(np.subtract, dx, mean_dx, out=buffer_2)
            part_2 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part = np.subtract(part, part_2, out=dy_block)
            part_3 = np.add(scale, 1.0, out=buffer_2)
            part = np.multiply(part, part_3, out=dy_block)
            part = np.multiply(part, rstd, out=dy_block)
        if dx_rows is not None and (dscale_rows is not None or dshift_rows is not None):
            dy = np.add(dy, part, out=dy_block)
        if dscale_rows is None and dshift_rows is None:
            dy = part
        if dx_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dscale = _rows.reader(dscale_rows, dtype, height)
        read_dshift = _rows.reader(dshift_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_scale(span),
                read_dx(span),
                read_dscale(span),
                read_dshift(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    scale_rows,
    dy_rows,
    ddx_rows,
    ddscale_rows,
    ddshift_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    dx_out,
    dscale_out,
    dshift_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_x_shifted = ddx_rows is not None or ddscale_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)

    def block(
        x,
        scale,
        dy,
        ddx,
        ddscale,
        ddshift,
        mu,
        mu_residual,
        rstd,
        dshift_block,
        dscale_block,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
            row_scalar_7,
        ) = row_scalar_buffers
        # step 16: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dshift_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 16: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalar_2)
            # step 13: g = dy*(scale + 1)
            part = np.add(scale, 1.0, out=ddy_block)
            g = np.multiply(dy, part, out=buffer_1)
            # step 14: mean_g = mean(g)
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_3)
            # step 15: mean_g_2 = mean(g*xhat)
            mean_g_2 = _rows.row_mean(g, xhat, D, out=row_scalar_4)
            # step 18: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_5)
        dshift_block[...] = 0.0
        # step 17: mean_g_2_scaled = mean_g_2*rstd
        if ddx_rows is not None:
            mean_g_2_scaled = np.multiply(mean_g_2, rstd, out=row_scalar_6)
            # step 18: mean_g_2_scaled_2 = 2*mean_g_2
            mean_g_2_scaled_2 = np.multiply(mean_g_2, 2.0, out=row_scalar_4)
            # step 18: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = np.multiply(mean_ddx, mean_g, out=row_scalar_7)
            # step 16: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=dscale_block)
            part_2 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_2)
            dg = np.subtract(dg, part_2, out=dscale_block)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffer_2)
        # step 17: g_3 = ddscale*dy - ddx*mean_g_2_scaled
        if ddscale_rows is not None:
            g_3 = np.multiply(ddscale, dy, out=buffer_3)
        if ddx_rows is not None and ddscale_rows is None:
            g_3 = 0.0
        if ddx_rows is not None:
            part_3 = _rows.by_row(np.multiply, ddx, mean_g_2_scaled, out=dscale_block)
            g_3 = np.subtract(g_3, part_3, out=buffer_3)
        # step 18: mean_g_3 = mean(g_3)
        if needs_x_shifted:
            mean_g_3 = _rows.row_sum(g_3, one_over_D, out=row_scalar_1)
            # step 18: mean_g_3_xhat = mean(g_3*xhat)
            mean_g_3_xhat = _rows.row_mean(g_3, xhat, D, out=row_scalar_6)
        # step 19: dscale = dg*dy
        if ddx_rows is not None:
            dscale = np.multiply(dg, dy, out=dscale_block)
        else:
            dscale = 0.0
            dscale_block[...] = dscale
        # step 21: ddy = ddshift + ddscale*xhat + dg*(scale + 1)
        if ddscale_rows is not None:
            ddy = np.multiply(ddscale, xhat, out=buffer_4)
        if ddscale_rows is not None and ddshift_rows is not None:
            ddy = np.add(ddshift, ddy, out=buffer_4)
        if ddscale_rows is None and ddshift_rows is not None:
            ddy = ddshift
        if ddx_rows is not None:
            part_4 = np.multiply(dg, part, out=ddy_block)
        if ddx_rows is not None and (
            ddscale_rows is not None or ddshift_rows is not None
        ):
            ddy = np.add(ddy, part_4, out=ddy_block)
        if ddscale_rows is None and ddshift_rows is None:
            ddy = part_4
        if ddx_rows is None:
            ddy_block[...] = ddy
        # step 18: dx = (g_3 + (xhat*mean_ddx_scaled + (xhat*mean_g_2_scaled_2 + mean_g
        #   - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - mean_g_3 -
        #   xhat*mean_g_3_xhat)*rstd
        if ddx_rows is not None:
            dx = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffer_2)
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_2_scaled_2, out=buffer_4)
            part_5 = np.add(part_5, mean_g, out=buffer_4)
            part_5 = np.subtract(part_5, g, out=buffer_1)
            part_5 = np.multiply(part_5, mean_ddx_xhat, out=buffer_1)
            dx = np.add(dx, part_5, out=buffer_1)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffer_2)
            dx = np.subtract(dx, part_6, out=buffer_1)
            dx = np.multiply(dx, rstd, out=buffer_1)
            dx = np.add(g_3, dx, out=buffer_1)
        if ddx_rows is None and ddscale_rows is not None:
            dx = g_3
        if needs_x_shifted:
            dx = np.subtract(dx, mean_g_3, out=buffer_1)
            part_7 = np.multiply(xhat, mean_g_3_xhat, out=dx_block)
            dx = np.subtract(dx, part_7, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
        if ddx_rows is None and ddscale_rows is None:
            dx = 0.0
            dx_block[...] = dx

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddscale = _rows.reader(ddscale_rows, dtype, height)
        read_ddshift = _rows.reader(ddshift_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dshift, hand_on_dshift = _rows.writer((dshift_out,), dtype, height)
        place_dscale, hand_on_dscale = _rows.writer((dscale_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((7, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_scale(span),
                read_dy(span),
                read_ddx(span),
                read_ddscale(span),
                read_ddshift(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dshift(span),
                place_dscale(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dshift(span)
            hand_on_dscale(span)
            hand_on_ddy(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _forward_small(x, scale, shift, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
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
    mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = x_shifted
    # step 4: rstd = 1/sqrt(var + eps)
    rstd = var + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: y = shift + (scale + 1)*xhat
    y = scale + 1.0
    y = np.multiply(y, xhat, out=y)
    y = np.add(shift, y, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def _backward_small(x, scale, dy, mu_rows, mu_residual_rows, rstd_rows, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 7: g = dy*(scale + 1)
    g = scale + 1.0
    g = np.multiply(dy, g, out=g)
    # step 10: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 11: dscale = dy*xhat
    dscale = dy * xhat
    dy = _rows.filled(dy, out=np.empty(shape, dtype))
    # step 10: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = np.subtract(g, mean_g, out=g)
    part = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    return dx, dscale, dy


def saved_from(
    *,
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        scale: the argument scale of forward.
        mu: the row scalar mu, one a row.
        mu_residual: the row scalar mu_residual, one a row.
        rstd: the row scalar rstd, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, scale, mu, mu_residual, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, scale, mu, mu_residual, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "adaptive_layer_norm")
    _calls.check_first_fields(saved, ("x", "scale", "shift"))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("scale", saved.scale, saved.shape)
    _calls.check_kept("mu", saved.mu, row_scalars)
    _calls.check_kept("mu_residual", saved.mu_residual, row_scalars)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
