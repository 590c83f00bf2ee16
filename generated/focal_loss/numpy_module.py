# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["FocalLoss"]


class FocalLoss(_modules.NumpyModule[_Array, _Array]):
    """`focal_loss` as an object without parameters.

    Args:
        gamma: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self, *, gamma: float = 2, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(None, {}, {"gamma": gamma}, backend, threads)

    def forward(self, x: _Array, label: _Array, *, save: bool = True) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, label)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        return self._backward(dy)
