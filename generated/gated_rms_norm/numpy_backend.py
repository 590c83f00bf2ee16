# Made by lngen 0.1.0 from the definition of gated_rms_norm.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops a row element; backward 5 row tensors (3 read, 2 written), 20 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Root-mean-square normalization, then a gate: silu of another row.

    forward
        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat
    backward
        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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
    "name": "gated_rms_norm",
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
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

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

        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "gated_rms_norm")
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

        dy = dgamma*silu_z*xhat + gamma*dz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)) +
            rstd*gamma*silu_z*(dx - xhat*mean(dx*xhat))

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

        g = gamma*dy*silu_z
        mean_g = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        dsilu_z = dy*(gamma*dg + ddgamma*xhat)
        g_5 = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g*rstd*ddx
        dx = rstd*(g_5 + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g*xhat - g) -
            xhat*mean(ddx*g)) - xhat*mean(g_5*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
        dz = sigmoid_z*(dsilu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(dsilu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
        dgamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
        ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
            sigmoid_z)))

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

    def block(x, z, rstd_block, y_block, row_buffers):
        buffer_1 = row_buffers[0]
        # step 1: ms = mean(x**2)
        ms = _rows.row_mean(x, x, D, out=rstd_block)
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.add(ms, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffer_1)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffer_1)
        # step 6: y = silu_z*xhat*gamma
        y = np.multiply(silu_z, xhat, out=y_block)
        if gamma is not None:
            _rows.by_feature(np.multiply, y, gamma_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_z(span),
                place_rstd(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
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
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        z,
        dy,
        rstd,
        dz_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffer_1)
        # step 14: dgamma = sum over rows of dy*silu_z*xhat
        part = np.multiply(dy, silu_z, out=buffer_1)
        if gamma is not None:
            part_2 = np.multiply(part, xhat, out=buffer_2)
            _rows.add_rows(part_2, each_row, dgamma_sums[chunk], column)
            # step 9: g = dy*silu_z*gamma
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=buffer_1)
        else:
            g = part
        # step 12: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalar_1)
        # step 16: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        dz = np.multiply(dy, sigmoid_z, out=buffer_2)
        dz = np.multiply(dz, xhat, out=buffer_2)
        part_3 = np.subtract(1.0, sigmoid_z, out=dz_block)
        part_3 = np.multiply(part_3, z, out=dz_block)
        part_3 = np.add(part_3, 1.0, out=dz_block)
        dz = np.multiply(dz, part_3, out=dz_block)
        if gamma is not None:
            _rows.by_feature(np.multiply, dz, gamma_wide, out=dz_block)
        # step 12: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(g, dx, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dz, hand_on_dz = _rows.writer((dz_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
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
                place_dz(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dz(span)
            hand_on_dx(span)

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
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)

    def block(x, z, dx, dz, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1 = row_scalar_buffers[0]
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dy_block)
        # step 17: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalar_1)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffer_1)
        # step 5: silu_z = sigmoid_z*z
        if dx_rows is not None or dgamma is not None:
            silu_z = np.multiply(sigmoid_z, z, out=buffer_2)
        # step 17: dy = silu_z*xhat*dgamma + (dx - xhat*mean_dx_xhat)*silu_z*rstd*gamma
        #   + dz*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        if dgamma is not None:
            dy = np.multiply(silu_z, xhat, out=buffer_3)
            dy = _rows.by_feature(np.multiply, dy, dgamma_wide, out=buffer_3)
        if dx_rows is not None:
            part = _rows.by_row(np.multiply, xhat, mean_dx_xhat, out=buffer_4)
            part = np.subtract(dx, part, out=buffer_4)
            part = np.multiply(part, silu_z, out=buffer_2)
        if gamma is not None and dx_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=buffer_2)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=buffer_2)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=buffer_2)
        if dx_rows is not None and dgamma is None:
            dy = part
        if dz_rows is not None:
            part_2 = np.multiply(dz, sigmoid_z, out=buffer_4)
            part_2 = np.multiply(part_2, xhat, out=dy_block)
            part_3 = np.subtract(1.0, sigmoid_z, out=buffer_1)
            part_3 = np.multiply(part_3, z, out=buffer_1)
            part_3 = np.add(part_3, 1.0, out=buffer_1)
            part_2 = np.multiply(part_2, part_3, out=dy_block)
        if gamma is not None and dz_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dz_rows is not None and (dx_rows is not None or dgamma is not None):
            dy = np.add(dy, part_2, out=dy_block)
        if gamma is not None and dx_rows is None and dgamma is None:
            dy = part_2
        if gamma is None and dx_rows is None:
            dy = part_2
        if dz_rows is None:
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dz = _rows.reader(dz_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
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
    needs_part = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    needs_g_5 = gamma is not None and ddz_rows is not None
    needs_mean_g_5_xhat = ddx_rows is not None or ddz_rows is not None
    needs_dz = ddz_rows is not None and (ddx_rows is not None or ddgamma is not None)
    needs_part_10 = gamma is not None and ddx_rows is None and ddgamma is None
    needs_part_10_2 = gamma is None and ddx_rows is None
    needs_part_12 = gamma is None and ddx_rows is not None and ddz_rows is not None
    needs_part_12_2 = gamma is None and ddz_rows is None
    needs_ddy = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    D = np.asarray(features, dtype)
    # step 23: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
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
        dz_block,
        ddy_block,
        dx_block,
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
            buffer_10,
        ) = row_buffers
        (row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4, row_scalar_5) = (
            row_scalar_buffers
        )
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 20: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalar_1)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 23: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
        if needs_part:
            part = np.multiply(dy, silu_z, out=buffer_1)
        if ddgamma is not None:
            part_2 = np.multiply(part, xhat, out=buffer_2)
            mean_ddgamma_dy_silu_z = _rows.row_sum(
                part_2, ddgamma_over_D, out=row_scalar_2
            )
        # step 18: g = dy*silu_z*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=buffer_2)
        if needs_g_2:
            g = part
        # step 19: mean_g = mean(g*xhat)
        if ddx_rows is not None:
            mean_g = _rows.row_mean(g, xhat, D, out=row_scalar_3)
            # step 23: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_4)
            # step 22: mean_g_scaled = mean_g*rstd
            mean_g_scaled = np.multiply(mean_g, rstd, out=row_scalar_5)
            # step 23: mean_g_scaled_2 = 2*mean_g
            mean_g_scaled_2 = np.multiply(mean_g, 2.0, out=row_scalar_3)
            # step 20: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_3)
            dg = np.subtract(ddx, dg, out=buffer_3)
            dg = np.multiply(dg, rstd, out=buffer_3)
            # step 25: dgamma = sum over rows of (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
            #   sigmoid_z)*z + 1))*dy
            part_3 = np.multiply(dg, silu_z, out=buffer_4)
        if ddz_rows is not None:
            part_4 = np.multiply(ddz, sigmoid_z, out=buffer_5)
            part_4 = np.multiply(part_4, xhat, out=buffer_5)
        part_5 = np.subtract(1.0, sigmoid_z, out=buffer_6)
        if ddz_rows is not None:
            part_6 = np.multiply(part_5, z, out=buffer_7)
            part_6 = np.add(part_6, 1.0, out=buffer_7)
            part_4 = np.multiply(part_4, part_6, out=buffer_5)
        if ddx_rows is not None and ddz_rows is not None:
            part_3 = np.add(part_3, part_4, out=buffer_4)
        if ddx_rows is None and ddz_rows is not None:
            part_3 = part_4
        if needs_gamma:
            part_7 = np.multiply(part_3, dy, out=buffer_8)
            _rows.add_rows(part_7, each_row, dgamma_sums[chunk], column)
        # step 21: dsilu_z = (xhat*ddgamma + dg*gamma)*dy
        if ddgamma is not None:
            dsilu_z = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffer_8)
        if needs_g:
            part_8 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_3)
        if needs_g_2:
            part_8 = dg
        if ddx_rows is not None and ddgamma is not None:
            dsilu_z = np.add(dsilu_z, part_8, out=buffer_3)
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            dsilu_z = part_8
        if needs_g_2:
            dsilu_z = part_8
        if needs_part:
            dsilu_z = np.multiply(dsilu_z, dy, out=buffer_3)
        # step 22: g_5 = ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma -
        #   ddx*mean_g_scaled
        if ddz_rows is not None:
            g_5 = np.multiply(ddz, dy, out=buffer_8)
            g_5 = np.multiply(g_5, sigmoid_z, out=buffer_8)
            g_5 = np.multiply(g_5, part_6, out=buffer_8)
        if needs_g_5:
            g_5 = _rows.by_feature(np.multiply, g_5, gamma_wide, out=buffer_8)
        if ddx_rows is not None and ddz_rows is None:
            g_5 = 0.0
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_scaled, out=buffer_5)
            g_5 = np.subtract(g_5, part_9, out=buffer_5)
        # step 23: mean_g_5_xhat = mean(g_5*xhat)
        if needs_mean_g_5_xhat:
            mean_g_5_xhat = _rows.row_mean(g_5, xhat, D, out=row_scalar_5)
        # step 24: dz = (dsilu_z + (1 - sigmoid_z)*ddz*dy*xhat*gamma + (1 -
        #   sigmoid_z)*(dsilu_z*z + ((1 - sigmoid_z)*z + 1 -
        #   silu_z)*ddz*dy*xhat*gamma))*sigmoid_z
        if ddz_rows is not None:
            dz = np.multiply(part_5, ddz, out=buffer_9)
            dz = np.multiply(dz, dy, out=buffer_9)
            dz = np.multiply(dz, xhat, out=buffer_9)
        if needs_g_5:
            dz = _rows.by_feature(np.multiply, dz, gamma_wide, out=buffer_9)
        if needs_dz:
            dz = np.add(dsilu_z, dz, out=buffer_9)
        if ddz_rows is None:
            dz = dsilu_z
        if needs_part:
            part_10 = np.multiply(dsilu_z, z, out=buffer_10)
        if ddz_rows is not None:
            part_11 = np.subtract(part_6, silu_z, out=buffer_3)
            part_11 = np.multiply(part_11, ddz, out=buffer_3)
            part_11 = np.multiply(part_11, dy, out=buffer_3)
            part_11 = np.multiply(part_11, xhat, out=buffer_3)
        if needs_g_5:
            part_11 = _rows.by_feature(np.multiply, part_11, gamma_wide, out=buffer_3)
        if needs_dz:
            part_10 = np.add(part_10, part_11, out=buffer_3)
        if needs_part_10:
            part_10 = part_11
        if needs_part_10_2:
            part_10 = part_11
        part_10 = np.multiply(part_5, part_10, out=buffer_6)
        dz = np.add(dz, part_10, out=buffer_3)
        np.multiply(dz, sigmoid_z, out=dz_block)
        # step 26: ddy = silu_z*xhat*ddgamma + (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
        #   sigmoid_z)*z + 1))*gamma
        if ddgamma is not None:
            ddy = np.multiply(silu_z, xhat, out=ddy_block)
            ddy = _rows.by_feature(np.multiply, ddy, ddgamma_wide, out=ddy_block)
        if needs_gamma:
            part_12 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=buffer_3)
        if needs_part_12:
            part_12 = part_3
        if needs_part_12_2:
            part_12 = part_3
        if needs_part_10_2:
            part_12 = part_3
        if needs_ddy:
            ddy = np.add(ddy, part_12, out=ddy_block)
        if gamma is not None and ddgamma is None:
            ddy = part_12
        if needs_part_12:
            ddy = part_12
        if needs_part_12_2:
            ddy = part_12
        if needs_part_10_2:
            ddy = part_12
        if ddgamma is None:
            ddy_block[...] = ddy
        # step 23: dx = (g_5 + dy*silu_z*ddgamma + ((xhat*mean_g_scaled_2 -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_ddgamma_dy_silu_z -
        #   xhat*mean_g_5_xhat)*rstd
        if ddgamma is not None:
            dx = _rows.by_feature(np.multiply, part, ddgamma_wide, out=buffer_1)
        if needs_ddy:
            dx = np.add(g_5, dx, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dx = g_5
        if needs_part_10:
            dx = g_5
        if needs_part_10_2:
            dx = g_5
        if ddx_rows is not None:
            part_13 = _rows.by_row(np.multiply, xhat, mean_g_scaled_2, out=buffer_3)
            part_13 = np.subtract(part_13, g, out=buffer_2)
            part_13 = np.multiply(part_13, mean_ddx_xhat, out=buffer_2)
            part_14 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffer_3)
            part_13 = np.subtract(part_13, part_14, out=buffer_2)
            part_13 = np.multiply(part_13, rstd, out=buffer_2)
            dx = np.add(dx, part_13, out=buffer_1)
        if ddgamma is not None:
            part_15 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_silu_z, out=buffer_2
            )
            dx = np.subtract(dx, part_15, out=buffer_1)
        if needs_mean_g_5_xhat:
            part_16 = np.multiply(xhat, mean_g_5_xhat, out=dx_block)
            dx = np.subtract(dx, part_16, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_z = _rows.reader(z_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddz = _rows.reader(ddz_rows, dtype, height)
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dz, hand_on_dz = _rows.writer((dz_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((10, height, features), dtype)
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
                place_dz(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dz(span)
            hand_on_ddy(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if ddx_rows is None and ddz_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)


def _forward_small(x, z, gamma, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: ms = mean(x**2)
    ms = (vecdot(x, x) / D)[..., np.newaxis]
    # step 2: rstd = 1/sqrt(ms + eps)
    rstd = ms + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
    # step 6: y = silu_z*xhat*gamma
    y = np.multiply(silu_z, xhat, out=silu_z)
    if gamma is not None:
        y = np.multiply(y, gamma, out=y)
    rstd = rstd[..., 0]
    return y, rstd


def _backward_small(x, z, dy, rstd_rows, gamma, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    D = np.asarray(features, dtype)
    rstd = rstd_rows[..., np.newaxis]
    # step 3: xhat = x*rstd
    xhat = x * rstd
    # step 4: sigmoid_z = sigmoid(z)
    sigmoid_z = _functions.sigmoid(z)
    # step 5: silu_z = sigmoid_z*z
    silu_z = sigmoid_z * z
    # step 14: dgamma = sum over rows of dy*silu_z*xhat
    part = np.multiply(dy, silu_z, out=silu_z)
    if gamma is not None:
        part_2 = part * xhat
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part_2.reshape(-1, features)
        )
        # step 9: g = dy*silu_z*gamma
        g = np.multiply(part, gamma, out=part)
    else:
        g = part
    # step 12: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 16: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
    dz = dy * sigmoid_z
    dz = np.multiply(dz, xhat, out=dz)
    part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
    part_3 = np.multiply(part_3, z, out=part_3)
    part_3 = np.add(part_3, 1.0, out=part_3)
    dz = np.multiply(dz, part_3, out=dz)
    if gamma is not None:
        dz = np.multiply(dz, gamma, out=dz)
    # step 12: dx = (g - xhat*mean_g_xhat)*rstd
    dx = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(g, dx, out=g)
    dx = np.multiply(dx, rstd, out=dx)
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
    _calls.check_is_saved(saved, Saved, "gated_rms_norm")
    _calls.check_first_fields(saved, ("x", "z"))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("z", saved.z, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
