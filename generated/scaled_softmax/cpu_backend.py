# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature.

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
    __file__, "kernels", "scaled_softmax_forward", optional=("scale",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "scaled_softmax_backward",
    "scaled_softmax_backward_columns",
    optional=("scale",),
    sums=(0, 1),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "scaled_softmax_jvp",
    optional=("scale", "scale_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "scaled_softmax_backward_backward",
    "scaled_softmax_backward_backward_columns",
    optional=("ddscale", "ddx", "scale"),
    sums=(0, 1),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        scale_ = _straight.number(_dtype, scale)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, scale)
    except _straight.Unusual:
        pass
    else:
        m_ = np.empty(_shape[:-1], _dtype)
        inv_Z_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, scale is None]
        _kernel(_straight.addresses(x, scale_, y_, m_, inv_Z_), (), _rows, _D, threads)
        if not save:
            return y_, None
        _dtypes = (x.dtype, None if scale is None else _straight.dtype_of(scale))
        return y_, Saved(_shape, _dtype, _dtypes, x, scale, m_, inv_Z_)
    return _numpy._forward(_forward_on_kernels, x, scale, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, scale = _values
    y_, m_, inv_Z_ = _results
    _operands = _long.RowOperands(_call, (x,), (y_,))
    _operands.call(
        _FORWARD,
        (scale is None,),
        (),
        (
            *_operands.read(x),
            *_operands.shared(scale),
            *_operands.made(y_),
            *_operands.made_once(m_, inv_Z_),
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
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_scale = saved[2]
        if (_of_scale is None) != (saved.scale is None):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.inv_Z)
        scale_ = _straight.number(_dtype, saved.scale)
        _out = _straight.outs(out, 2)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dscale_ = (
            None
            if _of_scale is None
            else _straight.result(_out[1], (), _dtype, _of_scale)
        )
        if out is not None:
            _straight.apart(
                _out, (dx_, dscale_), dy, saved.x, saved.scale, saved.m, saved.inv_Z
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[_kind, _of_scale is None]
        _kernel(
            _straight.addresses(saved.x, dy, saved.m, saved.inv_Z, scale_, dx_),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(scale_, dscale_),
        )
        return Gradients(dx_, _straight.rounded(dscale_, _of_scale))
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_x, _saved_scale, _saved_m, _saved_inv_Z = _fields
    dx_, dscale_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (_saved_scale is None,),
        (),
        (
            *_operands.read(_saved_x, dy),
            *_operands.computed_before(_saved_m, _saved_inv_Z),
            *_operands.shared(_saved_scale),
            *_operands.made(dx_),
        ),
        (*_operands.shared(_saved_scale), *_operands.summed(dscale_)),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_scale = saved[2]
        if (
            x_dot is scale_dot is None
            or (_of_scale is None and scale_dot is not None)
            or (_of_scale is None) != (saved.scale is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.inv_Z)
        scale_ = _straight.number(_dtype, saved.scale)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        scale_dot_ = _straight.number(_dtype, scale_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                scale_dot,
                saved.x,
                saved.scale,
                saved.m,
                saved.inv_Z,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, _of_scale is None, scale_dot is None, x_dot is None]
        _kernel(
            _straight.addresses(
                saved.x, x_dot, saved.m, saved.inv_Z, scale_, scale_dot_, y_dot_
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, scale_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, scale_dot = _arguments
    _saved_x, _saved_scale, _saved_m, _saved_inv_Z = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (_saved_scale is None, scale_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x, x_dot),
            *_operands.computed_before(_saved_m, _saved_inv_Z),
            *_operands.shared(_saved_scale, scale_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_scale = saved[2]
        if (
            ddx is ddscale is None
            or (_of_scale is None and ddscale is not None)
            or (_of_scale is None) != (saved.scale is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.inv_Z)
        scale_ = _straight.number(_dtype, saved.scale)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        ddscale_ = _straight.number(_dtype, ddscale)
        _out = _straight.outs(out, 3)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dscale_ = (
            None
            if _of_scale is None
            else _straight.result(_out[1], (), _dtype, _of_scale)
        )
        ddy_ = _straight.result(_out[2], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dscale_, ddy_),
                dy,
                ddx,
                ddscale,
                saved.x,
                saved.scale,
                saved.m,
                saved.inv_Z,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            ddscale is None,
            ddx is None,
            _of_scale is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x, dy, ddx, saved.m, saved.inv_Z, scale_, ddscale_, dx_, ddy_
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(scale_, ddscale_, dscale_),
        )
        return SecondGradients(dx_, _straight.rounded(dscale_, _of_scale), ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddscale, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddscale = _arguments
    _saved_x, _saved_scale, _saved_m, _saved_inv_Z = _fields
    dx_, dscale_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddscale is None, ddx is None, _saved_scale is None),
        (),
        (
            *_operands.read(_saved_x, dy, ddx),
            *_operands.computed_before(_saved_m, _saved_inv_Z),
            *_operands.shared(_saved_scale, ddscale),
            *_operands.made(dx_, ddy_),
        ),
        (*_operands.shared(_saved_scale, ddscale), *_operands.summed(dscale_)),
    )
