# Made by lngen 0.1.0 from the definition of modulated_layer_norm.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 10 flops a row element; backward 3 row tensors (2 read, 1 written), 21 flops a row element.
# Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Layer normalization whose output is gated by one number a row.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gate*(gamma*xhat + beta)
    backward
        g = gate*gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgate = sum(dy*(gamma*xhat + beta))
        dgamma = sum_rows(gate*dy*xhat)
        dbeta = sum_rows(gate*dy)

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
    "name": "modulated_layer_norm",
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
            "name": "gate",
            "symbol": "gate",
            "kind": "RowScalar",
            "axes": ["..."],
            "default": 1,
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
        {"name": "gate", "kind": "input", "of": "gate", "axes": ["..."]},
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
        {"name": "dgate", "of": "gate", "may_be_none": True},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
        {"name": "dbeta", "of": "beta", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgate: npt.NDArray[Any] | None
    """The gradient of gate, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    dbeta: npt.NDArray[Any] | None
    """The gradient of beta, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dgate: npt.NDArray[Any] | None
    """The gradient of gate, in its shape and type."""

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

    gate: npt.NDArray[Any] | None
    """The argument gate of forward."""

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
    gate: npt.NDArray[Any] | None = None,
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
    gate: npt.NDArray[Any] | None = None,
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
    gate: npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Layer normalization whose output is gated by one number a row.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gate*(gamma*xhat + beta)

    Args:
        x: shape (..., D).
        gate: one value a row, shape x.shape[:-1]; left out it is 1, and costs nothing.
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
        if (
            (gate is None or _calls.fits(gate, shape_[:-1], dtype_))
            and (gamma is None or _calls.fits(gamma, shape_[-1:], dtype_))
            and (beta is None or _calls.fits(beta, shape_[-1:], dtype_))
        ):
            y_, mu_, mu_residual_, rstd_ = _rows.at_once(
                _forward_small, x, gate, gamma, beta, eps, shape_, dtype_
            )
            if out is not None:
                given_ = {"x": x, "gate": gate, "gamma": gamma, "beta": beta}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if gate is not None:
                dtypes_["gate"] = dtype_
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            if beta is not None:
                dtypes_["beta"] = dtype_
            saved = _Saved(
                shape_, dtype_, dtypes_, x, gate, gamma, beta, mu_, mu_residual_, rstd_
            )
            return y_, saved
    x = _calls.array("x", x, required=True)
    gate = _calls.array("gate", gate, required=False)
    gamma = _calls.array("gamma", gamma, required=False)
    beta = _calls.array("beta", beta, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape(
        "gate", gate, shape_[:-1], "the shape of x without its last axis"
    )
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    _calls.check_shape("beta", beta, shape_[-1:], "(D,)")
    given_ = {"x": x, "gate": gate, "gamma": gamma, "beta": beta}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    mu_ = _calls.empty(shape_[:-1], dtype_)
    mu_residual_ = _calls.empty(shape_[:-1], dtype_)
    rstd_ = _calls.empty(shape_[:-1], dtype_)
    _forward(
        x, gate, gamma, beta, eps, y_, mu_, mu_residual_, rstd_, shape_, dtype_, threads
    )
    if not save:
        return y_, None
    saved = _Saved(
        shape_, dtype_, dtypes_, x, gate, gamma, beta, mu_, mu_residual_, rstd_
    )
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = gate*gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgate = sum(dy*(gamma*xhat + beta))
        dgamma = sum_rows(gate*dy*xhat)
        dbeta = sum_rows(gate*dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "modulated_layer_norm")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.gate, shape_[:-1], dtype_, "gate" in saved.dtypes)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
            and _calls.fits(saved.beta, shape_[-1:], dtype_, "beta" in saved.dtypes)
            and _calls.fits(saved.mu, shape_[:-1], dtype_)
            and _calls.fits(saved.mu_residual, shape_[:-1], dtype_)
            and _calls.fits(saved.rstd, shape_[:-1], dtype_)
        ):
            dx_, dgate_, dgamma_, dbeta_ = _rows.at_once(
                _backward_small,
                saved.x,
                saved.gate,
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
                    "saved.gate": saved.gate,
                    "saved.gamma": saved.gamma,
                    "saved.beta": saved.beta,
                    "saved.mu": saved.mu,
                    "saved.mu_residual": saved.mu_residual,
                    "saved.rstd": saved.rstd,
                }
                dx_, dgate_, dgamma_, dbeta_ = _calls.placed(
                    ("dx", "dgate", "dgamma", "dbeta"),
                    (dx_, dgate_, dgamma_, dbeta_),
                    out,
                    given_,
                )
            return _Gradients(dx_, dgate_, dgamma_, dbeta_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgate", "dgamma", "dbeta"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgate_ = _calls.result(
        "dgate", out[1], shape_[:-1], saved.dtypes.get("gate"), given_
    )
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[3], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    _backward(
        saved.x,
        saved.gate,
        dy,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        saved.gamma,
        saved.beta,
        dx_,
        dgate_,
        dgamma_,
        dbeta_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dgate_, dgamma_, dbeta_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dgate: npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    dbeta: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dgate*(gamma*xhat + beta) + gate*(dgamma*xhat + dbeta + rstd*gamma*(dx -
            mean(dx) - xhat*mean(dx*xhat)))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dgate: the tangent of gate; None stands for zero.
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
    dgate = _calls.array("dgate", dgate, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    dbeta = _calls.array("dbeta", dbeta, required=False)
    if dx is None and dgate is None and dgamma is None and dbeta is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dgate", dgate, "gate", saved.dtypes)
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_left_out("dbeta", dbeta, "beta", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dgate", dgate, shape_[:-1], "the shape of gate")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("dbeta", dbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dgate": dgate,
        "dgamma": dgamma,
        "dbeta": dbeta,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
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
        saved.gate,
        dx,
        dgate,
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
    ddgate: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gate*gamma*dy
        mean_g = mean(g)
        mean_g_2 = mean(g*xhat)
        dmean_beta = D*ddgate
        dmean_g_2 = sum(-rstd*ddx*xhat)
        dmean_g = sum(-rstd*ddx)
        dg = rstd*ddx + dmean_g_2*xhat/D + dmean_g/D
        dxhat = gate*ddgamma*dy + dmean_g_2*g/D + dmean_beta*gamma*dy/D -
            mean_g_2*rstd*ddx
        drstd = sum(dxhat*x_centred) + sum(ddx*(g - mean_g - mean_g_2*xhat))
        dvar = -drstd*rstd**3/2
        dx_centred = rstd*dxhat + 2*dvar*x_centred/D
        dmu = sum(-dx_centred)
        dx = dx_centred + dmu/D
        dgate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
        dgamma = sum_rows(dy*(gate*dg + dmean_beta*xhat/D))
        dbeta = sum_rows(dmean_beta*dy)/D
        ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_beta*(gamma*xhat +
            beta)/D

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddgate: the cotangent of dgate, its gradient; None stands for zero.
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
    ddgate = _calls.array("ddgate", ddgate, required=False)
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    ddbeta = _calls.array("ddbeta", ddbeta, required=False)
    if ddx is None and ddgate is None and ddgamma is None and ddbeta is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddgate", ddgate, "gate", saved.dtypes)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_left_out("ddbeta", ddbeta, "beta", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddgate", ddgate, shape_[:-1], "the shape of gate")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("ddbeta", ddbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddgate": ddgate,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dgate", "dgamma", "dbeta", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dgate_ = _calls.result(
        "dgate", out[1], shape_[:-1], saved.dtypes.get("gate"), given_
    )
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[3], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    ddy_ = _calls.result("ddy", out[4], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        saved.gate,
        dy_,
        ddx,
        ddgate,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
        saved.gamma,
        saved.beta,
        ddgamma,
        ddbeta,
        dx_,
        dgate_,
        dgamma_,
        dbeta_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dgate_, dgamma_, dbeta_, ddy_)


def _forward(
    x_rows,
    gate_rows,
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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
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

    def block(x, gate, mu_block, mu_residual_block, rstd_block, y_block):
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
        # step 6: y = (xhat*gamma + beta)*gate
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y_block)
        if gate_rows is not None:
            np.multiply(y, gate, out=y_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_gate = _rows.reader(gate_rows, dtype, height, row_scalars=True)
        place_mu, hand_on_mu = _rows.writer((mu_out,), dtype, height, row_scalars=True)
        place_mu_residual, hand_on_mu_residual = _rows.writer(
            (mu_residual_out,), dtype, height, row_scalars=True
        )
        place_rstd, hand_on_rstd = _rows.writer(
            (rstd_out,), dtype, height, row_scalars=True
        )
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(
                read_x(span),
                read_gate(span),
                place_mu(span),
                place_mu_residual(span),
                place_rstd(span),
                place_y(span),
            )
            hand_on_mu(span)
            hand_on_mu_residual(span)
            hand_on_rstd(span)
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    gate_rows,
    dy_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    dx_out,
    dgate_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_beta = gate_rows is not None and beta is not None
    needs_gate_value = gate_rows is None and (gamma is not None or beta is not None)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if needs_beta:
        beta = np.ascontiguousarray(beta, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if needs_beta:
        beta_wide = _rows.repeated(beta)
    if beta is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    if gamma is not None:
        dgamma_sums = np.zeros((len(chunks), features), dtype)

    def block(
        chunk,
        x,
        gate,
        dy,
        mu,
        mu_residual,
        rstd,
        dgate_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        if gate_rows is not None:
            gate_value = gate
        if needs_gate_value:
            gate_value = 1.0
        buffer_1 = row_buffers[0]
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 13: dbeta = sum over rows of dy*gate
        if needs_gate_value:
            part = _rows.filled(gate_value, out=row_scalar_1)
        if gate_rows is not None and (gamma is not None or beta is not None):
            part = gate_value
        if beta is not None:
            _rows.add_rows(dy, part, dbeta_sums[chunk], column)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dx_block)
        # step 12: dgamma = sum over rows of dy*xhat*gate
        if gamma is not None:
            part_2 = np.multiply(dy, xhat, out=buffer_1)
            _rows.add_rows(part_2, part, dgamma_sums[chunk], column)
        # step 11: dgate = sum((xhat*gamma + beta)*dy)
        if gate_rows is not None and gamma is not None:
            part_3 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        if gate_rows is not None and gamma is None:
            part_3 = xhat
        if needs_beta:
            part_3 = _rows.by_feature(np.add, part_3, beta_wide, out=buffer_1)
        if gate_rows is not None:
            _rows.row_sum(part_3, dy, out=dgate_block)
        # step 7: g = dy*gate*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffer_1)
        else:
            g = dy
        if gate_rows is not None:
            g = np.multiply(g, gate_value, out=buffer_1)
        # step 10: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_1)
        # step 10: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalar_2)
        # step 10: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffer_1)
        part_4 = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part_4, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_gate = _rows.reader(gate_rows, dtype, height, row_scalars=True)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dgate, hand_on_dgate = _rows.writer(
            (dgate_out,), dtype, height, row_scalars=True
        )
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_gate(span),
                read_dy(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_dgate(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dgate(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if beta is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
        _rows.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows,
    gate_rows,
    dx_rows,
    dgate_rows,
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
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (dx_rows is not None or dgate_rows is not None)
    needs_beta = beta is not None and dgate_rows is not None
    needs_dbeta_wide = dbeta is not None and (dx_rows is not None or dgamma is not None)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if needs_beta:
        beta = np.ascontiguousarray(beta, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if needs_beta:
        beta_wide = _rows.repeated(beta)
    if dgamma is not None:
        dgamma_wide = _rows.repeated(dgamma)
    if needs_dbeta_wide:
        dbeta_wide = _rows.repeated(dbeta)

    def block(
        x,
        gate,
        dx,
        dgate,
        mu,
        mu_residual,
        rstd,
        dy_block,
        row_buffers,
        row_scalar_buffers,
    ):
        buffer_1, buffer_2, buffer_3 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 14: mean_dx = mean(dx)
        if dx_rows is not None:
            mean_dx = _rows.row_sum(dx, one_over_D, out=row_scalar_1)
        # step 2: x_shifted = x - mu
        if dx_rows is not None or dgate_rows is not None or dgamma is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dy_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = np.multiply(x_centred, rstd, out=dy_block)
        # step 14: mean_dx_xhat = mean(dx*xhat)
        if dx_rows is not None:
            mean_dx_xhat = _rows.row_mean(dx, xhat, D, out=row_scalar_2)
        # step 14: dy = (xhat*gamma + beta)*dgate + (xhat*dgamma + (dx - mean_dx -
        #   xhat*mean_dx_xhat)*rstd*gamma + dbeta)*gate
        if gamma is not None and dgate_rows is not None:
            dy = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffer_1)
        if gamma is None and dgate_rows is not None:
            dy = xhat
        if needs_beta:
            dy = _rows.by_feature(np.add, dy, beta_wide, out=buffer_1)
        if dgate_rows is not None:
            dy = np.multiply(dy, dgate, out=buffer_1)
        if dgamma is not None:
            part = _rows.by_feature(np.multiply, xhat, dgamma_wide, out=buffer_2)
        if dx_rows is not None:
            part_2 = _rows.by_row(np.subtract, dx, mean_dx, out=buffer_3)
            part_3 = np.multiply(xhat, mean_dx_xhat, out=dy_block)
            part_2 = np.subtract(part_2, part_3, out=dy_block)
        if gamma is not None and dx_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=dy_block)
        if dx_rows is not None:
            part_2 = np.multiply(part_2, rstd, out=dy_block)
        if dx_rows is not None and dgamma is not None:
            part = np.add(part, part_2, out=dy_block)
        if dx_rows is not None and dgamma is None:
            part = part_2
        if needs_dbeta_wide:
            part = _rows.by_feature(np.add, part, dbeta_wide, out=dy_block)
        if dx_rows is None and dgamma is None and dbeta is not None:
            part = dbeta
        if gate_rows is not None and (
            dx_rows is not None or dgamma is not None or dbeta is not None
        ):
            part = np.multiply(part, gate, out=dy_block)
        if dgate_rows is not None and (
            dx_rows is not None or dgamma is not None or dbeta is not None
        ):
            dy = np.add(dy, part, out=dy_block)
        if gate_rows is not None and dgate_rows is None:
            dy = part
        if (
            gate_rows is None
            and dbeta is not None
            and (dx_rows is not None or dgamma is not None)
        ):
            dy = part
        if (
            gate_rows is None
            and dx_rows is not None
            and dgamma is not None
            and dbeta is None
        ):
            dy = part
        if gate_rows is None and dx_rows is None and dbeta is None:
            dy = part
        if gate_rows is None and dgamma is None and dbeta is None:
            dy = part
        if gate_rows is None and dx_rows is None and dgamma is None:
            dy = part
        if dx_rows is None and (
            (dgamma is None and dbeta is None)
            or (gate_rows is None and dgamma is None)
            or (gate_rows is None and dbeta is None)
        ):
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_gate = _rows.reader(gate_rows, dtype, height, row_scalars=True)
        read_dx = _rows.reader(dx_rows, dtype, height)
        read_dgate = _rows.reader(dgate_rows, dtype, height, row_scalars=True)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((3, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_gate(span),
                read_dx(span),
                read_dgate(span),
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
    gate_rows,
    dy_rows,
    ddx_rows,
    ddgate_rows,
    mu_rows,
    mu_residual_rows,
    rstd_rows,
    gamma,
    beta,
    ddgamma,
    ddbeta,
    dx_out,
    dgate_out,
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
    needs_gamma = gamma is not None and (
        ddx_rows is not None or ddgate_rows is not None
    )
    needs_beta = beta is not None and ddgate_rows is not None
    needs_part_18 = (
        ddx_rows is not None or ddgate_rows is not None or ddgamma is not None
    )
    needs_sum_ddbeta_dy = gate_rows is not None and ddbeta is not None
    needs_part_4 = gate_rows is not None and ddgamma is not None
    needs_g = gate_rows is not None and ddx_rows is not None
    needs_g_2 = gate_rows is None and gamma is not None and ddx_rows is not None
    needs_part_9 = gamma is not None and ddgate_rows is not None
    needs_part_10 = gate_rows is not None and gamma is not None and ddx_rows is not None
    needs_ddy = gate_rows is not None and ddgamma is not None and ddbeta is None
    needs_ddy_2 = ddx_rows is None and ddgamma is None and ddbeta is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if needs_beta:
        beta = np.ascontiguousarray(beta, dtype)
    if ddgamma is not None:
        ddgamma = np.ascontiguousarray(ddgamma, dtype)
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    # step 25: dvar_scaled = 2*dvar/D
    if needs_part_18:
        part_18 = np.divide(2.0, D)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_wide = _rows.repeated(ddgamma)
    if needs_beta:
        beta_wide = _rows.repeated(beta)
        dbeta_rows_sums = np.zeros((len(chunks), features), dtype)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk,
        x,
        gate,
        dy,
        ddx,
        ddgate,
        mu,
        mu_residual,
        rstd,
        ddy_block,
        dgate_block,
        dx_block,
        row_buffers,
        row_scalar_buffers,
        column,
    ):
        buffer_1, buffer_2, buffer_3, buffer_4, buffer_5 = row_buffers
        (
            row_scalar_1,
            row_scalar_2,
            row_scalar_3,
            row_scalar_4,
            row_scalar_5,
            row_scalar_6,
            row_scalar_7,
        ) = row_scalar_buffers
        # step 18: dmean_beta = ddgate*D
        if ddgate_rows is not None:
            dmean_beta = np.multiply(ddgate, D, out=dgate_block)
        # step 30: dbeta_rows = sum over rows of dy*dmean_beta
        if needs_beta:
            _rows.add_rows(dy, dmean_beta, dbeta_rows_sums[chunk], column)
        # step 22: dmean_beta_scaled = dmean_beta/D
        if ddgate_rows is not None:
            dmean_beta_scaled = np.divide(dmean_beta, D, out=dgate_block)
        # step 20: dmean_g = sum(-ddx*rstd)
        if ddx_rows is not None:
            part = np.negative(rstd, out=row_scalar_1)
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_sum(part_2, ones, out=row_scalar_2)
        # step 28: sum_ddbeta_dy = sum(dy*ddbeta)
        if needs_sum_ddbeta_dy:
            sum_ddbeta_dy = _rows.row_sum(dy, ddbeta, out=row_scalar_3)
        # step 2: x_shifted = x - mu
        if needs_part_18:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=ddy_block)
        # step 19: dmean_g_2 = sum(-ddx*xhat*rstd)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, xhat, out=buffer_1)
            part_3 = np.multiply(part_3, part, out=buffer_1)
            dmean_g_2 = _rows.row_sum(part_3, ones, out=row_scalar_1)
        # step 28: sum_ddgamma_dy_xhat = sum(dy*xhat*ddgamma)
        if needs_part_4:
            part_4 = np.multiply(dy, xhat, out=buffer_1)
            sum_ddgamma_dy_xhat = _rows.row_sum(part_4, ddgamma, out=row_scalar_4)
        # step 15: g = dy*gate*gamma
        if needs_gamma:
            part_5 = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffer_1)
        if gamma is None and (ddx_rows is not None or ddgate_rows is not None):
            part_5 = dy
        if needs_g:
            g = _rows.by_row(np.multiply, part_5, gate, out=buffer_2)
        if needs_g_2:
            g = part_5
        if gate_rows is None and gamma is None and ddx_rows is not None:
            g = part_5
        # step 16: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_sum(g, one_over_D, out=row_scalar_5)
            # step 17: mean_g_2 = mean(g*xhat)
            mean_g_2 = _rows.row_mean(g, xhat, D, out=row_scalar_6)
            # step 21: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = np.divide(dmean_g, D, out=row_scalar_2)
            # step 21: dmean_g_2_scaled = dmean_g_2/D
            dmean_g_2_scaled = np.divide(dmean_g_2, D, out=row_scalar_1)
            # step 22: mean_g_2_scaled = mean_g_2*rstd
            mean_g_2_scaled = np.multiply(mean_g_2, rstd, out=row_scalar_7)
            # step 23: sum_ddx_g_xhat = sum((g - mean_g - xhat*mean_g_2)*ddx)
            part_6 = _rows.by_row(np.subtract, g, mean_g, out=buffer_3)
            part_7 = _rows.by_row(np.multiply, xhat, mean_g_2, out=buffer_4)
            part_6 = np.subtract(part_6, part_7, out=buffer_3)
            sum_ddx_g_xhat = _rows.row_sum(part_6, ddx, out=row_scalar_5)
            # step 21: dg = xhat*dmean_g_2_scaled + ddx*rstd + dmean_g_scaled
            dg = _rows.by_row(np.multiply, xhat, dmean_g_2_scaled, out=buffer_3)
            part_8 = _rows.by_row(np.multiply, ddx, rstd, out=buffer_4)
            dg = np.add(dg, part_8, out=buffer_3)
            dg = np.add(dg, dmean_g_scaled, out=buffer_3)
        # step 29: dgamma = sum over rows of (xhat*dmean_beta_scaled + dg*gate)*dy
        if needs_part_9:
            part_9 = _rows.by_row(np.multiply, xhat, dmean_beta_scaled, out=buffer_4)
        if needs_part_10:
            part_10 = _rows.by_row(np.multiply, dg, gate, out=buffer_5)
        if needs_g_2:
            part_10 = dg
        if gamma is not None and ddx_rows is not None and ddgate_rows is not None:
            part_9 = np.add(part_9, part_10, out=buffer_4)
        if (
            gate_rows is not None
            and gamma is not None
            and ddx_rows is not None
            and ddgate_rows is None
        ):
            part_9 = part_10
        if needs_g_2:
            part_9 = part_10
        if needs_gamma:
            part_9 = np.multiply(part_9, dy, out=buffer_4)
            _rows.add_rows(part_9, each_row, dgamma_sums[chunk], column)
        # step 28: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if needs_part_10:
            part_11 = np.multiply(dg, dy, out=buffer_4)
            sum_dg_dy_gamma = _rows.row_sum(part_11, gamma, out=row_scalar_2)
        if gate_rows is not None and gamma is None and ddx_rows is not None:
            sum_dg_dy_gamma = _rows.row_sum(dg, dy, out=row_scalar_2)
        # step 22: dxhat = g*dmean_g_2_scaled + dy*gate*ddgamma +
        #   dy*dmean_beta_scaled*gamma - ddx*mean_g_2_scaled
        if ddx_rows is not None:
            dxhat = np.multiply(g, dmean_g_2_scaled, out=buffer_2)
        if ddgamma is not None:
            part_12 = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffer_4)
        if needs_part_4:
            part_12 = np.multiply(part_12, gate, out=buffer_4)
        if ddx_rows is not None and ddgamma is not None:
            dxhat = np.add(dxhat, part_12, out=buffer_2)
        if gate_rows is not None and ddx_rows is None and ddgamma is not None:
            dxhat = part_12
        if gate_rows is None and ddx_rows is None and ddgamma is not None:
            dxhat = part_12
        if ddgate_rows is not None:
            part_13 = np.multiply(part_5, dmean_beta_scaled, out=buffer_1)
        if ddgate_rows is not None and (ddx_rows is not None or ddgamma is not None):
            dxhat = np.add(dxhat, part_13, out=buffer_1)
        if ddx_rows is None and ddgate_rows is not None and ddgamma is None:
            dxhat = part_13
        if ddx_rows is not None:
            part_14 = _rows.by_row(np.multiply, ddx, mean_g_2_scaled, out=buffer_4)
            dxhat = np.subtract(dxhat, part_14, out=buffer_1)
        # step 23: sum_dxhat_x_centred = sum(dxhat*x_centred)
        if needs_part_18:
            sum_dxhat_x_centred = _rows.row_sum(dxhat, x_centred, out=row_scalar_1)
        # step 31: ddy = gate*ddbeta + xhat*gate*ddgamma + dg*gate*gamma + (xhat*gamma +
        #   beta)*dmean_beta_scaled
        if needs_sum_ddbeta_dy:
            ddy = np.multiply(ddbeta, gate, out=buffer_2)
        if gate_rows is None and ddbeta is not None:
            ddy = ddbeta
        if ddgamma is not None:
            part_15 = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffer_5)
        if needs_part_4:
            part_15 = np.multiply(part_15, gate, out=buffer_5)
        if ddgamma is not None and ddbeta is not None:
            ddy = np.add(ddy, part_15, out=buffer_2)
        if needs_ddy:
            ddy = part_15
        if gate_rows is None and ddgamma is not None and ddbeta is None:
            ddy = part_15
        if gamma is not None and ddx_rows is not None:
            part_16 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffer_3)
        if gamma is None and ddx_rows is not None:
            part_16 = dg
        if needs_g:
            part_16 = np.multiply(part_16, gate, out=buffer_3)
        if ddx_rows is not None and (ddgamma is not None or ddbeta is not None):
            ddy = np.add(ddy, part_16, out=buffer_2)
        if (
            gate_rows is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            ddy = part_16
        if (
            gate_rows is None
            and gamma is not None
            and ddgamma is None
            and ddbeta is None
        ):
            ddy = part_16
        if gate_rows is None and gamma is None and ddbeta is None:
            ddy = part_16
        if needs_part_9:
            part_17 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        if gamma is None and ddgate_rows is not None:
            part_17 = xhat
        if needs_beta:
            part_17 = _rows.by_feature(np.add, part_17, beta_wide, out=ddy_block)
        if ddgate_rows is not None:
            part_17 = np.multiply(part_17, dmean_beta_scaled, out=ddy_block)
        if ddgate_rows is not None and (
            ddx_rows is not None or ddgamma is not None or ddbeta is not None
        ):
            ddy = np.add(ddy, part_17, out=ddy_block)
        if needs_ddy_2:
            ddy = part_17
        if ddgate_rows is None:
            ddy_block[...] = ddy
        # step 23: drstd = sum_ddx_g_xhat + sum_dxhat_x_centred
        if ddx_rows is not None:
            drstd = np.add(sum_ddx_g_xhat, sum_dxhat_x_centred, out=row_scalar_1)
        if ddx_rows is None and (ddgate_rows is not None or ddgamma is not None):
            drstd = sum_dxhat_x_centred
        # step 24: drstd_scaled = drstd*rstd
        if needs_part_18:
            drstd_scaled = np.multiply(drstd, rstd, out=row_scalar_1)
            # step 24: dvar = -drstd_scaled*rstd**2/2
            dvar = np.square(rstd, out=row_scalar_5)
            dvar = np.multiply(drstd_scaled, dvar, out=row_scalar_1)
            dvar = np.multiply(dvar, -0.5, out=row_scalar_1)
            # step 25: dvar_scaled = 2*dvar/D
            dvar_scaled = np.multiply(dvar, part_18, out=row_scalar_1)
        # step 28: dgate = sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma
        if gate_rows is not None and ddgamma is not None and ddbeta is not None:
            dgate = np.add(sum_ddbeta_dy, sum_ddgamma_dy_xhat, out=dgate_block)
        if gate_rows is not None and ddgamma is None and ddbeta is not None:
            dgate = sum_ddbeta_dy
        if needs_ddy:
            dgate = sum_ddgamma_dy_xhat
        if (
            gate_rows is not None
            and ddx_rows is not None
            and (ddgamma is not None or ddbeta is not None)
        ):
            dgate = np.add(dgate, sum_dg_dy_gamma, out=dgate_block)
        if (
            gate_rows is not None
            and gamma is None
            and ddx_rows is not None
            and ddbeta is None
        ):
            dgate = sum_dg_dy_gamma
        if needs_ddy_2:
            dgate = 0.0
        if (
            gate_rows is not None
            and gamma is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            dgate = sum_dg_dy_gamma
        if gate_rows is not None and (
            (ddgamma is None and ddbeta is None)
            or (ddx_rows is None and ddgamma is None)
            or (ddx_rows is None and ddbeta is None)
        ):
            dgate_block[...] = dgate
        # step 25: dx_centred = x_centred*dvar_scaled + dxhat*rstd
        if needs_part_18:
            dx_centred = np.multiply(x_centred, dvar_scaled, out=dx_block)
            part_19 = np.multiply(dxhat, rstd, out=buffer_1)
            dx_centred = np.add(dx_centred, part_19, out=dx_block)
            # step 26: dmu = sum(-dx_centred)
            part_20 = np.negative(dx_centred, out=buffer_1)
            dmu = _rows.row_sum(part_20, ones, out=row_scalar_1)
            # step 27: dmu_scaled = dmu/D
            dmu_scaled = np.divide(dmu, D, out=row_scalar_1)
            # step 27: dx = dx_centred + dmu_scaled
            dx = np.add(dx_centred, dmu_scaled, out=dx_block)
        if ddx_rows is None and ddgate_rows is None and ddgamma is None:
            dx = 0.0
            dx_block[...] = dx

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_gate = _rows.reader(gate_rows, dtype, height, row_scalars=True)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        read_ddgate = _rows.reader(ddgate_rows, dtype, height, row_scalars=True)
        read_mu = _rows.reader(mu_rows, dtype, height, row_scalars=True)
        read_mu_residual = _rows.reader(
            mu_residual_rows, dtype, height, row_scalars=True
        )
        read_rstd = _rows.reader(rstd_rows, dtype, height, row_scalars=True)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        place_dgate, hand_on_dgate = _rows.writer(
            (dgate_out,), dtype, height, row_scalars=True
        )
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((5, height, features), dtype)
        row_scalar_buffers = np.empty((7, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_gate(span),
                read_dy(span),
                read_ddx(span),
                read_ddgate(span),
                read_mu(span),
                read_mu_residual(span),
                read_rstd(span),
                place_ddy(span),
                place_dgate(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_ddy(span)
            hand_on_dgate(span)
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_beta:
        dbeta_rows = np.add.reduce(dbeta_rows_sums, axis=0)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if gamma is not None and ddx_rows is None and ddgate_rows is None:
        dgamma = 0.0
    # step 30: dbeta = dbeta_rows/D
    if needs_beta:
        dbeta = np.divide(dbeta_rows, D)
    if beta is not None and ddgate_rows is None:
        dbeta = 0.0
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _forward_small(x, gate_rows, gamma, beta, eps, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    far_from = np.asarray(2.0, dtype)
    eps = np.asarray(eps, dtype)
    if gate_rows is not None:
        gate = gate_rows[..., np.newaxis]
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
    # step 6: y = (xhat*gamma + beta)*gate
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    if gate_rows is not None:
        y = np.multiply(y, gate, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def _backward_small(
    x, gate_rows, dy, mu_rows, mu_residual_rows, rstd_rows, gamma, beta, shape, dtype
):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    needs_gate_value = gate_rows is None and (gamma is not None or beta is not None)
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = np.asarray(features, dtype)
    if gate_rows is not None:
        gate_value = gate_rows[..., np.newaxis]
    if needs_gate_value:
        gate_value = 1.0
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 13: dbeta = sum over rows of dy*gate
    if needs_gate_value:
        part = _rows.filled(gate_value, out=np.empty((*shape[:-1], 1), dtype))
    if gate_rows is not None and (gamma is not None or beta is not None):
        part = gate_value
    if beta is not None:
        dbeta = _rows.sum_of_rows(part.ravel(), dy.reshape(-1, features))
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 12: dgamma = sum over rows of dy*xhat*gate
    if gamma is not None:
        part_2 = dy * xhat
        dgamma = _rows.sum_of_rows(part.ravel(), part_2.reshape(-1, features))
    # step 11: dgate = sum((xhat*gamma + beta)*dy)
    if gate_rows is not None and gamma is not None:
        part_3 = xhat * gamma
    if gate_rows is not None and gamma is None:
        part_3 = xhat
    if gate_rows is not None and beta is not None:
        part_3 = part_3 + beta
    if gate_rows is not None:
        dgate = vecdot(part_3, dy)[..., np.newaxis]
    # step 7: g = dy*gate*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    if gate_rows is not None:
        g = g * gate_value
    # step 10: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 10: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 10: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = g - mean_g
    part_4 = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part_4, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gate_rows is not None:
        dgate = dgate[..., 0]
    else:
        dgate = None
    if gamma is None:
        dgamma = None
    if beta is None:
        dbeta = None
    return dx, dgate, dgamma, dbeta


def saved_from(
    *,
    x: npt.NDArray[Any],
    gate: npt.NDArray[Any] | None = None,
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
        gate: the argument gate of forward.
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
    fields_ = (x, gate, gamma, beta, mu, mu_residual, rstd)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, gate, gamma, beta, mu, mu_residual, rstd)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "modulated_layer_norm")
    _calls.check_first_fields(saved, ("x",))
    row_scalars = saved.shape[:-1]
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gate", saved.gate, row_scalars, "gate" in saved.dtypes)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
    _calls.check_kept("beta", saved.beta, saved.shape[-1:], "beta" in saved.dtypes)
    _calls.check_kept("mu", saved.mu, row_scalars)
    _calls.check_kept("mu_residual", saved.mu_residual, row_scalars)
    _calls.check_kept("rstd", saved.rstd, row_scalars)
