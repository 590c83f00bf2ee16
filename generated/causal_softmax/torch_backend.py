# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

`causal_softmax` takes tensors, and `CausalSoftmax` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "CausalSoftmax",
    "causal_softmax",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def causal_softmax(
    x: _torch.Tensor,
    position: _torch.Tensor,
    scale: float | _torch.Tensor | None = None,
) -> _torch.Tensor:
    """Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

        m = max(where(index() <= position, scale*x, -1e38))
        u = where(index() <= position, scale*x - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes ... q k.
        position: an array with the axes q, without a gradient.
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of the first rows. y has an array with the axes ... q k. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, position, scale)


class CausalSoftmax(_torch.Module):
    """`causal_softmax` as a module with the parameter scale.

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
        super().__init__({}, {"scale": scale}, {}, device, dtype)

    def forward(self, x: _torch.Tensor, position: _torch.Tensor) -> _torch.Tensor:
        """Return `causal_softmax` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return _LAYER.call(x, position, scale)
