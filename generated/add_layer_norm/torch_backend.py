# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
# Evidence: 2 outputs, 20 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""Residual addition, then layer normalization; the sum is the second output.

`add_layer_norm` takes tensors and `AddLayerNorm` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AddLayerNorm",
    "add_layer_norm",
]

_LAYER: _torch.Layer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.Layer(
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
        gamma: one value per feature, shape (D,); left out it is 1.
        beta: one value per feature, shape (D,); left out it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)`, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x, residual, gamma, beta, eps)


class AddLayerNorm(_torch.Module):
    """`add_layer_norm` as a module, which has the parameters gamma and beta.

    Args:
        D: how many features a row has.
        gamma: False leaves it out; it is 1 at first.
        beta: False leaves it out; it is 0 at first.
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
        """What `add_layer_norm` returns with the parameters of the module."""
        return _LAYER.call(x, residual, self.gamma, self.beta, self.eps)
