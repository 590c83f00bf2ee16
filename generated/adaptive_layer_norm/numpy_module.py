# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
# Evidence: 1 output, 20 steps, 35 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Layer normalization with a scale and a shift for every entry, from elsewhere."""

from typing import TypeAlias

from .._runtime import modules as _modules
from .._runtime.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["AdaptiveLayerNorm"]


_Gradients: TypeAlias = tuple[_Array, _Array, _Array]


class AdaptiveLayerNorm(_modules.Module[_Array, _Gradients]):
    """`adaptive_layer_norm` as an object, which has no parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: how many threads share the rows. It changes no bit of a result.
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
        """The layer of rows. Unless `save` is False it keeps what `backward` needs:
        the arrays that are given here and the parameters, not copies of them.
        """
        return self._forward(save, x, scale, shift)

    __call__ = forward

    def backward(self, dy: _Array) -> _Gradients:
        """`(dx, dscale, dshift)`, given the gradient of a loss by what `forward`
        returned: once for each call of that.
        """
        return self._backward(dy)
