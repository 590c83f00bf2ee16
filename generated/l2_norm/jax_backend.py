# Made by lngen 0.1.0 from the definition of l2_norm.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
# Evidence: 1 output, 15 steps, 15 first lines, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# templates sha256:79b957e134c05bd83a3fbd1a80c4ec7a01733779f50cb93f0f47c43ca0c425e2
"""Each row divided by its Euclidean length.

`l2_norm` takes arrays of JAX's and can be differentiated twice, forwards and in
reverse. On the processor it runs as `cpu_backend` where there is a C++ compiler, else as
`numpy_backend`; on a GPU it launches the kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["l2_norm"]

_LAYER: _jax.Layer[_jax.Array] = _jax.Layer(_numpy, _cpu)


def l2_norm(x: _jax.Array, *, eps: float = 1e-12) -> _jax.Array:
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape, both
    while it is traced.
    """
    return _LAYER.call(x, eps)
