# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "alibi_softmax_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "alibi_softmax_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "alibi_softmax_jvp", optional=("x_dot",)
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "alibi_softmax_backward_backward", optional=("ddx",)
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    slope: npt.NDArray[Any],
    position: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    return _numpy._forward(_forward_on_kernels, x, slope, position, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, slope, position = _values
    y_, m_, inv_sum_e_shifted_ = _results
    _operands = _long.RowOperands(_call, (x, slope), (y_,))
    _operands.call(
        _FORWARD,
        (),
        (),
        (
            *_operands.read(x),
            *_operands.read(slope, axes=0),
            *_operands.integers(position, axes=0),
            *_operands.made(y_),
            *_operands.made_once(m_, inv_sum_e_shifted_),
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
    (
        _saved_x,
        _saved_slope,
        _saved_position,
        _saved_m,
        _saved_inv_sum_e_shifted,
    ) = _fields
    (dx_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_slope, dy), (dx_,))
    _operands.call(
        _BACKWARD,
        (),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_slope, axes=0),
            *_operands.integers(_saved_position, axes=0),
            *_operands.read(dy),
            *_operands.computed_before(_saved_m, _saved_inv_sum_e_shifted),
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
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    (x_dot,) = _arguments
    (
        _saved_x,
        _saved_slope,
        _saved_position,
        _saved_m,
        _saved_inv_sum_e_shifted,
    ) = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_slope, x_dot), (y_dot_,))
    _operands.call(
        _JVP,
        (x_dot is None,),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_slope, axes=0),
            *_operands.integers(_saved_position, axes=0),
            *_operands.read(x_dot),
            *_operands.computed_before(_saved_m, _saved_inv_sum_e_shifted),
            *_operands.made(y_dot_),
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
        _saved_slope,
        _saved_position,
        _saved_m,
        _saved_inv_sum_e_shifted,
    ) = _fields
    dx_, ddy_ = _results
    _operands = _long.RowOperands(_call, (_saved_x, _saved_slope, dy, ddx), (dx_, ddy_))
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddx is None,),
        (),
        (
            *_operands.read(_saved_x),
            *_operands.read(_saved_slope, axes=0),
            *_operands.integers(_saved_position, axes=0),
            *_operands.read(dy, ddx),
            *_operands.computed_before(_saved_m, _saved_inv_sum_e_shifted),
            *_operands.made(dx_, ddy_),
        ),
    )
