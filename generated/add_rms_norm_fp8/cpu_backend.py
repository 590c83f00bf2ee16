# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

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

_FORWARD = _compiled.CompiledDirection(
    __file__, "kernels", "add_rms_norm_fp8_forward", optional=("gamma", "scale")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "add_rms_norm_fp8_backward",
    "add_rms_norm_fp8_backward_columns",
    optional=("dh", "dy", "gamma", "scale"),
    sums=(1, 1),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "add_rms_norm_fp8_jvp",
    optional=("gamma", "gamma_dot", "residual_dot", "scale", "scale_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "add_rms_norm_fp8_backward_backward",
    "add_rms_norm_fp8_backward_backward_columns",
    optional=("ddgamma", "ddresidual", "ddscale", "ddx", "dh", "dy", "gamma", "scale"),
    sums=(2, 2),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
