# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:6e1a9082227321b1f666fe7736964cd5c99f5cc7c832bbd31d3c32a14525f253
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
