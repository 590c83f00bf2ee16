# Made by lngen 0.1.0 from the definition of ada_layer_norm.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 10 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 13 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
# templates sha256:6e1a9082227321b1f666fe7736964cd5c99f5cc7c832bbd31d3c32a14525f253
"""Layer normalization with a scale and a shift for each sample.

`ada_layer_norm` takes tensors, and `AdaLayerNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AdaLayerNorm",
    "ada_layer_norm",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def ada_layer_norm(
    x: _torch.Tensor,
    scale: _torch.Tensor | None = None,
    shift: _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> _torch.Tensor:
    """Layer normalization with a scale and a shift for each sample.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        scale: an array with the axes b d. If omitted it is 0.
        shift: an array with the axes b d. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes b ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, scale, shift, eps)


class AdaLayerNorm(_torch.Module):
    """`ada_layer_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__({}, {}, {"eps": eps}, None, None)

    def forward(
        self,
        x: _torch.Tensor,
        scale: _torch.Tensor | None = None,
        shift: _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `ada_layer_norm` of the arguments and the parameters of the module."""
        return _LAYER.call(x, scale, shift, self.eps)
