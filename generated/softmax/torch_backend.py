# Made by lngen 0.1.0 from the definition of softmax; derivation.md has cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis.

`softmax` takes tensors, and `Softmax` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Softmax",
    "softmax",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def softmax(x: _torch.Tensor) -> _torch.Tensor:
    """Softmax over the feature axis.

        m = max(x)
        e_shifted = exp(x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x)


class Softmax(_torch.Module):
    """`softmax` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `softmax` of the arguments."""
        return _LAYER.call(x)
