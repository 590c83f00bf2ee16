# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

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
    __file__, "kernels", "dual_rms_norm_forward", optional=("after", "before")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "dual_rms_norm_backward",
    "dual_rms_norm_backward_columns",
    optional=("after", "before", "dr", "dy"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dual_rms_norm_jvp",
    optional=("after", "after_dot", "before", "before_dot", "residual_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dual_rms_norm_backward_backward",
    "dual_rms_norm_backward_backward_columns",
    optional=(
        "after",
        "before",
        "ddafter",
        "ddbefore",
        "ddresidual",
        "ddx",
        "dr",
        "dy",
    ),
    sums=(2, 0),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    after: npt.NDArray[Any] | None = None,
    before: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(x, 1, threads)
        _straight.dense(_shape, _stored, residual)
        after_ = _straight.parameter((_D,), _dtype, after)
        before_ = _straight.parameter((_D,), _dtype, before)
        _out = _straight.outs(out, 2)
        y_ = _straight.result(_out[0], _shape, _stored)
        r_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(_out, (y_, r_), x, residual, after, before)
    except _straight.Unusual:
        pass
    else:
        rstd_ = np.empty(_shape[:-1], _dtype)
        rstd_2_ = np.empty(_shape[:-1], _dtype)
        _kernel = _FORWARD[_kind, after is None, before is None]
        _kernel(
            _straight.addresses(x, residual, after_, before_, y_, r_, rstd_, rstd_2_),
            (eps,),
            _rows,
            _D,
            threads,
        )
        if not save:
            return Outputs(y_, r_), None
        _dtypes = (
            x.dtype,
            residual.dtype,
            None if after is None else after.dtype,
            None if before is None else before.dtype,
        )
        return (
            Outputs(y_, r_),
            Saved(_shape, _dtype, _dtypes, x, residual, after, before, rstd_, rstd_2_),
        )
    return _numpy._forward(
        _forward_on_kernels, x, residual, after, before, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, residual, after, before, eps = _values
    y_, r_, rstd_, rstd_2_ = _results
    _operands = _long.RowOperands(_call, (x, residual), (y_, r_))
    _operands.call(
        _FORWARD,
        (after is None, before is None),
        (eps,),
        (
            *_operands.read(x, residual),
            *_operands.shared(after, before),
            *_operands.made(y_, r_),
            *_operands.made_once(rstd_, rstd_2_),
        ),
    )


@_long.described_as(_numpy.backward)
def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dr: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_after, _of_before = saved[2]
        if (
            dy is dr is None
            or (_of_after is None) != (saved.after is None)
            or (_of_before is None) != (saved.before is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.residual)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2)
        after_ = _straight.parameter((_D,), _dtype, saved.after)
        before_ = _straight.parameter((_D,), _dtype, saved.before)
        if dy is not None:
            _straight.dense(_shape, _stored, dy)
        if dr is not None:
            _straight.dense(_shape, _stored, dr)
        _out = _straight.outs(out, 4)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dresidual_ = _straight.result(_out[1], _shape, _stored)
        dafter_ = (
            None
            if _of_after is None
            else _straight.result(_out[2], (_D,), _dtype, _of_after)
        )
        dbefore_ = (
            None
            if _of_before is None
            else _straight.result(_out[3], (_D,), _dtype, _of_before)
        )
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dresidual_, dafter_, dbefore_),
                dy,
                dr,
                saved.x,
                saved.residual,
                saved.after,
                saved.before,
                saved.rstd,
                saved.rstd_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[
            _kind,
            _of_after is None,
            _of_before is None,
            dr is None,
            dy is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.residual,
                dy,
                dr,
                saved.rstd,
                saved.rstd_2,
                after_,
                before_,
                dx_,
                dresidual_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(after_, before_, dafter_, dbefore_),
        )
        return Gradients(
            dx_,
            dresidual_,
            _straight.rounded(dafter_, _of_after),
            _straight.rounded(dbefore_, _of_before),
        )
    return _numpy._backward(_backward_on_kernels, saved, dy, dr, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dr = _arguments
    (
        _saved_x,
        _saved_residual,
        _saved_after,
        _saved_before,
        _saved_rstd,
        _saved_rstd_2,
    ) = _fields
    dx_, dresidual_, dafter_, dbefore_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_residual, dy, dr), (dx_, dresidual_)
    )
    _operands.call(
        _BACKWARD,
        (_saved_after is None, _saved_before is None, dr is None, dy is None),
        (),
        (
            *_operands.read(_saved_x, _saved_residual, dy, dr),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2),
            *_operands.shared(_saved_after, _saved_before),
            *_operands.made(dx_, dresidual_),
        ),
        (
            *_operands.shared(_saved_after, _saved_before),
            *_operands.summed(dafter_, dbefore_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    after_dot: npt.NDArray[Any] | None = None,
    before_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_after, _of_before = saved[2]
        if (
            x_dot is residual_dot is after_dot is before_dot is None
            or (_of_after is None and after_dot is not None)
            or (_of_before is None and before_dot is not None)
            or (_of_after is None) != (saved.after is None)
            or (_of_before is None) != (saved.before is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.residual)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2)
        after_ = _straight.parameter((_D,), _dtype, saved.after)
        before_ = _straight.parameter((_D,), _dtype, saved.before)
        if x_dot is not None:
            _straight.dense(_shape, _stored, x_dot)
        if residual_dot is not None:
            _straight.dense(_shape, _stored, residual_dot)
        after_dot_ = _straight.parameter((_D,), _dtype, after_dot)
        before_dot_ = _straight.parameter((_D,), _dtype, before_dot)
        _out = _straight.outs(out, 2)
        y_dot_ = _straight.result(_out[0], _shape, _stored)
        r_dot_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (y_dot_, r_dot_),
                x_dot,
                residual_dot,
                after_dot,
                before_dot,
                saved.x,
                saved.residual,
                saved.after,
                saved.before,
                saved.rstd,
                saved.rstd_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[
            _kind,
            _of_after is None,
            after_dot is None,
            _of_before is None,
            before_dot is None,
            residual_dot is None,
            x_dot is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.residual,
                x_dot,
                residual_dot,
                saved.rstd,
                saved.rstd_2,
                after_,
                before_,
                after_dot_,
                before_dot_,
                y_dot_,
                r_dot_,
            ),
            (),
            _rows,
            _D,
            threads,
        )
        return Outputs(y_dot_, r_dot_)
    return _numpy._jvp(
        _jvp_on_kernels, saved, x_dot, residual_dot, after_dot, before_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, residual_dot, after_dot, before_dot = _arguments
    (
        _saved_x,
        _saved_residual,
        _saved_after,
        _saved_before,
        _saved_rstd,
        _saved_rstd_2,
    ) = _fields
    y_dot_, r_dot_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_residual, x_dot, residual_dot), (y_dot_, r_dot_)
    )
    _operands.call(
        _JVP,
        (
            _saved_after is None,
            after_dot is None,
            _saved_before is None,
            before_dot is None,
            residual_dot is None,
            x_dot is None,
        ),
        (),
        (
            *_operands.read(_saved_x, _saved_residual, x_dot, residual_dot),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2),
            *_operands.shared(_saved_after, _saved_before, after_dot, before_dot),
            *_operands.made(y_dot_, r_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddafter: npt.NDArray[Any] | None = None,
    ddbefore: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    dy, dr = _calls.each_cotangent(cotangents, ("dy", "dr"))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True, False, False), (0, 1), threads
        )
        _of_x, _of_residual, _of_after, _of_before = saved[2]
        if (
            dy is dr is None
            or ddx is ddresidual is ddafter is ddbefore is None
            or (_of_after is None and ddafter is not None)
            or (_of_before is None and ddbefore is not None)
            or (_of_after is None) != (saved.after is None)
            or (_of_before is None) != (saved.before is None)
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.x, saved.residual)
        _straight.dense(_shape[:-1], _dtype, saved.rstd, saved.rstd_2)
        after_ = _straight.parameter((_D,), _dtype, saved.after)
        before_ = _straight.parameter((_D,), _dtype, saved.before)
        if dy is not None:
            _straight.dense(_shape, _stored, dy)
        if dr is not None:
            _straight.dense(_shape, _stored, dr)
        if ddx is not None:
            _straight.dense(_shape, _stored, ddx)
        if ddresidual is not None:
            _straight.dense(_shape, _stored, ddresidual)
        ddafter_ = _straight.parameter((_D,), _dtype, ddafter)
        ddbefore_ = _straight.parameter((_D,), _dtype, ddbefore)
        _out = _straight.outs(out, 6)
        dx_ = _straight.result(_out[0], _shape, _stored)
        dresidual_ = _straight.result(_out[1], _shape, _stored)
        dafter_ = (
            None
            if _of_after is None
            else _straight.result(_out[2], (_D,), _dtype, _of_after)
        )
        dbefore_ = (
            None
            if _of_before is None
            else _straight.result(_out[3], (_D,), _dtype, _of_before)
        )
        ddy_ = None if dy is None else _straight.result(_out[4], _shape, _stored)
        ddr_ = None if dr is None else _straight.result(_out[5], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dx_, dresidual_, dafter_, dbefore_, ddy_, ddr_),
                dy,
                dr,
                ddx,
                ddresidual,
                ddafter,
                ddbefore,
                saved.x,
                saved.residual,
                saved.after,
                saved.before,
                saved.rstd,
                saved.rstd_2,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[
            _kind,
            _of_after is None,
            _of_before is None,
            ddafter is None,
            ddbefore is None,
            ddresidual is None,
            ddx is None,
            dr is None,
            dy is None,
        ]
        _kernel(
            _straight.addresses(
                saved.x,
                saved.residual,
                dy,
                dr,
                ddx,
                ddresidual,
                saved.rstd,
                saved.rstd_2,
                after_,
                before_,
                ddafter_,
                ddbefore_,
                dx_,
                dresidual_,
                ddy_,
                ddr_,
            ),
            (),
            _rows,
            _D,
            threads,
            _straight.addresses(
                after_, before_, ddafter_, ddbefore_, dafter_, dbefore_
            ),
        )
        return SecondGradients(
            dx_,
            dresidual_,
            _straight.rounded(dafter_, _of_after),
            _straight.rounded(dbefore_, _of_before),
            ddy_,
            ddr_,
        )
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        dr,
        ddx,
        ddresidual,
        ddafter,
        ddbefore,
        out,
        threads,
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dr, ddx, ddresidual, ddafter, ddbefore = _arguments
    (
        _saved_x,
        _saved_residual,
        _saved_after,
        _saved_before,
        _saved_rstd,
        _saved_rstd_2,
    ) = _fields
    dx_, dresidual_, dafter_, dbefore_, ddy_, ddr_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_residual, dy, dr, ddx, ddresidual),
        (dx_, dresidual_, ddy_, ddr_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            _saved_after is None,
            _saved_before is None,
            ddafter is None,
            ddbefore is None,
            ddresidual is None,
            ddx is None,
            dr is None,
            dy is None,
        ),
        (),
        (
            *_operands.read(_saved_x, _saved_residual, dy, dr, ddx, ddresidual),
            *_operands.computed_before(_saved_rstd, _saved_rstd_2),
            *_operands.shared(_saved_after, _saved_before, ddafter, ddbefore),
            *_operands.made(dx_, dresidual_, ddy_, ddr_),
        ),
        (
            *_operands.shared(_saved_after, _saved_before, ddafter, ddbefore),
            *_operands.summed(dafter_, dbefore_),
        ),
    )
