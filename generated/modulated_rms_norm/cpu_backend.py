# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
"""Root-mean-square normalization with a scale and a shift for each sample.

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
    __file__, "kernels", "modulated_rms_norm_forward", optional=("scale", "shift")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "modulated_rms_norm_backward", optional=("scale", "shift")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_rms_norm_jvp",
    optional=("scale", "scale_dot", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_rms_norm_backward_backward",
    optional=("ddscale", "ddshift", "ddx", "scale", "shift"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(
        _forward_on_kernels, x, scale, shift, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, scale, shift, eps = _values
    y_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, scale, shift), (y_,))
    _operands.call(
        _FORWARD,
        (scale is None, shift is None),
        (eps,),
        (
            *_operands.read(x, scale, shift),
            *_operands.made(y_),
            *_operands.made_once(rstd_),
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
    _saved_x, _saved_scale, _saved_rstd = _fields
    dx_, dscale_, dshift_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_scale, dy), (dx_, dscale_, dshift_)
    )
    _operands.call(
        _BACKWARD,
        (_saved_scale is None, dshift_ is None),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, dy),
            *_operands.computed_before(_saved_rstd),
            *_operands.made(dx_, dscale_, dshift_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(
        _jvp_on_kernels, saved, x_dot, scale_dot, shift_dot, out, threads
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, scale_dot, shift_dot = _arguments
    _saved_x, _saved_scale, _saved_rstd = _fields
    (y_dot_,) = _results
    _operands = _long.RowOperands(
        _call, (_saved_x, _saved_scale, x_dot, scale_dot, shift_dot), (y_dot_,)
    )
    _operands.call(
        _JVP,
        (_saved_scale is None, scale_dot is None, shift_dot is None, x_dot is None),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, x_dot, scale_dot, shift_dot),
            *_operands.computed_before(_saved_rstd),
            *_operands.made(y_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddscale, ddshift, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, ddx, ddscale, ddshift = _arguments
    _saved_x, _saved_scale, _saved_rstd = _fields
    dx_, dscale_, dshift_, ddy_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_scale, dy, ddx, ddscale, ddshift),
        (dx_, dscale_, dshift_, ddy_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            ddscale is None,
            ddshift is None,
            ddx is None,
            _saved_scale is None,
            dshift_ is None,
        ),
        (),
        (
            *_operands.read(_saved_x, _saved_scale, dy, ddx, ddscale, ddshift),
            *_operands.computed_before(_saved_rstd),
            *_operands.made(dx_, dscale_, dshift_, ddy_),
        ),
    )
