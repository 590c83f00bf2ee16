# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
"""The logarithm of a row's sum of exponentials, one number a row."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["Logsumexp"]


class Logsumexp(_modules.NumpyModule[_Array, _Array]):
    """`logsumexp` as an object without parameters.

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
