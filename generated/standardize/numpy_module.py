# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["Standardize"]


class Standardize(_modules.NumpyModule[_Array, _Array]):
    """`standardize` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        *,
        eps: float = 1e-5,
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
