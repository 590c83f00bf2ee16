# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
"""Polynomial of a row whose powers are each scaled to root mean square 1.

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
    "poly_norm_forward",
    optional=("bias", "cubic", "linear", "square"),
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "poly_norm_backward",
    "poly_norm_backward_columns",
    optional=("bias", "cubic", "linear", "square"),
    sums=(0, 4),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "poly_norm_jvp",
    optional=(
        "bias_dot",
        "cubic",
        "cubic_dot",
        "linear",
        "linear_dot",
        "square",
        "square_dot",
        "x_dot",
    ),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "poly_norm_backward_backward",
    "poly_norm_backward_backward_columns",
    optional=(
        "bias",
        "cubic",
        "ddbias",
        "ddcubic",
        "ddlinear",
        "ddsquare",
        "ddx",
        "linear",
        "square",
    ),
    sums=(0, 3),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    cubic: float | npt.NDArray[Any] | None = None,
    square: float | npt.NDArray[Any] | None = None,
    linear: float | npt.NDArray[Any] | None = None,
    bias: float | npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        cubic_ = _straight.number(_dtype, cubic)
        square_ = _straight.number(_dtype, square)
        linear_ = _straight.number(_dtype, linear)
        bias_ = _straight.number(_dtype, bias)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, cubic, square, linear, bias)
    except _straight.Unusual:
        pass
    else:
        rstd_ = np.empty(_shape[:-1], _dtype)
        rstd_2_ = np.empty(_shape[:-1], _dtype)
        rstd_3_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[
            _kind,
            bias is None,
            cubic is None,
            linear is None,
            square is None,
        ]
        _kernel(
            _straight.addresses(
                x, cubic_, square_, linear_, bias_, y_, rstd_, rstd_2_, rstd_3_
            ),
            (eps,),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (
            x.dtype,
            None if cubic is None else _straight.dtype_of(cubic),
            None if square is None else _straight.dtype_of(square),
            None if linear is None else _straight.dtype_of(linear),
            None if bias is None else _straight.dtype_of(bias),
        )
        return (
            y_,
            Saved(
                _shape,
                _dtype,
                _dtypes,
                x,
                cubic,
                square,
                linear,
                rstd_,
                rstd_2_,
                rstd_3_,
            ),
        )
    return _numpy._forward(
        _forward_on_kernels, x, cubic, square, linear, bias, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, cubic, square, linear, bias, eps = _values
    y_, rstd_, rstd_2_, rstd_3_ = _results
    _operands = _long.RowOperands(_call, (x,), (y_,))
    _operands.call(
        _FORWARD,
        (bias is None, cubic is None, linear is None, square is None),
        (eps,),
        (
            *_operands.read(x),
            *_operands.shared(cubic, square, linear, bias),
            *_operands.made(y_),
            *_operands.made_once(rstd_, rstd_2_, rstd_3_),
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
            saved, Saved, (True, False, False, False, False), (0,), threads
        )
        _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
        if (
            (_of_cubic is None) != (saved.cubic is None)
            or (_of_square is None) != (saved.square is None)
            or (_of_linear is None) != (saved.linear is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2, saved.rstd_3)
        cubic_ = _straight.number(_dtype, saved.cubic)
        square_ = _straight.number(_dtype, saved.square)
        linear_ = _straight.number(_dtype, saved.linear)
        _out = _straight.outs(out, 5)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dcubic_ = (
            None
            if _of_cubic is None
            else _straight.result(_out[1], (), _dtype, _of_cubic)
        )
        dsquare_ = (
            None
            if _of_square is None
            else _straight.result(_out[2], (), _dtype, _of_square)
        )
        dlinear_ = (
            None
            if _of_linear is None
            else _straight.result(_out[3], (), _dtype, _of_linear)
        )
        dbias_ = (
            None
            if _of_bias is None
            else _straight.result(_out[4], (), _dtype, _of_bias)
        )
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dcubic_, dsquare_, dlinear_, dbias_),
                dy,
                saved.x,
                saved.cubic,
                saved.square,
                saved.linear,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[
            _kind,
            _of_bias is None,
            _of_cubic is None,
            _of_linear is None,
            _of_square is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                dy,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
                cubic_,
                square_,
                linear_,
                dx_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(
                cubic_, square_, linear_, dcubic_, dsquare_, dlinear_, dbias_
            ),
        )
        return Gradients(
            dx_,
            _straight.rounded(dcubic_, _of_cubic),
            _straight.rounded(dsquare_, _of_square),
            _straight.rounded(dlinear_, _of_linear),
            _straight.rounded(dbias_, _of_bias),
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
        _saved_cubic,
        _saved_square,
        _saved_linear,
        _saved_rstd,
        _saved_rstd_2,
        _saved_rstd_3,
    ) = _fields
    dx_, dcubic_, dsquare_, dlinear_, dbias_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (
            dbias_ is None,
            _saved_cubic is None,
            _saved_linear is None,
            _saved_square is None,
        ),
        (),
        (
            *_operands.read(_saved_x, dy),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2, _saved_rstd_3),
            *_operands.shared(_saved_cubic, _saved_square, _saved_linear),
            *_operands.made(dx_),
        ),
        (
            *_operands.shared(_saved_cubic, _saved_square, _saved_linear),
            *_operands.summed(dcubic_, dsquare_, dlinear_, dbias_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    cubic_dot: float | npt.NDArray[Any] | None = None,
    square_dot: float | npt.NDArray[Any] | None = None,
    linear_dot: float | npt.NDArray[Any] | None = None,
    bias_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False, False), (0,), threads
        )
        _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
        if (
            x_dot is cubic_dot is square_dot is linear_dot is bias_dot is None
            or (_of_cubic is None and cubic_dot is not None)
            or (_of_square is None and square_dot is not None)
            or (_of_linear is None and linear_dot is not None)
            or (_of_bias is None and bias_dot is not None)
            or (_of_cubic is None) != (saved.cubic is None)
            or (_of_square is None) != (saved.square is None)
            or (_of_linear is None) != (saved.linear is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2, saved.rstd_3)
        cubic_ = _straight.number(_dtype, saved.cubic)
        square_ = _straight.number(_dtype, saved.square)
        linear_ = _straight.number(_dtype, saved.linear)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        cubic_dot_ = _straight.number(_dtype, cubic_dot)
        square_dot_ = _straight.number(_dtype, square_dot)
        linear_dot_ = _straight.number(_dtype, linear_dot)
        bias_dot_ = _straight.number(_dtype, bias_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                cubic_dot,
                square_dot,
                linear_dot,
                bias_dot,
                saved.x,
                saved.cubic,
                saved.square,
                saved.linear,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            bias_dot is None,
            _of_cubic is None,
            cubic_dot is None,
            _of_linear is None,
            linear_dot is None,
            _of_square is None,
            square_dot is None,
            x_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                x_dot,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
                cubic_,
                square_,
                linear_,
                cubic_dot_,
                square_dot_,
                linear_dot_,
                bias_dot_,
                y_dot_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(
        _jvp_on_kernels,
        saved,
        x_dot,
        cubic_dot,
        square_dot,
        linear_dot,
        bias_dot,
        out,
        threads,
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, cubic_dot, square_dot, linear_dot, bias_dot = _arguments
    (
        _saved_x,
        _saved_cubic,
        _saved_square,
        _saved_linear,
        _saved_rstd,
        _saved_rstd_2,
        _saved_rstd_3,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (
            bias_dot is None,
            _saved_cubic is None,
            cubic_dot is None,
            _saved_linear is None,
            linear_dot is None,
            _saved_square is None,
            square_dot is None,
            x_dot is None,
        ),
        (),
        (
            *_operands.read(_saved_x, x_dot),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2, _saved_rstd_3),
            *_operands.shared(
                _saved_cubic,
                _saved_square,
                _saved_linear,
                cubic_dot,
                square_dot,
                linear_dot,
                bias_dot,
            ),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddcubic: float | npt.NDArray[Any] | None = None,
    ddsquare: float | npt.NDArray[Any] | None = None,
    ddlinear: float | npt.NDArray[Any] | None = None,
    ddbias: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, False, False, False, False), (0,), threads
        )
        _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
        if (
            ddx is ddcubic is ddsquare is ddlinear is ddbias is None
            or (_of_cubic is None and ddcubic is not None)
            or (_of_square is None and ddsquare is not None)
            or (_of_linear is None and ddlinear is not None)
            or (_of_bias is None and ddbias is not None)
            or (_of_cubic is None) != (saved.cubic is None)
            or (_of_square is None) != (saved.square is None)
            or (_of_linear is None) != (saved.linear is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, dy)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2, saved.rstd_3)
        cubic_ = _straight.number(_dtype, saved.cubic)
        square_ = _straight.number(_dtype, saved.square)
        linear_ = _straight.number(_dtype, saved.linear)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        ddcubic_ = _straight.number(_dtype, ddcubic)
        ddsquare_ = _straight.number(_dtype, ddsquare)
        ddlinear_ = _straight.number(_dtype, ddlinear)
        ddbias_ = _straight.number(_dtype, ddbias)
        _out = _straight.outs(out, 6)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dcubic_ = (
            None
            if _of_cubic is None
            else _straight.result(_out[1], (), _dtype, _of_cubic)
        )
        dsquare_ = (
            None
            if _of_square is None
            else _straight.result(_out[2], (), _dtype, _of_square)
        )
        dlinear_ = (
            None
            if _of_linear is None
            else _straight.result(_out[3], (), _dtype, _of_linear)
        )
        dbias_ = (
            None
            if _of_bias is None
            else _straight.result(_out[4], (), _dtype, _of_bias)
        )
        ddy_ = _straight.result(_out[5], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dcubic_, dsquare_, dlinear_, dbias_, ddy_),
                dy,
                ddx,
                ddcubic,
                ddsquare,
                ddlinear,
                ddbias,
                saved.x,
                saved.cubic,
                saved.square,
                saved.linear,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            _of_bias is None,
            _of_cubic is None,
            ddbias is None,
            ddcubic is None,
            ddlinear is None,
            ddsquare is None,
            ddx is None,
            _of_linear is None,
            _of_square is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                dy,
                ddx,
                saved.rstd,
                saved.rstd_2,
                saved.rstd_3,
                cubic_,
                square_,
                linear_,
                ddcubic_,
                ddsquare_,
                ddlinear_,
                ddbias_,
                dx_,
                ddy_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(
                cubic_,
                square_,
                linear_,
                ddcubic_,
                ddsquare_,
                ddlinear_,
                ddbias_,
                dcubic_,
                dsquare_,
                dlinear_,
                dbias_,
            ),
        )
        return SecondGradients(
            dx_,
            _straight.rounded(dcubic_, _of_cubic),
            _straight.rounded(dsquare_, _of_square),
            _straight.rounded(dlinear_, _of_linear),
            _straight.rounded(dbias_, _of_bias),
            ddy_,
        )
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        ddx,
        ddcubic,
        ddsquare,
        ddlinear,
        ddbias,
        out,
        threads,
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddcubic, ddsquare, ddlinear, ddbias = _arguments
    (
        _saved_x,
        _saved_cubic,
        _saved_square,
        _saved_linear,
        _saved_rstd,
        _saved_rstd_2,
        _saved_rstd_3,
    ) = _fields
    dx_, dcubic_, dsquare_, dlinear_, dbias_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            dbias_ is None,
            _saved_cubic is None,
            ddbias is None,
            ddcubic is None,
            ddlinear is None,
            ddsquare is None,
            ddx is None,
            _saved_linear is None,
            _saved_square is None,
        ),
        (),
        (
            *_operands.read(_saved_x, dy, ddx),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2, _saved_rstd_3),
            *_operands.shared(
                _saved_cubic,
                _saved_square,
                _saved_linear,
                ddcubic,
                ddsquare,
                ddlinear,
                ddbias,
            ),
            *_operands.made(dx_, ddy_),
        ),
        (
            *_operands.shared(
                _saved_cubic,
                _saved_square,
                _saved_linear,
                ddcubic,
                ddsquare,
                ddlinear,
                ddbias,
            ),
            *_operands.summed(dcubic_, dsquare_, dlinear_, dbias_),
        ),
    )
