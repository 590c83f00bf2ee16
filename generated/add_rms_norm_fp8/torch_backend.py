# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

`add_rms_norm_fp8` takes tensors, and `AddRMSNormFP8` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "AddRMSNormFP8",
    "add_rms_norm_fp8",
]

_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def add_rms_norm_fp8(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    scale: float | _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat/scale

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        scale: a number or a tensor without axes. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D), rounded to
    float8_e4m3fn; h has shape (..., D). The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, residual, gamma, scale, eps)


class AddRMSNormFP8(_torch.Module):
    """`add_rms_norm_fp8` as a module with the parameters gamma and scale.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        scale: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        scale: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            D, {"gamma": gamma, "scale": scale}, {"eps": eps}, device, dtype
        )

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `add_rms_norm_fp8` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, scale = _own["gamma"], _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, scale = self.gamma, self.scale
        return _LAYER.call(x, residual, gamma, scale, self.eps)
