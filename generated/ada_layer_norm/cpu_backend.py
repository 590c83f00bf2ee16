# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
"""Layer normalization with a scale and a shift for each sample.

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
    __file__, "kernels", "ada_layer_norm_forward", optional=("scale", "shift")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__, "kernels", "ada_layer_norm_backward", optional=("scale", "shift")
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_jvp",
    optional=("scale", "scale_dot", "shift", "shift_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "ada_layer_norm_backward_backward",
    optional=("ddscale", "ddshift", "ddx", "scale", "shift"),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
