# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization.

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
    __file__, "kernels", "rms_norm_gated_forward", optional=("gamma",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_gated_backward",
    "rms_norm_gated_backward_columns",
    optional=("gamma",),
    sums=(1, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_gated_jvp",
    optional=("gamma", "gamma_dot", "x_dot", "z_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "rms_norm_gated_backward_backward",
    "rms_norm_gated_backward_backward_columns",
    optional=("ddgamma", "ddx", "ddz", "gamma"),
    sums=(1, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
