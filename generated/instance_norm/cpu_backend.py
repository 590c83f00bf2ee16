# Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
"""Instance normalization: each row is one channel of one sample.

The functions of `numpy_backend` as compiled kernels of kernels.cpp and second_order.cpp.
The system's C++ compiler ($CXX, or else c++, g++ or clang++) makes a library on first
use for each type of rows and what is left out, in $LNGEN_CACHE or the user's cache folder.

A call takes the straight way if its rows are dense and of one type that kernels take.
Else `numpy_backend` checks it, and `_forward_on_kernels` and the like read rows with gaps
where they lie and copy the rest. NumPy computes in types that kernels lack.
"""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from .._runtime.native import compiled as _compiled
from .._runtime.native import long as _long
from .._runtime.protocol import calls as _calls
from . import numpy_backend as _numpy
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# The kernels of each direction, which are compiled without what a call leaves out.
_FORWARD = _compiled.CompiledDirection(
    __file__, "kernels", "instance_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "instance_norm_backward", optional=("beta", "gamma")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "instance_norm_jvp",
    optional=("beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "instance_norm_backward_backward",
    optional=("beta", "ddbeta", "ddgamma", "ddx", "gamma"),
)


@_long.described_as(_numpy.forward)
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
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(_forward_on_kernels, x, gamma, beta, eps, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, gamma, beta, eps = _values
    y_, mu_, mu_residual_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, gamma, beta), (y_,))
    _operands.call(
        _FORWARD,
        (beta is None, gamma is None),
        (eps,),
        (
            *_operands.read(x),
            *_operands.read(gamma, beta, axes=0),
            *_operands.made(y_),
            *_operands.made_once(mu_, mu_residual_, rstd_),
        ),
    )


@_long.described_as(_numpy.backward)
def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_x, _saved_gamma, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    dx_, dgamma_, dbeta_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_gamma, dy), (dx_, dgamma_, dbeta_)
    )
    _operands.call(
        _BACKWARD,
        (dbeta_ is None, _saved_gamma is None),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gamma, axes=0),
            *_operands.read(dy),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_),
            *_operands.made(dgamma_, dbeta_, axes=0),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, gamma_dot, beta_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, gamma_dot, beta_dot = _arguments
    _saved_x, _saved_gamma, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_gamma, x_dot, gamma_dot, beta_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (beta_dot is None, _saved_gamma is None, gamma_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gamma, axes=0),
            *_operands.read(x_dot),
            *_operands.read(gamma_dot, beta_dot, axes=0),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
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
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddgamma, ddbeta, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddgamma, ddbeta = _arguments
    _saved_x, _saved_gamma, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    dx_, dgamma_, dbeta_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_gamma, dy, ddx, ddgamma, ddbeta),
        (dx_, dgamma_, dbeta_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            dbeta_ is None,
            ddbeta is None,
            ddgamma is None,
            ddx is None,
            _saved_gamma is None,
        ),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gamma, axes=0),
            *_operands.read(dy, ddx),
            *_operands.read(ddgamma, ddbeta, axes=0),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_),
            *_operands.made(dgamma_, dbeta_, axes=0),
            *_operands.made(ddy_),
        ),
    )
