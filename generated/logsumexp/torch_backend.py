# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops per row element; backward 2 row tensors (1 read, 1 written), 3 flops per row element.
# Evidence: 1 output, 15 steps, 13 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""The logarithm of a row's sum of exponentials, one number a row.

`logsumexp` takes tensors and `Logsumexp` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Logsumexp",
    "logsumexp",
]

_LAYER: _torch.Layer[_torch.Tensor] = _torch.Layer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def logsumexp(x: _torch.Tensor) -> _torch.Tensor:
    """The logarithm of a row's sum of exponentials, one number a row.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = row_max + log_sum_exp

    Args:
        x: shape (..., D).

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x)


class Logsumexp(_torch.Module):
    """`logsumexp` as a module, which has no parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """What `logsumexp` returns."""
        return _LAYER.call(x)
