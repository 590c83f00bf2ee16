# Made by lngen 0.1.0 from the definition of standardize.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 17 steps, 23 first lines, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# templates sha256:79b957e134c05bd83a3fbd1a80c4ec7a01733779f50cb93f0f47c43ca0c425e2
"""Rows of mean zero and unbiased variance one, without parameters.

`standardize` takes arrays of JAX's and can be differentiated twice, forwards and in
reverse. On the processor it runs as `cpu_backend` where there is a C++ compiler, else as
`numpy_backend`; on a GPU it launches the kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["standardize"]

_LAYER: _jax.Layer[_jax.Array] = _jax.Layer(_numpy, _cpu)


def standardize(x: _jax.Array, *, eps: float = 1e-5) -> _jax.Array:
    """Rows of mean zero and unbiased variance one, without parameters.

        mu = mean(x)
        sum_x2 = sum((x - mu)**2)
        rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        y = rstd*(x - mu)

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape, both
    while it is traced.
    """
    return _LAYER.call(x, eps)
