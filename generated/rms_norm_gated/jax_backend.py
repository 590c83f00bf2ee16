# Made by lngen 0.1.0 from the definition of rms_norm_gated.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
# Evidence: 1 output, 24 steps, 39 given equations, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""A gate, silu of another row, then root-mean-square normalization.

`rms_norm_gated` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["rms_norm_gated"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def rms_norm_gated(
    x: _jax.Array, z: _jax.Array, gamma: _jax.Array | None = None, *, eps: float = 1e-5
) -> _jax.Array:
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, z, gamma, eps)
