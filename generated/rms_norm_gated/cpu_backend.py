# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization.

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
    __file__, "kernels", "rms_norm_gated_forward", optional=("gamma",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_gated_backward",
    "rms_norm_gated_backward_columns",
    optional=("gamma",),
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_gated_jvp",
    optional=("gamma", "gamma_dot", "x_dot", "z_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_gated_backward_backward",
    "rms_norm_gated_backward_backward_columns",
    optional=("ddgamma", "ddx", "ddz", "gamma"),
    sums=(1, 0),
)


@_long.described_as(_numpy.forward)
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
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        _straight.dense(_shape, _stored, z)
        gamma_ = _straight.parameter((_D,), _dtype, gamma)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, z, gamma)
    except _straight.Unusual:
        pass
    else:
        rstd_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, gamma is None]
        _kernel(
            _straight.addresses(x, z, gamma_, y_, rstd_), (eps,), _rows, _D, threads
        )
        if not save:
            return y_, None
        _dtypes = (x.dtype, z.dtype, None if gamma is None else gamma.dtype)
        return y_, Saved(_shape, _dtype, _dtypes, x, z, gamma, rstd_)
    return _numpy._forward(_forward_on_kernels, x, z, gamma, eps, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, z, gamma, eps = _values
    y_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, z), (y_,))
    _operands.call(
        _FORWARD,
        (gamma is None,),
        (eps,),
        (
            *_operands.read(x, z),
            *_operands.shared(gamma),
            *_operands.made(y_),
            *_operands.made_once(rstd_),
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
            saved, Saved, (True, True, False), (0, 1), threads
        )
        _of_x, _of_z, _of_gamma = saved[2]
        if (_of_gamma is None) != (saved.gamma is None):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.z, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        _out = _straight.outs(out, 3)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dz_ = _straight.result(_out[1], _shape, _stored)
        dgamma_ = (
            None
            if _of_gamma is None
            else _straight.result(_out[2], (_D,), _dtype, _of_gamma)
        )
        if out is not None:
            _straight.apart(
                _out, (dx_, dz_, dgamma_), dy, saved.x, saved.z, saved.gamma, saved.rstd
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[_kind, _of_gamma is None]
        _kernel(
            _straight.addresses(saved.x, saved.z, dy, saved.rstd, gamma_, dx_, dz_),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(gamma_, dgamma_),
        )
        return Gradients(dx_, dz_, _straight.rounded(dgamma_, _of_gamma))
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_x, _saved_z, _saved_gamma, _saved_rstd = _fields
    dx_, dz_, dgamma_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_z, dy), (dx_, dz_))
    _operands.call(
        _BACKWARD,
        (_saved_gamma is None,),
        (),
        (
            *_operands.read(_saved_x, _saved_z, dy),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_gamma),
            *_operands.made(dx_, dz_),
        ),
        (*_operands.shared(_saved_gamma), *_operands.summed(dgamma_)),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    z_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, False), (0, 1), threads
        )
        _of_x, _of_z, _of_gamma = saved[2]
        if (
            x_dot is z_dot is gamma_dot is None
            or (_of_gamma is None and gamma_dot is not None)
            or (_of_gamma is None) != (saved.gamma is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.z)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        if z_dot is not None:
            _straight.dense(_shape, _stored, z_dot)
        gamma_dot_ = _straight.parameter((_D,), _dtype, gamma_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                z_dot,
                gamma_dot,
                saved.x,
                saved.z,
                saved.gamma,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            _of_gamma is None,
            gamma_dot is None,
            x_dot is None,
            z_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x, saved.z, x_dot, z_dot, saved.rstd, gamma_, gamma_dot_, y_dot_
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, z_dot, gamma_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, z_dot, gamma_dot = _arguments
    _saved_x, _saved_z, _saved_gamma, _saved_rstd = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_z, x_dot, z_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (_saved_gamma is None, gamma_dot is None, x_dot is None, z_dot is None),
        (),
        (
            *_operands.read(_saved_x, _saved_z, x_dot, z_dot),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_gamma, gamma_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
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
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, False), (0, 1), threads
        )
        _of_x, _of_z, _of_gamma = saved[2]
        if (
            ddx is ddz is ddgamma is None
            or (_of_gamma is None and ddgamma is not None)
            or (_of_gamma is None) != (saved.gamma is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.z, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        gamma_ = _straight.parameter((_D,), _dtype, saved.gamma)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        if ddz is not None:
            _straight.dense(_shape, _stored, ddz)
        ddgamma_ = _straight.parameter((_D,), _dtype, ddgamma)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dz_ = _straight.result(_out[1], _shape, _stored)
        dgamma_ = (
            None
            if _of_gamma is None
            else _straight.result(_out[2], (_D,), _dtype, _of_gamma)
        )
        ddy_ = _straight.result(_out[3], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dz_, dgamma_, ddy_),
                dy,
                ddx,
                ddz,
                ddgamma,
                saved.x,
                saved.z,
                saved.gamma,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            ddgamma is None,
            ddx is None,
            ddz is None,
            _of_gamma is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.z,
                dy,
                ddx,
                ddz,
                saved.rstd,
                gamma_,
                ddgamma_,
                dx_,
                dz_,
                ddy_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(gamma_, ddgamma_, dgamma_),
        )
        return SecondGradients(dx_, dz_, _straight.rounded(dgamma_, _of_gamma), ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddz, ddgamma, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddz, ddgamma = _arguments
    _saved_x, _saved_z, _saved_gamma, _saved_rstd = _fields
    dx_, dz_, dgamma_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_z, dy, ddx, ddz), (dx_, dz_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddgamma is None, ddx is None, ddz is None, _saved_gamma is None),
        (),
        (
            *_operands.read(_saved_x, _saved_z, dy, ddx, ddz),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_gamma, ddgamma),
            *_operands.made(dx_, dz_, ddy_),
        ),
        (*_operands.shared(_saved_gamma, ddgamma), *_operands.summed(dgamma_)),
    )
