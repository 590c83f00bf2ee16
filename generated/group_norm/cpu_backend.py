# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
"""Group normalization: each row is the channels of a group, with all that lies behind them.

The functions of `numpy_backend` as compiled kernels of kernels.cpp. The system's C++
compiler ($CXX, or else c++, g++ or clang++) compiles them on first use, one type at a
time. The library is kept in $LNGEN_CACHE or the user's cache folder.
"""

from .._runtime.native import compiled as _compiled
from .._runtime.native import kernels as _host
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

_FORWARD = _compiled.CompiledDirection(
    __file__, "kernels", "group_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "group_norm_backward", optional=("beta", "gamma")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "group_norm_jvp",
    optional=("beta", "beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "group_norm_backward_backward",
    optional=("beta", "ddbeta", "ddgamma", "ddx", "gamma"),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
