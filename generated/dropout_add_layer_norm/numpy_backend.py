# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import directions as _directions
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "dropout_add_layer_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("residual", "Row"),
        _interface.given("seed", 'Int[""]', draws=True),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [
        _interface.constant("p", default=0.1, sign="nonnegative"),
        _interface.constant("eps", default=1e-5, sign="nonnegative"),
    ],
    "outputs": [_interface.output("y", "Row"), _interface.output("h", "Row")],
    "saved": [
        _interface.saved("h", "output", ["...", "D"]),
        _interface.saved("seed", "input", []),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("p", "constant", []),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("residual"),
        _interface.gradient("gamma", may_be_none=True),
        _interface.gradient("beta", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # shape (..., D)
    h: npt.NDArray[Any]  # shape (..., D)


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any] | None
    ddh: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    h: npt.NDArray[Any]  # output h of forward
    seed: npt.NDArray[Any]  # argument seed of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    p: float  # constant p of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Dropout, residual addition, then layer normalization; the sum is the second output.

        uniform_seed = uniform(seed)
        h = residual + where(uniform_seed >= p, x/(1 - p), 0)
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        seed: an integer or a 0-d array of one.
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        beta: one value per feature, shape (D,). If omitted it is 0, at no cost.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(Outputs, saved)`. `saved` is the argument of the other directions. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    p = _calls.constant("p", p, signed=False)
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, residual, seed, gamma, beta, p, eps), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dresidual = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
        dx = where(uniform_seed >= p, dresidual/(1 - p), 0)
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dh: the cotangent of h, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _BACKWARD.call(saved, (dy, dh), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = residual_dot + where(uniform_seed >= p, x_dot/(1 - p), 0)
        y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) -
            xhat*mean(h_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        residual_dot: the tangent of residual, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _JVP.call(saved, (x_dot, residual_dot, gamma_dot, beta_dot), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        ddh = ddresidual + where(uniform_seed >= p, ddx/(1 - p), 0)
        dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
        d2residual = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) +
            mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) -
            mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) -
            xhat*mean(ddgamma*dy*xhat))
        d2x = where(uniform_seed >= p, d2residual/(1 - p), 0)
        d2gamma = sum_rows(dg*dy)
        d2beta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddresidual: the cotangent of dresidual, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddbeta: the cotangent of dbeta, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dresidual is
    d2residual, dgamma is d2gamma, dbeta is d2beta) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    arguments_ = (
        *_calls.each_cotangent(cotangents, ("dy", "dh")),
        ddx,
        ddresidual,
        ddgamma,
        ddbeta,
    )
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    h: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    p: float,
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the shape of the rows; None if a field has it.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (h, seed, gamma, p, mu, mu_residual, rstd)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_FORWARD = _directions.ForwardCall(_LAYER, Outputs, _kernels.forward, at_once=True)
_BACKWARD = _directions.LaterCall(
    _LAYER, "backward", Gradients, _kernels.backward, at_once=True
)
_JVP = _directions.LaterCall(_LAYER, "jvp", Outputs, _second_order.jvp, at_once=True)
_BACKWARD_BACKWARD = _directions.LaterCall(
    _LAYER,
    "backward_backward",
    SecondGradients,
    _second_order.backward_backward,
    at_once=True,
)
