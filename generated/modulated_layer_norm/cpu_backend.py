# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row.

The functions of `numpy_backend` as compiled kernels of kernels.cpp and second_order.cpp.
The system's C++ compiler ($CXX, or else c++, g++ or clang++) makes a library on first
use for each type of rows and what is left out, in $LNGEN_CACHE or the user's cache folder.

A call takes the straight way if its rows are dense and of one type that kernels take.
Else `numpy_backend` checks it, and `_forward_on_kernels` and the like read rows with gaps
where they lie and copy the rest. NumPy computes in types that kernels lack.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._runtime.native import compiled as _compiled
from .._runtime.native import long as _long
from .._runtime.native import straight as _straight
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
    __file__,
    "kernels",
    "modulated_layer_norm_forward",
    optional=("beta", "gamma", "gate"),
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "modulated_layer_norm_backward",
    "modulated_layer_norm_backward_columns",
    optional=("beta", "gamma", "gate"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_layer_norm_jvp",
    optional=("beta", "beta_dot", "gamma", "gamma_dot", "gate", "gate_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_layer_norm_backward_backward",
    "modulated_layer_norm_backward_backward_columns",
    optional=("beta", "ddbeta", "ddgamma", "ddgate", "ddx", "gamma", "gate"),
    sums=(2, 0),
)


@_long.described_as(_numpy.forward)
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
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        if gate is not None:
            _straight.dense(_shape[:-1], _stored, gate)
        gamma_ = _straight.parameter((_D,), _dtype, gamma)
        beta_ = _straight.parameter((_D,), _dtype, beta)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, gate, gamma, beta)
    except _straight.Unusual:
        pass
    else:
        mu_ = np.empty(_shape[:-1], _dtype)
        mu_residual_ = np.empty(_shape[:-1], _dtype)
        rstd_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, beta is None, gamma is None, gate is None]
        _kernel(
            _straight.addresses(x, gate, gamma_, beta_, y_, mu_, mu_residual_, rstd_),
            (eps,),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (
            x.dtype,
            None if gate is None else gate.dtype,
            None if gamma is None else gamma.dtype,
            None if beta is None else beta.dtype,
        )
        return (
            y_,
            Saved(
                _shape, _dtype, _dtypes, x, gate, gamma, beta, mu_, mu_residual_, rstd_
            ),
        )
    return _numpy._forward(
        _forward_on_kernels, x, gate, gamma, beta, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, gate, gamma, beta, eps = _values
    y_, mu_, mu_residual_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, gate), (y_,))
    _operands.call(
        _FORWARD,
        (beta is None, gamma is None, gate is None),
        (eps,),
        (
            *_operands.read(x),
            *_operands.read(gate, axes=0),
            *_operands.shared(gamma, beta),
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
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False), (0, 1), threads
        )
        _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
        if (
            (_of_gate is None) != (saved.gate is None)
            or (_of_gamma is None) != (saved.gamma is None)
            or (_of_beta is None) != (saved.beta is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        if saved.gate is not None:
            _straight.dense(_shape[:-1], _stored, saved.gate)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        beta_ = _straight.parameter((_D,), _dtype, saved.beta)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dgate_ = (
            None
            if _of_gate is None
            else _straight.result(_out[1], _shape[:-1], _stored)
        )
        dgamma_ = (
            None
            if _of_gamma is None
            else _straight.result(_out[2], (_D,), _dtype, _of_gamma)
        )
        dbeta_ = (
            None
            if _of_beta is None
            else _straight.result(_out[3], (_D,), _dtype, _of_beta)
        )
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dgate_, dgamma_, dbeta_),
                dy,
                saved.x,
                saved.gate,
                saved.gamma,
                saved.beta,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[
            _kind,
            _of_beta is None,
            _of_gamma is None,
            _of_gate is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.gate,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                gamma_,
                beta_,
                dx_,
                dgate_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(gamma_, beta_, dgamma_, dbeta_),
        )
        return Gradients(
            dx_,
            dgate_,
            _straight.rounded(dgamma_, _of_gamma),
            _straight.rounded(dbeta_, _of_beta),
        )
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    (
        _saved_x,
        _saved_gate,
        _saved_gamma,
        _saved_beta,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dgate_, dgamma_, dbeta_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_gate, dy), (dx_, dgate_))
    _operands.call(
        _BACKWARD,
        (_saved_beta is None, _saved_gamma is None, _saved_gate is None),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gate, axes=0),
            *_operands.read(dy),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared(_saved_gamma, _saved_beta),
            *_operands.made(dx_),
            *_operands.made(dgate_, axes=0),
        ),
        (
            *_operands.shared(_saved_gamma, _saved_beta),
            *_operands.summed(dgamma_, dbeta_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gate_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False), (0, 1), threads
        )
        _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
        if (
            x_dot is gate_dot is gamma_dot is beta_dot is None
            or (_of_gate is None and gate_dot is not None)
            or (_of_gamma is None and gamma_dot is not None)
            or (_of_beta is None and beta_dot is not None)
            or (_of_gate is None) != (saved.gate is None)
            or (_of_gamma is None) != (saved.gamma is None)
            or (_of_beta is None) != (saved.beta is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        if saved.gate is not None:
            _straight.dense(_shape[:-1], _stored, saved.gate)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        beta_ = _straight.parameter((_D,), _dtype, saved.beta)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        if gate_dot is not None:
            _straight.dense(_shape[:-1], _stored, gate_dot)
        gamma_dot_ = _straight.parameter((_D,), _dtype, gamma_dot)
        beta_dot_ = _straight.parameter((_D,), _dtype, beta_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                gate_dot,
                gamma_dot,
                beta_dot,
                saved.x,
                saved.gate,
                saved.gamma,
                saved.beta,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            _of_beta is None,
            beta_dot is None,
            _of_gamma is None,
            gamma_dot is None,
            _of_gate is None,
            gate_dot is None,
            x_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.gate,
                x_dot,
                gate_dot,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                gamma_,
                beta_,
                gamma_dot_,
                beta_dot_,
                y_dot_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(
        _jvp_on_kernels, saved, x_dot, gate_dot, gamma_dot, beta_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, gate_dot, gamma_dot, beta_dot = _arguments
    (
        _saved_x,
        _saved_gate,
        _saved_gamma,
        _saved_beta,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_gate, x_dot, gate_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (
            _saved_beta is None,
            beta_dot is None,
            _saved_gamma is None,
            gamma_dot is None,
            _saved_gate is None,
            gate_dot is None,
            x_dot is None,
        ),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gate, axes=0),
            *_operands.read(x_dot),
            *_operands.read(gate_dot, axes=0),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared(_saved_gamma, _saved_beta, gamma_dot, beta_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
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
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False), (0, 1), threads
        )
        _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
        if (
            ddx is ddgate is ddgamma is ddbeta is None
            or (_of_gate is None and ddgate is not None)
            or (_of_gamma is None and ddgamma is not None)
            or (_of_beta is None and ddbeta is not None)
            or (_of_gate is None) != (saved.gate is None)
            or (_of_gamma is None) != (saved.gamma is None)
            or (_of_beta is None) != (saved.beta is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        if saved.gate is not None:
            _straight.dense(_shape[:-1], _stored, saved.gate)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        beta_ = _straight.parameter((_D,), _dtype, saved.beta)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        if ddgate is not None:
            _straight.dense(_shape[:-1], _stored, ddgate)
        ddgamma_ = _straight.parameter((_D,), _dtype, ddgamma)
        ddbeta_ = _straight.parameter((_D,), _dtype, ddbeta)
        _out = _straight.outs(out, 5)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dgate_ = (
            None
            if _of_gate is None
            else _straight.result(_out[1], _shape[:-1], _stored)
        )
        dgamma_ = (
            None
            if _of_gamma is None
            else _straight.result(_out[2], (_D,), _dtype, _of_gamma)
        )
        dbeta_ = (
            None
            if _of_beta is None
            else _straight.result(_out[3], (_D,), _dtype, _of_beta)
        )
        ddy_ = _straight.result(_out[4], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dgate_, dgamma_, dbeta_, ddy_),
                dy,
                ddx,
                ddgate,
                ddgamma,
                ddbeta,
                saved.x,
                saved.gate,
                saved.gamma,
                saved.beta,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            _of_beta is None,
            ddbeta is None,
            ddgamma is None,
            ddgate is None,
            ddx is None,
            _of_gamma is None,
            _of_gate is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.gate,
                dy,
                ddx,
                ddgate,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                gamma_,
                beta_,
                ddgamma_,
                ddbeta_,
                dx_,
                dgate_,
                ddy_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(gamma_, beta_, ddgamma_, ddbeta_, dgamma_, dbeta_),
        )
        return SecondGradients(
            dx_,
            dgate_,
            _straight.rounded(dgamma_, _of_gamma),
            _straight.rounded(dbeta_, _of_beta),
            ddy_,
        )
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        ddx,
        ddgate,
        ddgamma,
        ddbeta,
        out,
        threads,
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddgate, ddgamma, ddbeta = _arguments
    (
        _saved_x,
        _saved_gate,
        _saved_gamma,
        _saved_beta,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dgate_, dgamma_, dbeta_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_gate, dy, ddx, ddgate), (dx_, dgate_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            _saved_beta is None,
            ddbeta is None,
            ddgamma is None,
            ddgate is None,
            ddx is None,
            _saved_gamma is None,
            _saved_gate is None,
        ),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_gate, axes=0),
            *_operands.read(dy, ddx),
            *_operands.read(ddgate, axes=0),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared(_saved_gamma, _saved_beta, ddgamma, ddbeta),
            *_operands.made(dx_),
            *_operands.made(dgate_, axes=0),
            *_operands.made(ddy_),
        ),
        (
            *_operands.shared(_saved_gamma, _saved_beta, ddgamma, ddbeta),
            *_operands.summed(dgamma_, dbeta_),
        ),
    )
