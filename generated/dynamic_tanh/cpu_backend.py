# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm.

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
    __file__, "kernels", "dynamic_tanh_forward", optional=("alpha", "beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "dynamic_tanh_backward",
    "dynamic_tanh_backward_columns",
    optional=("alpha", "beta", "gamma"),
    sums=(2, 1),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dynamic_tanh_jvp",
    optional=("alpha", "alpha_dot", "beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dynamic_tanh_backward_backward",
    "dynamic_tanh_backward_backward_columns",
    optional=("alpha", "beta", "ddalpha", "ddbeta", "ddgamma", "ddx", "gamma"),
    sums=(1, 1),
)


@_long.described_as(_numpy.forward)
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
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        alpha_ = _straight.number(_dtype, alpha)
        gamma_ = _straight.parameter((_D,), _dtype, gamma)
        beta_ = _straight.parameter((_D,), _dtype, beta)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, alpha, gamma, beta)
    except _straight.Unusual:
        pass
    else:
        _kernel = _FORWARD[_kind, alpha is None, beta is None, gamma is None]
        _kernel(
            _straight.addresses(x, alpha_, gamma_, beta_, y_), (), _rows, _D, threads
        )
        if not save:
            return y_, None
        _dtypes = (
            x.dtype,
            None if alpha is None else _straight.dtype_of(alpha),
            None if gamma is None else gamma.dtype,
            None if beta is None else beta.dtype,
        )
        return y_, Saved(_shape, _dtype, _dtypes, x, alpha, gamma)
    return _numpy._forward(
        _forward_on_kernels, x, alpha, gamma, beta, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, alpha, gamma, beta = _values
    (y_,) = _results
    _operands = _long.RowOperands(_call, (x,), (y_,))
    _operands.call(
        _FORWARD,
        (alpha is None, beta is None, gamma is None),
        (),
        (
            *_operands.read(x),
            *_operands.shared(alpha, gamma, beta),
            *_operands.made(y_),
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
            saved, Saved, (True, False, False, False), (0,), threads
        )
        _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
        if (_of_alpha is None) != (saved.alpha is None) or (_of_gamma is None) != (
            saved.gamma is None
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        alpha_ = _straight.number(_dtype, saved.alpha)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dalpha_ = (
            None
            if _of_alpha is None
            else _straight.result(_out[1], (), _dtype, _of_alpha)
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
                (dx_, dalpha_, dgamma_, dbeta_),
                dy,
                saved.x,
                saved.alpha,
                saved.gamma,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[
            _kind,
            _of_alpha is None,
            _of_beta is None,
            _of_gamma is None,
        ]
        _kernel(
            _straight.addresses(saved.x, dy, alpha_, gamma_, dx_),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(alpha_, gamma_, dalpha_, dgamma_, dbeta_),
        )
        return Gradients(
            dx_,
            _straight.rounded(dalpha_, _of_alpha),
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
    _saved_x, _saved_alpha, _saved_gamma = _fields
    dx_, dalpha_, dgamma_, dbeta_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (_saved_alpha is None, dbeta_ is None, _saved_gamma is None),
        (),
        (
            *_operands.read(_saved_x, dy),
            *_operands.shared(_saved_alpha, _saved_gamma),
            *_operands.made(dx_),
        ),
        (
            *_operands.shared(_saved_alpha, _saved_gamma),
            *_operands.summed(dalpha_, dgamma_, dbeta_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    alpha_dot: float | npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False), (0,), threads
        )
        _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
        if (
            x_dot is alpha_dot is gamma_dot is beta_dot is None
            or (_of_alpha is None and alpha_dot is not None)
            or (_of_gamma is None and gamma_dot is not None)
            or (_of_beta is None and beta_dot is not None)
            or (_of_alpha is None) != (saved.alpha is None)
            or (_of_gamma is None) != (saved.gamma is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        alpha_ = _straight.number(_dtype, saved.alpha)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        alpha_dot_ = _straight.number(_dtype, alpha_dot)
        gamma_dot_ = _straight.parameter((_D,), _dtype, gamma_dot)
        beta_dot_ = _straight.parameter((_D,), _dtype, beta_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                alpha_dot,
                gamma_dot,
                beta_dot,
                saved.x,
                saved.alpha,
                saved.gamma,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            _of_alpha is None,
            alpha_dot is None,
            beta_dot is None,
            _of_gamma is None,
            gamma_dot is None,
            x_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                x_dot,
                alpha_,
                gamma_,
                alpha_dot_,
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
        _jvp_on_kernels, saved, x_dot, alpha_dot, gamma_dot, beta_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, alpha_dot, gamma_dot, beta_dot = _arguments
    _saved_x, _saved_alpha, _saved_gamma = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (
            _saved_alpha is None,
            alpha_dot is None,
            beta_dot is None,
            _saved_gamma is None,
            gamma_dot is None,
            x_dot is None,
        ),
        (),
        (
            *_operands.read(_saved_x, x_dot),
            *_operands.shared(
                _saved_alpha, _saved_gamma, alpha_dot, gamma_dot, beta_dot
            ),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
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
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False), (0,), threads
        )
        _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
        if (
            ddx is ddalpha is ddgamma is ddbeta is None
            or (_of_alpha is None and ddalpha is not None)
            or (_of_gamma is None and ddgamma is not None)
            or (_of_beta is None and ddbeta is not None)
            or (_of_alpha is None) != (saved.alpha is None)
            or (_of_gamma is None) != (saved.gamma is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        alpha_ = _straight.number(_dtype, saved.alpha)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        ddalpha_ = _straight.number(_dtype, ddalpha)
        ddgamma_ = _straight.parameter((_D,), _dtype, ddgamma)
        ddbeta_ = _straight.parameter((_D,), _dtype, ddbeta)
        _out = _straight.outs(out, 5)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dalpha_ = (
            None
            if _of_alpha is None
            else _straight.result(_out[1], (), _dtype, _of_alpha)
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
                (dx_, dalpha_, dgamma_, dbeta_, ddy_),
                dy,
                ddx,
                ddalpha,
                ddgamma,
                ddbeta,
                saved.x,
                saved.alpha,
                saved.gamma,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            _of_alpha is None,
            _of_beta is None,
            ddalpha is None,
            ddbeta is None,
            ddgamma is None,
            ddx is None,
            _of_gamma is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x, dy, ddx, alpha_, gamma_, ddalpha_, ddgamma_, ddbeta_, dx_, ddy_
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(
                alpha_, gamma_, ddalpha_, ddgamma_, ddbeta_, dalpha_, dgamma_, dbeta_
            ),
        )
        return SecondGradients(
            dx_,
            _straight.rounded(dalpha_, _of_alpha),
            _straight.rounded(dgamma_, _of_gamma),
            _straight.rounded(dbeta_, _of_beta),
            ddy_,
        )
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        ddx,
        ddalpha,
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
    dy, ddx, ddalpha, ddgamma, ddbeta = _arguments
    _saved_x, _saved_alpha, _saved_gamma = _fields
    dx_, dalpha_, dgamma_, dbeta_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            _saved_alpha is None,
            dbeta_ is None,
            ddalpha is None,
            ddbeta is None,
            ddgamma is None,
            ddx is None,
            _saved_gamma is None,
        ),
        (),
        (
            *_operands.read(_saved_x, dy, ddx),
            *_operands.shared(_saved_alpha, _saved_gamma, ddalpha, ddgamma, ddbeta),
            *_operands.made(dx_, ddy_),
        ),
        (
            *_operands.shared(_saved_alpha, _saved_gamma, ddalpha, ddgamma, ddbeta),
            *_operands.summed(dalpha_, dgamma_, dbeta_),
        ),
    )
