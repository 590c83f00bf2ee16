# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:79b957e134c05bd83a3fbd1a80c4ec7a01733779f50cb93f0f47c43ca0c425e2
"""The logarithm of a row's sum of exponentials, one number a row.

`logsumexp` takes arrays of JAX's and can be differentiated twice, forwards and in
reverse. On the processor it runs as `cpu_backend` where there is a C++ compiler, else as
`numpy_backend`; on a GPU it launches the kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["logsumexp"]

_LAYER: _jax.Layer[_jax.Array] = _jax.Layer(_numpy, _cpu)


def logsumexp(x: _jax.Array) -> _jax.Array:
    """The logarithm of a row's sum of exponentials, one number a row.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = row_max + log_sum_exp

    Args:
        x: shape (..., D).

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape, both
    while it is traced.
    """
    return _LAYER.call(x)
