# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

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
    __file__, "kernels", "adaptive_layer_norm_forward"
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "adaptive_layer_norm_backward"
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "adaptive_layer_norm_jvp",
    optional=("scale_dot", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "adaptive_layer_norm_backward_backward",
    optional=("ddscale", "ddshift", "ddx"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        _straight.dense(_shape, _stored, scale, shift)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, scale, shift)
    except _straight.Unusual:
        pass
    else:
        mu_ = np.empty(_shape[:-1], _dtype)
        mu_residual_ = np.empty(_shape[:-1], _dtype)
        rstd_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[(_kind,)]
        _kernel(
            _straight.addresses(x, scale, shift, y_, mu_, mu_residual_, rstd_),
            (eps,),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (x.dtype, scale.dtype, shift.dtype)
        return y_, Saved(_shape, _dtype, _dtypes, x, scale, mu_, mu_residual_, rstd_)
    return _numpy._forward(
        _forward_on_kernels, x, scale, shift, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, scale, shift, eps = _values
    y_, mu_, mu_residual_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, scale, shift), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (eps,),
        (
            *_operands.read(x, scale, shift),
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
            saved, Saved, (True, True, True), (0, 1, 2), threads
        )
        _of_x, _of_scale, _of_shift = saved[2]
        _straight.dense(_shape, _stored, saved.x, saved.scale, dy)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        _out = _straight.outs(out, 3)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dscale_ = _straight.result(_out[1], _shape, _stored)
        dshift_ = _straight.result(_out[2], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dscale_, dshift_),
                dy,
                saved.x,
                saved.scale,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[(_kind,)]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.scale,
                dy,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                dx_,
                dscale_,
                dshift_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return Gradients(dx_, dscale_, dshift_)
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_x, _saved_scale, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    dx_, dscale_, dshift_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_scale, dy), (dx_, dscale_, dshift_)
    )
    _operands.call(
        _BACKWARD,
        (),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, dy),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_, dscale_, dshift_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True), (0, 1, 2), threads
        )
        _of_x, _of_scale, _of_shift = saved[2]
        if x_dot is scale_dot is shift_dot is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.scale)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        if scale_dot is not None:
            _straight.dense(_shape, _stored, scale_dot)
        if shift_dot is not None:
            _straight.dense(_shape, _stored, shift_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                scale_dot,
                shift_dot,
                saved.x,
                saved.scale,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, scale_dot is None, shift_dot is None, x_dot is None]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.scale,
                x_dot,
                scale_dot,
                shift_dot,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                y_dot_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(
        _jvp_on_kernels, saved, x_dot, scale_dot, shift_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, scale_dot, shift_dot = _arguments
    _saved_x, _saved_scale, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_scale, x_dot, scale_dot, shift_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (scale_dot is None, shift_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, x_dot, scale_dot, shift_dot),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, True), (0, 1, 2), threads
        )
        _of_x, _of_scale, _of_shift = saved[2]
        if ddx is ddscale is ddshift is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.scale, dy)
        _straight.dense(_shape[:-1], _dtype, saved.mu, saved.mu_residual, saved.rstd)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        if ddscale is not None:
            _straight.dense(_shape, _stored, ddscale)
        if ddshift is not None:
            _straight.dense(_shape, _stored, ddshift)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dscale_ = _straight.result(_out[1], _shape, _stored)
        dshift_ = _straight.result(_out[2], _shape, _stored)
        ddy_ = _straight.result(_out[3], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dscale_, dshift_, ddy_),
                dy,
                ddx,
                ddscale,
                ddshift,
                saved.x,
                saved.scale,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            ddscale is None,
            ddshift is None,
            ddx is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.scale,
                dy,
                ddx,
                ddscale,
                ddshift,
                saved.mu,
                saved.mu_residual,
                saved.rstd,
                dx_,
                dscale_,
                dshift_,
                ddy_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return SecondGradients(dx_, dscale_, dshift_, ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddscale, ddshift, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddscale, ddshift = _arguments
    _saved_x, _saved_scale, _saved_mu, _saved_mu_residual, _saved_rstd = _fields
    dx_, dscale_, dshift_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_scale, dy, ddx, ddscale, ddshift),
        (dx_, dscale_, dshift_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddscale is None, ddshift is None, ddx is None),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, dy, ddx, ddscale, ddshift),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_, dscale_, dshift_, ddy_),
        ),
    )
