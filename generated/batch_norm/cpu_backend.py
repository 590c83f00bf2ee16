# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

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
    __file__, "kernels", "batch_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "batch_norm_backward",
    optional=("beta", "dmu", "dvar", "dy", "gamma"),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "batch_norm_jvp",
    optional=("beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "batch_norm_backward_backward",
    optional=("beta", "ddbeta", "ddgamma", "ddx", "dmu", "dvar", "dy", "gamma"),
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
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    eps = _calls.constant("eps", eps, signed=False)
    return _numpy._forward(_LONG_FORWARD, x, gamma, beta, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dmu: npt.NDArray[Any] | None = None,
    dvar: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    return _numpy._backward(_LONG_BACKWARD, saved, dy, dmu, dvar, out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    return _numpy._jvp(_LONG_JVP, saved, x_dot, gamma_dot, beta_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    dy, dmu, dvar = _calls.each_cotangent(cotangents, ("dy", "dmu", "dvar"))
    return _numpy._backward_backward(
        _LONG_BACKWARD_BACKWARD,
        saved,
        dy,
        dmu,
        dvar,
        ddx,
        ddgamma,
        ddbeta,
        out,
        threads,
    )


forward.__doc__ = _numpy.forward.__doc__
backward.__doc__ = _numpy.backward.__doc__
jvp.__doc__ = _numpy.jvp.__doc__
backward_backward.__doc__ = _numpy.backward_backward.__doc__
