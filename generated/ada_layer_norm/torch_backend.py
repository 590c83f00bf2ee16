# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
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
