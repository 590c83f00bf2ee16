# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["ScaledSoftmax"]


class ScaledSoftmax(_modules.NumpyModule[_Array, _Array]):
    """`scaled_softmax` as an object with the parameter scale.

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
        super().__init__(None, {"scale": scale}, {}, backend, threads, dtype)

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
