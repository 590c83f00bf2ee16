# Made by lngen 0.1.0 from the definition of rotary.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# Cost: forward 4 row tensors (2 read, 2 written), and 2 smaller arrays, 6 flops per row element; backward 4 row tensors (2 read, 2 written), and 2 smaller arrays, 6 flops per row element.
# Evidence: 2 outputs, 12 given equations, 2 gradients, 2 tangents, 4 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

`rotary` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["rotary"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def rotary(x: _jax.Array, cosine: _jax.Array, sine: _jax.Array) -> _jax.Array:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.

    Returns y in the type of the first rows. y has an array with the axes b h t (s d), s
    of size 2. The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, cosine, sine)
