# Made by lngen 0.1.0 from the definition of causal_softmax.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 13 flops per row element; backward 3 row tensors (2 read, 1 written), and 1 smaller array, 22 flops per row element.
# Evidence: 1 output, 2 gradients, 1 tangent, 3 second-order gradients: to 50 digits; 25 steps: 24 exact at every D, 1 to 50 digits; 31 given equations, 1 identity, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

`causal_softmax` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["causal_softmax"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def causal_softmax(
    x: _jax.Array, position: _jax.Array, scale: float | _jax.Array | None = None
) -> _jax.Array:
    """Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

        m = max(where(index() <= position, scale*x, -1e38))
        u = where(index() <= position, scale*x - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes ... q k.
        position: an array with the axes q, without a gradient.
        scale: a number or an array without axes. If omitted it is 1.

    Returns y in the type of the first rows. y has an array with the axes ... q k. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, position, scale)
