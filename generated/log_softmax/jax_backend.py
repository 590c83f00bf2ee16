# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
# Evidence: 1 output, 17 steps, 17 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:79b957e134c05bd83a3fbd1a80c4ec7a01733779f50cb93f0f47c43ca0c425e2
"""The logarithm of softmax over the feature axis.

`log_softmax` takes arrays of JAX's and can be differentiated twice, forwards and in
reverse. On the processor it runs as `cpu_backend` where there is a C++ compiler, else as
`numpy_backend`; on a GPU it launches the kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["log_softmax"]

_LAYER: _jax.Layer[_jax.Array] = _jax.Layer(_numpy, _cpu)


def log_softmax(x: _jax.Array) -> _jax.Array:
    """The logarithm of softmax over the feature axis.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = x - row_max - log_sum_exp

    Args:
        x: shape (..., D).

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape, both
    while it is traced.
    """
    return _LAYER.call(x)
