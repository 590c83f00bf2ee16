# Made by lngen 0.1.0 from the definition of modulated_layer_norm.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
# Evidence: 1 output, 14 steps, 36 given equations, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Layer normalization whose output is gated by one number a row.

`modulated_layer_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["modulated_layer_norm"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def modulated_layer_norm(
    x: _jax.Array,
    gate: _jax.Array | None = None,
    gamma: _jax.Array | None = None,
    beta: _jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> _jax.Array:
    """Layer normalization whose output is gated by one number a row.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gate*(gamma*xhat + beta)

    Args:
        x: shape (..., D).
        gate: one value per row, shape x.shape[:-1]. If omitted it is 1.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, gate, gamma, beta, eps)
