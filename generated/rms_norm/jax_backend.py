# Made by lngen 0.1.0 from the definition of rms_norm.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
# Evidence: 1 output, 14 steps, 25 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Root-mean-square normalization over the feature axis.

`rms_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["rms_norm"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def rms_norm(
    x: _jax.Array, gamma: _jax.Array | None = None, *, eps: float = 1e-5
) -> _jax.Array:
    """Root-mean-square normalization over the feature axis.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, gamma, eps)
