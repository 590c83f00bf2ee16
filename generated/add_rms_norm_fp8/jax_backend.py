# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# Cost: forward 4 row tensors (2 read, 2 written), 6 flops per row element; backward 5 row tensors (3 read, 2 written), 14 flops per row element.
# Evidence: 2 outputs, 22 steps, 37 given equations, 1 identity, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

`add_rms_norm_fp8` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["add_rms_norm_fp8"]

_LAYER: _jax.JaxLayer[tuple[_jax.Array, _jax.Array]] = _jax.JaxLayer(_numpy, _cpu)


def add_rms_norm_fp8(
    x: _jax.Array,
    residual: _jax.Array,
    gamma: _jax.Array | None = None,
    scale: float | _jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_jax.Array, _jax.Array]:
    """Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat/scale

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        scale: a number or an array without axes. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D), rounded to
    float8_e4m3fn; h has shape (..., D). The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, residual, gamma, scale, eps)
