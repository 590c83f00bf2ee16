# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

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
_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "geglu_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "geglu_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "geglu_jvp", optional=("gate_dot", "value_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "geglu_backward_backward", optional=("ddgate", "ddvalue")
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    return _numpy._forward(_forward_on_kernels, x, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    gate, value = _values
    (y_,) = _results
    _operands = _long.RowOperands(_call, (gate, value), (y_,))
    _operands.call(
        _FORWARD, (), (), (*_operands.read(gate, value), *_operands.made(y_))
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
    _saved_gate, _saved_value = _fields
    dgate_, dvalue_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_gate, _saved_value, dy), (dgate_, dvalue_)
    )
    _operands.call(
        _BACKWARD,
        (),
        (),
        (
            *_operands.read(_saved_gate, _saved_value, dy),
            *_operands.made(dgate_, dvalue_),
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
    gate_dot, value_dot = _arguments
    _saved_gate, _saved_value = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_gate, _saved_value, gate_dot, value_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (gate_dot is None, value_dot is None),
        (),
        (
            *_operands.read(_saved_gate, _saved_value, gate_dot, value_dot),
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
    dy, ddgate, ddvalue = _arguments
    _saved_gate, _saved_value = _fields
    dgate_, dvalue_, ddy_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_gate, _saved_value, dy, ddgate, ddvalue), (dgate_, dvalue_, ddy_)
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (ddgate is None, ddvalue is None),
        (),
        (
            *_operands.read(_saved_gate, _saved_value, dy, ddgate, ddvalue),
            *_operands.made(dgate_, dvalue_, ddy_),
        ),
    )
