# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["DynamicTanh"]


class DynamicTanh(_modules.NumpyModule[_Array, _Array]):
    """`dynamic_tanh` as an object with the parameters alpha, gamma and beta.

    Args:
        D: the number of features of a row.
        alpha: False omits it; its initial value is 0.5.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        D: int,
        *,
        alpha: bool = True,
        gamma: bool = True,
        beta: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            D,
            {"alpha": alpha, "gamma": gamma, "beta": beta},
            {},
            backend,
            threads,
            dtype,
        )

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
