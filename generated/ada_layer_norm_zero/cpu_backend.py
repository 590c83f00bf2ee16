# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

The functions of `numpy_backend` as compiled kernels of kernels.cpp. The system's C++
compiler ($CXX, or else c++, g++ or clang++) compiles them on first use, one type at a
time. The library is kept in $LNGEN_CACHE or the user's cache folder.

A call takes the straight way if its arrays are as kernels take them, and else the long
one, which converts them, or says what is wrong with them.
"""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy.typing as npt

from .._runtime.native import compiled as _compiled
from .._runtime.native import kernels as _host
from .._runtime.protocol import calls as _calls
from . import numpy_backend as _numpy
from .kernels import KERNELS
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

_KERNELS = _host.HostKernels(
    INTERFACE,
    KERNELS,
    {
        "forward": _FORWARD,
        "backward": _BACKWARD,
        "jvp": _JVP,
        "backward_backward": _BACKWARD_BACKWARD,
    },
    {
        "forward": _numpy._FORWARD,
        "backward": _numpy._BACKWARD,
        "jvp": _numpy._JVP,
        "backward_backward": _numpy._BACKWARD_BACKWARD,
    },
)
_LONG_FORWARD = _KERNELS.function("forward")
_LONG_BACKWARD = _KERNELS.function("backward")
_LONG_JVP = _KERNELS.function("jvp")
_LONG_BACKWARD_BACKWARD = _KERNELS.function("backward_backward")


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


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
        _LONG_FORWARD, x, branch, gate, scale, shift, eps, save, out, threads
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_LONG_BACKWARD, saved, dy, dh, out, threads)


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
        _LONG_JVP,
        saved,
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        out,
        threads,
    )


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
        _LONG_BACKWARD_BACKWARD,
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


forward.__doc__ = _numpy.forward.__doc__
backward.__doc__ = _numpy.backward.__doc__
jvp.__doc__ = _numpy.jvp.__doc__
backward_backward.__doc__ = _numpy.backward_backward.__doc__
