# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
"""Residual addition, then layer normalization; the sum is the second output.

`add_layer_norm` takes tensors, and `AddLayerNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AddLayerNorm",
    "add_layer_norm",
]

_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def add_layer_norm(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Residual addition, then layer normalization; the sum is the second output.

        h = x + residual
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, residual, gamma, beta, eps)


class AddLayerNorm(_torch.Module):
    """`add_layer_norm` as a module with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
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

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `add_layer_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.call(x, residual, gamma, beta, self.eps)
