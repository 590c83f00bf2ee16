# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
"""Each row divided by its mean fourth power, to the power 1/4.

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
    __file__, "kernels", "power_norm_forward", optional=("gamma",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "power_norm_backward",
    "power_norm_backward_columns",
    optional=("gamma",),
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "power_norm_jvp", optional=("gamma", "gamma_dot", "x_dot")
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "power_norm_backward_backward",
    "power_norm_backward_backward_columns",
    optional=("ddgamma", "ddx", "gamma"),
    sums=(1, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
