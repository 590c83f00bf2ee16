# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output.

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
    __file__, "kernels", "dropout_add_layer_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "kernels",
    "dropout_add_layer_norm_backward",
    "dropout_add_layer_norm_backward_columns",
    optional=("beta", "dh", "dy", "gamma"),
    sums=(2, 0),
)
_JVP = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dropout_add_layer_norm_jvp",
    optional=("beta", "beta_dot", "gamma", "gamma_dot", "residual_dot", "x_dot"),
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__,
    "second_order",
    "dropout_add_layer_norm_backward_backward",
    "dropout_add_layer_norm_backward_backward_columns",
    optional=("beta", "ddbeta", "ddgamma", "ddresidual", "ddx", "dh", "dy", "gamma"),
    sums=(1, 0),
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
