# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["LabelCrossEntropy"]


class LabelCrossEntropy(_modules.NumpyModule[_Array, _Array]):
    """`label_cross_entropy` as an object without parameters.

    Args:
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        *,
        smoothing: float = 0,
        z_loss: float = 0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            None, {}, {"smoothing": smoothing, "z_loss": z_loss}, backend, threads
        )

    def forward(
        self,
        x: _Array,
        label: _Array,
        ignore: _Array | None = None,
        *,
        save: bool = True,
    ) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, label, ignore)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        return self._backward(dy)
