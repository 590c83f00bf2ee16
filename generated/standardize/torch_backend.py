# Made by lngen 0.1.0 from the definition of standardize; derivation.md has cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters.

`standardize` takes tensors, and `Standardize` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Standardize",
    "standardize",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def standardize(x: _torch.Tensor, *, eps: float = 1e-5) -> _torch.Tensor:
    """Rows of mean zero and unbiased variance one, without parameters.

        mu = mean(x)
        sum_x2 = sum((x - mu)**2)
        rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        y = rstd*(x - mu)

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, eps)


class Standardize(_torch.Module):
    """`standardize` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-5) -> None:
        super().__init__(None, {}, {"eps": eps}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `standardize` of the arguments and the parameters of the module."""
        return _LAYER.call(x, self.eps)
