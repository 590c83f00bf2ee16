# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE, Outputs

__all__ = ["AddRMSNormFP8"]


_Gradients: TypeAlias = tuple[_Array, _Array]


class AddRMSNormFP8(_modules.NumpyModule[Outputs, _Gradients]):
    """`add_rms_norm_fp8` as an object with the parameters gamma and scale.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        scale: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        scale: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            D, {"gamma": gamma, "scale": scale}, {"eps": eps}, backend, threads, dtype
        )

    def forward(self, x: _Array, residual: _Array, *, save: bool = True) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, residual)

    __call__ = forward

    def backward(self, dy: _Array | None, dh: _Array | None = None) -> _Gradients:
        """Return `(dx, dresidual)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        return self._backward(dy, dh)
