# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
"""Layer normalization over two axes, with a scale and a shift for every place."""

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["LayerNormHW"]


class LayerNormHW(_modules.NumpyModule[_Array, _Array]):
    """`layer_norm_hw` as an object with the parameters gamma and beta.

    Args:
        h: the size of the axis h.
        w: the size of the axis w.
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
        h: int,
        w: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            {"h": h, "w": w},
            {"gamma": gamma, "beta": beta},
            {"eps": eps},
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
