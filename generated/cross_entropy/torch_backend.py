# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
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
