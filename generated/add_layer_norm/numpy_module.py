# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
"""Residual addition, then layer normalization; the sum is the second output."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE, Outputs

__all__ = ["AddLayerNorm"]


_Gradients: TypeAlias = tuple[_Array, _Array]


class AddLayerNorm(_modules.NumpyModule[Outputs, _Gradients]):
    """`add_layer_norm` as an object with the parameters gamma and beta.

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
