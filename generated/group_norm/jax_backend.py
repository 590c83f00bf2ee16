# Made by lngen 0.1.0 from the definition of group_norm.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 9 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 12 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
# templates sha256:247fac47809fec075c84406408d7e952fb502a4fa2b14add690277d0bf94f330
"""Group normalization: each row is the channels of a group, with all that lies behind them.

`group_norm` takes JAX arrays.
It can be differentiated twice, forwards and in reverse. On the processor it runs
`cpu_backend` if there is a C++ compiler, else `numpy_backend`. On a GPU it launches the
kernels of `cuda_backend`.
"""

from .._runtime import jax as _jax
from .._runtime.jax import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = ["group_norm"]

_LAYER: _axes.JaxAxes[_jax.Array] = _axes.JaxAxes(_numpy, _cpu)


def group_norm(
    x: _jax.Array,
    gamma: _jax.Array | None = None,
    beta: _jax.Array | None = None,
    *,
    eps: float = 1e-5,
    g: int = 32,
) -> _jax.Array:
    """Group normalization: each row is the channels of a group, with all that lies behind them.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = beta + gamma*xhat

    Args:
        x: an array with the axes n (g c) ....
        gamma: an array with the axes (g c). If omitted it is 1.
        beta: an array with the axes (g c). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.
        g: the size of the axis g.

    Returns y in the type of the first rows. y has an array with the axes n (g c) ....
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape. Both are raised while the call is traced.
    """
    return _LAYER.sized((g,), x, gamma, beta, eps)
