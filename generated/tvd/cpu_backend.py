# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
"""Total variation distance of a teacher's and a student's softmax, one number a row.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "tvd_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "tvd_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "tvd_jvp", optional=("x_dot",)
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "tvd_backward_backward", optional=("ddx",)
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        _straight.dense(_shape, _stored, teacher)
        y_ = _straight.result(out, _shape[:-1], _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, teacher)
    except _straight.Unusual:
        pass
    else:
        m_2_ = np.empty(_shape[:-1], _dtype)
        m_ = np.empty(_shape[:-1], _dtype)
        inv_Z_ = np.empty(_shape[:-1], _dtype)
        inv_Z_2_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[(_kind,)]
        _kernel(
            _straight.addresses(x, teacher, y_, m_2_, m_, inv_Z_, inv_Z_2_),
            (),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (x.dtype, teacher.dtype)
        return (
            y_,
            Saved(_shape, _dtype, _dtypes, x, teacher, m_2_, m_, inv_Z_, inv_Z_2_),
        )
    return _numpy._forward(_forward_on_kernels, x, teacher, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, teacher = _values
    y_, m_2_, m_, inv_Z_, inv_Z_2_ = _results
    _operands = _long.RowOperands(_call, (x, teacher), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (),
        (
            *_operands.read(x, teacher),
            *_operands.made(y_, axes=0),
            *_operands.made_once(m_2_, m_, inv_Z_, inv_Z_2_),
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
            saved, Saved, (True, True), (0,), threads
        )
        _of_x, _of_teacher = saved[2]
        _straight.dense(_shape, _stored, saved.x, saved.teacher)
        _straight.dense(
            _shape[:-1], _dtype, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2
        )
        _straight.dense(_shape[:-1], _stored, dy)
        _out = _straight.outs(out, 1)
        dx_ = _straight.result(_out[0], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_,),
                dy,
                saved.x,
                saved.teacher,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[(_kind,)]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.teacher,
                dy,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
                dx_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return Gradients(dx_)
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    (
        _saved_x,
        _saved_teacher,
        _saved_m_2,
        _saved_m,
        _saved_inv_Z,
        _saved_inv_Z_2,
    ) = _fields
    (dx_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_teacher, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (),
        (),
        (
            *_operands.read(_saved_x, _saved_teacher),
            *_operands.read(dy, axes=0),
            *_operands.computed_before(
                _saved_m_2, _saved_m, _saved_inv_Z, _saved_inv_Z_2
            ),
            *_operands.made(dx_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True), (0,), threads
        )
        _of_x, _of_teacher = saved[2]
        if x_dot is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.teacher)
        _straight.dense(
            _shape[:-1], _dtype, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2
        )
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        y_dot_ = _straight.result(out, _shape[:-1], _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                saved.x,
                saved.teacher,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, x_dot is None]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.teacher,
                x_dot,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
                y_dot_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (x_dot,) = _arguments
    (
        _saved_x,
        _saved_teacher,
        _saved_m_2,
        _saved_m,
        _saved_inv_Z,
        _saved_inv_Z_2,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_teacher, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (x_dot is None,),
        (),
        (
            *_operands.read(_saved_x, _saved_teacher, x_dot),
            *_operands.computed_before(
                _saved_m_2, _saved_m, _saved_inv_Z, _saved_inv_Z_2
            ),
            *_operands.made(y_dot_, axes=0),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True), (0,), threads
        )
        _of_x, _of_teacher = saved[2]
        if ddx is None:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.teacher)
        _straight.dense(
            _shape[:-1], _dtype, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2
        )
        _straight.dense(_shape[:-1], _stored, dy)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        _out = _straight.outs(out, 2)
        dx_ = _straight.result(_out[0], _shape, _stored)
        ddy_ = _straight.result(_out[1], _shape[:-1], _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, ddy_),
                dy,
                ddx,
                saved.x,
                saved.teacher,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddx is None]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.teacher,
                dy,
                ddx,
                saved.m_2,
                saved.m,
                saved.inv_Z,
                saved.inv_Z_2,
                dx_,
                ddy_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return SecondGradients(dx_, ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx = _arguments
    (
        _saved_x,
        _saved_teacher,
        _saved_m_2,
        _saved_m,
        _saved_inv_Z,
        _saved_inv_Z_2,
    ) = _fields
    dx_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_teacher, dy, ddx), (dx_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddx is None,),
        (),
        (
            *_operands.read(_saved_x, _saved_teacher),
            *_operands.read(dy, axes=0),
            *_operands.read(ddx),
            *_operands.computed_before(
                _saved_m_2, _saved_m, _saved_inv_Z, _saved_inv_Z_2
            ),
            *_operands.made(dx_),
            *_operands.made(ddy_, axes=0),
        ),
    )
