# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:6e1a9082227321b1f666fe7736964cd5c99f5cc7c832bbd31d3c32a14525f253
"""Cross entropy of soft targets with the softmax of a row, one number a row.

`cross_entropy` takes tensors, and `CrossEntropy` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "CrossEntropy",
    "cross_entropy",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def cross_entropy(x: _torch.Tensor, target: _torch.Tensor) -> _torch.Tensor:
    """Cross entropy of soft targets with the softmax of a row, one number a row.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        sum_logp_target = sum(logp*target)
        y = -sum_logp_target

    Args:
        x: shape (..., D).
        target: shape (..., D).

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, target)


class CrossEntropy(_torch.Module):
    """`cross_entropy` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor, target: _torch.Tensor) -> _torch.Tensor:
        """Return `cross_entropy` of the arguments."""
        return _LAYER.call(x, target)
