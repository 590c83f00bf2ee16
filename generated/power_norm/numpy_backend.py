# Made by lngen 0.1.0 from the definition of power_norm.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops a row element; backward 3 row tensors (2 read, 1 written), 11 flops a row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Each row divided by its mean fourth power, to the power 1/4.

    forward
        mean_x4 = mean(x**4)
        scale = 1/(mean_x4 + eps)**(1/4)
        xhat = scale*x
        y = gamma*xhat
    backward
        g = gamma*dy
        dx = scale*(g - xhat**3*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)

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
    "name": "power_norm",
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
            "name": "gamma",
            "symbol": "gamma",
            "kind": "Feature",
            "axes": ["D"],
            "default": 1,
        },
    ],
    "constants": [
        {"name": "eps", "symbol": "eps", "default": 1e-5, "sign": "nonnegative"},
    ],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "scale", "kind": "row scalar", "of": "scale", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

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

    gamma: npt.NDArray[Any] | None
    """The argument gamma of forward."""

    scale: npt.NDArray[Any]
    """The row scalar scale, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Each row divided by its mean fourth power, to the power 1/4.

        mean_x4 = mean(x**4)
        scale = 1/(mean_x4 + eps)**(1/4)
        xhat = scale*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
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
        if gamma is None or _calls.fits(gamma, shape_[-1:], dtype_):
            y_, scale_ = _rows.at_once(_forward_small, x, gamma, eps, shape_, dtype_)
            if out is not None:
                given_ = {"x": x, "gamma": gamma}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, gamma, scale_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    gamma = _calls.array("gamma", gamma, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "gamma": gamma}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    scale_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, gamma, eps, y_, scale_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, scale_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = scale*(g - xhat**3*mean(g*xhat))
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
    _calls.check_is_saved(saved, _Saved, "power_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.scale, shape_[:-1], dtype_)
        ):
            dx_, dgamma_ = _rows.at_once(
                _backward_small, saved.x, dy, saved.scale, saved.gamma, shape_, dtype_
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.scale": saved.scale,
                }
                dx_, dgamma_ = _calls.placed(
                    ("dx", "dgamma"), (dx_, dgamma_), out, given_
                )
            return _Gradients(dx_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    _backward(
        saved.x, dy, saved.scale, saved.gamma, dx_, dgamma_, shape_, dtype_, threads
    )
    return _Gradients(dx_, dgamma_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*xhat + scale*gamma*(dx - xhat*mean(dx*xhat**3))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    if dx is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dgamma": dgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(saved.x, dx, saved.scale, saved.gamma, dgamma, dy_, shape_, dtype_, threads)
    return dy_


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g*xhat)
        dmean_g = sum(-scale*ddx*xhat**3)
        dg = scale*ddx + dmean_g*xhat/D
        dxhat = ddgamma*dy + dmean_g*g/D - 3*mean_g*scale*ddx*xhat**2
        dscale = sum(dxhat*x) + sum(ddx*(g - mean_g*xhat**3))
        dmean_x4 = -dscale*scale**5/4
        dx = scale*dxhat + 4*dmean_x4*x**3/D
        dgamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
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
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    if ddx is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    ddy_ = _calls.result("ddy", out[2], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.scale,
        saved.gamma,
        ddgamma,
        dx_,
        dgamma_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dgamma_, ddy_)


def _forward(x_rows, gamma, eps, y_out, scale_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)

    def block(x, scale_block, y_block):
        # step 1: mean_x4 = mean(x**4)
        part = np.square(x, out=y_block)
        mean_x4 = _rows.row_mean(part, part, D, out=scale_block)
        # step 2: scale = 1/(mean_x4 + eps)**(1/4)
        scale = np.add(mean_x4, eps, out=scale_block)
        scale = np.power(scale, 0.25, out=scale_block)
        scale = np.reciprocal(scale, out=scale_block)
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_scale, hand_on_scale = _rows.writer(
            (scale_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), place_scale(span), place_y(span))
            hand_on_scale(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows, dy_rows, scale_rows, gamma, dx_out, dgamma_out, shape, dtype, threads
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(chunk, x, dy, scale, dx_block, row_buffers, row_scalar_buffers, column):
        buffer_1 = row_buffers[0]
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 9: dgamma = sum over rows of dy*x*scale
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            _rows.add_rows(part, scale, dgamma_sums[chunk], column)
            # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalar_1)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x, D, out=row_scalar_1)
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 8: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalar_1)
        # step 8: dx = (g - x**3*mean_g_xhat*scale**3)*scale
        dx = np.square(x, out=buffer_1)
        dx = np.multiply(dx, x, out=buffer_1)
        part_2 = np.square(scale, out=row_scalar_2)
        part_2 = np.multiply(part_2, scale, out=row_scalar_2)
        part_2 = np.multiply(mean_g_xhat, part_2, out=row_scalar_1)
        dx = np.multiply(dx, part_2, out=buffer_1)
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, scale, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_scale(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        _rows.round_to(dgamma_out, ..., dgamma)


def _jvp(x_rows, dx_rows, scale_rows, gamma, dgamma, dy_out, shape, dtype, threads):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and dx_rows is not None
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)

    def block(x, dx, scale, dy_block, row_buffers, row_scalar_buffers):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=dy_block)
        # step 10: mean_dx_xhat = mean(dx*xhat**3)
        if dx_rows is not None:
            part = np.square(xhat, out=buffer_1)
            part = np.multiply(part, xhat, out=buffer_1)
            mean_dx_xhat = _rows.row_mean(dx, part, D, out=row_scalar_1)
        # step 10: dy = xhat*dgamma + (dx - xhat*mean_dx_xhat)*scale*gamma
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if dx_rows is not None:
            part_2 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part_2 = np.subtract(dx, part_2, out=dy_block)
        if needs_gamma:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part_2 = np.multiply(part_2, scale, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part_2, out=dy_block)
        if dgamma is None:
            dy = part_2
        if dx_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_scale(span),
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
    scale_rows,
    gamma,
    ddgamma,
    dx_out,
    dgamma_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and ddx_rows is not None
    needs_dxhat = ddx_rows is not None and ddgamma is not None
    ones = _rows.equal_weights(features, 1.0, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 18: dmean_x4_scaled = 4*dmean_x4/D
    part_15 = np.divide(4.0, D)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        scale,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
        ) = row_scalar_buffers
        # step 13: dmean_g_unscaled = sum(-ddx*x**3)
        part = np.square(x, out=ddy_block)
        part_2 = np.multiply(part, x, out=dx_block)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, part_2, out=buffer_1)
            part_3 = np.negative(part_3, out=buffer_1)
            dmean_g_unscaled = _rows.row_sum(part_3, ones, out=row_scalar_1)
        # step 11: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffer_1)
        if gamma is None:
            g = dy
        # step 12: mean_g_unscaled = mean(g*x)
        if ddx_rows is not None:
            mean_g_unscaled = _rows.row_mean(g, x, D, out=row_scalar_2)
            # step 12: mean_g = mean_g_unscaled*scale
            mean_g = np.multiply(mean_g_unscaled, scale, out=row_scalar_2)
        # step 13: dmean_g = dmean_g_unscaled*scale**4
        part_4 = np.square(scale, out=row_scalar_3)
        part_5 = np.square(part_4, out=row_scalar_4)
        if ddx_rows is not None:
            dmean_g = np.multiply(dmean_g_unscaled, part_5, out=row_scalar_1)
            # step 14: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalar_1)
            # step 15: mean_g_scaled = -3*mean_g*scale
            mean_g_scaled = np.multiply(mean_g, scale, out=row_scalar_5)
            mean_g_scaled = np.multiply(mean_g_scaled, -3.0, out=row_scalar_5)
            # step 16: sum_ddx_g_xhat = sum((g - x**3*mean_g*scale**3)*ddx)
            part_6 = np.multiply(part_4, scale, out=row_scalar_6)
            part_6 = np.multiply(mean_g, part_6, out=row_scalar_2)
            part_7 = _rows.by_row(np.multiply, part_2, part_6, out=buffer_2)
            part_7 = np.subtract(g, part_7, out=buffer_2)
            sum_ddx_g_xhat = _rows.row_sum(part_7, ddx, out=row_scalar_2)
            # step 14: dg = ddx*scale + x*dmean_g_scaled*scale
            dg = _rows.by_row(np.multiply, ddx, scale, out=buffer_2)
            part_8 = np.multiply(dmean_g_scaled, scale, out=row_scalar_6)
            part_9 = _rows.by_row(np.multiply, x, part_8, out=buffer_3)
            dg = np.add(dg, part_9, out=buffer_2)
        # step 19: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_10 = np.multiply(dg, dy, out=buffer_3)
            _rows.add_rows(part_10, each_row, dgamma_sums[chunk], column)
        # step 15: dxhat = dy*ddgamma + g*dmean_g_scaled +
        #   ddx*x**2*mean_g_scaled*scale**2
        if ddgamma is not None:
            dxhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_3)
        if ddx_rows is not None:
            part_11 = np.multiply(g, dmean_g_scaled, out=buffer_1)
        if needs_dxhat:
            dxhat = np.add(dxhat, part_11, out=buffer_1)
        if ddgamma is None:
            dxhat = part_11
        if ddx_rows is not None:
            part_12 = np.multiply(ddx, part, out=ddy_block)
            part_13 = np.multiply(mean_g_scaled, part_4, out=row_scalar_1)
            part_12 = np.multiply(part_12, part_13, out=ddy_block)
            dxhat = np.add(dxhat, part_12, out=buffer_1)
        # step 16: sum_dxhat_x = sum(dxhat*x)
        sum_dxhat_x = _rows.row_sum(dxhat, x, out=row_scalar_1)
        # step 20: ddy = dg*gamma + x*scale*ddgamma
        if needs_gamma:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=ddy_block)
        if gamma is None:
            ddy = dg
        if ddgamma is not None:
            part_14 = _rows.by_feature(np.multiply, x, ddgamma_wide, out=buffer_2)
            part_14 = np.multiply(part_14, scale, out=buffer_2)
        if needs_dxhat:
            ddy = np.add(ddy, part_14, out=ddy_block)
        if ddx_rows is None:
            ddy = part_14
        if gamma is None or ddx_rows is None:
            ddy_block[...] = ddy
        # step 16: dscale = sum_ddx_g_xhat + sum_dxhat_x
        if ddx_rows is not None:
            dscale = np.add(sum_ddx_g_xhat, sum_dxhat_x, out=row_scalar_1)
        else:
            dscale = sum_dxhat_x
        # step 17: dscale_scaled = dscale*scale
        dscale_scaled = np.multiply(dscale, scale, out=row_scalar_1)
        # step 17: dmean_x4 = -dscale_scaled*scale**4/4
        dmean_x4 = np.multiply(dscale_scaled, part_5, out=row_scalar_1)
        dmean_x4 = np.multiply(dmean_x4, -0.25, out=row_scalar_1)
        # step 18: dmean_x4_scaled = 4*dmean_x4/D
        dmean_x4_scaled = np.multiply(dmean_x4, part_15, out=row_scalar_1)
        # step 18: dx = dxhat*scale + x**3*dmean_x4_scaled
        dx = np.multiply(dxhat, scale, out=buffer_1)
        part_16 = np.multiply(part_2, dmean_x4_scaled, out=dx_block)
        np.add(dx, part_16, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((6, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_scale(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddy(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if ddx_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _forward_small(x, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mean_x4 = mean(x**4)
    part = np.square(x)
    mean_x4 = (vecdot(part, part) / D)[..., np.newaxis]
    # step 2: scale = 1/(mean_x4 + eps)**(1/4)
    scale = mean_x4 + eps
    scale = np.power(scale, 0.25)
    scale = np.reciprocal(scale)
    # step 3: xhat = x*scale
    xhat = x * scale
    # step 4: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    scale = scale[..., 0]
    return y, scale


def _backward_small(x, dy, scale_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    scale = scale_rows[..., np.newaxis]
    # step 9: dgamma = sum over rows of dy*x*scale
    if gamma is not None:
        part = dy * x
        dgamma = _rows.sum_of_rows(scale.ravel(), part.reshape(-1, features))
        # step 8: mean_g_xhat_unscaled = mean(dy*x*gamma)
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x) / D)[..., np.newaxis]
    # step 5: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 8: mean_g_xhat = mean_g_xhat_unscaled*scale
    mean_g_xhat = mean_g_xhat_unscaled * scale
    # step 8: dx = (g - x**3*mean_g_xhat*scale**3)*scale
    dx = np.square(x)
    dx = np.multiply(dx, x, out=dx)
    part_2 = np.square(scale)
    part_2 = part_2 * scale
    part_2 = mean_g_xhat * part_2
    dx = np.multiply(dx, part_2, out=dx)
    dx = np.subtract(g, dx, out=dx)
    dx = np.multiply(dx, scale, out=dx)
    if gamma is None:
        dgamma = None
    return dx, dgamma


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    scale: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        gamma: the argument gamma of forward.
        scale: the row scalar scale, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, gamma, scale)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, gamma, scale)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "power_norm")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("scale", saved.scale, row_scalars)
