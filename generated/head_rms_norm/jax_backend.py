# Made by lngen 0.1.0 from the definition of head_rms_norm.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 4 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 8 flops per row element.
# Evidence: 1 output, 12 steps, 24 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Root-mean-square normalization of queries or keys, with a weight for each head.

`head_rms_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["head_rms_norm"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def head_rms_norm(
    x: _jax.Array, weight: _jax.Array | None = None, *, eps: float = 1e-6
) -> _jax.Array:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, weight, eps)
