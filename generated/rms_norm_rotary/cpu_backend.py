# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

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
    __file__, "kernels", "rms_norm_rotary_forward", optional=("weight_0", "weight_1")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_rotary_backward",
    "rms_norm_rotary_backward_columns",
    optional=("dy_0", "dy_1", "weight_0", "weight_1"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_rotary_jvp",
    optional=("a_dot", "b_dot", "weight_0", "weight_0_dot", "weight_1", "weight_1_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_rotary_backward_backward",
    "rms_norm_rotary_backward_backward_columns",
    optional=(
        "dda",
        "ddb",
        "ddweight_0",
        "ddweight_1",
        "dy_0",
        "dy_1",
        "weight_0",
        "weight_1",
    ),
    sums=(2, 0),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(
        _forward_on_kernels, x, cosine, sine, weight, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    a, b, cosine, sine, weight_0, weight_1, eps = _values
    y_0_, y_1_, rstd_ = _results
    _operands = _long.RowOperands(_call, (a, b, cosine, sine), (y_0_, y_1_))
    _operands.call(
        _FORWARD,
        (weight_0 is None, weight_1 is None),
        (eps,),
        (
            *_operands.read(a, b, cosine, sine),
            *_operands.shared(weight_0, weight_1),
            *_operands.made(y_0_, y_1_),
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
    dy_0, dy_1 = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_cosine,
        _saved_sine,
        _saved_weight_0,
        _saved_weight_1,
        _saved_rstd,
    ) = _fields
    da_, db_, dweight_0_, dweight_1_ = _results
    _operands = _long.RowOperands(
        _call, (_saved_a, _saved_b, _saved_cosine, _saved_sine, dy_0, dy_1), (da_, db_)
    )
    _operands.call(
        _BACKWARD,
        (dy_0 is None, dy_1 is None, _saved_weight_0 is None, _saved_weight_1 is None),
        (),
        (
            *_operands.read(_saved_a, _saved_b, _saved_cosine, _saved_sine, dy_0, dy_1),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_weight_0, _saved_weight_1),
            *_operands.made(da_, db_),
        ),
        (
            *_operands.shared(_saved_weight_0, _saved_weight_1),
            *_operands.summed(dweight_0_, dweight_1_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    weight_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_jvp_on_kernels, saved, x_dot, weight_dot, out, threads)


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    a_dot, b_dot, weight_0_dot, weight_1_dot = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_cosine,
        _saved_sine,
        _saved_weight_0,
        _saved_weight_1,
        _saved_rstd,
    ) = _fields
    y_0_dot_, y_1_dot_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_a, _saved_b, _saved_cosine, _saved_sine, a_dot, b_dot),
        (y_0_dot_, y_1_dot_),
    )
    _operands.call(
        _JVP,
        (
            a_dot is None,
            b_dot is None,
            _saved_weight_0 is None,
            weight_0_dot is None,
            _saved_weight_1 is None,
            weight_1_dot is None,
        ),
        (),
        (
            *_operands.read(
                _saved_a, _saved_b, _saved_cosine, _saved_sine, a_dot, b_dot
            ),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(
                _saved_weight_0, _saved_weight_1, weight_0_dot, weight_1_dot
            ),
            *_operands.made(y_0_dot_, y_1_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddweight: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _numpy._backward_backward(
        _backward_backward_on_kernels, saved, dy, ddx, ddweight, out, threads
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy_0, dy_1, dda, ddb, ddweight_0, ddweight_1 = _arguments
    (
        _saved_a,
        _saved_b,
        _saved_cosine,
        _saved_sine,
        _saved_weight_0,
        _saved_weight_1,
        _saved_rstd,
    ) = _fields
    da_, db_, dweight_0_, dweight_1_, ddy_0_, ddy_1_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_a, _saved_b, _saved_cosine, _saved_sine, dy_0, dy_1, dda, ddb),
        (da_, db_, ddy_0_, ddy_1_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            dda is None,
            ddb is None,
            ddweight_0 is None,
            ddweight_1 is None,
            dy_0 is None,
            dy_1 is None,
            _saved_weight_0 is None,
            _saved_weight_1 is None,
        ),
        (),
        (
            *_operands.read(
                _saved_a, _saved_b, _saved_cosine, _saved_sine, dy_0, dy_1, dda, ddb
            ),
            *_operands.computed_before(_saved_rstd),
            *_operands.shared(_saved_weight_0, _saved_weight_1, ddweight_0, ddweight_1),
            *_operands.made(da_, db_, ddy_0_, ddy_1_),
        ),
        (
            *_operands.shared(_saved_weight_0, _saved_weight_1, ddweight_0, ddweight_1),
            *_operands.summed(dweight_0_, dweight_1_),
        ),
    )
