# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "rotary_forward")
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "rotary_backward", optional=("dy_0", "dy_1")
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "rotary_jvp", optional=("a_dot", "b_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rotary_backward_backward",
    optional=("dda", "ddb", "dy_0", "dy_1"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    return _numpy._forward(_forward_on_kernels, x, cosine, sine, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    a, b, cosine, sine = _values
    y_0_, y_1_ = _results
    _operands = _long.RowOperands(_call, (a, b, cosine, sine), (y_0_, y_1_))
    _operands.call(
        _FORWARD,
        (),
        (),
        (*_operands.read(a, b, cosine, sine), *_operands.made(y_0_, y_1_)),
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
    dy_0, dy_1 = _arguments
    _saved_cosine, _saved_sine = _fields
    da_, db_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_cosine, _saved_sine, dy_0, dy_1), (da_, db_)
    )
    _operands.call(
        _BACKWARD,
        (dy_0 is None, dy_1 is None),
        (),
        (
            *_operands.read(_saved_cosine, _saved_sine, dy_0, dy_1),
            *_operands.made(da_, db_),
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
    a_dot, b_dot = _arguments
    _saved_cosine, _saved_sine = _fields
    y_0_dot_, y_1_dot_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_cosine, _saved_sine, a_dot, b_dot), (y_0_dot_, y_1_dot_)
    )
    _operands.call(
        _JVP,
        (a_dot is None, b_dot is None),
        (),
        (
            *_operands.read(_saved_cosine, _saved_sine, a_dot, b_dot),
            *_operands.made(y_0_dot_, y_1_dot_),
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
    dy_0, dy_1, dda, ddb = _arguments
    _saved_cosine, _saved_sine = _fields
    da_, db_, ddy_0_, ddy_1_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_cosine, _saved_sine, dy_0, dy_1, dda, ddb),
        (da_, db_, ddy_0_, ddy_1_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (dda is None, ddb is None, dy_0 is None, dy_1 is None),
        (),
        (
            *_operands.read(_saved_cosine, _saved_sine, dy_0, dy_1, dda, ddb),
            *_operands.made(da_, db_, ddy_0_, ddy_1_),
        ),
    )
