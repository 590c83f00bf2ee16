# Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
"""Root-mean-square normalization over the feature axis."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["RMSNorm"]


class RMSNorm(_modules.NumpyModule[_Array, _Array]):
    """`rms_norm` as an object with the parameter gamma.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
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
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(D, {"gamma": gamma}, {"eps": eps}, backend, threads, dtype)

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
