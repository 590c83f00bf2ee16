# Made by lngen 0.1.0 from the definition of instance_norm.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 9 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 11 flops per row element.
# Evidence: 1 output, 19 steps, 37 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Instance normalization: each row is one channel of one sample.

`instance_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["instance_norm"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def instance_norm(
    x: _jax.Array,
    gamma: _jax.Array | None = None,
    beta: _jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> _jax.Array:
    """Instance normalization: each row is one channel of one sample.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: an array with the axes n c ....
        gamma: an array with the axes c. If omitted it is 1.
        beta: an array with the axes c. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes n c .... The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.call(x, gamma, beta, eps)
