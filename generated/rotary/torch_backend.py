# Made by lngen 0.1.0 from the definition of rotary; derivation.md has cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

`rotary` takes tensors, and `Rotary` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Rotary",
    "rotary",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def rotary(
    x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
) -> _torch.Tensor:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.

    Returns y in the type of the first rows. y has an array with the axes b h t (s d), s
    of size 2. The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, cosine, sine)


class Rotary(_torch.Module):
    """`rotary` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(
        self, x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `rotary` of the arguments."""
        return _LAYER.call(x, cosine, sine)
