# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
# Evidence: 2 outputs, 38 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:499de0446fa632a10ae9373af4708902c95db9ae1de1b4747f892ce0a463a051
"""Residual addition, then layer normalization; the sum is the second output.

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


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Compiled version of `numpy_backend.forward`."""
    eps = _calls.constant("eps", eps, signed=False)
    return _FORWARD.call((x, residual, gamma, beta, eps), save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compiled version of `numpy_backend.backward`."""
    return _BACKWARD.call(saved, (dy, dh), out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compiled version of `numpy_backend.jvp`."""
    return _JVP.call(saved, (x_dot, residual_dot, gamma_dot, beta_dot), out, threads)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compiled version of `numpy_backend.backward_backward`."""
    arguments_ = (
        *_calls.each_cotangent(cotangents, ("dy", "dh")),
        ddx,
        ddresidual,
        ddgamma,
        ddbeta,
    )
    return _BACKWARD_BACKWARD.call(saved, arguments_, out, threads)


_LAYER = _directions.HostLayer(INTERFACE, Saved)
_KERNELS = _host.HostKernels(
    _LAYER,
    __file__,
    directions={
        "forward": _host.DeviceDirection(
            source="kernels.cpp",
            kernels={
                "forward": (
                    "x, residual, gamma, beta, eps, out y, out h, saved mu, "
                    "saved mu_residual, saved rstd, the rows, the features"
                ),
            },
        ),
        "backward": _host.DeviceDirection(
            source="kernels.cpp",
            sums=(2, 0),
            kernels={
                "backward": (
                    "h, dy, dh, saved mu, saved mu_residual, saved rstd, gamma, "
                    "out dx, out dresidual, the workspace, the rows, the features"
                ),
                "backward_columns": (
                    "the workspace, the blocks, gamma, out dgamma, out dbeta, "
                    "the features"
                ),
            },
        ),
        "jvp": _host.DeviceDirection(
            source="second_order.cpp",
            kernels={
                "jvp": (
                    "h, x_dot, residual_dot, saved mu, saved mu_residual, saved rstd, "
                    "gamma, gamma_dot, beta_dot, out y_dot, out h_dot, the rows, "
                    "the features"
                ),
            },
        ),
        "backward_backward": _host.DeviceDirection(
            source="second_order.cpp",
            sums=(1, 0),
            kernels={
                "backward_backward": (
                    "h, dy, dh, ddx, ddresidual, saved mu, saved mu_residual, "
                    "saved rstd, gamma, ddgamma, ddbeta, out dx, out dresidual, "
                    "out ddy, out ddh, the workspace, the rows, the features"
                ),
                "backward_backward_columns": (
                    "the workspace, the blocks, gamma, ddgamma, ddbeta, out dgamma, "
                    "out dbeta, the features"
                ),
            },
        ),
    },
)
_FORWARD = _KERNELS.forward(Outputs, _numpy._FORWARD)
_BACKWARD = _KERNELS.later("backward", Gradients, _numpy._BACKWARD)
_JVP = _KERNELS.later("jvp", Outputs, _numpy._JVP)
_BACKWARD_BACKWARD = _KERNELS.later(
    "backward_backward", SecondGradients, _numpy._BACKWARD_BACKWARD
)
