# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

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
    __file__, "kernels", "label_cross_entropy_forward", optional=("ignore",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "label_cross_entropy_backward", optional=("ignore",)
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "label_cross_entropy_jvp", optional=("ignore", "x_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "label_cross_entropy_backward_backward",
    optional=("ddx", "ignore"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    smoothing = _calls.constant("smoothing", smoothing)
    z_loss = _calls.constant("z_loss", z_loss)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        if label is None:
            raise _straight.Unusual
        label_ = _straight.integers(_shape[:-1], label)
        ignore_ = _straight.integers((), ignore)
        y_ = _straight.result(out, _shape[:-1], _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, label, ignore)
    except _straight.Unusual:
        pass
    else:
        m_ = np.empty(_shape[:-1], _dtype)
        Z_ = np.empty(_shape[:-1], _dtype)
        log_Z_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, ignore is None]
        _kernel(
            _straight.addresses(x, label_, ignore_, y_, m_, Z_, log_Z_),
            (smoothing, z_loss),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (
            x.dtype,
            label.dtype,
            None if ignore is None else _straight.dtype_of(ignore),
        )
        return (
            y_,
            Saved(
                _shape,
                _dtype,
                _dtypes,
                x,
                label,
                ignore,
                smoothing,
                z_loss,
                m_,
                Z_,
                log_Z_,
            ),
        )
    return _numpy._forward(
        _forward_on_kernels, x, label, ignore, smoothing, z_loss, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, label, ignore, smoothing, z_loss = _values
    y_, m_, Z_, log_Z_ = _results
    _operands = _long.RowOperands(_call, (x,), (y_,))
    _operands.call(
        _FORWARD,
        (ignore is None,),
        (smoothing, z_loss),
        (
            *_operands.read(x),
            *_operands.integers(label, axes=0),
            *_operands.shared_integers(ignore),
            *_operands.made(y_, axes=0),
            *_operands.made_once(m_, Z_, log_Z_),
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
            saved, Saved, (True, True, False), (0,), threads
        )
        _of_x, _of_label, _of_ignore = saved[2]
        if (
            saved.label is None
            or (_of_ignore is None) != (saved.ignore is None)
            or type(saved.smoothing) is not float
            or type(saved.z_loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.Z, saved.log_Z)
        _straight.dense(_shape[:-1], _stored, dy)
        label_ = _straight.integers(_shape[:-1], saved.label)
        ignore_ = _straight.integers((), saved.ignore)
        _out = _straight.outs(out, 1)
        dx_ = _straight.result(_out[0], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_,),
                dy,
                saved.x,
                saved.label,
                saved.ignore,
                saved.m,
                saved.Z,
                saved.log_Z,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[_kind, _of_ignore is None]
        _kernel(
            _straight.addresses(
                saved.x, label_, dy, saved.m, saved.Z, saved.log_Z, ignore_, dx_
            ),
            (saved.smoothing, saved.z_loss),
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
        _saved_label,
        _saved_ignore,
        _saved_smoothing,
        _saved_z_loss,
        _saved_m,
        _saved_Z,
        _saved_log_Z,
    ) = _fields
    (dx_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (_saved_ignore is None,),
        (_saved_smoothing, _saved_z_loss),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(dy, axes=0),
            *_operands.computed_before(_saved_m, _saved_Z, _saved_log_Z),
            *_operands.shared_integers(_saved_ignore),
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
            saved, Saved, (True, True, False), (0,), threads
        )
        _of_x, _of_label, _of_ignore = saved[2]
        if (
            x_dot is None
            or saved.label is None
            or (_of_ignore is None) != (saved.ignore is None)
            or type(saved.smoothing) is not float
            or type(saved.z_loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.Z, saved.log_Z)
        label_ = _straight.integers(_shape[:-1], saved.label)
        ignore_ = _straight.integers((), saved.ignore)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        y_dot_ = _straight.result(out, _shape[:-1], _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                x_dot,
                saved.x,
                saved.label,
                saved.ignore,
                saved.m,
                saved.Z,
                saved.log_Z,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, _of_ignore is None, x_dot is None]
        _kernel(
            _straight.addresses(
                saved.x, label_, x_dot, saved.m, saved.Z, saved.log_Z, ignore_, y_dot_
            ),
            (saved.smoothing, saved.z_loss),
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
        _saved_label,
        _saved_ignore,
        _saved_smoothing,
        _saved_z_loss,
        _saved_m,
        _saved_Z,
        _saved_log_Z,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (_saved_ignore is None, x_dot is None),
        (_saved_smoothing, _saved_z_loss),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(x_dot),
            *_operands.computed_before(_saved_m, _saved_Z, _saved_log_Z),
            *_operands.shared_integers(_saved_ignore),
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
            saved, Saved, (True, True, False), (0,), threads
        )
        _of_x, _of_label, _of_ignore = saved[2]
        if (
            ddx is None
            or saved.label is None
            or (_of_ignore is None) != (saved.ignore is None)
            or type(saved.smoothing) is not float
            or type(saved.z_loss) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _dtype, saved.m, saved.Z, saved.log_Z)
        _straight.dense(_shape[:-1], _stored, dy)
        label_ = _straight.integers(_shape[:-1], saved.label)
        ignore_ = _straight.integers((), saved.ignore)
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
                saved.label,
                saved.ignore,
                saved.m,
                saved.Z,
                saved.log_Z,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddx is None, _of_ignore is None]
        _kernel(
            _straight.addresses(
                saved.x,
                label_,
                dy,
                ddx,
                saved.m,
                saved.Z,
                saved.log_Z,
                ignore_,
                dx_,
                ddy_,
            ),
            (saved.smoothing, saved.z_loss),
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
        _saved_label,
        _saved_ignore,
        _saved_smoothing,
        _saved_z_loss,
        _saved_m,
        _saved_Z,
        _saved_log_Z,
    ) = _fields
    dx_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddx is None, _saved_ignore is None),
        (_saved_smoothing, _saved_z_loss),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(dy, axes=0),
            *_operands.read(ddx),
            *_operands.computed_before(_saved_m, _saved_Z, _saved_log_Z),
            *_operands.shared_integers(_saved_ignore),
            *_operands.made(dx_),
            *_operands.made(ddy_, axes=0),
        ),
    )
