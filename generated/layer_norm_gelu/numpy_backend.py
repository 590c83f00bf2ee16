# Made by lngen 0.1.0 from the definition of layer_norm_gelu.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# Cost: forward 2 row tensors (1 read, 1 written), 15 flops a row element; backward 3 row tensors (2 read, 1 written), 30 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Layer normalization, then the Gaussian error linear unit.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        u_2 = sqrt(2)*u/2
        erf_u_2 = erf(u_2)
        y = u*(1 + erf_u_2)/2
    backward
        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(du*xhat)
        dbeta = sum_rows(du)

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
    "name": "layer_norm_gelu",
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
    "constants": [
        {"name": "eps", "symbol": "eps", "default": 1e-5, "sign": "nonnegative"},
    ],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
        {"name": "beta", "kind": "input", "of": "beta", "axes": ["D"]},
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

    beta: npt.NDArray[Any] | None
    """The argument beta of forward."""

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
    """Layer normalization, then the Gaussian error linear unit.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        u_2 = sqrt(2)*u/2
        erf_u_2 = erf(u_2)
        y = u*(1 + erf_u_2)/2

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
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
        if (gamma is None or _calls.fits(gamma, shape_[-1:], dtype_)) and (
            beta is None or _calls.fits(beta, shape_[-1:], dtype_)
        ):
            y_, mu_, mu_residual_, rstd_ = _rows.at_once(
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
            saved = _Saved(
                shape_, dtype_, dtypes_, x, gamma, beta, mu_, mu_residual_, rstd_
            )
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
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(x, gamma, beta, eps, y_, mu_, mu_residual_, rstd_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, gamma, beta, mu_, mu_residual_, rstd_)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(du*xhat)
        dbeta = sum_rows(du)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "layer_norm_gelu")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.beta, shape_[-1:], dtype_, "beta" in saved.dtypes)
            and _calls.fits(saved.mu, shape_[:-1], dtype_)
            and _calls.fits(saved.mu_residual, shape_[:-1], dtype_)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dgamma_, dbeta_ = _rows.at_once(
                _backward_small,
                saved.x,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                saved.gamma,
                saved.beta,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {
                    "dy": dy,
                    "saved.x": saved.x,
                    "saved.gamma": saved.gamma,
                    "saved.beta": saved.beta,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.rstd": saved.rstd,
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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
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
        saved.rstd,
        saved.gamma,
        saved.beta,
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

        dy = (1 + erf_u_2 + 2*u_2*exp(-u_2**2)/sqrt(pi))*(dgamma*xhat + dbeta +
            rstd*gamma*(dx - mean(dx) - xhat*mean(dx*xhat)))/2

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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        saved.gamma,
        saved.beta,
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

        du = dy*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2
        g = gamma*du
        mean_g = mean(g)
        mean_g_2 = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        ddu = gamma*dg + ddgamma*xhat + ddbeta
        du_2 = ddu*dy*exp(-u_2**2)*(sqrt(2) - u*u_2)/sqrt(pi)
        g_7 = gamma*du_2 - mean_g_2*rstd*ddx
        dx = rstd*(g_7 + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(2*mean_g_2*xhat + mean_g - g) - xhat*mean(ddx*g)) -
            mean(g_7) - mean(ddgamma*du) - xhat*mean(g_7*xhat) -
            xhat*mean(ddgamma*du*xhat))
        dgamma = sum_rows(du_2*xhat + dg*du)
        dbeta = sum_rows(du_2)
        ddy = ddu*(1 + erf_u_2 + sqrt(2)*u*exp(-u_2**2)/sqrt(pi))/2

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
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
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
        saved.rstd,
        saved.gamma,
        saved.beta,
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
    rstd_out,
    shape,
    dtype,
    threads,
):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    far_from = np.asarray(2.0, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    eps = np.asarray(eps, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
        beta_wide = _rows.repeated(beta)

    def block(x, mu_block, mu_residual_block, rstd_block, y_block, row_buffers):
        buffer_1, buffer_2, buffer_3 = row_buffers
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
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=y_block)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 9: y = (erf_u_2 + 1)*u/2
        y = np.add(erf_u_2, 1.0, out=buffer_1)
        y = np.multiply(y, u, out=y_block)
        np.multiply(y, 0.5, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_mu, hand_on_mu = _rows.writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _rows.writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
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
    dy_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    dx_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
        beta_wide = _rows.repeated(beta)
    if gamma is not None:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if beta is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        mu,
        mu_residual,
        rstd,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dx_block)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffer_1)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_2)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffer_3, work=(buffer_4,))
        # step 22: du = dy*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        du = np.multiply(erf_u_2, 0.5, out=buffer_3)
        part = np.square(u_2, out=buffer_2)
        part = np.negative(part, out=buffer_2)
        part = np.exp(part, out=buffer_2)
        part = np.multiply(part, u, out=buffer_1)
        part = np.multiply(part, constant_2, out=buffer_1)
        du = np.add(du, part, out=buffer_1)
        du = np.add(du, 0.5, out=buffer_1)
        du = np.multiply(dy, du, out=buffer_1)
        # step 18: dgamma = sum over rows of du*xhat
        if gamma is not None:
            part_2 = np.multiply(du, xhat, out=buffer_2)
            _rows.add_rows(part_2, each_row, dgamma_sums[chunk], column)
        # step 19: dbeta = sum over rows of du
        if beta is not None:
            _rows.add_rows(du, each_row, dbeta_sums[chunk], column)
        # step 17: mean_g_xhat = mean(du*xhat*gamma)
        if gamma is not None:
            mean_g_xhat = _rows.row_sum(part_2, gamma_over_D, out=row_scalar_1)
        else:
            mean_g_xhat = _rows.row_mean(du, xhat, D, out=row_scalar_1)
        # step 14: g = du*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffer_1)
        else:
            g = du
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_2)
        # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffer_1)
        part_3 = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part_3, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if beta is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows,
    dx_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    dgamma,
    dbeta,
    dy_out,
    shape,
    dtype,
    threads,
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    scalar = dtype.type
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_dbeta_wide = dbeta is not None and (dx_rows is not None or dgamma is not None)
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # 1/sqrt(pi)
    constant_2 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
        beta_wide = _rows.repeated(beta)
    if dgamma is not None:
        dgamma_wide = _rows.repeated(dgamma)
    if needs_dbeta_wide:
        dbeta_wide = _rows.repeated(dbeta)

    def block(x, dx, mu, mu_residual, rstd, dy_block, row_buffers, row_scalar_buffers):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 23: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _rows.row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dy_block)
        # step 23: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalar_2)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffer_1)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 23: dy = (xhat*dgamma + (dx - mean_dx - xhat*mean_dx_xhat)*rstd*gamma +
        #   dbeta)*(erf_u_2/2 + (1/sqrt(pi))*exp(-u_2**2)*u_2 + 1/2)
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_3)
        if dx_rows is not None:
            part = _rows.by_row(np.subtract, dx, mean_dx, out=buffer_4)
            part_2 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part = np.subtract(part, part_2, out=dy_block)
        if gamma is not None and dx_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part = np.multiply(part, rstd, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            dy = np.add(dy, part, out=dy_block)
        if dx_rows is not None and dgamma is None:
            dy = part
        if needs_dbeta_wide:
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None:
            dy = dbeta
        part_3 = np.multiply(erf_u_2, 0.5, out=buffer_2)
        part_4 = np.square(u_2, out=buffer_4)
        part_4 = np.negative(part_4, out=buffer_4)
        part_4 = np.exp(part_4, out=buffer_4)
        part_4 = np.multiply(part_4, u_2, out=buffer_1)
        part_4 = np.multiply(part_4, constant_2, out=buffer_1)
        part_3 = np.add(part_3, part_4, out=buffer_1)
        part_3 = np.add(part_3, 0.5, out=buffer_1)
        np.multiply(dy, part_3, out=dy_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
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
    dy_rows,
    ddx_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
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
    scalar = dtype.type
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_ddbeta_wide = ddbeta is not None and (
        ddx_rows is not None or ddgamma is not None
    )
    needs_g = gamma is not None and ddx_rows is not None
    needs_g_2 = gamma is None and ddx_rows is not None
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    # sqrt(2)
    constant_3 = scalar("1.41421356237309504880168872420969807857")
    # 1/sqrt(pi)
    constant_4 = scalar("0.5641895835477562869480794515607725858441")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    # step 32: mean_ddgamma_du = mean(du*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = np.divide(ddgamma, D)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
        beta_wide = _rows.repeated(beta)
    if ddgamma is not None:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_ddbeta_wide:
        ddbeta_wide = _rows.repeated(ddbeta)
    if gamma is not None:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if beta is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
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
        ) = row_buffers
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
            row_scalar_7,
            row_scalar_8,
            row_scalar_9,
        ) = row_scalar_buffers
        # step 28: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_sum(ddx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 28: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_mean(ddx, xhat, D, out=row_scalar_2)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=ddy_block)
        # step 7: u_2 = (sqrt(2)/2)*u
        u_2 = np.multiply(u, constant_1, out=buffer_1)
        # step 8: erf_u_2 = erf(u_2)
        erf_u_2 = _functions.erf(u_2, out=buffer_2, work=(buffer_3,))
        # step 24: du = dy*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        part = np.multiply(erf_u_2, 0.5, out=buffer_2)
        part_2 = np.square(u_2, out=buffer_3)
        part_2 = np.negative(part_2, out=buffer_3)
        part_2 = np.exp(part_2, out=buffer_3)
        part_3 = np.multiply(part_2, u, out=buffer_4)
        part_3 = np.multiply(part_3, constant_2, out=buffer_4)
        part = np.add(part, part_3, out=buffer_2)
        part = np.add(part, 0.5, out=buffer_2)
        if ddx_rows is not None or ddgamma is not None:
            du = np.multiply(dy, part, out=buffer_4)
        # step 32: mean_ddgamma_du = mean(du*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_du = _rows.row_sum(du, ddgamma_over_D, out=row_scalar_3)
            # step 32: mean_ddgamma_du_xhat = mean(du*xhat*ddgamma)
            part_4 = np.multiply(du, xhat, out=buffer_5)
            mean_ddgamma_du_xhat = _rows.row_sum(
                part_4, ddgamma_over_D, out=row_scalar_4
            )
        # step 25: g = du*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffer_5)
        if needs_g_2:
            g = du
        # step 26: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_5)
            # step 27: mean_g_2 = mean(g*xhat)
            mean_g_2 = _rows.row_mean(g, xhat, D, out=row_scalar_6)
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_7)
            # step 31: mean_g_2_scaled = mean_g_2*rstd
            mean_g_2_scaled = np.multiply(mean_g_2, rstd, out=row_scalar_8)
            # step 32: mean_g_2_scaled_2 = 2*mean_g_2
            mean_g_2_scaled_2 = np.multiply(mean_g_2, 2.0, out=row_scalar_6)
            # step 32: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = np.multiply(mean_ddx, mean_g, out=row_scalar_9)
            # step 28: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffer_6)
            part_5 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffer_7)
            dg = np.subtract(dg, part_5, out=buffer_6)
            dg = np.multiply(dg, rstd, out=buffer_6)
        # step 29: ddu = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddu = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffer_7)
        if needs_g:
            part_6 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_8)
        if needs_g_2:
            part_6 = dg
        if ddx_rows is not None and ddgamma is not None:
            ddu = np.add(ddu, part_6, out=buffer_7)
        if gamma is not None and ddx_rows is not None and ddgamma is None:
            ddu = part_6
        if needs_g_2:
            ddu = part_6
        if needs_ddbeta_wide:
            ddu = _rows.by_feature(np.add, ddu, ddbeta_wide, out=buffer_7)
        if ddx_rows is None and ddgamma is None:
            ddu = ddbeta
        # step 30: du_2 = (1/sqrt(pi))*(sqrt(2) - u*u_2)*ddu*dy*exp(-u_2**2)
        du_2 = np.multiply(u, u_2, out=ddy_block)
        du_2 = np.subtract(constant_3, du_2, out=ddy_block)
        du_2 = np.multiply(du_2, ddu, out=ddy_block)
        du_2 = np.multiply(du_2, dy, out=ddy_block)
        du_2 = np.multiply(du_2, part_2, out=ddy_block)
        du_2 = np.multiply(du_2, constant_4, out=buffer_1)
        # step 33: dgamma = sum over rows of dg*du + du_2*xhat
        if needs_g:
            part_7 = np.multiply(dg, du, out=ddy_block)
        if gamma is not None:
            part_8 = np.multiply(du_2, xhat, out=buffer_3)
        if needs_g:
            part_7 = np.add(part_7, part_8, out=ddy_block)
        if gamma is not None and ddx_rows is None:
            part_7 = part_8
        if gamma is not None:
            _rows.add_rows(part_7, each_row, dgamma_sums[chunk], column)
        # step 34: dbeta = sum over rows of du_2
        if beta is not None:
            _rows.add_rows(du_2, each_row, dbeta_sums[chunk], column)
        # step 31: g_7 = du_2*gamma - ddx*mean_g_2_scaled
        if gamma is not None:
            g_7 = _rows.by_feature(np.multiply, du_2, gamma_wide, out=buffer_1)
        else:
            g_7 = du_2
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_2_scaled, out=ddy_block)
            g_7 = np.subtract(g_7, part_9, out=buffer_1)
        # step 32: mean_g_7 = mean(g_7)
        mean_g_7 = _rows.row_sum(g_7, one_over_D, out=row_scalar_1)
        # step 32: mean_g_7_xhat = mean(g_7*xhat)
        mean_g_7_xhat = _rows.row_mean(g_7, xhat, D, out=row_scalar_8)
        # step 35: ddy = ddu*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
        np.multiply(ddu, part, out=ddy_block)
        # step 32: dx = (g_7 + du*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_2_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd
        #   - mean_ddgamma_du - mean_g_7 - xhat*mean_ddgamma_du_xhat -
        #   xhat*mean_g_7_xhat)*rstd
        if ddgamma is not None:
            dx = _rows.by_feature(np.multiply, du, ddgamma_wide, out=buffer_2)
            dx = np.add(g_7, dx, out=buffer_1)
        if ddx_rows is not None and ddgamma is None:
            dx = g_7
        if gamma is not None and ddx_rows is None and ddgamma is None:
            dx = g_7
        if gamma is None and ddx_rows is None:
            dx = g_7
        if ddx_rows is not None:
            part_10 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffer_2)
            part_11 = _rows.by_row(np.multiply, xhat, mean_g_2_scaled_2, out=buffer_3)
            part_11 = np.add(part_11, mean_g, out=buffer_3)
            part_11 = np.subtract(part_11, g, out=buffer_3)
            part_11 = np.multiply(part_11, mean_ddx_xhat, out=buffer_3)
            part_10 = np.add(part_10, part_11, out=buffer_2)
            part_12 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffer_3)
            part_10 = np.subtract(part_10, part_12, out=buffer_2)
            part_10 = np.multiply(part_10, rstd, out=buffer_2)
            dx = np.add(dx, part_10, out=buffer_1)
        if ddgamma is not None:
            dx = np.subtract(dx, mean_ddgamma_du, out=buffer_1)
        dx = np.subtract(dx, mean_g_7, out=buffer_1)
        if ddgamma is not None:
            part_13 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_du_xhat, out=buffer_2
            )
            dx = np.subtract(dx, part_13, out=buffer_1)
        part_14 = np.multiply(xhat, mean_g_7_xhat, out=dx_block)
        dx = np.subtract(dx, part_14, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((8, height, features), dtype)
        row_scalar_buffers = np.empty((9, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_ddy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddy(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if beta is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _forward_small(x, gamma, beta, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
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
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = np.multiply(xhat, gamma, out=xhat)
    else:
        u = xhat
    if beta is not None:
        u = np.add(u, beta, out=u)
    # step 7: u_2 = (sqrt(2)/2)*u
    u_2 = u * constant_1
    # step 8: erf_u_2 = erf(u_2)
    erf_u_2 = _functions.erf(u_2)
    # step 9: y = (erf_u_2 + 1)*u/2
    y = np.add(erf_u_2, 1.0, out=erf_u_2)
    y = np.multiply(y, u, out=y)
    y = np.multiply(y, 0.5, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def _backward_small(
    x, dy, mu_rows, mu_residual_rows, rstd_rows, gamma, beta, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    scalar = dtype.type
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    # sqrt(2)/2
    constant_1 = scalar("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = scalar("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = np.divide(gamma, D)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: u = xhat*gamma + beta
    if gamma is not None:
        u = xhat * gamma
    else:
        u = xhat
    if beta is not None:
        u = u + beta
    # step 7: u_2 = (sqrt(2)/2)*u
    u_2 = u * constant_1
    # step 8: erf_u_2 = erf(u_2)
    erf_u_2 = _functions.erf(u_2)
    # step 22: du = dy*(erf_u_2/2 + (sqrt(2)/(2*sqrt(pi)))*exp(-u_2**2)*u + 1/2)
    du = np.multiply(erf_u_2, 0.5, out=erf_u_2)
    part = np.square(u_2, out=u_2)
    part = np.negative(part, out=part)
    part = np.exp(part, out=part)
    part = np.multiply(part, u, out=part)
    part = np.multiply(part, constant_2, out=part)
    du = np.add(du, part, out=du)
    du = np.add(du, 0.5, out=du)
    du = np.multiply(dy, du, out=du)
    # step 18: dgamma = sum over rows of du*xhat
    if gamma is not None:
        part_2 = du * xhat
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part_2.reshape(-1, features)
        )
    # step 19: dbeta = sum over rows of du
    if beta is not None:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), du.reshape(-1, features)
        )
    # step 17: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        mean_g_xhat = vecdot(part_2, gamma_over_D)[..., np.newaxis]
    else:
        mean_g_xhat = (vecdot(du, xhat) / D)[..., np.newaxis]
    # step 14: g = du*gamma
    if gamma is not None:
        g = np.multiply(du, gamma, out=du)
    else:
        g = du
    # step 17: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = np.subtract(g, mean_g, out=g)
    part_3 = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part_3, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gamma is None:
        dgamma = None
    if beta is None:
        dbeta = None
    return dx, dgamma, dbeta


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
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
        gamma: the argument gamma of forward.
        beta: the argument beta of forward.
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
    fields_ = (x, gamma, beta, mu, mu_residual, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, gamma, beta, mu, mu_residual, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "layer_norm_gelu")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("beta", saved.beta, saved.shape[-1:], "beta" in saved.dtypes)
    _calls.check_kept("mu", saved.mu, row_scalars)
    _calls.check_kept("mu_residual", saved.mu_residual, row_scalars)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
