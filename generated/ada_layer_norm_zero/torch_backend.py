# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

`ada_layer_norm_zero` takes tensors, and `AdaLayerNormZero` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AdaLayerNormZero",
    "ada_layer_norm_zero",
]

_LAYER: _axes.TorchAxes[tuple[_torch.Tensor, _torch.Tensor]] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def ada_layer_norm_zero(
    x: _torch.Tensor,
    branch: _torch.Tensor,
    gate: _torch.Tensor,
    scale: _torch.Tensor,
    shift: _torch.Tensor,
    *,
    eps: float = 1e-6,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

        h = x + branch*gate
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        hhat = rstd*(h - mu)
        y = shift + hhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        branch: an array with the axes b ... d.
        gate: an array with the axes b d.
        scale: an array with the axes b d.
        shift: an array with the axes b d.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has an array with the axes b ...
    d; h has an array with the axes b ... d. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, branch, gate, scale, shift, eps)


class AdaLayerNormZero(_torch.Module):
    """`ada_layer_norm_zero` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__({}, {}, {"eps": eps}, None, None)

    def forward(
        self,
        x: _torch.Tensor,
        branch: _torch.Tensor,
        gate: _torch.Tensor,
        scale: _torch.Tensor,
        shift: _torch.Tensor,
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `ada_layer_norm_zero` of the arguments and the parameters of the module."""
        return _LAYER.call(x, branch, gate, scale, shift, self.eps)
