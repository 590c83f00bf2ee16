# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["ModulatedLayerNorm"]


_Gradients: TypeAlias = tuple[_Array, _Array | None]


class ModulatedLayerNorm(_modules.NumpyModule[_Array, _Gradients]):
    """`modulated_layer_norm` as an object with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
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
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            D, {"gamma": gamma, "beta": beta}, {"eps": eps}, backend, threads, dtype
        )

    def forward(
        self, x: _Array, gate: _Array | None = None, *, save: bool = True
    ) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, gate)

    __call__ = forward

    def backward(self, dy: _Array) -> _Gradients:
        """Return `(dx, dgate)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        return self._backward(dy)
