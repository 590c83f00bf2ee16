# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

`batch_norm` takes tensors, and `BatchNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "BatchNorm",
    "batch_norm",
]

_LAYER: _axes.TorchAxes[tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]] = (
    _axes.TorchAxes(__name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu)
)


def batch_norm(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]:
    """Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

        mu = mean(x)
        x_centred = x - mu
        var = mean(x_centred**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*x_centred
        y = gamma*xhat + beta

    Args:
        x: an array with the axes n c ....
        gamma: an array with the axes c. If omitted it is 1.
        beta: an array with the axes c. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, mu, var)` in the type of the first rows. y has an array with the axes n
    c ...; mu has an array with the axes c; var has an array with the axes c. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, gamma, beta, eps)


class BatchNorm(_torch.Module):
    """`batch_norm` as a module with the parameters gamma and beta.

    Args:
        c: the size of the axis c.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"c": c}, {"gamma": gamma, "beta": beta}, {"eps": eps}, device, dtype
        )

    def forward(
        self, x: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]:
        """Return `batch_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.call(x, gamma, beta, self.eps)
