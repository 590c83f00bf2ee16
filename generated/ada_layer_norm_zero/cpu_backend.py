# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

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
    __file__, "kernels", "ada_layer_norm_zero_forward"
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "ada_layer_norm_zero_backward", optional=("dh", "dy")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_zero_jvp",
    optional=("branch_dot", "gate_dot", "scale_dot", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_zero_backward_backward",
    optional=("ddbranch", "ddgate", "ddscale", "ddshift", "ddx", "dh", "dy"),
)


@_long.described_as(_numpy.forward)
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(
        _forward_on_kernels, x, branch, gate, scale, shift, eps, save, out, threads
    )


@_long.function(_numpy._FORWARD)
def _forward_on_kernels(_values: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x, branch, gate, scale, shift, eps = _values
    y_, h_, mu_, mu_residual_, rstd_ = _results
    _operands = _long.RowOperands(_call, (x, branch, gate, scale, shift), (y_, h_))
    _operands.call(
        _FORWARD,
        (),
        (eps,),
        (
            *_operands.read(x, branch, gate, scale, shift),
            *_operands.made(y_, h_),
            *_operands.made_once(mu_, mu_residual_, rstd_),
        ),
    )


@_long.described_as(_numpy.backward)
def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_backward_on_kernels, saved, dy, dh, out, threads)


@_long.function(_numpy._BACKWARD)
def _backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dh = _arguments
    (
        _saved_x,
        _saved_branch,
        _saved_gate,
        _saved_scale,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dbranch_, dgate_, dscale_, dshift_ = _results
    _operands = _long.RowOperands(
        _call,
        (_saved_x, _saved_branch, _saved_gate, _saved_scale, dy, dh),
        (dx_, dbranch_, dgate_, dscale_, dshift_),
    )
    _operands.call(
        _BACKWARD,
        (dh is None, dy is None),
        (),
        (
            *_operands.read(_saved_x, _saved_branch, _saved_gate, _saved_scale, dy, dh),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_, dbranch_, dgate_, dscale_, dshift_),
        ),
    )


@_long.described_as(_numpy.jvp)
def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    branch_dot: npt.NDArray[Any] | None = None,
    gate_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    return _numpy._jvp(
        _jvp_on_kernels,
        saved,
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        out,
        threads,
    )


@_long.function(_numpy._JVP)
def _jvp_on_kernels(_arguments: Any, _fields: Any, _results: Any, _call: Any) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    x_dot, branch_dot, gate_dot, scale_dot, shift_dot = _arguments
    (
        _saved_x,
        _saved_branch,
        _saved_gate,
        _saved_scale,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    y_dot_, h_dot_ = _results
    _operands = _long.RowOperands(
        _call,
        (
            _saved_x,
            _saved_branch,
            _saved_gate,
            _saved_scale,
            x_dot,
            branch_dot,
            gate_dot,
            scale_dot,
            shift_dot,
        ),
        (y_dot_, h_dot_),
    )
    _operands.call(
        _JVP,
        (
            branch_dot is None,
            gate_dot is None,
            scale_dot is None,
            shift_dot is None,
            x_dot is None,
        ),
        (),
        (
            *_operands.read(
                _saved_x,
                _saved_branch,
                _saved_gate,
                _saved_scale,
                x_dot,
                branch_dot,
                gate_dot,
                scale_dot,
                shift_dot,
            ),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(y_dot_, h_dot_),
        ),
    )


@_long.described_as(_numpy.backward_backward)
def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddbranch: npt.NDArray[Any] | None = None,
    ddgate: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    dy, dh = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _numpy._backward_backward(
        _backward_backward_on_kernels,
        saved,
        dy,
        dh,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        out,
        threads,
    )


@_long.function(_numpy._BACKWARD_BACKWARD)
def _backward_backward_on_kernels(
    _arguments: Any, _fields: Any, _results: Any, _call: Any
) -> None:
    """Pass arrays of any type and layout to the kernels, each as an operand."""
    dy, dh, ddx, ddbranch, ddgate, ddscale, ddshift = _arguments
    (
        _saved_x,
        _saved_branch,
        _saved_gate,
        _saved_scale,
        _saved_mu,
        _saved_mu_residual,
        _saved_rstd,
    ) = _fields
    dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_ = _results
    _operands = _long.RowOperands(
        _call,
        (
            _saved_x,
            _saved_branch,
            _saved_gate,
            _saved_scale,
            dy,
            dh,
            ddx,
            ddbranch,
            ddgate,
            ddscale,
            ddshift,
        ),
        (dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_),
    )
    _operands.call(
        _BACKWARD_BACKWARD,
        (
            ddbranch is None,
            ddgate is None,
            ddscale is None,
            ddshift is None,
            ddx is None,
            dh is None,
            dy is None,
        ),
        (),
        (
            *_operands.read(
                _saved_x,
                _saved_branch,
                _saved_gate,
                _saved_scale,
                dy,
                dh,
                ddx,
                ddbranch,
                ddgate,
                ddscale,
                ddshift,
            ),
            *_operands.computed_before(_saved_mu, _saved_mu_residual, _saved_rstd),
            *_operands.made(dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_),
        ),
    )
