# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own."""

from typing import TypeAlias

from .._runtime.numpy import modules as _modules
from .._runtime.protocol.calls import Array as _Array
from .numpy_backend import INTERFACE, Outputs

__all__ = ["AdaLayerNormZero"]


_Gradients: TypeAlias = tuple[_Array, _Array, _Array, _Array, _Array]


class AdaLayerNormZero(_modules.NumpyModule[Outputs, _Gradients]):
    """`ada_layer_norm_zero` as an object without parameters.

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
        super().__init__({}, {}, {"eps": eps}, backend, threads)

    def forward(
        self,
        x: _Array,
        branch: _Array,
        gate: _Array,
        scale: _Array,
        shift: _Array,
        *,
        save: bool = True,
    ) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        return self._forward(save, x, branch, gate, scale, shift)

    __call__ = forward

    def backward(self, dy: _Array | None, dh: _Array | None = None) -> _Gradients:
        """Return `(dx, dbranch, dgate, dscale, dshift)`, given the gradient of a loss
        with respect to the output, once for each `forward`.
        """
        return self._backward(dy, dh)
