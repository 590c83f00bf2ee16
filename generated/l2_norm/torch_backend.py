# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length.

`l2_norm` takes tensors, and `L2Norm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "L2Norm",
    "l2_norm",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def l2_norm(x: _torch.Tensor, *, eps: float = 1e-12) -> _torch.Tensor:
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, eps)


class L2Norm(_torch.Module):
    """`l2_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-12) -> None:
        super().__init__(None, {}, {"eps": eps}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `l2_norm` of the arguments and the parameters of the module."""
        return _LAYER.call(x, self.eps)
