# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

`focal_loss` takes tensors, and `FocalLoss` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "FocalLoss",
    "focal_loss",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def focal_loss(
    x: _torch.Tensor, label: _torch.Tensor, *, gamma: float = 2
) -> _torch.Tensor:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, label, gamma)


class FocalLoss(_torch.Module):
    """`focal_loss` as a module without parameters.

    Args:
        gamma: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, gamma: float = 2) -> None:
        super().__init__(None, {}, {"gamma": gamma}, None, None)

    def forward(self, x: _torch.Tensor, label: _torch.Tensor) -> _torch.Tensor:
        """Return `focal_loss` of the arguments and the parameters of the module."""
        return _LAYER.call(x, label, self.gamma)
