# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position."""

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["Rotary"]


class Rotary(_modules.NumpyModule[_Array, _Array]):
    """`rotary` as an object without parameters.

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
        self, x: _Array, cosine: _Array, sine: _Array, *, save: bool = True
    ) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, cosine, sine)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        return self._backward(dy)
