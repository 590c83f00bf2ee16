# Made by lngen 0.1.0 from the definition of info_nce.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

`info_nce` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["info_nce"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def info_nce(
    similarity: _jax.Array,
    positive: _jax.Array,
    scale: float | _jax.Array | None = None,
) -> _jax.Array:
    """InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

        z = scale*similarity
        sum_where_z = sum(where(index() == positive, z, 0))
        m = max(z)
        exp_shifted = exp(z - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z - sum_where_z

    Args:
        similarity: shape (..., D).
        positive: one integer per row, shape similarity.shape[:-1].
        scale: a number or an array without axes. If omitted it is 1.

    Returns y in the type of the first rows. y has one value per row, shape
    similarity.shape[:-1]. The compute type is the widest among the inputs, and float32
    for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(similarity, positive, scale)
