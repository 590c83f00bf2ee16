# Made by lngen 0.1.0 from the definition of focal_loss.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 12 flops per row element.
# Evidence: 1 output, 30 steps, 33 given equations, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4; derivation.md says of what.
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

`focal_loss` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["focal_loss"]

_LAYER: _jax.JaxLayer[_jax.Array] = _jax.JaxLayer(_numpy, _cpu)


def focal_loss(x: _jax.Array, label: _jax.Array, *, gamma: float = 2) -> _jax.Array:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, label, gamma)
