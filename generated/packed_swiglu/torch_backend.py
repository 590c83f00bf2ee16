# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array.

`packed_swiglu` takes tensors, and `PackedSwiglu` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "PackedSwiglu",
    "packed_swiglu",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def packed_swiglu(x: _torch.Tensor) -> _torch.Tensor:
    """SwiGLU of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = silu_gate*value

    Args:
        x: an array with the axes ... (s d), s of size 2.

    Returns y in the type of the first rows. y has an array with the axes ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x)


class PackedSwiglu(_torch.Module):
    """`packed_swiglu` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `packed_swiglu` of the arguments."""
        return _LAYER.call(x)
