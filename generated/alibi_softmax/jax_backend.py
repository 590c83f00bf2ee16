# Made by lngen 0.1.0 from the definition of alibi_softmax.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 14 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 17 flops per row element.
# Evidence: 1 output, 1 gradient, 1 tangent, 2 second-order gradients: to 50 digits; 20 steps: 19 exact at every D, 1 to 50 digits; 26 given equations, 1 identity, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

`alibi_softmax` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["alibi_softmax"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def alibi_softmax(x: _jax.Array, slope: _jax.Array, position: _jax.Array) -> _jax.Array:
    """Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

        z = x + slope*(index() - position)
        m = max(where(index() <= position, z, -1e38))
        u = where(index() <= position, z - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes b h q k.
        slope: an array with the axes h, without a gradient.
        position: an array with the axes q, without a gradient.

    Returns y in the type of the first rows. y has an array with the axes b h q k. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, slope, position)
