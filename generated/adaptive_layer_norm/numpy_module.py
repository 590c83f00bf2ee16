# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere."""

from typing import TypeAlias

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["AdaptiveLayerNorm"]


_Gradients: TypeAlias = tuple[_Array, _Array, _Array]


class AdaptiveLayerNorm(_modules.NumpyModule[_Array, _Gradients]):
    """`adaptive_layer_norm` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        *,
        eps: float = 1e-6,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(None, {}, {"eps": eps}, backend, threads)

    def forward(
        self, x: _Array, scale: _Array, shift: _Array, *, save: bool = True
    ) -> _Array:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, scale, shift)

    __call__ = forward

    def backward(self, dy: _Array) -> _Gradients:
        """Return `(dx, dscale, dshift)`, given the gradient of a loss with respect to
        the output, once for each `forward`.
        """
        return self._backward(dy)
