# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

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
    __file__, "kernels", "sink_softmax_forward", optional=("sink",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "sink_softmax_backward", optional=("sink",)
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "sink_softmax_jvp", optional=("sink_dot", "x_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "sink_softmax_backward_backward",
    optional=("ddsink", "ddx", "sink"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    sink: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    return _numpy._forward(_forward_on_kernels, x, sink, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, sink = _values
    y_, exp_largest_sink_, scale_ = _results
    _operands = _long.RowOperands(_call, (x, sink), (y_,))
    _operands.call(
        _FORWARD,
        (sink is None,),
        (),
        (
            *_operands.read(x),
            *_operands.read(sink, axes=0),
            *_operands.made(y_),
            *_operands.made_once(exp_largest_sink_, scale_),
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
    return _numpy._backward(_backward_on_kernels, saved, dy, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (dy,) = _arguments
    _saved_y, _saved_exp_largest_sink, _saved_scale, _saved_sink, _saved_x = _fields
    dx_, dsink_ = _results
    _operands = _long.RowOperands(_call, (_saved_y, dy), (dx_, dsink_))
    _operands.call(
        _BACKWARD,
        (_saved_sink is None,),
        (),
        (
            *_operands.read(_saved_y, dy),
            *_operands.computed_before(_saved_exp_largest_sink, _saved_scale),
            *_operands.made(dx_),
            *_operands.made(dsink_, axes=0),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    sink_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, sink_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, sink_dot = _arguments
    _saved_y, _saved_exp_largest_sink, _saved_scale, _saved_sink, _saved_x = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_y, x_dot, sink_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (sink_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_y, x_dot),
            *_operands.read(sink_dot, axes=0),
            *_operands.computed_before(_saved_exp_largest_sink, _saved_scale),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddsink: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddsink, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddsink = _arguments
    _saved_y, _saved_exp_largest_sink, _saved_scale, _saved_sink, _saved_x = _fields
    dx_, dsink_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_sink, _saved_y, _saved_x, dy, ddx, ddsink), (dx_, dsink_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddsink is None, ddx is None, _saved_sink is None),
        (),
        (
            *_operands.read(_saved_sink, axes=0),
            *_operands.read(_saved_y, _saved_x, dy, ddx),
            *_operands.read(ddsink, axes=0),
            *_operands.computed_before(_saved_exp_largest_sink, _saved_scale),
            *_operands.made(dx_),
            *_operands.made(dsink_, axes=0),
            *_operands.made(ddy_),
        ),
    )
