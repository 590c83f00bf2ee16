# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one.

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
    __file__, "kernels", "offset_rms_norm_forward", optional=("w",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "offset_rms_norm_backward",
    "offset_rms_norm_backward_columns",
    optional=("w",),
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "offset_rms_norm_jvp", optional=("w", "w_dot", "x_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "offset_rms_norm_backward_backward",
    "offset_rms_norm_backward_backward_columns",
    optional=("ddw", "ddx", "w"),
    sums=(1, 0),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        w_ = _straight.parameter((_D,), _dtype, w)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, w)
    except _straight.Unusual:
        pass
    else:
        rstd_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, w is None]
        _kernel(_straight.addresses(x, w_, y_, rstd_), (eps,), _rows, _D, threads)
        if not save:
            return y_, None
        _dtypes = (x.dtype, None if w is None else w.dtype)
        return y_, Saved(_shape, _dtype, _dtypes, x, w, rstd_)
    return _numpy._forward(_forward_on_kernels, x, w, eps, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, w, eps = _values
    y_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x,), (y_,))
    _operands.call(
        _FORWARD,
        (w is None,),
        (eps,),
        (
            *_operands.read(x),
            *_operands.shared(w),
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
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_w = saved[2]
        if (_of_w is None) != (saved.w is None):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        w_ = _straight.parameter((_D,), _dtype, saved.w)
        _out = _straight.outs(out, 2)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dw_ = None if _of_w is None else _straight.result(_out[1], (_D,), _dtype, _of_w)
        if out is not None:
            _straight.apart(_out, (dx_, dw_), dy, saved.x, saved.w, saved.rstd)
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[_kind, _of_w is None]
        _kernel(
            _straight.addresses(saved.x, dy, saved.rstd, w_, dx_),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(w_, dw_),
        )
        return Gradients(dx_, _straight.rounded(dw_, _of_w))
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_x, _saved_w, _saved_rstd = _fields
    dx_, dw_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (_saved_w is None,),
        (),
        (
            *_operands.read(_saved_x, dy),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_w),
            *_operands.made(dx_),
        ),
        (*_operands.shared(_saved_w), *_operands.summed(dw_)),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    w_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_w = saved[2]
        if (
            x_dot is w_dot is None
            or (_of_w is None and w_dot is not None)
            or (_of_w is None) != (saved.w is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        w_ = _straight.parameter((_D,), _dtype, saved.w)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        w_dot_ = _straight.parameter((_D,), _dtype, w_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,), (y_dot_,), x_dot, w_dot, saved.x, saved.w, saved.rstd
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, _of_w is None, w_dot is None, x_dot is None]
        _kernel(
            _straight.addresses(saved.x, x_dot, saved.rstd, w_, w_dot_, y_dot_),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, w_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, w_dot = _arguments
    _saved_x, _saved_w, _saved_rstd = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (_saved_w is None, w_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x, x_dot),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_w, w_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddw: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False), (0,), threads
        )
        _of_x, _of_w = saved[2]
        if (
            ddx is ddw is None
            or (_of_w is None and ddw is not None)
            or (_of_w is None) != (saved.w is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd)
        w_ = _straight.parameter((_D,), _dtype, saved.w)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        ddw_ = _straight.parameter((_D,), _dtype, ddw)
        _out = _straight.outs(out, 3)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dw_ = None if _of_w is None else _straight.result(_out[1], (_D,), _dtype, _of_w)
        ddy_ = _straight.result(_out[2], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out, (dx_, dw_, ddy_), dy, ddx, ddw, saved.x, saved.w, saved.rstd
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddw is None, ddx is None, _of_w is None]
        _kernel(
            _straight.addresses(saved.x, dy, ddx, saved.rstd, w_, ddw_, dx_, ddy_),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(w_, ddw_, dw_),
        )
        return SecondGradients(dx_, _straight.rounded(dw_, _of_w), ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddw, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddw = _arguments
    _saved_x, _saved_w, _saved_rstd = _fields
    dx_, dw_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddw is None, ddx is None, _saved_w is None),
        (),
        (
            *_operands.read(_saved_x, dy, ddx),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_w, ddw),
            *_operands.made(dx_, ddy_),
        ),
        (*_operands.shared(_saved_w, ddw), *_operands.summed(dw_)),
    )
