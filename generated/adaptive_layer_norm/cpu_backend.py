# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

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
    __file__, "kernels", "adaptive_layer_norm_forward"
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "adaptive_layer_norm_backward"
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "adaptive_layer_norm_jvp",
    optional=("scale_dot", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "adaptive_layer_norm_backward_backward",
    optional=("ddscale", "ddshift", "ddx"),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
