# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["CausalSoftmax"]


class CausalSoftmax(_modules.NumpyModule[_Array, _Array]):
    """`causal_softmax` as an object with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        *,
        scale: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__({}, {"scale": scale}, {}, backend, threads, dtype)

    def forward(self, x: _Array, position: _Array, *, save: bool = True) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, position)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        return self._backward(dy)
