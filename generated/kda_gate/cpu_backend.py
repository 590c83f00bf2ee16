# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

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
    __file__, "kernels", "kda_gate_forward", optional=("bias", "rate")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "kda_gate_backward", optional=("bias", "rate")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "kda_gate_jvp",
    optional=("bias", "bias_dot", "rate_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "kda_gate_backward_backward",
    optional=("bias", "ddbias", "ddrate", "ddx", "rate"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    rate: npt.NDArray[Any] | None = None,
    bias: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    return _numpy._forward(_forward_on_kernels, x, rate, bias, save, out, threads)


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, rate, bias = _values
    y_, exp_rate_ = _results
    _operands = _long.RowOperands(_call, (x, rate, bias), (y_,))
    _operands.call(
        _FORWARD,
        (bias is None, rate is None),
        (),
        (
            *_operands.read(x),
            *_operands.read(rate, axes=0),
            *_operands.read(bias),
            *_operands.made(y_),
            *_operands.made_once(exp_rate_),
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
    _saved_x, _saved_bias, _saved_exp_rate = _fields
    dx_, drate_, dbias_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_bias, dy), (dx_, dbias_, drate_)
    )
    _operands.call(
        _BACKWARD,
        (_saved_bias is None, drate_ is None),
        (),
        (
            *_operands.read(_saved_x, _saved_bias, dy),
            *_operands.computed_before(_saved_exp_rate),
            *_operands.made(dx_, dbias_),
            *_operands.made(drate_, axes=0),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    rate_dot: npt.NDArray[Any] | None = None,
    bias_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, rate_dot, bias_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, rate_dot, bias_dot = _arguments
    _saved_x, _saved_bias, _saved_exp_rate = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_bias, x_dot, rate_dot, bias_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (_saved_bias is None, bias_dot is None, rate_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x, _saved_bias, x_dot),
            *_operands.read(rate_dot, axes=0),
            *_operands.read(bias_dot),
            *_operands.computed_before(_saved_exp_rate),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddrate: npt.NDArray[Any] | None = None,
    ddbias: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddrate, ddbias, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddrate, ddbias = _arguments
    _saved_x, _saved_bias, _saved_exp_rate = _fields
    dx_, drate_, dbias_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_bias, dy, ddx, ddrate, ddbias),
        (dx_, dbias_, drate_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            _saved_bias is None,
            ddbias is None,
            ddrate is None,
            ddx is None,
            drate_ is None,
        ),
        (),
        (
            *_operands.read(_saved_x, _saved_bias, dy, ddx),
            *_operands.read(ddrate, axes=0),
            *_operands.read(ddbias),
            *_operands.computed_before(_saved_exp_rate),
            *_operands.made(dx_, dbias_),
            *_operands.made(drate_, axes=0),
            *_operands.made(ddy_),
        ),
    )
