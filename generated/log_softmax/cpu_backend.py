# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
# Evidence: 1 output, 23 steps, 18 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:499de0446fa632a10ae9373af4708902c95db9ae1de1b4747f892ce0a463a051
"""The logarithm of softmax over the feature axis.

The functions of `numpy_backend` as compiled kernels of kernels.cpp. The system's C++
compiler ($CXX, or else c++, g++ or clang++) compiles them on first use, one type at a
time. The library is kept in $LNGEN_CACHE or the user's cache folder.
"""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy.typing as npt

from .._runtime.native import kernels as _host
from .._runtime.numpy import directions as _directions
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


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Compiled version of `numpy_backend.forward`."""
    return _FORWARD.call((x,), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compiled version of `numpy_backend.backward`."""
    return _BACKWARD.call(saved, (dy,), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compiled version of `numpy_backend.jvp`."""
    return _JVP.call(saved, (x_dot,), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compiled version of `numpy_backend.backward_backward`."""
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_KERNELS = _host.HostKernels(
    _LAYER,
    __file__,
    directions={
        "forward": _host.DeviceDirection(
            source="kernels.cpp",
            kernels={"forward": "x, out y, saved m, saved Z, the rows, the features"},
        ),
        "backward": _host.DeviceDirection(
            source="kernels.cpp",
            kernels={
                "backward": "x, dy, saved m, saved Z, out dx, the rows, the features",
            },
        ),
        "jvp": _host.DeviceDirection(
            source="second_order.cpp",
            kernels={
                "jvp": "x, x_dot, saved m, saved Z, out y_dot, the rows, the features",
            },
        ),
        "backward_backward": _host.DeviceDirection(
            source="second_order.cpp",
            kernels={
                "backward_backward": (
                    "x, dy, ddx, saved m, saved Z, out dx, out ddy, the rows, "
                    "the features"
                ),
            },
        ),
    },
)
_FORWARD = _KERNELS.forward(_directions.only, _numpy._FORWARD)
_BACKWARD = _KERNELS.later("backward", Gradients, _numpy._BACKWARD)
_JVP = _KERNELS.later("jvp", _directions.only, _numpy._JVP)
_BACKWARD_BACKWARD = _KERNELS.later(
    "backward_backward", SecondGradients, _numpy._BACKWARD_BACKWARD
)
