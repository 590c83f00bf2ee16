# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row.

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
    __file__,
    "kernels",
    "modulated_layer_norm_forward",
    optional=("beta", "gamma", "gate"),
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "modulated_layer_norm_backward",
    "modulated_layer_norm_backward_columns",
    optional=("beta", "gamma", "gate"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_layer_norm_jvp",
    optional=("beta", "beta_dot", "gamma", "gamma_dot", "gate", "gate_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "modulated_layer_norm_backward_backward",
    "modulated_layer_norm_backward_backward_columns",
    optional=("beta", "ddbeta", "ddgamma", "ddgate", "ddx", "gamma", "gate"),
    sums=(2, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
