# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

`alibi_softmax` takes tensors, and `AlibiSoftmax` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AlibiSoftmax",
    "alibi_softmax",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def alibi_softmax(
    x: _torch.Tensor, slope: _torch.Tensor, position: _torch.Tensor
) -> _torch.Tensor:
    """Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

        z = x + slope*(index() - position)
        m = max(where(index() <= position, z, -1e38))
        u = where(index() <= position, z - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes b h q k.
        slope: an array with the axes h, without a gradient.
        position: an array with the axes q, without a gradient.

    Returns y in the type of the first rows. y has an array with the axes b h q k. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, slope, position)


class AlibiSoftmax(_torch.Module):
    """`alibi_softmax` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(
        self, x: _torch.Tensor, slope: _torch.Tensor, position: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `alibi_softmax` of the arguments."""
        return _LAYER.call(x, slope, position)
