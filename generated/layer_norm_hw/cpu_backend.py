# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
"""Layer normalization over two axes, with a scale and a shift for every place.

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
    __file__, "kernels", "layer_norm_hw_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "layer_norm_hw_backward",
    "layer_norm_hw_backward_columns",
    optional=("beta", "gamma"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "layer_norm_hw_jvp",
    optional=("beta", "beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "layer_norm_hw_backward_backward",
    "layer_norm_hw_backward_backward_columns",
    optional=("beta", "ddbeta", "ddgamma", "ddx", "gamma"),
    sums=(1, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
