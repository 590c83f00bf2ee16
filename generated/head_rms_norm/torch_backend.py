# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head.

`head_rms_norm` takes tensors, and `HeadRMSNorm` is a module.
Both can be differentiated twice. On the processor they run `cpu_backend` if there is a C++
compiler, else `numpy_backend`.
"""

from .._runtime import torch as _torch
from .._runtime.torch import axes as _axes
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "HeadRMSNorm",
    "head_rms_norm",
]

_LAYER: _axes.TorchAxes[_torch.Tensor] = _axes.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu
)


def head_rms_norm(
    x: _torch.Tensor, weight: _torch.Tensor | None = None, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, weight, eps)


class HeadRMSNorm(_torch.Module):
    """`head_rms_norm` as a module with the parameter weight.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"h": h, "d": d}, {"weight": weight}, {"eps": eps}, device, dtype
        )

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `head_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            weight = _own["weight"]
        except KeyError:  # a parametrized module has attributes instead
            weight = self.weight
        return _LAYER.call(x, weight, self.eps)
