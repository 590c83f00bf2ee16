# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

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
    __file__, "kernels", "causal_softmax_forward", optional=("scale",)
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "causal_softmax_backward",
    "causal_softmax_backward_columns",
    optional=("scale",),
    sums=(0, 1),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "causal_softmax_jvp",
    optional=("scale", "scale_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "causal_softmax_backward_backward",
    "causal_softmax_backward_backward_columns",
    optional=("ddscale", "ddx", "scale"),
    sums=(0, 1),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
