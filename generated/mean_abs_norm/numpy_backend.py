# Made by lngen 0.1.0 from the definition of mean_abs_norm.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops a row element; backward 3 row tensors (2 read, 1 written), 18 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Centred rows divided by their mean absolute deviation.

    forward
        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta
    backward
        g = gamma*dy
        dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

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
    "name": "mean_abs_norm",
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
        {
            "name": "beta",
            "symbol": "beta",
            "kind": "Feature",
            "axes": ["D"],
            "default": 0,
        },
    ],
    "constants": [{"name": "eps", "symbol": "eps", "default": 1e-5, "sign": "any"}],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "mu", "kind": "row scalar", "of": "mu", "axes": ["..."]},
        {
            "name": "mu_residual",
            "kind": "row scalar",
            "of": "mu_residual",
            "axes": ["..."],
        },
        {"name": "scale", "kind": "row scalar", "of": "scale", "axes": ["..."]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
        {"name": "dbeta", "of": "beta", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    dbeta: npt.NDArray[Any] | None
    """The gradient of beta, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    dbeta: npt.NDArray[Any] | None
    """The gradient of beta, in its shape and type."""

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

    mu: npt.NDArray[Any]
    """The row scalar mu, one a row."""

    mu_residual: npt.NDArray[Any]
    """The row scalar mu_residual, one a row."""

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
    beta: npt.NDArray[Any] | None = None,
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
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Centred rows divided by their mean absolute deviation.

        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        eps: a constant, a finite number.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    eps = _calls.constant("eps", eps)
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        if (gamma is None or _calls.fits(gamma, shape_[-1:], dtype_)) and (
            beta is None or _calls.fits(beta, shape_[-1:], dtype_)
        ):
            y_, mu_, mu_residual_, scale_ = _rows.at_once(
                _forward_small, x, gamma, beta, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "gamma": gamma, "beta": beta}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            if beta is not None:
                dtypes_["beta"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, gamma, mu_, mu_residual_, scale_)
            return y_, saved
    x = _calls.array("x", x, required=True)
    gamma = _calls.array("gamma", gamma, required=False)
    beta = _calls.array("beta", beta, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    _calls.check_shape("beta", beta, shape_[-1:], "(D,)")
    given_ = {"x": x, "gamma": gamma, "beta": beta}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    mu_ = _calls.empty(shape_[:-1], dtype_)
    mu_residual_ = _calls.empty(shape_[:-1], dtype_)
    scale_ = _calls.empty(shape_[:-1], dtype_)
    _forward(
        x, gamma, beta, eps, y_, mu_, mu_residual_, scale_, shape_, dtype_, threads
    )
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, mu_, mu_residual_, scale_)
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
        dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "mean_abs_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.mu, shape_[:-1], dtype_)
            and _calls.fits(saved.mu_residual, shape_[:-1], dtype_)
            and _calls.fits(saved.scale, shape_[:-1], dtype_)
        ):
            dx_, dgamma_, dbeta_ = _rows.at_once(
                _backward_small,
                saved.x,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.scale,
                saved.gamma,
                "beta" in saved.dtypes,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.scale": saved.scale,
                }
                dx_, dgamma_, dbeta_ = _calls.placed(
                    ("dx", "dgamma", "dbeta"), (dx_, dgamma_, dbeta_), out, given_
                )
            return _Gradients(dx_, dgamma_, dbeta_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma", "dbeta"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[2], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    _backward(
        saved.x,
        dy,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        dx_,
        dgamma_,
        dbeta_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dgamma_, dbeta_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    dbeta: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*xhat + dbeta + scale*gamma*(dx + mean(dx)*(xhat*mean(sign(xhat)) -
            1) - xhat*mean(dx*sign(xhat)))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        dbeta: the tangent of beta; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    dbeta = _calls.array("dbeta", dbeta, required=False)
    if dx is None and dgamma is None and dbeta is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_left_out("dbeta", dbeta, "beta", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("dbeta", dbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dgamma": dgamma,
        "dbeta": dbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        dgamma,
        dbeta,
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
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy
        mean_g = mean(g)
        mean_xhat = mean(sign(xhat))
        mean_g_2 = mean(g*xhat)
        dmean_g_2 = sum(scale*ddx*(mean_xhat - sign(xhat)))
        dmean_g = sum(-scale*ddx)
        dg = scale*ddx + dmean_g_2*xhat/D + dmean_g/D
        dxhat = ddgamma*dy + dmean_g_2*g/D
        dscale = sum(dxhat*x_centred) + sum(ddx*(g + mean_g_2*(mean_xhat - sign(xhat)) -
            mean_g))
        dspread = -dscale*scale**2
        dx_centred = scale*dxhat + dspread*sign(x_centred)/D
        dmu = sum(-dx_centred)
        dx = dx_centred + dmu/D
        dgamma = sum_rows(dg*dy)
        dbeta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        ddbeta: the cotangent of dbeta, its gradient; None stands for zero.
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
    ddbeta = _calls.array("ddbeta", ddbeta, required=False)
    if ddx is None and ddgamma is None and ddbeta is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_left_out("ddbeta", ddbeta, "beta", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("ddbeta", ddbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.scale": saved.scale,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgamma", "dbeta", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[1], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[2], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    ddy_ = _calls.result("ddy", out[3], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.mu,
        saved.mu_residual,
        saved.scale,
        saved.gamma,
        ddgamma,
        ddbeta,
        dx_,
        dgamma_,
        dbeta_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dgamma_, dbeta_, ddy_)


def _forward(
    x_rows,
    gamma,
    beta,
    eps,
    y_out,
    mu_out,
    mu_residual_out,
    scale_out,
    shape,
    dtype,
    threads,
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
        beta_wide = _rows.repeated(beta)

    def block(x, mu_block, mu_residual_block, scale_block, y_block, row_buffers):
        buffer_1 = row_buffers[0]
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.row_sum(x_shifted, one_over_D, out=mu_residual_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=y_block)
        # step 3: spread = mean(abs(x_centred))
        part = np.absolute(x_centred, out=buffer_1)
        spread = _rows.row_sum(part, one_over_D, out=scale_block)
        # step 4: scale = 1/(spread + eps)
        scale = np.add(spread, eps, out=scale_block)
        scale = np.reciprocal(scale, out=scale_block)
        # step 5: xhat = x_centred*scale
        xhat = np.multiply(x_centred, scale, out=y_block)
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            _rows.by_feature(np.add, y, beta_wide, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_mu, hand_on_mu = _rows.writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _rows.writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_scale, hand_on_scale = _rows.writer(
            (scale_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                place_mu(span),
                place_mu_residual(span),
                place_scale(span),
                place_y(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_mu(span)
            hand_on_mu_residual(span)
            hand_on_scale(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    dy_rows,
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    dx_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    D = np.asarray(features, dtype)
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if dbeta_out is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        mu,
        mu_residual,
        scale,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3 = row_scalar_buffers
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = np.subtract(x_shifted, mu_residual, out=dx_block)
        # step 11: dgamma = sum over rows of dy*x_centred*scale
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffer_1)
            _rows.add_rows(part, scale, dgamma_sums[chunk], column)
        # step 12: dbeta = sum over rows of dy
        if dbeta_out is not None:
            _rows.add_rows(dy, each_row, dbeta_sums[chunk], column)
        # step 10: mean_xhat = mean(sign(x_centred))
        part_2 = np.sign(x_centred, out=buffer_2)
        mean_xhat = _rows.row_sum(part_2, one_over_D, out=row_scalar_1)
        # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
        if gamma is not None:
            mean_g_xhat_unscaled = _rows.row_sum(part, gamma_over_D, out=row_scalar_2)
        else:
            mean_g_xhat_unscaled = _rows.row_mean(dy, x_centred, D, out=row_scalar_2)
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 10: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_3)
        # step 10: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = np.multiply(mean_g_xhat_unscaled, scale, out=row_scalar_2)
        # step 10: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
        dx = np.subtract(mean_xhat, part_2, out=buffer_1)
        dx = np.multiply(dx, mean_g_xhat, out=buffer_1)
        dx = np.add(g, dx, out=dx_block)
        dx = np.subtract(dx, mean_g, out=dx_block)
        np.multiply(dx, scale, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((3, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
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
    if dbeta_out is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows,
    dx_rows,
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    dgamma,
    dbeta,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and dx_rows is not None
    needs_dbeta_wide = dbeta is not None and (dx_rows is not None or dgamma is not None)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if dgamma is not None:
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if needs_dbeta_wide:
        dbeta_wide = _rows.repeated(dbeta)

    def block(x, dx, mu, mu_residual, scale, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3 = row_scalar_buffers
        # step 13: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _rows.row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if dx_rows is not None or dgamma is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=dy_block)
            # step 5: xhat = x_centred*scale
            xhat = np.multiply(x_centred, scale, out=dy_block)
        # step 13: mean_xhat = mean(sign(xhat))
        if dx_rows is not None:
            part = np.sign(xhat, out=buffer_1)
            mean_xhat = _rows.row_sum(part, one_over_D, out=row_scalar_2)
            # step 13: mean_dx_xhat = mean(dx*sign(xhat))
            mean_dx_xhat = _rows.row_mean(dx, part, D, out=row_scalar_3)
        # step 13: dy = xhat*dgamma + (dx + (xhat*mean_xhat - 1)*mean_dx -
        #   xhat*mean_dx_xhat)*scale*gamma + dbeta
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_1)
        if dx_rows is not None:
            part_2 = _rows.by_row(np.multiply, xhat, mean_xhat, out=buffer_2)
            part_2 = np.subtract(part_2, 1.0, out=buffer_2)
            part_2 = np.multiply(part_2, mean_dx, out=buffer_2)
            part_2 = np.add(dx, part_2, out=buffer_2)
            part_3 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part_2 = np.subtract(part_2, part_3, out=dy_block)
        if needs_gamma:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part_2 = np.multiply(part_2, scale, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part_2, out=dy_block)
        if dx_rows is not None and dgamma is None:
            dy = part_2
        if needs_dbeta_wide:
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None:
            dy = dbeta
        if dx_rows is None and (dgamma is None or dbeta is None):
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((2, height, features), dtype)
        row_scalar_buffers = np.empty((3, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                read_mu(span),
                read_mu_residual(span),
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
    mu_rows,
    mu_residual_rows,
    scale_rows,
    gamma,
    ddgamma,
    ddbeta,
    dx_out,
    dgamma_out,
    dbeta_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_gamma = gamma is not None and ddx_rows is not None
    needs_ddbeta_wide = ddbeta is not None and (
        ddx_rows is not None or ddgamma is not None
    )
    needs_x_shifted = ddx_rows is not None or ddgamma is not None
    needs_g = gamma is None and ddx_rows is not None
    needs_dxhat = ddx_rows is not None and ddgamma is not None
    needs_ddy = ddx_rows is None and ddgamma is not None
    needs_ddy_2 = ddx_rows is None and ddgamma is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_ddbeta_wide:
        ddbeta_wide = _rows.repeated(ddbeta)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        scale,
        ddy_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        row_scalar_1, row_scalar_2, row_scalar_3, row_scalar_4 = row_scalar_buffers
        # step 19: dmean_g = sum(-ddx*scale)
        if ddx_rows is not None:
            part = np.negative(scale, out=row_scalar_1)
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_sum(part_2, ones, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if needs_x_shifted:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = np.subtract(x_shifted, mu_residual, out=ddy_block)
            # step 16: mean_xhat = mean(sign(x_centred))
            part_3 = np.sign(x_centred, out=dx_block)
        if ddx_rows is not None:
            mean_xhat = _rows.row_sum(part_3, one_over_D, out=row_scalar_2)
        # step 14: g = dy*gamma
        if needs_gamma:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffer_1)
        if needs_g:
            g = dy
        # step 15: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_3)
            # step 17: mean_g_2_unscaled = mean(g*x_centred)
            mean_g_2_unscaled = _rows.row_mean(g, x_centred, D, out=row_scalar_4)
            # step 17: mean_g_2 = mean_g_2_unscaled*scale
            mean_g_2 = np.multiply(mean_g_2_unscaled, scale, out=row_scalar_4)
            # step 20: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalar_1)
            # step 18: dmean_g_2_unscaled = sum(ddx*(mean_xhat - sign(x_centred)))
            part_4 = np.subtract(mean_xhat, part_3, out=buffer_2)
            dmean_g_2_unscaled = _rows.row_sum(ddx, part_4, out=row_scalar_2)
            # step 22: sum_ddx_g_xhat = sum((g + (mean_xhat - sign(x_centred))*mean_g_2
            #   - mean_g)*ddx)
            part_5 = np.multiply(part_4, mean_g_2, out=buffer_2)
            part_5 = np.add(g, part_5, out=buffer_2)
            part_5 = np.subtract(part_5, mean_g, out=buffer_2)
            sum_ddx_g_xhat = _rows.row_sum(part_5, ddx, out=row_scalar_3)
            # step 18: dmean_g_2 = dmean_g_2_unscaled*scale
            dmean_g_2 = np.multiply(dmean_g_2_unscaled, scale, out=row_scalar_2)
            # step 20: dmean_g_2_scaled = dmean_g_2/D
            dmean_g_2_scaled = np.divide(dmean_g_2, D, out=row_scalar_2)
            # step 20: dg = ddx*scale + x_centred*dmean_g_2_scaled*scale +
            #   dmean_g_scaled
            dg = _rows.by_row(np.multiply, ddx, scale, out=buffer_2)
            part_6 = np.multiply(dmean_g_2_scaled, scale, out=row_scalar_4)
            part_7 = _rows.by_row(np.multiply, x_centred, part_6, out=buffer_3)
            dg = np.add(dg, part_7, out=buffer_2)
            dg = np.add(dg, dmean_g_scaled, out=buffer_2)
        # step 27: dgamma = sum over rows of dg*dy
        if needs_gamma:
            part_8 = np.multiply(dg, dy, out=buffer_3)
            _rows.add_rows(part_8, each_row, dgamma_sums[chunk], column)
        # step 21: dxhat = dy*ddgamma + g*dmean_g_2_scaled
        if ddgamma is not None:
            dxhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_3)
        if ddx_rows is not None:
            part_9 = np.multiply(g, dmean_g_2_scaled, out=buffer_1)
        if needs_dxhat:
            dxhat = np.add(dxhat, part_9, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dxhat = part_9
        # step 22: sum_dxhat_x_centred = sum(dxhat*x_centred)
        if needs_x_shifted:
            sum_dxhat_x_centred = _rows.row_sum(dxhat, x_centred, out=row_scalar_1)
        # step 29: ddy = dg*gamma + x_centred*scale*ddgamma + ddbeta
        if needs_gamma:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_2)
        if needs_g:
            ddy = dg
        if ddgamma is not None:
            part_10 = _rows.by_feature(
                np.multiply, x_centred, ddgamma_wide, out=ddy_block
            )
            part_10 = np.multiply(part_10, scale, out=ddy_block)
        if needs_dxhat:
            ddy = np.add(ddy, part_10, out=ddy_block)
        if needs_ddy:
            ddy = part_10
        if needs_ddbeta_wide:
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if needs_ddy_2:
            ddy = ddbeta
        if ddgamma is None and (ddbeta is None or ddx_rows is None):
            ddy_block[...] = ddy
        # step 22: dscale = sum_ddx_g_xhat + sum_dxhat_x_centred
        if ddx_rows is not None:
            dscale = np.add(sum_ddx_g_xhat, sum_dxhat_x_centred, out=row_scalar_1)
        if needs_ddy:
            dscale = sum_dxhat_x_centred
        # step 23: dspread = -dscale*scale**2
        if needs_x_shifted:
            dspread = np.square(scale, out=row_scalar_2)
            dspread = np.multiply(dscale, dspread, out=row_scalar_1)
            dspread = np.negative(dspread, out=row_scalar_1)
            # step 24: dspread_scaled = dspread/D
            dspread_scaled = np.divide(dspread, D, out=row_scalar_1)
            # step 24: dx_centred = dxhat*scale + sign(x_centred)*dspread_scaled
            dx_centred = np.multiply(dxhat, scale, out=buffer_1)
            part_11 = np.multiply(part_3, dspread_scaled, out=dx_block)
            dx_centred = np.add(dx_centred, part_11, out=dx_block)
            # step 25: dmu = sum(-dx_centred)
            part_12 = np.negative(dx_centred, out=buffer_1)
            dmu = _rows.row_sum(part_12, ones, out=row_scalar_1)
            # step 26: dmu_scaled = dmu/D
            dmu_scaled = np.divide(dmu, D, out=row_scalar_1)
            # step 26: dx = dx_centred + dmu_scaled
            dx = np.add(dx_centred, dmu_scaled, out=dx_block)
        if needs_ddy_2:
            dx = 0.0
            dx_block[...] = dx

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_scale = _rows.reader(scale_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((4, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_mu(span),
                read_mu_residual(span),
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
    if gamma is not None and ddx_rows is None:
        dgamma = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _rows.round_to(dbeta_out, ..., 0.0)


def _forward_small(x, gamma, beta, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    eps = np.asarray(eps, dtype)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = vecdot(x_shifted, one_over_D)[..., np.newaxis]
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 3: spread = mean(abs(x_centred))
    part = np.absolute(x_centred)
    spread = vecdot(part, one_over_D)[..., np.newaxis]
    # step 4: scale = 1/(spread + eps)
    scale = spread + eps
    scale = np.reciprocal(scale)
    # step 5: xhat = x_centred*scale
    xhat = np.multiply(x_centred, scale, out=x_centred)
    # step 6: y = xhat*gamma + beta
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    scale = scale[..., 0]
    return y, mu, mu_residual, scale


def _backward_small(
    x, dy, mu_rows, mu_residual_rows, scale_rows, gamma, wants_dbeta, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    scale = scale_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = np.subtract(x_shifted, mu_residual, out=x_shifted)
    # step 11: dgamma = sum over rows of dy*x_centred*scale
    if gamma is not None:
        part = dy * x_centred
        dgamma = _rows.sum_of_rows(scale.ravel(), part.reshape(-1, features))
    # step 12: dbeta = sum over rows of dy
    if wants_dbeta:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), dy.reshape(-1, features)
        )
    # step 10: mean_xhat = mean(sign(x_centred))
    part_2 = np.sign(x_centred)
    mean_xhat = vecdot(part_2, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        mean_g_xhat_unscaled = vecdot(part, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat_unscaled = (vecdot(dy, x_centred) / D)[..., np.newaxis]
    # step 7: g = dy*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    # step 10: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat = mean_g_xhat_unscaled*scale
    mean_g_xhat = mean_g_xhat_unscaled * scale
    # step 10: dx = (g + (mean_xhat - sign(x_centred))*mean_g_xhat - mean_g)*scale
    dx = np.subtract(mean_xhat, part_2, out=part_2)
    dx = np.multiply(dx, mean_g_xhat, out=dx)
    dx = np.add(g, dx, out=dx)
    dx = np.subtract(dx, mean_g, out=dx)
    dx = np.multiply(dx, scale, out=dx)
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dgamma, dbeta


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        gamma: the argument gamma of forward.
        mu: the row scalar mu, one a row.
        mu_residual: the row scalar mu_residual, one a row.
        scale: the row scalar scale, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, gamma, mu, mu_residual, scale)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, gamma, mu, mu_residual, scale)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "mean_abs_norm")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("mu", saved.mu, row_scalars)
    _calls.check_kept("mu_residual", saved.mu_residual, row_scalars)
    _calls.check_kept("scale", saved.scale, row_scalars)
