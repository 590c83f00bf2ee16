# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: 1 output, 17 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Dynamic tanh: an elementwise layer in the place of a norm."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime import calls as _calls
from .._runtime import directions as _directions
from .._runtime import interface as _interface
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "dynamic_tanh",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("alpha", "Scalar", default=0.5),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("alpha", "input", []),
        _interface.saved("gamma", "input", ["D"]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("alpha", may_be_none=True),
        _interface.gradient("gamma", may_be_none=True),
        _interface.gradient("beta", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes, each in the shape and type of its input; None for an
    input that was left out of `forward`.
    """

    dx: npt.NDArray[Any]
    dalpha: npt.NDArray[Any] | None
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """What `backward_backward` computes: gradients with respect to the inputs and to the
    cotangents; None for what was left out or was None.
    """

    dx: npt.NDArray[Any]
    dalpha: npt.NDArray[Any] | None
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # that forward computed in
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for one left out
    x: npt.NDArray[Any]  # argument x of forward
    alpha: float | npt.NDArray[Any] | None  # argument alpha of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward


@overload
def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Dynamic tanh: an elementwise layer in the place of a norm.

        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta

    Args:
        x: shape (..., D).
        alpha: a number or a 0-d array; left out it is 0.5, and costs nothing.
        gamma: one value per feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value per feature, shape (D,); left out it is 0, and costs nothing.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    return _FORWARD.call((x, alpha, gamma, beta), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        du = gamma*dy*(1 - t)*(1 + t)
        dx = alpha*du
        dalpha = sum_rows(sum(du*x))
        dgamma = sum_rows(dy*t)
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
    return _BACKWARD.call(saved, (dy,), out, threads)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dalpha: float | npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    dbeta: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) +
            beta_dot

    Args:
        saved: what `forward` returned.
        dx: x_dot, the tangent of x; None stands for zero.
        dalpha: alpha_dot, the tangent of alpha; None stands for zero.
        dgamma: gamma_dot, the tangent of gamma; None stands for zero.
        dbeta: beta_dot, the tangent of beta; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns y_dot, the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    return _JVP.call(saved, (dx, dalpha, dgamma, dbeta), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddalpha: float | npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        du = gamma*dy*(1 - t)*(1 + t)
        ddu = ddalpha*x + alpha*ddx
        d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
        d2x = alpha*d2u + ddalpha*du
        d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
        d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
        d2beta = 0
        ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddalpha: the cotangent of dalpha, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        ddbeta: the cotangent of dbeta, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dalpha is d2alpha,
    dgamma is d2gamma, dbeta is d2beta) and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    arguments_ = (
        *_calls.each_cotangent(cotangents, ("dy",)),
        ddx,
        ddalpha,
        ddgamma,
        ddbeta,
    )
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its fields, which are looked at as by `backward`.

    Args:
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, alpha, gamma)
    return _LAYER.saved_from(fields_, shape, dtype, dtypes)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_FORWARD = _directions.ForwardCall(
    _LAYER, _directions.only, _kernels.forward, _kernels.forward_fast
)
_BACKWARD = _directions.LaterCall(
    _LAYER, "backward", Gradients, _kernels.backward, _kernels.backward_fast
)
_JVP = _directions.LaterCall(_LAYER, "jvp", _directions.only, _second_order.jvp)
_BACKWARD_BACKWARD = _directions.LaterCall(
    _LAYER, "backward_backward", SecondGradients, _second_order.backward_backward
)
