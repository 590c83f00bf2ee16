# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: 1 output, 17 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""Dynamic tanh: an elementwise layer in the place of a norm.

`dynamic_tanh` takes tensors and `DynamicTanh` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "DynamicTanh",
    "dynamic_tanh",
]

_LAYER: _torch.Layer[_torch.Tensor] = _torch.Layer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def dynamic_tanh(
    x: _torch.Tensor,
    alpha: float | _torch.Tensor | None = None,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
) -> _torch.Tensor:
    """Dynamic tanh: an elementwise layer in the place of a norm.

        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta

    Args:
        x: shape (..., D).
        alpha: a number or a tensor without axes; left out it is 0.5.
        gamma: one value per feature, shape (D,); left out it is 1.
        beta: one value per feature, shape (D,); left out it is 0.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x, alpha, gamma, beta)


class DynamicTanh(_torch.Module):
    """`dynamic_tanh` as a module, which has the parameters alpha, gamma and beta.

    Args:
        D: how many features a row has.
        alpha: False leaves it out; it is 0.5 at first.
        gamma: False leaves it out; it is 1 at first.
        beta: False leaves it out; it is 0 at first.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        alpha: bool = True,
        gamma: bool = True,
        beta: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            D, {"alpha": alpha, "gamma": gamma, "beta": beta}, {}, device, dtype
        )

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """What `dynamic_tanh` returns with the parameters of the module."""
        return _LAYER.call(x, self.alpha, self.gamma, self.beta)
