# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output.

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
    Outputs,
    Saved,
    SecondGradients,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Outputs",
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
    __file__, "kernels", "dropout_add_layer_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "dropout_add_layer_norm_backward",
    "dropout_add_layer_norm_backward_columns",
    optional=("beta", "dh", "dy", "gamma"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dropout_add_layer_norm_jvp",
    optional=("beta_dot", "gamma", "gamma_dot", "residual_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dropout_add_layer_norm_backward_backward",
    "dropout_add_layer_norm_backward_backward_columns",
    optional=("beta", "ddbeta", "ddgamma", "ddresidual", "ddx", "dh", "dy", "gamma"),
    sums=(1, 0),
)


@_long.described_as(_numpy.forward)
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
    p = _calls.constant("p", p, signed=False)
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        if seed is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, residual)
        seed_ = _straight.integers((), seed)
        gamma_ = _straight.parameter((_D,), _dtype, gamma)
        beta_ = _straight.parameter((_D,), _dtype, beta)
        _out = _straight.outs(out, 2)
        y_ = _straight.result(_out[0], _shape, _stored)
        h_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(_out, (y_, h_), x, residual, seed, gamma, beta)
    except _straight.Unusual:
        pass
    else:
        mu_ = np.empty(_shape[:-1], _dtype)
        mu_residual_ = np.empty(_shape[:-1], _dtype)
        rstd_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, beta is None, gamma is None]
        _kernel(
            _straight.addresses(
                x, residual, seed_, gamma_, beta_, y_, h_, mu_, mu_residual_, rstd_
            ),
            (p, eps),
            _rows,
            _D,
            threads,
        )
        if not save:
            return Outputs(y_, h_), None
        _dtypes = (
            x.dtype,
            residual.dtype,
            _straight.dtype_of(seed),
            None if gamma is None else gamma.dtype,
            None if beta is None else beta.dtype,
        )
        return (
            Outputs(y_, h_),
            Saved(
                _shape, _dtype, _dtypes, h_, seed, gamma, p, mu_, mu_residual_, rstd_
            ),
        )
    return _numpy._forward(
        _forward_on_kernels, x, residual, seed, gamma, beta, p, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, residual, seed, gamma, beta, p, eps = _values
    y_, h_, mu_, mu_residual_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, residual), (y_, h_))
    _operands.call(
        _FORWARD,
        (beta is None, gamma is None),
        (p, eps),
        (
            *_operands.read(x, residual),
            *_operands.shared_integers(seed),
            *_operands.shared(gamma, beta),
            *_operands.made(y_, h_),
            *_operands.made_once(mu_, mu_residual_, rstd_),
        ),
    )


@_long.described_as(_numpy.backward)
def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
        if (
            dy is dh is None
            or saved.seed is None
            or (_of_gamma is None) != (saved.gamma is None)
            or type(saved.p) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.h)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        seed_ = _straight.integers((), saved.seed)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if dy is not None:
            _straight.dense(_shape, _stored, dy)
        if dh is not None:
            _straight.dense(_shape, _stored, dh)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dresidual_ = _straight.result(_out[1], _shape, _stored)
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
                (dx_, dresidual_, dgamma_, dbeta_),
                dy,
                dh,
                saved.h,
                saved.seed,
                saved.gamma,
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
            dh is None,
            dy is None,
            _of_gamma is None,
        ]
        _kernel(
            _straight.addresses(
                saved.h,
                dy,
                dh,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                seed_,
                gamma_,
                dx_,
                dresidual_,
            ),
            (saved.p,),
            _rows,
            _D,
            threads,
            _straight.addresses(seed_, gamma_, dgamma_, dbeta_),
        )
        return Gradients(
            dx_,
            dresidual_,
            _straight.rounded(dgamma_, _of_gamma),
            _straight.rounded(dbeta_, _of_beta),
        )
    return _numpy._backward(_backward_on_kernels, saved, dy, dh, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dh = _arguments
    (
        _saved_h,
        _saved_seed,
        _saved_gamma,
        _saved_p,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dresidual_, dgamma_, dbeta_ = _results
    _operands = _long.RowOperands(_call, (_saved_h, dy, dh), (dx_, dresidual_))
    _operands.call(
        _BACKWARD,
        (dbeta_ is None, dh is None, dy is None, _saved_gamma is None),
        (_saved_p,),
        (
            *_operands.read(_saved_h, dy, dh),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared_integers(_saved_seed),
            *_operands.shared(_saved_gamma),
            *_operands.made(dx_, dresidual_),
        ),
        (
            *_operands.shared_integers(_saved_seed),
            *_operands.shared(_saved_gamma),
            *_operands.summed(dgamma_, dbeta_),
        ),
    )


@_long.described_as(_numpy.jvp)
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
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
        if (
            x_dot is residual_dot is gamma_dot is beta_dot is None
            or (_of_gamma is None and gamma_dot is not None)
            or (_of_beta is None and beta_dot is not None)
            or saved.seed is None
            or (_of_gamma is None) != (saved.gamma is None)
            or type(saved.p) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.h)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        seed_ = _straight.integers((), saved.seed)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        if residual_dot is not None:
            _straight.dense(_shape, _stored, residual_dot)
        gamma_dot_ = _straight.parameter((_D,), _dtype, gamma_dot)
        beta_dot_ = _straight.parameter((_D,), _dtype, beta_dot)
        _out = _straight.outs(out, 2)
        y_dot_ = _straight.result(_out[0], _shape, _stored)
        h_dot_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (y_dot_, h_dot_),
                x_dot,
                residual_dot,
                gamma_dot,
                beta_dot,
                saved.h,
                saved.seed,
                saved.gamma,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            beta_dot is None,
            _of_gamma is None,
            gamma_dot is None,
            residual_dot is None,
            x_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.h,
                x_dot,
                residual_dot,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                seed_,
                gamma_,
                gamma_dot_,
                beta_dot_,
                y_dot_,
                h_dot_,
            ),
            (saved.p,),
            _rows,
            _D,
            threads,
        )
        return Outputs(y_dot_, h_dot_)
    return _numpy._jvp(
        _jvp_on_kernels, saved, x_dot, residual_dot, gamma_dot, beta_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, residual_dot, gamma_dot, beta_dot = _arguments
    (
        _saved_h,
        _saved_seed,
        _saved_gamma,
        _saved_p,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    y_dot_, h_dot_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_h, x_dot, residual_dot), (y_dot_, h_dot_)
    )
    _operands.call(
        _JVP,
        (
            beta_dot is None,
            _saved_gamma is None,
            gamma_dot is None,
            residual_dot is None,
            x_dot is None,
        ),
        (_saved_p,),
        (
            *_operands.read(_saved_h, x_dot, residual_dot),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared_integers(_saved_seed),
            *_operands.shared(_saved_gamma, gamma_dot, beta_dot),
            *_operands.made(y_dot_, h_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
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
    dy, dh = _calls.each_cotangent(cotangents, ("dy", "dh"))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
        if (
            dy is dh is None
            or ddx is ddresidual is ddgamma is ddbeta is None
            or (_of_gamma is None and ddgamma is not None)
            or (_of_beta is None and ddbeta is not None)
            or saved.seed is None
            or (_of_gamma is None) != (saved.gamma is None)
            or type(saved.p) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.h)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        seed_ = _straight.integers((), saved.seed)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if dy is not None:
            _straight.dense(_shape, _stored, dy)
        if dh is not None:
            _straight.dense(_shape, _stored, dh)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        if ddresidual is not None:
            _straight.dense(_shape, _stored, ddresidual)
        ddgamma_ = _straight.parameter((_D,), _dtype, ddgamma)
        ddbeta_ = _straight.parameter((_D,), _dtype, ddbeta)
        _out = _straight.outs(out, 6)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dresidual_ = _straight.result(_out[1], _shape, _stored)
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
        ddy_ = None if dy is None else _straight.result(_out[4], _shape, _stored)
        ddh_ = None if dh is None else _straight.result(_out[5], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dresidual_, dgamma_, dbeta_, ddy_, ddh_),
                dy,
                dh,
                ddx,
                ddresidual,
                ddgamma,
                ddbeta,
                saved.h,
                saved.seed,
                saved.gamma,
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
            ddresidual is None,
            ddx is None,
            dh is None,
            dy is None,
            _of_gamma is None,
        ]
        _kernel(
            _straight.addresses(
                saved.h,
                dy,
                dh,
                ddx,
                ddresidual,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                seed_,
                gamma_,
                ddgamma_,
                ddbeta_,
                dx_,
                dresidual_,
                ddy_,
                ddh_,
            ),
            (saved.p,),
            _rows,
            _D,
            threads,
            _straight.addresses(seed_, gamma_, ddgamma_, ddbeta_, dgamma_, dbeta_),
        )
        return SecondGradients(
            dx_,
            dresidual_,
            _straight.rounded(dgamma_, _of_gamma),
            _straight.rounded(dbeta_, _of_beta),
            ddy_,
            ddh_,
        )
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        dh,
        ddx,
        ddresidual,
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
    dy, dh, ddx, ddresidual, ddgamma, ddbeta = _arguments
    (
        _saved_h,
        _saved_seed,
        _saved_gamma,
        _saved_p,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dresidual_, dgamma_, dbeta_, ddy_, ddh_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_h, dy, dh, ddx, ddresidual), (dx_, dresidual_, ddy_, ddh_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            dbeta_ is None,
            ddbeta is None,
            ddgamma is None,
            ddresidual is None,
            ddx is None,
            dh is None,
            dy is None,
            _saved_gamma is None,
        ),
        (_saved_p,),
        (
            *_operands.read(_saved_h, dy, dh, ddx, ddresidual),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.shared_integers(_saved_seed),
            *_operands.shared(_saved_gamma, ddgamma, ddbeta),
            *_operands.made(dx_, dresidual_, ddy_, ddh_),
        ),
        (
            *_operands.shared_integers(_saved_seed),
            *_operands.shared(_saved_gamma, ddgamma, ddbeta),
            *_operands.summed(dgamma_, dbeta_),
        ),
    )
