# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
"""Group normalization: each row is the channels of a group, with all that lies behind them.

`group_norm` takes tensors, and `GroupNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "GroupNorm",
    "group_norm",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def group_norm(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
    g: int = 32,
) -> _torch.Tensor:
    """Group normalization: each row is the channels of a group, with all that lies behind them.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = beta + gamma*xhat

    Args:
        x: an array with the axes n (g c) ....
        gamma: an array with the axes (g c). If omitted it is 1.
        beta: an array with the axes (g c). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.
        g: the size of the axis g.

    Returns y in the type of the first rows. y has an array with the axes n (g c) ....
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.sized((g,), x, gamma, beta, eps)


class GroupNorm(_torch.Module):
    """`group_norm` as a module with the parameters gamma and beta.

    Args:
        g: the size of the axis g.
        g_c: the size of the axis (g c).
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        g: int,
        g_c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"g": g, "g c": g_c},
            {"gamma": gamma, "beta": beta},
            {"eps": eps},
            device,
            dtype,
        )

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `group_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.sized((self._sizes["g"],), x, gamma, beta, self.eps)
