# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 23 steps, 29 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:79b957e134c05bd83a3fbd1a80c4ec7a01733779f50cb93f0f47c43ca0c425e2
"""Softmax with a learned inverse temperature.

`scaled_softmax` takes arrays of JAX's and can be differentiated twice, forwards and in
reverse. On the processor it runs as `cpu_backend` where there is a C++ compiler, else as
`numpy_backend`; on a GPU it launches the kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["scaled_softmax"]

_LAYER: _jax.Layer[_jax.Array] = _jax.Layer(_numpy, _cpu)


def scaled_softmax(
    x: _jax.Array, scale: float | _jax.Array | None = None
) -> _jax.Array:
    """Softmax with a learned inverse temperature.

        row_max = max(scale*x)
        e_shifted = exp(scale*x - row_max)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or an array without axes; left out it is 1.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape, both
    while it is traced.
    """
    return _LAYER.call(x, scale)
