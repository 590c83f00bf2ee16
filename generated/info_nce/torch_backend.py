# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

`info_nce` takes tensors, and `InfoNce` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "InfoNce",
    "info_nce",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def info_nce(
    similarity: _torch.Tensor,
    positive: _torch.Tensor,
    scale: float | _torch.Tensor | None = None,
) -> _torch.Tensor:
    """InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

        z = scale*similarity
        sum_where_z = sum(where(index() == positive, z, 0))
        m = max(z)
        exp_shifted = exp(z - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z - sum_where_z

    Args:
        similarity: shape (..., D).
        positive: one integer per row, shape similarity.shape[:-1].
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of the first rows. y has one value per row, shape
    similarity.shape[:-1]. The compute type is the widest among the inputs, and float32
    for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(similarity, positive, scale)


class InfoNce(_torch.Module):
    """`info_nce` as a module with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        scale: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(None, {"scale": scale}, {}, device, dtype)

    def forward(
        self, similarity: _torch.Tensor, positive: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `info_nce` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return _LAYER.call(similarity, positive, scale)
