# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one.

`offset_rms_norm` takes tensors, and `OffsetRMSNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "OffsetRMSNorm",
    "offset_rms_norm",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def offset_rms_norm(
    x: _torch.Tensor, w: _torch.Tensor | None = None, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Root-mean-square normalization with a weight that is learned as its distance from one.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = xhat*(1 + w)

    Args:
        x: shape (..., D).
        w: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, w, eps)


class OffsetRMSNorm(_torch.Module):
    """`offset_rms_norm` as a module with the parameter w.

    Args:
        D: the number of features of a row.
        w: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        w: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D, {"w": w}, {"eps": eps}, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `offset_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            w = _own["w"]
        except KeyError:  # a parametrized module has attributes instead
            w = self.w
        return _LAYER.call(x, w, self.eps)
