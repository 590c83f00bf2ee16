# Made by lngen 0.1.0 from the definition of offset_rms_norm.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
# Evidence: 1 output, 17 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# templates sha256:96fa4f074f892e76e313c9f0a8de1cf24f881977ae36faf6a85bfdcf170ab287
"""Root-mean-square normalization with a weight that is learned as its distance from one.

`offset_rms_norm` takes tensors and `OffsetRMSNorm` is a module; both can be differentiated twice. On
the processor they run as `cpu_backend` where there is a C++ compiler, else as `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "OffsetRMSNorm",
    "offset_rms_norm",
]

_LAYER: _torch.Layer[_torch.Tensor] = _torch.Layer(
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
        w: one value per feature, shape (D,); left out it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y, in the type of the first rows. It computes in the widest type
    among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point tensor, ValueError for a wrong shape.
    """
    return _LAYER.call(x, w, eps)


class OffsetRMSNorm(_torch.Module):
    """`offset_rms_norm` as a module, which has the parameter w.

    Args:
        D: how many features a row has.
        w: False leaves it out; it is 0 at first.
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
        """What `offset_rms_norm` returns with the parameters of the module."""
        return _LAYER.call(x, self.w, self.eps)
