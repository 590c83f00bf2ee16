# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

`label_cross_entropy` takes tensors, and `LabelCrossEntropy` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "LabelCrossEntropy",
    "label_cross_entropy",
]

_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def label_cross_entropy(
    x: _torch.Tensor,
    label: _torch.Tensor,
    ignore: int | _torch.Tensor | None = None,
    *,
    smoothing: float = 0,
    z_loss: float = 0,
) -> _torch.Tensor:
    """Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        mu = mean(x)
        sum_where_x = sum(where(index() == label, x, 0))
        y = where(label == ignore, 0, m + log_Z + z_loss*(m + log_Z)**2 - where(smoothing > 0, smoothing*mu, 0) - sum_where_x*(1 - smoothing))

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, label, ignore, smoothing, z_loss)


class LabelCrossEntropy(_torch.Module):
    """`label_cross_entropy` as a module without parameters.

    Args:
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, smoothing: float = 0, z_loss: float = 0) -> None:
        super().__init__(
            None, {}, {"smoothing": smoothing, "z_loss": z_loss}, None, None
        )

    def forward(
        self,
        x: _torch.Tensor,
        label: _torch.Tensor,
        ignore: int | _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `label_cross_entropy` of the arguments and the parameters of the module."""
        return _LAYER.call(x, label, ignore, self.smoothing, self.z_loss)
