# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

`adaptive_layer_norm` takes tensors, and `AdaptiveLayerNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AdaptiveLayerNorm",
    "adaptive_layer_norm",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def adaptive_layer_norm(
    x: _torch.Tensor, scale: _torch.Tensor, shift: _torch.Tensor, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, scale, shift, eps)


class AdaptiveLayerNorm(_torch.Module):
    """`adaptive_layer_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__(None, {}, {"eps": eps}, None, None)

    def forward(
        self, x: _torch.Tensor, scale: _torch.Tensor, shift: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `adaptive_layer_norm` of the arguments and the parameters of the module."""
        return _LAYER.call(x, scale, shift, self.eps)
