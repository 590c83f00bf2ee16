# Made by lngen 0.1.0 from the definition of add_rms_norm.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 5 flops a row element; backward 4 row tensors (3 read, 1 written), 10 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Residual addition, then root-mean-square normalization; the sum is the second output.

    forward
        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat
    backward
        g = gamma*dy
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
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
    "name": "add_rms_norm",
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
            "name": "residual",
            "symbol": "residual",
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
    "outputs": [
        {"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]},
        {"name": "h", "symbol": "h", "kind": "Row", "axes": ["...", "D"]},
    ],
    "saved": [
        {"name": "h", "kind": "output", "of": "h", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "rstd", "kind": "row scalar", "of": "rstd", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dresidual", "of": "residual", "may_be_none": False},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Outputs(NamedTuple):
    """What `forward` computes."""

    y: npt.NDArray[Any]
    """shape (..., D)."""

    h: npt.NDArray[Any]
    """shape (..., D)."""


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dresidual: npt.NDArray[Any]
    """The gradient of residual, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dresidual: npt.NDArray[Any]
    """The gradient of residual, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    ddy: npt.NDArray[Any] | None
    """The gradient of dy, the cotangent of y."""

    ddh: npt.NDArray[Any] | None
    """The gradient of dh, the cotangent of h."""


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

    h: npt.NDArray[Any]
    """The output h of forward."""

    gamma: npt.NDArray[Any] | None
    """The argument gamma of forward."""

    rstd: npt.NDArray[Any]
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Outputs = Outputs
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        eps: a constant, a finite number of 0 or more.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: Outputs, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(Outputs, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        if _calls.fits(residual, shape_, dtype_) and (
            gamma is None or _calls.fits(gamma, shape_[-1:], dtype_)
        ):
            y_, h_, rstd_ = _rows.at_once(
                _forward_small, x, residual, gamma, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "residual": residual, "gamma": gamma}
                y_, h_ = _calls.placed(("y", "h"), (y_, h_), out, given_)
            if not save:
                return _Outputs(y_, h_), None
            dtypes_ = {"x": dtype_, "residual": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, h_, gamma, rstd_)
            return _Outputs(y_, h_), saved
    x = _calls.array("x", x, required=True)
    residual = _calls.array("residual", residual, required=True)
    gamma = _calls.array("gamma", gamma, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("residual", residual, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "residual": residual, "gamma": gamma}
    dtypes_, dtype_ = _calls.types(given_)
    out = _calls.several(out, ("y", "h"))
    y_ = _calls.result("y", out[0], shape_, leading_.dtype, given_)
    h_ = _calls.result("h", out[1], shape_, leading_.dtype, given_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, residual, gamma, eps, y_, h_, rstd_, shape_, dtype_, threads)
    if not save:
        return _Outputs(y_, h_), None
    saved = _Saved(shape_, dtype_, dtypes_, h_, gamma, rstd_)
    return _Outputs(y_, h_), saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = dh + rstd*(g - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y; None stands for zero.
        dh: the cotangent of h; None stands for zero.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.
    dx and dresidual are one and the same array, unless `out` has one for each.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "add_rms_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.h, 1):
        shape_, dtype_ = saved.h.shape, saved.h.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x", "residual"))
            and (dy is None or _calls.fits(dy, shape_, dtype_))
            and (dh is None or _calls.fits(dh, shape_, dtype_))
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
            and (dy is not None or dh is not None)
        ):
            dx_, dresidual_, dgamma_ = _rows.at_once(
                _backward_small,
                saved.h,
                dy,
                dh,
                saved.rstd,
                saved.gamma,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "dh": dh,
                    "saved.h": saved.h,
                    "saved.gamma": saved.gamma,
                    "saved.rstd": saved.rstd,
                }
                dx_, dresidual_, dgamma_ = _calls.placed(
                    ("dx", "dresidual", "dgamma"),
                    (dx_, dresidual_, dgamma_),
                    out,
                    given_,
                )
            return _Gradients(dx_, dresidual_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=False)
    dh = _calls.array("dh", dh, required=False)
    if dy is None and dh is None:
        raise ValueError("every cotangent is None; pass at least one")
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    _calls.check_shape("dh", dh, shape_, "the shape of h")
    given_ = {
        "dy": dy,
        "dh": dh,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dresidual", "dgamma"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dresidual_ = _calls.result(
        "dresidual", out[1], shape_, saved.dtypes.get("residual"), given_, like=(dx_,)
    )
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    _backward(
        saved.h,
        dy,
        dh,
        saved.rstd,
        saved.gamma,
        dx_,
        dresidual_,
        dgamma_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dresidual_, dgamma_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dresidual: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """What the outputs move by when each input moves by its tangent.

        dh = dresidual + dx
        dy = dgamma*xhat + rstd*gamma*(dh - xhat*mean(dh*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dresidual: the tangent of residual; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: Outputs, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Outputs, the tangent of each, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dresidual = _calls.array("dresidual", dresidual, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    if dx is None and dresidual is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dresidual", dresidual, shape_, "the shape of residual")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dresidual": dresidual,
        "dgamma": dgamma,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    out = _calls.several(out, ("dy", "dh"))
    dy_ = _calls.result("dy", out[0], shape_, stored_, given_)
    dh_ = _calls.result("dh", out[1], shape_, stored_, given_)
    _jvp(
        saved.h,
        dx,
        dresidual,
        saved.rstd,
        saved.gamma,
        dgamma,
        dy_,
        dh_,
        shape_,
        dtype_,
        threads,
    )
    return _Outputs(dy_, dh_)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g*xhat)
        ddh = ddresidual + ddx
        dg = rstd*(ddh - xhat*mean(ddh*xhat))
        dx = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g*xhat - g) - mean_g*ddh -
            xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
        dresidual = dx
        dgamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddresidual: the cotangent of dresidual, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    cotangents = _calls.each_cotangent(cotangents, ("dy", "dh"))
    dy_ = _calls.array("dy", cotangents[0], required=False)
    _calls.check_shape("dy", dy_, shape_, "the shape of y")
    dh_ = _calls.array("dh", cotangents[1], required=False)
    _calls.check_shape("dh", dh_, shape_, "the shape of h")
    if dy_ is None and dh_ is None:
        raise ValueError("every cotangent is None; pass at least one")
    ddx = _calls.array("ddx", ddx, required=False)
    ddresidual = _calls.array("ddresidual", ddresidual, required=False)
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    if ddx is None and ddresidual is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddresidual", ddresidual, shape_, "the shape of residual")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "cotangents[1]": dh_,
        "ddx": ddx,
        "ddresidual": ddresidual,
        "ddgamma": ddgamma,
        "saved.h": saved.h,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dresidual", "dgamma", "ddy", "ddh"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dresidual_ = _calls.result(
        "dresidual", out[1], shape_, saved.dtypes.get("residual"), given_, like=(dx_,)
    )
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    ddy_ = _calls.result(
        "ddy", out[3], shape_, None if dy_ is None else dy_.dtype, given_
    )
    ddh_ = _calls.result(
        "ddh", out[4], shape_, None if dh_ is None else dh_.dtype, given_
    )
    _backward_backward(
        saved.h,
        dy_,
        dh_,
        ddx,
        ddresidual,
        saved.rstd,
        saved.gamma,
        ddgamma,
        dx_,
        dresidual_,
        dgamma_,
        ddy_,
        ddh_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dresidual_, dgamma_, ddy_, ddh_)


def _forward(
    x_rows, residual_rows, gamma, eps, y_out, h_out, rstd_out, shape, dtype, threads
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)

    def block(x, residual, h_block, rstd_block, y_block):
        # step 1: h = residual + x
        h = np.add(residual, x, out=h_block)
        # step 2: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D, out=rstd_block)
        # step 3: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=y_block)
        # step 5: y = xhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_residual = _rows.reader(residual_rows, dtype, height)
        place_h, hand_on_h = _rows.writer((h_out,), dtype, height)
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(
                read_x(span),
                read_residual(span),
                place_h(span),
                place_rstd(span),
                place_y(span),
            )
            hand_on_h(span)
            hand_on_rstd(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    h_rows,
    dy_rows,
    dh_rows,
    rstd_rows,
    gamma,
    dx_out,
    dresidual_out,
    dgamma_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and dy_rows is not None
    needs_mean_g_xhat_unscaled = gamma is None and dy_rows is not None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(
        chunk, h, dy, dh, rstd, dx_block, row_buffers, row_scalar_buffers, column
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 10: dgamma = sum over rows of dy*h*rstd
        if needs_gamma:
            part = np.multiply(dy, h, out=dx_block)
            _rows.add_rows(part, rstd, dgamma_sums[chunk], column)
            # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalar_1)
        if needs_mean_g_xhat_unscaled:
            mean_g_xhat_unscaled = _rows.row_mean(dy, h, D, out=row_scalar_1)
        # step 6: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_mean_g_xhat_unscaled:
            g = dy
        # step 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
        if dy_rows is not None:
            mean_g_xhat = np.multiply(mean_g_xhat_unscaled, rstd, out=row_scalar_1)
            # step 9: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
            part_2 = np.multiply(mean_g_xhat, rstd, out=row_scalar_1)
            dx = _rows.by_row(np.multiply, h, part_2, out=buffer_1)
            dx = np.subtract(g, dx, out=dx_block)
            dx = np.multiply(dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx_block)
        if dy_rows is None:
            dx = dh
            dx_block[...] = dx

    def sweep(share):
        read_h = _rows.reader(h_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_dh = _rows.reader(dh_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out, dresidual_out), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_h(span),
                read_dy(span),
                read_dh(span),
                read_rstd(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if gamma is not None and dy_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _jvp(
    h_rows,
    dx_rows,
    dresidual_rows,
    rstd_rows,
    gamma,
    dgamma,
    dy_out,
    dh_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (
        dx_rows is not None or dresidual_rows is not None
    )
    needs_dh = dx_rows is None and dresidual_rows is None
    needs_mean_dh_xhat = dx_rows is not None or dresidual_rows is not None
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)

    def block(
        h, dx, dresidual, rstd, dh_block, dy_block, row_buffers, row_scalar_buffers
    ):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 4: xhat = h*rstd
        xhat = _rows.by_row(np.multiply, h, rstd, out=dy_block)
        # step 11: dh = dresidual + dx
        if dx_rows is not None and dresidual_rows is not None:
            dh = np.add(dresidual, dx, out=dh_block)
        if dx_rows is None and dresidual_rows is not None:
            dh = dresidual
        if dx_rows is not None and dresidual_rows is None:
            dh = dx
        if needs_dh:
            dh = 0.0
        # step 12: mean_dh_xhat = mean(dh*xhat)
        if needs_mean_dh_xhat:
            mean_dh_xhat = _rows.row_mean(dh, xhat, D, out=row_scalar_1)
        if dx_rows is None or dresidual_rows is None:
            dh_block[...] = dh
        # step 12: dy = xhat*dgamma + (dh - xhat*mean_dh_xhat)*rstd*gamma
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if needs_mean_dh_xhat:
            part = np.multiply(xhat, mean_dh_xhat, out=dy_block)
            part = np.subtract(dh, part, out=dy_block)
        if needs_gamma:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if needs_mean_dh_xhat:
            part = np.multiply(part, rstd, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dresidual_rows is not None):
            dy = np.add(dy, part, out=dy_block)
        if dgamma is None:
            dy = part
        if needs_dh:
            dy_block[...] = dy

    def sweep(share):
        read_h = _rows.reader(h_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dresidual = _rows.reader(dresidual_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dh, hand_on_dh = _rows.writer((dh_out,), dtype, height)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_h(span),
                read_dx(span),
                read_dresidual(span),
                read_rstd(span),
                place_dh(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dh(span)
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    h_rows,
    dy_rows,
    dh_rows,
    ddx_rows,
    ddresidual_rows,
    rstd_rows,
    gamma,
    ddgamma,
    dx_out,
    dresidual_out,
    dgamma_out,
    ddy_out,
    ddh_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_ddgamma = dy_rows is not None and ddgamma is not None
    needs_g = gamma is None and dy_rows is not None
    needs_mean_g = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_dx = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_dx_2 = dy_rows is not None and ddgamma is None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if needs_ddgamma:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
    if needs_ddgamma:
        ddgamma_over_D = np.divide(ddgamma, D)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if needs_ddgamma:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        h,
        dy,
        ddx,
        ddresidual,
        rstd,
        ddh_block,
        dx_block,
        ddy_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 4: xhat = h*rstd
        if dy_rows is not None:
            xhat = _rows.by_row(np.multiply, h, rstd, out=ddy_block)
        # step 17: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if needs_ddgamma:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_sum(part, ddgamma_over_D, out=row_scalar_1)
        # step 13: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g:
            g = dy
        # step 14: mean_g = mean(g*xhat)
        if needs_mean_g:
            mean_g = _rows.row_mean(g, xhat, D, out=row_scalar_2)
        # step 15: ddh = ddresidual + ddx
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddx, out=buffer_1)
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if ddx_rows is not None and ddresidual_rows is None:
            ddh = ddx
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 16: mean_ddh_xhat = mean(ddh*xhat)
        if needs_mean_g:
            mean_ddh_xhat = _rows.row_mean(ddh, xhat, D, out=row_scalar_3)
            # step 17: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D, out=row_scalar_4)
        if dh_rows is not None:
            ddh_block[...] = ddh
        # step 17: mean_g_scaled = 3*mean_g
        if needs_mean_g:
            mean_g_scaled = np.multiply(mean_g, 3.0, out=row_scalar_5)
            # step 16: dg = (ddh - xhat*mean_ddh_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=buffer_2)
            dg = np.subtract(ddh, dg, out=buffer_2)
            dg = np.multiply(dg, rstd, out=buffer_2)
        # step 19: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_2 = np.multiply(dg, dy, out=buffer_3)
            _rows.add_rows(part_2, each_row, dgamma_sums[chunk], column)
        # step 17: dx = (dy*ddgamma + ((xhat*mean_g_scaled - g)*mean_ddh_xhat -
        #   xhat*mean_ddh_g - ddh*mean_g)*rstd - xhat*mean_ddgamma_dy_xhat)*rstd
        if needs_ddgamma:
            dx = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_3)
        if needs_mean_g:
            part_3 = _rows.by_row(np.multiply, xhat, mean_g_scaled, out=buffer_4)
            part_3 = np.subtract(part_3, g, out=dx_block)
            part_3 = np.multiply(part_3, mean_ddh_xhat, out=dx_block)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffer_4)
            part_3 = np.subtract(part_3, part_4, out=dx_block)
            part_5 = np.multiply(ddh, mean_g, out=buffer_1)
            part_3 = np.subtract(part_3, part_5, out=dx_block)
            part_3 = np.multiply(part_3, rstd, out=dx_block)
        if needs_dx:
            dx = np.add(dx, part_3, out=dx_block)
        if needs_dx_2:
            dx = part_3
        if needs_ddgamma:
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffer_1)
            dx = np.subtract(dx, part_6, out=dx_block)
        if dy_rows is not None:
            dx = np.multiply(dx, rstd, out=dx_block)
        else:
            dx = 0.0
            dx_block[...] = dx
        # step 20: ddy = xhat*ddgamma + dg*gamma
        if needs_ddgamma:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_7 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_1)
        if needs_g:
            part_7 = dg
        if needs_dx:
            ddy = np.add(ddy, part_7, out=ddy_block)
        if gamma is not None and dy_rows is not None and ddgamma is None:
            ddy = part_7
        if needs_g:
            ddy = part_7
        if needs_dx_2:
            ddy_block[...] = ddy

    def sweep(share):
        read_h = _rows.reader(h_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddresidual = _rows.reader(ddresidual_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_ddh, hand_on_ddh = _rows.writer((ddh_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out, dresidual_out), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_h(span),
                read_dy(span),
                read_ddx(span),
                read_ddresidual(span),
                read_rstd(span),
                place_ddh(span),
                place_dx(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddh(span)
            hand_on_dx(span)
            hand_on_ddy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if (gamma is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None
    ):
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _forward_small(x, residual, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: h = residual + x
    h = residual + x
    # step 2: ms = mean(h**2)
    ms = (vecdot(h, h) / D)[..., np.newaxis]
    # step 3: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 4: xhat = h*rstd
    xhat = h * rstd
    # step 5: y = xhat*gamma
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    rstd = rstd[..., 0]
    return y, h, rstd


def _backward_small(h, dy, dh, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    needs_gamma_over_D = gamma is not None and dy is not None
    needs_dgamma = gamma is not None and dy is None
    needs_mean_g_xhat_unscaled = gamma is None and dy is not None
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        gamma_over_D = np.divide(gamma, D)
    if dy is not None:
        rstd = rstd_rows[..., np.newaxis]
    # step 10: dgamma = sum over rows of dy*h*rstd
    if needs_gamma_over_D:
        part = dy * h
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
    if needs_dgamma:
        dgamma = 0.0
    # step 9: mean_g_xhat_unscaled = mean(dy*h*gamma)
    if needs_gamma_over_D:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    if needs_mean_g_xhat_unscaled:
        mean_g_xhat_unscaled = (vecdot(dy, h) / D)[..., np.newaxis]
    # step 6: g = dy*gamma
    if needs_gamma_over_D:
        g = dy * gamma
    if needs_mean_g_xhat_unscaled:
        g = dy
    # step 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
    if dy is not None:
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 9: dx = dh + (g - h*mean_g_xhat*rstd)*rstd
        part_2 = mean_g_xhat * rstd
        dx = h * part_2
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
    if dy is not None and dh is not None:
        dx = np.add(dh, dx, out=dx)
    if dy is None:
        dx = dh
        dx = _rows.filled(dx, out=np.empty(shape, dtype))
    if needs_dgamma:
        dgamma = _rows.filled(dgamma, out=np.empty(features, dtype))
    if gamma is None:
        dgamma = None
    return dx, dx, dgamma


def saved_from(
    *,
    h: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        h: the output h of forward.
        gamma: the argument gamma of forward.
        rstd: the row scalar rstd, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (h, gamma, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, h, gamma, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "add_rms_norm")
    _calls.check_first_fields(saved, ("x", "residual"))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("h", saved.h, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
