# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
"""The logarithm of a row's sum of exponentials, one number a row.

`logsumexp` takes tensors, and `Logsumexp` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Logsumexp",
    "logsumexp",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def logsumexp(x: _torch.Tensor) -> _torch.Tensor:
    """The logarithm of a row's sum of exponentials, one number a row.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z

    Args:
        x: shape (..., D).

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x)


class Logsumexp(_torch.Module):
    """`logsumexp` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__(None, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `logsumexp` of the arguments."""
        return _LAYER.call(x)
