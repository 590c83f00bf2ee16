# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["AlibiSoftmax"]


class AlibiSoftmax(_modules.NumpyModule[_Array, _Array]):
    """`alibi_softmax` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__({}, {}, {}, backend, threads)

    def forward(
        self, x: _Array, slope: _Array, position: _Array, *, save: bool = True
    ) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, slope, position)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        return self._backward(dy)
