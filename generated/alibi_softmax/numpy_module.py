# Made by lngen 0.1.0 from the definition of alibi_softmax.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 14 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 17 flops per row element.
# Evidence: 1 output, 1 gradient, 1 tangent, 2 second-order gradients: to 50 digits; 20 steps: 19 exact at every D, 1 to 50 digits; 26 given equations, 1 identity, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
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
