# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization.

`rms_norm_gated` takes tensors, and `RMSNormGated` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "RMSNormGated",
    "rms_norm_gated",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def rms_norm_gated(
    x: _torch.Tensor,
    z: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, z, gamma, eps)


class RMSNormGated(_torch.Module):
    """`rms_norm_gated` as a module with the parameter gamma.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
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

    def forward(self, x: _torch.Tensor, z: _torch.Tensor) -> _torch.Tensor:
        """Return `rms_norm_gated` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma = _own["gamma"]
        except KeyError:  # a parametrized module has attributes instead
            gamma = self.gamma
        return _LAYER.call(x, z, gamma, self.eps)
