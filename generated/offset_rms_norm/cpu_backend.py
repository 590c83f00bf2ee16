# Made by lngen 0.1.0 from the definition of offset_rms_norm.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
# Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# templates sha256:499de0446fa632a10ae9373af4708902c95db9ae1de1b4747f892ce0a463a051
"""Root-mean-square normalization with a weight that is learned as its distance from one.

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
    w: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Compiled version of `numpy_backend.forward`."""
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, w, eps), save, out, threads)


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
    w_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compiled version of `numpy_backend.jvp`."""
    return _JVP.call(saved, (x_dot, w_dot), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddw: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compiled version of `numpy_backend.backward_backward`."""
    arguments_ = (*_calls.each_cotangent(cotangents, ("dy",)), ddx, ddw)
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_KERNELS = _host.HostKernels(
    _LAYER,
    __file__,
    directions={
        "forward": _host.DeviceDirection(
            source="kernels.cpp",
            kernels={"forward": "x, w, eps, out y, saved rstd, the rows, the features"},
        ),
        "backward": _host.DeviceDirection(
            source="kernels.cpp",
            sums=(1, 0),
            kernels={
                "backward": (
                    "x, dy, saved rstd, w, out dx, the workspace, the rows, "
                    "the features"
                ),
                "backward_columns": (
                    "the workspace, the blocks, w, out dw, the features"
                ),
            },
        ),
        "jvp": _host.DeviceDirection(
            source="second_order.cpp",
            kernels={
                "jvp": (
                    "x, x_dot, saved rstd, w, w_dot, out y_dot, the rows, the features"
                ),
            },
        ),
        "backward_backward": _host.DeviceDirection(
            source="second_order.cpp",
            sums=(1, 0),
            kernels={
                "backward_backward": (
                    "x, dy, ddx, saved rstd, w, ddw, out dx, out ddy, the workspace, "
                    "the rows, the features"
                ),
                "backward_backward_columns": (
                    "the workspace, the blocks, w, ddw, out dw, the features"
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
