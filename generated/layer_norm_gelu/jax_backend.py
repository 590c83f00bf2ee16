# Made by lngen 0.1.0 from the definition of layer_norm_gelu.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# Cost: forward 2 row tensors (1 read, 1 written), 15 flops per row element; backward 3 row tensors (2 read, 1 written), 30 flops per row element.
# Evidence: 1 output, 25 steps, 43 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Layer normalization, then the Gaussian error linear unit.

`layer_norm_gelu` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["layer_norm_gelu"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def layer_norm_gelu(
    x: _jax.Array,
    gamma: _jax.Array | None = None,
    beta: _jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> _jax.Array:
    """Layer normalization, then the Gaussian error linear unit.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        Phi_u = Phi(u)
        y = Phi_u*u

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, gamma, beta, eps)
