# Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit grpo.py and run: lngen derive grpo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "grpo_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "grpo_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "grpo_jvp", optional=("x_dot",)
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "grpo_backward_backward", optional=("ddx",)
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    low = _calls.constant("low", low)
    high = _calls.constant("high", high)
    beta = _calls.constant("beta", beta)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        if label is None:
            raise _straight.Unusual
        _straight.dense(_shape[:-1], _stored, advantage, old, reference)
        label_ = _straight.integers(_shape[:-1], label)
        y_ = _straight.result(out, _shape[:-1], _stored)
        if out is not None:
            _straight.apart((out,), (y_,), x, label, advantage, old, reference)
    except _straight.Unusual:
        pass
    else:
        m_2_ = np.empty(_shape[:-1], _dtype)
        Z_ = np.empty(_shape[:-1], _dtype)
        log_Z_ = np.empty(_shape[:-1], _dtype)
        sum_where_x_shifted_ = np.empty(_shape[:-1], _dtype)
        ratio_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[(_kind,)]
        _kernel(
            _straight.addresses(
                x,
                label_,
                advantage,
                old,
                reference,
                y_,
                m_2_,
                Z_,
                log_Z_,
                sum_where_x_shifted_,
                ratio_,
            ),
            (low, high, beta),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (x.dtype, label.dtype, advantage.dtype, old.dtype, reference.dtype)
        return (
            y_,
            Saved(
                _shape,
                _dtype,
                _dtypes,
                x,
                label,
                advantage,
                reference,
                low,
                high,
                beta,
                m_2_,
                Z_,
                log_Z_,
                sum_where_x_shifted_,
                ratio_,
            ),
        )
    return _numpy._forward(
        _forward_on_kernels,
        x,
        label,
        advantage,
        old,
        reference,
        low,
        high,
        beta,
        save,
        out,
        threads,
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, label, advantage, old, reference, low, high, beta = _values
    y_, m_2_, Z_, log_Z_, sum_where_x_shifted_, ratio_ = _results
    _operands = _long.RowOperands(_call, (x, advantage, old, reference), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (low, high, beta),
        (
            *_operands.read(x),
            *_operands.integers(label, axes=0),
            *_operands.read(advantage, old, reference, axes=0),
            *_operands.made(y_, axes=0),
            *_operands.made_once(m_2_, Z_, log_Z_, sum_where_x_shifted_, ratio_),
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
            saved, Saved, (True, True, True, True, True), (0,), threads
        )
        _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
        if (
            saved.label is None
            or type(saved.low) is not float
            or type(saved.high) is not float
            or type(saved.beta) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _stored, saved.advantage, saved.reference, dy)
        _straight.dense(
            _shape[:-1],
            _dtype,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
        )
        label_ = _straight.integers(_shape[:-1], saved.label)
        _out = _straight.outs(out, 1)
        dx_ = _straight.result(_out[0], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_,),
                dy,
                saved.x,
                saved.label,
                saved.advantage,
                saved.reference,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[(_kind,)]
        _kernel(
            _straight.addresses(
                saved.x,
                label_,
                saved.advantage,
                saved.reference,
                dy,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
                dx_,
            ),
            (saved.low, saved.high, saved.beta),
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
        _saved_advantage,
        _saved_reference,
        _saved_low,
        _saved_high,
        _saved_beta,
        _saved_m_2,
        _saved_Z,
        _saved_log_Z,
        _saved_sum_where_x_shifted,
        _saved_ratio,
    ) = _fields
    (dx_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_advantage, _saved_reference, dy), (dx_,)
    )
    _operands.call(
        _BACKWARD,
        (),
        (_saved_low, _saved_high, _saved_beta),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(_saved_advantage, _saved_reference, dy, axes=0),
            *_operands.computed_before(
                _saved_m_2,
                _saved_Z,
                _saved_log_Z,
                _saved_sum_where_x_shifted,
                _saved_ratio,
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
            saved, Saved, (True, True, True, True, True), (0,), threads
        )
        _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
        if (
            x_dot is None
            or saved.label is None
            or type(saved.low) is not float
            or type(saved.high) is not float
            or type(saved.beta) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _stored, saved.advantage, saved.reference)
        _straight.dense(
            _shape[:-1],
            _dtype,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
        )
        label_ = _straight.integers(_shape[:-1], saved.label)
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
                saved.advantage,
                saved.reference,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, x_dot is None]
        _kernel(
            _straight.addresses(
                saved.x,
                label_,
                saved.advantage,
                saved.reference,
                x_dot,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
                y_dot_,
            ),
            (saved.low, saved.high, saved.beta),
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
        _saved_advantage,
        _saved_reference,
        _saved_low,
        _saved_high,
        _saved_beta,
        _saved_m_2,
        _saved_Z,
        _saved_log_Z,
        _saved_sum_where_x_shifted,
        _saved_ratio,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_advantage, _saved_reference, x_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (x_dot is None,),
        (_saved_low, _saved_high, _saved_beta),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(_saved_advantage, _saved_reference, axes=0),
            *_operands.read(x_dot),
            *_operands.computed_before(
                _saved_m_2,
                _saved_Z,
                _saved_log_Z,
                _saved_sum_where_x_shifted,
                _saved_ratio,
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
            saved, Saved, (True, True, True, True, True), (0,), threads
        )
        _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
        if (
            ddx is None
            or saved.label is None
            or type(saved.low) is not float
            or type(saved.high) is not float
            or type(saved.beta) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x)
        _straight.dense(_shape[:-1], _stored, saved.advantage, saved.reference, dy)
        _straight.dense(
            _shape[:-1],
            _dtype,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
        )
        label_ = _straight.integers(_shape[:-1], saved.label)
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
                saved.advantage,
                saved.reference,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddx is None]
        _kernel(
            _straight.addresses(
                saved.x,
                label_,
                saved.advantage,
                saved.reference,
                dy,
                ddx,
                saved.m_2,
                saved.Z,
                saved.log_Z,
                saved.sum_where_x_shifted,
                saved.ratio,
                dx_,
                ddy_,
            ),
            (saved.low, saved.high, saved.beta),
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
        _saved_advantage,
        _saved_reference,
        _saved_low,
        _saved_high,
        _saved_beta,
        _saved_m_2,
        _saved_Z,
        _saved_log_Z,
        _saved_sum_where_x_shifted,
        _saved_ratio,
    ) = _fields
    dx_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_advantage, _saved_reference, dy, ddx), (dx_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddx is None,),
        (_saved_low, _saved_high, _saved_beta),
        (
            *_operands.read(_saved_x),
            *_operands.integers(_saved_label, axes=0),
            *_operands.read(_saved_advantage, _saved_reference, dy, axes=0),
            *_operands.read(ddx),
            *_operands.computed_before(
                _saved_m_2,
                _saved_Z,
                _saved_log_Z,
                _saved_sum_where_x_shifted,
                _saved_ratio,
            ),
            *_operands.made(dx_),
            *_operands.made(ddy_, axes=0),
        ),
    )
