# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "clamped_swiglu_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "clamped_swiglu_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "clamped_swiglu_jvp", optional=("x_0_dot", "x_1_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "clamped_swiglu_backward_backward",
    optional=("ddx_0", "ddx_1"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    *,
    alpha: float = 1.702,
    limit: float = 7.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    alpha = _calls.constant("alpha", alpha)
    limit = _calls.constant("limit", limit)
    return _numpy._forward(_forward_on_kernels, x, alpha, limit, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_0, x_1, alpha, limit = _values
    (y_,) = _results
    _operands = _long.RowOperands(_call, (x_0, x_1), (y_,))
    _operands.call(
        _FORWARD, (), (alpha, limit), (*_operands.read(x_0, x_1), *_operands.made(y_))
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
    _saved_x_0, _saved_x_1, _saved_alpha, _saved_limit = _fields
    dx_0_, dx_1_ = _results
    _operands = _long.RowOperands(_call, (_saved_x_0, _saved_x_1, dy), (dx_0_, dx_1_))
    _operands.call(
        _BACKWARD,
        (),
        (_saved_alpha, _saved_limit),
        (*_operands.read(_saved_x_0, _saved_x_1, dy), *_operands.made(dx_0_, dx_1_)),
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
    x_0_dot, x_1_dot = _arguments
    _saved_x_0, _saved_x_1, _saved_alpha, _saved_limit = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x_0, _saved_x_1, x_0_dot, x_1_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (x_0_dot is None, x_1_dot is None),
        (_saved_alpha, _saved_limit),
        (
            *_operands.read(_saved_x_0, _saved_x_1, x_0_dot, x_1_dot),
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
    dy, ddx_0, ddx_1 = _arguments
    _saved_x_0, _saved_x_1, _saved_alpha, _saved_limit = _fields
    dx_0_, dx_1_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x_0, _saved_x_1, dy, ddx_0, ddx_1), (dx_0_, dx_1_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddx_0 is None, ddx_1 is None),
        (_saved_alpha, _saved_limit),
        (
            *_operands.read(_saved_x_0, _saved_x_1, dy, ddx_0, ddx_1),
            *_operands.made(dx_0_, dx_1_, ddy_),
        ),
    )
