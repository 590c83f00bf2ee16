# Made by lngen 0.1.0 from the definition of alibi_softmax.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 14 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 17 flops per row element.
# Evidence: 1 output, 1 gradient, 1 tangent, 2 second-order gradients: to 50 digits; 20 steps: 19 exact at every D, 1 to 50 digits; 26 given equations, 1 identity, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

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
