# Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has cost and evidence.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
"""Root-mean-square normalization over the feature axis.

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
    __file__, "kernels", "rms_norm_forward", optional=("gamma",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_backward",
    "rms_norm_backward_columns",
    optional=("gamma",),
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "rms_norm_jvp", optional=("gamma", "gamma_dot", "x_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_backward_backward",
    "rms_norm_backward_backward_columns",
    optional=("ddgamma", "ddx", "gamma"),
    sums=(1, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
