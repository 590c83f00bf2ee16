# Made by lngen 0.1.0 from the definition of add_rms_norm.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 5 flops per row element; backward 5 row tensors (3 read, 2 written), 10 flops per row element.
# Evidence: 2 outputs, 14 steps, 31 given equations, 1 identity, 3 gradients, 2 tangents, 5 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
"""Residual addition, then root-mean-square normalization; the sum is the second output.

The functions of `numpy_backend` as compiled kernels of kernels.cpp. The system's C++
compiler ($CXX, or else c++, g++ or clang++) compiles them on first use, one type at a
time. The library is kept in $LNGEN_CACHE or the user's cache folder.
"""

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

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
