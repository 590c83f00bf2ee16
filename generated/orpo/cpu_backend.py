# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "orpo_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "orpo_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "orpo_jvp", optional=("chosen_dot", "rejected_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "orpo_backward_backward",
    optional=("ddchosen", "ddrejected"),
)


@_long.described_as(_numpy.forward)
def forward(
    chosen: npt.NDArray[Any],
    rejected: npt.NDArray[Any],
    *,
    weight: float = 0.1,
    least: float = 1e-7,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    weight = _calls.constant("weight", weight)
    least = _calls.constant("least", least, signed=False)
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.rows(chosen, 1, threads)
        _straight.dense(_shape, _stored, rejected)
        y_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart((out,), (y_,), chosen, rejected)
    except _straight.Unusual:
        pass
    else:
        _kernel = _FORWARD[(_kind,)]
        _kernel(
            _straight.addresses(chosen, rejected, y_),
            (weight, least),
            _rows,
            _D,
            threads,
        )
        if not save:
            return y_, None
        _dtypes = (chosen.dtype, rejected.dtype)
        return y_, Saved(_shape, _dtype, _dtypes, chosen, rejected, weight, least)
    return _numpy._forward(
        _forward_on_kernels, chosen, rejected, weight, least, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    chosen, rejected, weight, least = _values
    (y_,) = _results
    _operands = _long.RowOperands(_call, (chosen, rejected), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (weight, least),
        (*_operands.read(chosen, rejected), *_operands.made(y_)),
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
            saved, Saved, (True, True), (0, 1), threads
        )
        _of_chosen, _of_rejected = saved[2]
        if type(saved.weight) is not float or type(saved.least) is not float:
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.chosen, saved.rejected, dy)
        _out = _straight.outs(out, 2)
        dchosen_ = _straight.result(_out[0], _shape, _stored)
        drejected_ = _straight.result(_out[1], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out, (dchosen_, drejected_), dy, saved.chosen, saved.rejected
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD[(_kind,)]
        _kernel(
            _straight.addresses(saved.chosen, saved.rejected, dy, dchosen_, drejected_),
            (saved.weight, saved.least),
            _rows,
            _D,
            threads,
        )
        return Gradients(dchosen_, drejected_)
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_chosen, _saved_rejected, _saved_weight, _saved_least = _fields
    dchosen_, drejected_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_chosen, _saved_rejected, dy), (dchosen_, drejected_)
    )
    _operands.call(
        _BACKWARD,
        (),
        (_saved_weight, _saved_least),
        (
            *_operands.read(_saved_chosen, _saved_rejected, dy),
            *_operands.made(dchosen_, drejected_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    chosen_dot: npt.NDArray[Any] | None = None,
    rejected_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True), (0, 1), threads
        )
        _of_chosen, _of_rejected = saved[2]
        if (
            chosen_dot is rejected_dot is None
            or type(saved.weight) is not float
            or type(saved.least) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.chosen, saved.rejected)
        if chosen_dot is not None:
            _straight.dense(_shape, _stored, chosen_dot)
        if rejected_dot is not None:
            _straight.dense(_shape, _stored, rejected_dot)
        y_dot_ = _straight.result(out, _shape, _stored)
        if out is not None:
            _straight.apart(
                (out,),
                (y_dot_,),
                chosen_dot,
                rejected_dot,
                saved.chosen,
                saved.rejected,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _JVP[_kind, chosen_dot is None, rejected_dot is None]
        _kernel(
            _straight.addresses(
                saved.chosen, saved.rejected, chosen_dot, rejected_dot, y_dot_
            ),
            (saved.weight, saved.least),
            _rows,
            _D,
            threads,
        )
        return y_dot_
    return _numpy._jvp(_jvp_on_kernels, saved, chosen_dot, rejected_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    chosen_dot, rejected_dot = _arguments
    _saved_chosen, _saved_rejected, _saved_weight, _saved_least = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_chosen, _saved_rejected, chosen_dot, rejected_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (chosen_dot is None, rejected_dot is None),
        (_saved_weight, _saved_least),
        (
            *_operands.read(_saved_chosen, _saved_rejected, chosen_dot, rejected_dot),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddchosen: npt.NDArray[Any] | None = None,
    ddrejected: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    try:
        _shape, _rows, _D, _kind, _stored, _dtype = _straight.kept(
            saved, Saved, (True, True), (0, 1), threads
        )
        _of_chosen, _of_rejected = saved[2]
        if (
            ddchosen is ddrejected is None
            or type(saved.weight) is not float
            or type(saved.least) is not float
        ):
            raise _straight.Unusual
        _straight.dense(_shape, _stored, saved.chosen, saved.rejected, dy)
        if ddchosen is not None:
            _straight.dense(_shape, _stored, ddchosen)
        if ddrejected is not None:
            _straight.dense(_shape, _stored, ddrejected)
        _out = _straight.outs(out, 3)
        dchosen_ = _straight.result(_out[0], _shape, _stored)
        drejected_ = _straight.result(_out[1], _shape, _stored)
        ddy_ = _straight.result(_out[2], _shape, _stored)
        if out is not None:
            _straight.apart(
                _out,
                (dchosen_, drejected_, ddy_),
                dy,
                ddchosen,
                ddrejected,
                saved.chosen,
                saved.rejected,
            )
    except _straight.Unusual:
        pass
    else:
        _kernel = _BACKWARD_BACKWARD[_kind, ddchosen is None, ddrejected is None]
        _kernel(
            _straight.addresses(
                saved.chosen,
                saved.rejected,
                dy,
                ddchosen,
                ddrejected,
                dchosen_,
                drejected_,
                ddy_,
            ),
            (saved.weight, saved.least),
            _rows,
            _D,
            threads,
        )
        return SecondGradients(dchosen_, drejected_, ddy_)
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddchosen, ddrejected, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddchosen, ddrejected = _arguments
    _saved_chosen, _saved_rejected, _saved_weight, _saved_least = _fields
    dchosen_, drejected_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_chosen, _saved_rejected, dy, ddchosen, ddrejected),
        (dchosen_, drejected_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddchosen is None, ddrejected is None),
        (_saved_weight, _saved_least),
        (
            *_operands.read(_saved_chosen, _saved_rejected, dy, ddchosen, ddrejected),
            *_operands.made(dchosen_, drejected_, ddy_),
        ),
    )
