# Made by lngen 0.1.0 from the definition of power_norm.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 5 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 9 steps, 22 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""Each row divided by its mean fourth power, to the power 1/4.

`power_norm` takes tensors and `PowerNorm` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "PowerNorm",
    "power_norm",
]

_LAYER: _torch.Layer[_torch.Tensor] = _torch.Layer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def power_norm(
    x: _torch.Tensor, gamma: _torch.Tensor | None = None, *, eps: float = 1e-5
) -> _torch.Tensor:
    """Each row divided by its mean fourth power, to the power 1/4.

        mean_x4 = mean(x**4)
        scale = 1/(mean_x4 + eps)**(1/4)
        xhat = scale*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,); left out it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x, gamma, eps)


class PowerNorm(_torch.Module):
    """`power_norm` as a module, which has the parameter gamma.

    Args:
        D: how many features a row has.
        gamma: False leaves it out; it is 1 at first.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D, {"gamma": gamma}, {"eps": eps}, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """What `power_norm` returns with the parameters of the module."""
        return _LAYER.call(x, self.gamma, self.eps)
