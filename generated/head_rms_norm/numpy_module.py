# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["HeadRMSNorm"]


class HeadRMSNorm(_modules.NumpyModule[_Array, _Array]):
    """`head_rms_norm` as an object with the parameter weight.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        h: int,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            {"h": h, "d": d}, {"weight": weight}, {"eps": eps}, backend, threads, dtype
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
