# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
"""The logarithm of softmax over the feature axis."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["LogSoftmax"]


class LogSoftmax(_modules.NumpyModule[_Array, _Array]):
    """`log_softmax` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(None, {}, {}, backend, threads)

    def forward(self, x: _Array, *, save: bool = True) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        return self._backward(dy)
