# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

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

_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "alibi_softmax_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "alibi_softmax_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "alibi_softmax_jvp", optional=("x_dot",)
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "alibi_softmax_backward_backward", optional=("ddx",)
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
