# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["L2Norm"]


class L2Norm(_modules.NumpyModule[_Array, _Array]):
    """`l2_norm` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        *,
        eps: float = 1e-12,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(None, {}, {"eps": eps}, backend, threads)

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
