# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
"""Cross entropy of soft targets with the softmax of a row, one number a row."""

from typing import TypeAlias

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["CrossEntropy"]


_Gradients: TypeAlias = tuple[_Array, _Array]


class CrossEntropy(_modules.NumpyModule[_Array, _Gradients]):
    """`cross_entropy` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(None, {}, {}, backend, threads)

    def forward(self, x: _Array, target: _Array, *, save: bool = True) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, target)

    __call__ = forward

    def backward(self, dy: _Array) -> _Gradients:
        """Return `(dx, dtarget)`, given the gradient of a loss with respect to the
        output, once for each `forward`.
        """
        return self._backward(dy)
