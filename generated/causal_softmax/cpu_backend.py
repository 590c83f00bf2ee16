# Made by lngen 0.1.0 from the definition of causal_softmax.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 13 flops per row element; backward 3 row tensors (2 read, 1 written), and 1 smaller array, 22 flops per row element.
# Evidence: 1 output, 2 gradients, 1 tangent, 3 second-order gradients: to 50 digits; 25 steps: 24 exact at every D, 1 to 50 digits; 31 given equations, 1 identity, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

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

_KERNELS = _host.HostKernels(_numpy, __file__, KERNELS)
forward = _KERNELS.compiled(_numpy.forward)
backward = _KERNELS.compiled(_numpy.backward)
jvp = _KERNELS.compiled(_numpy.jvp)
backward_backward = _KERNELS.compiled(_numpy.backward_backward)
