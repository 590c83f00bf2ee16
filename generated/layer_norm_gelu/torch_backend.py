# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
"""Layer normalization, then the Gaussian error linear unit.

`layer_norm_gelu` takes tensors, and `LayerNormGelu` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "LayerNormGelu",
    "layer_norm_gelu",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def layer_norm_gelu(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """Layer normalization, then the Gaussian error linear unit.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        Phi_u = Phi(u)
        y = Phi_u*u

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, gamma, beta, eps)


class LayerNormGelu(_torch.Module):
    """`layer_norm_gelu` as a module with the parameters gamma and beta.

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

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `layer_norm_gelu` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.call(x, gamma, beta, self.eps)
