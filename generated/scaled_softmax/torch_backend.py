# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature.

`scaled_softmax` takes tensors, and `ScaledSoftmax` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "ScaledSoftmax",
    "scaled_softmax",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def scaled_softmax(
    x: _torch.Tensor, scale: float | _torch.Tensor | None = None
) -> _torch.Tensor:
    """Softmax with a learned inverse temperature.

        m = max(scale*x)
        e_shifted = exp(scale*x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, scale)


class ScaledSoftmax(_torch.Module):
    """`scaled_softmax` as a module with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        scale: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(None, {"scale": scale}, {}, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `scaled_softmax` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return _LAYER.call(x, scale)
