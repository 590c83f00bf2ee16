# Made by lngen 0.1.0 from the definition of log_softmax.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 5 flops per row element.
# Evidence: 1 output, 17 steps, 17 first lines, 1 gradient, 1 tangent, 2 second-order gradients: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""The logarithm of softmax over the feature axis.

`log_softmax` takes tensors and `LogSoftmax` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "LogSoftmax",
    "log_softmax",
]

_LAYER: _torch.Layer[_torch.Tensor] = _torch.Layer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def log_softmax(x: _torch.Tensor) -> _torch.Tensor:
    """The logarithm of softmax over the feature axis.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = x - row_max - log_sum_exp

    Args:
        x: shape (..., D).

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x)


class LogSoftmax(_torch.Module):
    """`log_softmax` as a module, which has no parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """What `log_softmax` returns."""
        return _LAYER.call(x)
