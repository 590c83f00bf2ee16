# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# Cost: forward 4 row tensors (2 read, 2 written), and 3 smaller arrays, 12 flops per row element; backward 6 row tensors (4 read, 2 written), and 5 smaller arrays, 18 flops per row element.
# Evidence: 2 outputs, 17 steps, 44 given equations, 2 identities, 5 gradients, 2 tangents, 7 second-order gradients, 8 emitted programs: exact at every D; 5 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

`ada_layer_norm_zero` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["ada_layer_norm_zero"]

_LAYER: _axes.JaxAxes[tuple[_jax.Array, _jax.Array]] = _axes.JaxAxes(_numpy, _cpu)


def ada_layer_norm_zero(
    x: _jax.Array,
    branch: _jax.Array,
    gate: _jax.Array,
    scale: _jax.Array,
    shift: _jax.Array,
    *,
    eps: float = 1e-6,
) -> tuple[_jax.Array, _jax.Array]:
    """Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

        h = x + branch*gate
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        hhat = rstd*(h - mu)
        y = shift + hhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        branch: an array with the axes b ... d.
        gate: an array with the axes b d.
        scale: an array with the axes b d.
        shift: an array with the axes b d.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has an array with the axes b ...
    d; h has an array with the axes b ... d. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, branch, gate, scale, shift, eps)
