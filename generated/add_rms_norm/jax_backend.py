# Made by lngen 0.1.0 from the definition of add_rms_norm.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 5 flops per row element; backward 5 row tensors (3 read, 2 written), 10 flops per row element.
# Evidence: 2 outputs, 14 steps, 31 given equations, 1 identity, 3 gradients, 2 tangents, 5 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Residual addition, then root-mean-square normalization; the sum is the second output.

`add_rms_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["add_rms_norm"]

_LAYER: _jax.JaxLayer[tuple[_jax.Array, _jax.Array]] = _jax.JaxLayer(_numpy, _cpu)


def add_rms_norm(
    x: _jax.Array,
    residual: _jax.Array,
    gamma: _jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_jax.Array, _jax.Array]:
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, residual, gamma, eps)
