# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

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

_FORWARD = _compiled.CompiledDirection(__file__, "kernels", "focal_loss_forward")
_BACKWARD = _compiled.CompiledDirection(__file__, "kernels", "focal_loss_backward")
_JVP = _compiled.CompiledDirection(
    __file__, "second_order", "focal_loss_jvp", optional=("x_dot",)
)
_BACKWARD_BACKWARD = _compiled.CompiledDirection(
    __file__, "second_order", "focal_loss_backward_backward", optional=("ddx",)
)

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
