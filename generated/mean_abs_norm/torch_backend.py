# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation.

`mean_abs_norm` takes tensors, and `MeanAbsNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "MeanAbsNorm",
    "mean_abs_norm",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def mean_abs_norm(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """Centred rows divided by their mean absolute deviation.

        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, gamma, beta, eps)


class MeanAbsNorm(_torch.Module):
    """`mean_abs_norm` as a module with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D, {"gamma": gamma, "beta": beta}, {"eps": eps}, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `mean_abs_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.call(x, gamma, beta, self.eps)
