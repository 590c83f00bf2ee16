# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm.

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
    __file__, "kernels", "dynamic_tanh_forward", optional=("alpha", "beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "dynamic_tanh_backward",
    "dynamic_tanh_backward_columns",
    optional=("alpha", "beta", "gamma"),
    sums=(2, 1),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dynamic_tanh_jvp",
    optional=("alpha", "alpha_dot", "beta", "beta_dot", "gamma", "gamma_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dynamic_tanh_backward_backward",
    "dynamic_tanh_backward_backward_columns",
    optional=("alpha", "beta", "ddalpha", "ddbeta", "ddgamma", "ddx", "gamma"),
    sums=(1, 1),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
