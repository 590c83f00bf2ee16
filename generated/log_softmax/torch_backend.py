# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
"""The logarithm of softmax over the feature axis.

`log_softmax` takes tensors, and `LogSoftmax` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "LogSoftmax",
    "log_softmax",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def log_softmax(x: _torch.Tensor) -> _torch.Tensor:
    """The logarithm of softmax over the feature axis.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = x - m - log_Z

    Args:
        x: shape (..., D).

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x)


class LogSoftmax(_torch.Module):
    """`log_softmax` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `log_softmax` of the arguments."""
        return _LAYER.call(x)
