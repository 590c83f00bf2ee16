# Made by lngen 0.1.0 from the definition of rms_norm_gated.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops a row element; backward 5 row tensors (3 read, 2 written), 19 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""A gate, silu of another row, then root-mean-square normalization.

    forward
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat
    backward
        g = gamma*dy
        dh = rstd*(g - hhat*mean(g*hhat))
        dx = dh*silu_z
        dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*hhat)

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
from .._runtime import functions as _functions
from .._runtime import rows as _rows
from .._runtime import saved as _saved
from .._runtime.interface import Interface as _Interface

INTERFACE: _Interface = {
    "name": "rms_norm_gated",
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
            "name": "z",
            "symbol": "z",
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
        {"name": "z", "kind": "input", "of": "z", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "rstd", "kind": "row scalar", "of": "rstd", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dz", "of": "z", "may_be_none": False},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dz: npt.NDArray[Any]
    """The gradient of z, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dz: npt.NDArray[Any]
    """The gradient of z, in its shape and type."""

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

    z: npt.NDArray[Any]
    """The argument z of forward."""

    gamma: npt.NDArray[Any] | None
    """The argument gamma of forward."""

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
    z: npt.NDArray[Any],
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
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
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
        if _calls.fits(z, shape_, dtype_) and (
            gamma is None or _calls.fits(gamma, shape_[-1:], dtype_)
        ):
            y_, rstd_ = _rows.at_once(_forward_small, x, z, gamma, eps, shape_, dtype_)
            if out is not None:
                given_ = {"x": x, "z": z, "gamma": gamma}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_, "z": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, z, gamma, rstd_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    z = _calls.array("z", z, required=True)
    gamma = _calls.array("gamma", gamma, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("z", z, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    given_ = {"x": x, "z": z, "gamma": gamma}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, z, gamma, eps, y_, rstd_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, z, gamma, rstd_)
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
        dh = rstd*(g - hhat*mean(g*hhat))
        dx = dh*silu_z
        dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*hhat)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "rms_norm_gated")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x", "z"))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.z, shape_, dtype_)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dz_, dgamma_ = _rows.at_once(
                _backward_small,
                saved.x,
                saved.z,
                dy,
                saved.rstd,
                saved.gamma,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.z": saved.z,
                    "saved.gamma": saved.gamma,
                    "saved.rstd": saved.rstd,
                }
                dx_, dz_, dgamma_ = _calls.placed(
                    ("dx", "dz", "dgamma"), (dx_, dz_, dgamma_), out, given_
                )
            return _Gradients(dx_, dz_, dgamma_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dz", "dgamma"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dz_ = _calls.result("dz", out[1], shape_, saved.dtypes.get("z"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    _backward(
        saved.x,
        saved.z,
        dy,
        saved.rstd,
        saved.gamma,
        dx_,
        dz_,
        dgamma_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dz_, dgamma_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dz: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dh = dx*silu_z + dz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dy = dgamma*hhat + rstd*gamma*(dh - hhat*mean(dh*hhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dz: the tangent of z; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dz = _calls.array("dz", dz, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    if dx is None and dz is None and dgamma is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dz", dz, shape_, "the shape of z")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dz": dz,
        "dgamma": dgamma,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        saved.z,
        dx,
        dz,
        saved.rstd,
        saved.gamma,
        dgamma,
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
    ddz: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g*hhat)
        dh = rstd*(g - mean_g*hhat)
        g_2 = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dg = rstd*(g_2 - hhat*mean(g_2*hhat))
        dh_2 = rstd*(ddgamma*dy + rstd*(mean(g_2*hhat)*(3*mean_g*hhat - g) - mean_g*g_2
            - hhat*mean(g*g_2)) - hhat*mean(ddgamma*dy*hhat))
        g_5 = dh_2*x + ddx*dh
        dx = dh_2*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
        dz = sigmoid_z*(g_5 + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(g_5*z +
            ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
        dgamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*hhat

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddz: the cotangent of dz, its gradient; None stands for zero.
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
    ddz = _calls.array("ddz", ddz, required=False)
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    if ddx is None and ddz is None and ddgamma is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddz", ddz, shape_, "the shape of z")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddz": ddz,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dz", "dgamma", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dz_ = _calls.result("dz", out[1], shape_, saved.dtypes.get("z"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    ddy_ = _calls.result("ddy", out[3], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        saved.z,
        dy_,
        ddx,
        ddz,
        saved.rstd,
        saved.gamma,
        ddgamma,
        dx_,
        dz_,
        dgamma_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dz_, dgamma_, ddy_)


def _forward(x_rows, z_rows, gamma, eps, y_out, rstd_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)

    def block(x, z, rstd_block, y_block):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=y_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=y_block)
        # step 4: ms = mean(h**2)
        ms = _rows.row_mean(h, h, D, out=rstd_block)
        # step 5: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=y_block)
        # step 7: y = hhat*gamma
        if gamma is not None:
            _rows.by_feature(np.multiply, hhat, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), read_z(span), place_rstd(span), place_y(span))
            hand_on_rstd(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    z_rows,
    dy_rows,
    rstd_rows,
    gamma,
    dx_out,
    dz_out,
    dgamma_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 11: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(
        chunk,
        x,
        z,
        dy,
        rstd,
        dx_block,
        dz_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=dx_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffer_1)
        # step 16: dgamma = sum over rows of dy*h*rstd
        if gamma is not None:
            part = np.multiply(dy, h, out=buffer_2)
            _rows.add_rows(part, rstd, dgamma_sums[chunk], column)
            # step 11: mean_g_hhat_unscaled = mean(dy*h*gamma)
            mean_g_hhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalar_1)
        else:
            mean_g_hhat_unscaled = _rows.row_mean(dy, h, D, out=row_scalar_1)
        # step 8: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffer_2)
        else:
            g = dy
        # step 11: mean_g_hhat = mean_g_hhat_unscaled*rstd
        mean_g_hhat = np.multiply(mean_g_hhat_unscaled, rstd, out=row_scalar_1)
        # step 11: dh = (g - h*mean_g_hhat*rstd)*rstd
        part_2 = np.multiply(mean_g_hhat, rstd, out=row_scalar_1)
        dh = np.multiply(h, part_2, out=buffer_1)
        dh = np.subtract(g, dh, out=buffer_1)
        dh = np.multiply(dh, rstd, out=buffer_1)
        # step 14: dx = dh*silu_z
        np.multiply(dh, silu_z, out=dx_block)
        # step 18: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        dz = np.multiply(dh, sigmoid_z, out=buffer_1)
        dz = np.multiply(dz, x, out=buffer_1)
        part_3 = np.subtract(1.0, sigmoid_z, out=dz_block)
        part_3 = np.multiply(part_3, z, out=dz_block)
        part_3 = np.add(part_3, 1.0, out=dz_block)
        np.multiply(dz, part_3, out=dz_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_dz, hand_on_dz = _rows.writer((dz_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_z(span),
                read_dy(span),
                read_rstd(span),
                place_dx(span),
                place_dz(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)
            hand_on_dz(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        _rows.round_to(dgamma_out, ..., dgamma)


def _jvp(
    x_rows,
    z_rows,
    dx_rows,
    dz_rows,
    rstd_rows,
    gamma,
    dgamma,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (dx_rows is not None or dz_rows is not None)
    needs_mean_dh_hhat = dx_rows is not None or dz_rows is not None
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)

    def block(x, z, dx, dz, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2, buffer_3 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dy_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffer_1)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffer_2)
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=buffer_2)
        # step 19: dh = dx*silu_z + dz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        if dx_rows is not None:
            dh = np.multiply(dx, silu_z, out=buffer_1)
        if dz_rows is not None:
            part = np.multiply(dz, sigmoid_z, out=buffer_3)
            part = np.multiply(part, x, out=buffer_3)
            part_2 = np.subtract(1.0, sigmoid_z, out=dy_block)
            part_2 = np.multiply(part_2, z, out=dy_block)
            part_2 = np.add(part_2, 1.0, out=dy_block)
            part = np.multiply(part, part_2, out=dy_block)
        if dx_rows is not None and dz_rows is not None:
            dh = np.add(dh, part, out=dy_block)
        if dx_rows is None and dz_rows is not None:
            dh = part
        # step 20: mean_dh_hhat = mean(dh*hhat)
        if needs_mean_dh_hhat:
            mean_dh_hhat = _rows.row_mean(dh, hhat, D, out=row_scalar_1)
        # step 20: dy = hhat*dgamma + (dh - hhat*mean_dh_hhat)*rstd*gamma
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, hhat, dgamma_wide, out=buffer_3)
        if needs_mean_dh_hhat:
            part_3 = np.multiply(hhat, mean_dh_hhat, out=buffer_2)
            part_3 = np.subtract(dh, part_3, out=dy_block)
        if needs_gamma:
            part_3 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=dy_block)
        if needs_mean_dh_hhat:
            part_3 = np.multiply(part_3, rstd, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dz_rows is not None):
            dy = np.add(dy, part_3, out=dy_block)
        if dgamma is None:
            dy = part_3
        if dx_rows is None and dz_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dz = _rows.reader(dz_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_z(span),
                read_dx(span),
                read_dz(span),
                read_rstd(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    z_rows,
    dy_rows,
    ddx_rows,
    ddz_rows,
    rstd_rows,
    gamma,
    ddgamma,
    dx_out,
    dz_out,
    dgamma_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    needs_mean_g = ddx_rows is not None or ddz_rows is not None
    needs_dh_2 = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    needs_dz = ddx_rows is None and ddz_rows is None
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 26: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
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
        z,
        dy,
        ddx,
        ddz,
        rstd,
        dx_block,
        dz_block,
        ddy_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        (
            buffer_1,
            buffer_2,
            buffer_3,
            buffer_4,
            buffer_5,
            buffer_6,
            buffer_7,
            buffer_8,
            buffer_9,
        ) = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=dx_block)
        # step 6: hhat = h*rstd
        hhat = _rows.by_row(np.multiply, h, rstd, out=buffer_1)
        # step 26: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, hhat, out=dx_block)
            mean_ddgamma_dy_hhat = _rows.row_sum(part, ddgamma_over_D, out=row_scalar_1)
        # step 21: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 22: mean_g = mean(g*hhat)
        if needs_mean_g:
            mean_g = _rows.row_mean(g, hhat, D, out=row_scalar_2)
        # step 24: g_2 = ddx*silu_z + ddz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        if ddx_rows is not None:
            g_2 = np.multiply(ddx, silu_z, out=buffer_2)
        if ddz_rows is not None:
            part_2 = np.multiply(ddz, sigmoid_z, out=buffer_3)
            part_2 = np.multiply(part_2, x, out=buffer_3)
        part_3 = np.subtract(1.0, sigmoid_z, out=buffer_4)
        if ddz_rows is not None:
            part_4 = np.multiply(part_3, z, out=buffer_5)
            part_4 = np.add(part_4, 1.0, out=buffer_5)
            part_2 = np.multiply(part_2, part_4, out=buffer_3)
        if ddx_rows is not None and ddz_rows is not None:
            g_2 = np.add(g_2, part_2, out=buffer_2)
        if ddx_rows is None and ddz_rows is not None:
            g_2 = part_2
        # step 25: mean_g_2_hhat = mean(g_2*hhat)
        if needs_mean_g:
            mean_g_2_hhat = _rows.row_mean(g_2, hhat, D, out=row_scalar_3)
            # step 26: mean_g_g_2 = mean(g*g_2)
            mean_g_g_2 = _rows.row_mean(g, g_2, D, out=row_scalar_4)
            # step 26: mean_g_scaled = 3*mean_g
            mean_g_scaled = np.multiply(mean_g, 3.0, out=row_scalar_5)
            # step 23: dh = (g - hhat*mean_g)*rstd
            dh = _rows.by_row(np.multiply, hhat, mean_g, out=buffer_6)
            dh = np.subtract(g, dh, out=buffer_6)
            dh = np.multiply(dh, rstd, out=buffer_6)
            # step 25: dg = (g_2 - hhat*mean_g_2_hhat)*rstd
            dg = _rows.by_row(np.multiply, hhat, mean_g_2_hhat, out=buffer_7)
            dg = np.subtract(g_2, dg, out=buffer_7)
            dg = np.multiply(dg, rstd, out=buffer_7)
        # step 30: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_5 = np.multiply(dg, dy, out=buffer_8)
            _rows.add_rows(part_5, each_row, dgamma_sums[chunk], column)
        # step 26: dh_2 = (dy*ddgamma + ((hhat*mean_g_scaled - g)*mean_g_2_hhat -
        #   g_2*mean_g - hhat*mean_g_g_2)*rstd - hhat*mean_ddgamma_dy_hhat)*rstd
        if ddgamma is not None:
            dh_2 = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_8)
        if needs_mean_g:
            part_6 = _rows.by_row(np.multiply, hhat, mean_g_scaled, out=buffer_9)
            part_6 = np.subtract(part_6, g, out=dx_block)
            part_6 = np.multiply(part_6, mean_g_2_hhat, out=dx_block)
            part_7 = np.multiply(g_2, mean_g, out=buffer_2)
            part_6 = np.subtract(part_6, part_7, out=dx_block)
            part_8 = _rows.by_row(np.multiply, hhat, mean_g_g_2, out=buffer_2)
            part_6 = np.subtract(part_6, part_8, out=dx_block)
            part_6 = np.multiply(part_6, rstd, out=dx_block)
        if needs_dh_2:
            dh_2 = np.add(dh_2, part_6, out=dx_block)
        if ddgamma is None:
            dh_2 = part_6
        else:
            part_9 = _rows.by_row(np.multiply, hhat, mean_ddgamma_dy_hhat, out=buffer_2)
            dh_2 = np.subtract(dh_2, part_9, out=dx_block)
        dh_2 = np.multiply(dh_2, rstd, out=dx_block)
        # step 27: g_5 = ddx*dh + dh_2*x
        if ddx_rows is not None:
            g_5 = np.multiply(ddx, dh, out=buffer_2)
        part_10 = np.multiply(dh_2, x, out=buffer_3)
        if ddx_rows is not None:
            g_5 = np.add(g_5, part_10, out=buffer_2)
        else:
            g_5 = part_10
        # step 28: dx = dh_2*silu_z + ddz*dh*sigmoid_z*((1 - sigmoid_z)*z + 1)
        dx = np.multiply(dh_2, silu_z, out=dx_block)
        if ddz_rows is not None:
            part_11 = np.multiply(ddz, dh, out=buffer_8)
            part_11 = np.multiply(part_11, sigmoid_z, out=buffer_8)
            part_11 = np.multiply(part_11, part_4, out=buffer_8)
            np.add(dx, part_11, out=dx_block)
            # step 29: dz = (g_5 + (1 - sigmoid_z)*ddz*dh*x + (1 - sigmoid_z)*(g_5*z +
            #   ((1 - sigmoid_z)*z + 1 - silu_z)*ddz*dh*x))*sigmoid_z
            dz = np.multiply(part_3, ddz, out=buffer_8)
            dz = np.multiply(dz, dh, out=buffer_8)
            dz = np.multiply(dz, x, out=buffer_8)
            dz = np.add(g_5, dz, out=buffer_8)
        if ddx_rows is not None and ddz_rows is None:
            dz = g_5
        if needs_dz:
            dz = g_5
        part_12 = np.multiply(g_5, z, out=buffer_9)
        if ddz_rows is not None:
            part_13 = np.subtract(part_4, silu_z, out=ddy_block)
            part_13 = np.multiply(part_13, ddz, out=ddy_block)
            part_13 = np.multiply(part_13, dh, out=ddy_block)
            part_13 = np.multiply(part_13, x, out=ddy_block)
            part_12 = np.add(part_12, part_13, out=ddy_block)
        part_12 = np.multiply(part_3, part_12, out=ddy_block)
        dz = np.add(dz, part_12, out=ddy_block)
        np.multiply(dz, sigmoid_z, out=dz_block)
        # step 31: ddy = hhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, hhat, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_14 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_1)
        if gamma is None:
            part_14 = dg
        if needs_dh_2:
            ddy = np.add(ddy, part_14, out=ddy_block)
        if gamma is not None and ddgamma is None:
            ddy = part_14
        if gamma is None:
            ddy = part_14
        if ddgamma is None:
            ddy_block[...] = ddy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddz = _rows.reader(ddz_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_dz, hand_on_dz = _rows.writer((dz_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        row_buffers = np.empty((9, height, features), dtype)
        row_scalar_buffers = np.empty((5, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_z(span),
                read_dy(span),
                read_ddx(span),
                read_ddz(span),
                read_rstd(span),
                place_dx(span),
                place_dz(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)
            hand_on_dz(span)
            hand_on_ddy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if needs_dz:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _forward_small(x, z, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 2: silu_z = sigmoid_z*z
    silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
    # step 3: h = silu_z*x
    h = np.multiply(silu_z, x, out=silu_z)
    # step 4: ms = mean(h**2)
    ms = (vecdot(h, h) / D)[..., np.newaxis]
    # step 5: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 6: hhat = h*rstd
    hhat = np.multiply(h, rstd, out=h)
    # step 7: y = hhat*gamma
    if gamma is not None:
        y = np.multiply(hhat, gamma, out=hhat)
    else:
        y = hhat
    rstd = rstd[..., 0]
    return y, rstd


def _backward_small(x, z, dy, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    # step 11: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    rstd = rstd_rows[..., np.newaxis]
    # step 1: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 2: silu_z = sigmoid_z*z
    silu_z = sigmoid_z * z
    # step 3: h = silu_z*x
    h = silu_z * x
    # step 16: dgamma = sum over rows of dy*h*rstd
    if gamma is not None:
        part = dy * h
        dgamma = _rows.sum_of_rows(rstd.ravel(), part.reshape(-1, features))
        # step 11: mean_g_hhat_unscaled = mean(dy*h*gamma)
        mean_g_hhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_hhat_unscaled = (vecdot(dy, h) / D)[..., np.newaxis]
    # step 8: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 11: mean_g_hhat = mean_g_hhat_unscaled*rstd
    mean_g_hhat = mean_g_hhat_unscaled * rstd
    # step 11: dh = (g - h*mean_g_hhat*rstd)*rstd
    part_2 = mean_g_hhat * rstd
    dh = np.multiply(h, part_2, out=h)
    dh = np.subtract(g, dh, out=dh)
    dh = np.multiply(dh, rstd, out=dh)
    # step 14: dx = dh*silu_z
    dx = np.multiply(dh, silu_z, out=silu_z)
    # step 18: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
    dz = np.multiply(dh, sigmoid_z, out=dh)
    dz = np.multiply(dz, x, out=dz)
    part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
    part_3 = np.multiply(part_3, z, out=part_3)
    part_3 = np.add(part_3, 1.0, out=part_3)
    dz = np.multiply(dz, part_3, out=dz)
    if gamma is None:
        dgamma = None
    return dx, dz, dgamma


def saved_from(
    *,
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        z: the argument z of forward.
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
    fields_ = (x, z, gamma, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, z, gamma, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "rms_norm_gated")
    _calls.check_first_fields(saved, ("x", "z"))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("z", saved.z, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
