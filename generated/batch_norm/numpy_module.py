# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE, Outputs

__all__ = ["BatchNorm"]


class BatchNorm(_modules.NumpyModule[Outputs, _Array]):
    """`batch_norm` as an object with the parameters gamma and beta.

    Args:
        c: the size of the axis c.
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
        c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            {"c": c},
            {"gamma": gamma, "beta": beta},
            {"eps": eps},
            backend,
            threads,
            dtype,
        )

    def forward(self, x: _Array, *, save: bool = True) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x)

    __call__ = forward

    def backward(
        self, dy: _Array | None, dmu: _Array | None = None, dvar: _Array | None = None
    ) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        return self._backward(dy, dmu, dvar)
