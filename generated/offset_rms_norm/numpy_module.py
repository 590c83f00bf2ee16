# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["OffsetRMSNorm"]


class OffsetRMSNorm(_modules.NumpyModule[_Array, _Array]):
    """`offset_rms_norm` as an object with the parameter w.

    Args:
        D: the number of features of a row.
        w: False omits it; its initial value is 0.
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
        w: bool = True,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(D, {"w": w}, {"eps": eps}, backend, threads, dtype)

    def forward(self, x: _Array, *, save: bool = True) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        return self._backward(dy)
