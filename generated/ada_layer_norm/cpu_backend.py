# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
"""Layer normalization with a scale and a shift for each sample.

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
    __file__, "kernels", "ada_layer_norm_forward", optional=("scale", "shift")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "ada_layer_norm_backward", optional=("scale", "shift")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_jvp",
    optional=("scale", "scale_dot", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_backward_backward",
    optional=("ddscale", "ddshift", "ddx", "scale", "shift"),
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
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


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
    return _numpy._forward(_LONG_FORWARD, x, scale, shift, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_LONG_BACKWARD, saved, dy, out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    return _numpy._jvp(_LONG_JVP, saved, x_dot, scale_dot, shift_dot, out, threads)


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
        _LONG_BACKWARD_BACKWARD, saved, dy, ddx, ddscale, ddshift, out, threads
    )


forward.__doc__ = _numpy.forward.__doc__
backward.__doc__ = _numpy.backward.__doc__
jvp.__doc__ = _numpy.jvp.__doc__
backward_backward.__doc__ = _numpy.backward_backward.__doc__
