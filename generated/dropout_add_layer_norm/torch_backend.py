# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output.

`dropout_add_layer_norm` takes tensors, and `DropoutAddLayerNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "DropoutAddLayerNorm",
    "dropout_add_layer_norm",
]

_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def dropout_add_layer_norm(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    seed: int | _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Dropout, residual addition, then layer normalization; the sum is the second output.

        uniform_seed = uniform(seed)
        h = residual + where(uniform_seed >= p, x/(1 - p), 0)
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        seed: an integer or a 0-d array of one.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, residual, seed, gamma, beta, p, eps)


class DropoutAddLayerNorm(_torch.Module):
    """`dropout_add_layer_norm` as a module with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        p: a constant, a finite number of 0 or more.
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
        p: float = 0.1,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            D, {"gamma": gamma, "beta": beta}, {"p": p, "eps": eps}, device, dtype
        )

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor, seed: int | _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `dropout_add_layer_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return _LAYER.call(x, residual, seed, gamma, beta, self.p, self.eps)
