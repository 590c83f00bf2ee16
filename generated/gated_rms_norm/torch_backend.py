# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row.

`gated_rms_norm` takes tensors, and `GatedRMSNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "GatedRMSNorm",
    "gated_rms_norm",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def gated_rms_norm(
    x: _torch.Tensor,
    z: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

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


class GatedRMSNorm(_torch.Module):
    """`gated_rms_norm` as a module with the parameter gamma.

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
        """Return `gated_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma = _own["gamma"]
        except KeyError:  # a parametrized module has attributes instead
            gamma = self.gamma
        return _LAYER.call(x, z, gamma, self.eps)
