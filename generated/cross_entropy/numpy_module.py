# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Cross entropy of soft targets with the softmax of a row, one number a row."""

from typing import TypeAlias

from .._runtime import modules as _modules
from .._runtime.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["CrossEntropy"]


_Gradients: TypeAlias = tuple[_Array, _Array]


class CrossEntropy(_modules.Module[_Array, _Gradients]):
    """`cross_entropy` as an object, which has no parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: how many threads share the rows. It changes no bit of a result.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(None, {}, {}, backend, threads)

    def forward(self, x: _Array, target: _Array, *, save: bool = True) -> _Array:
        """The layer of rows. Unless `save` is False it keeps what `backward` needs:
        the arrays that are given here and the parameters, not copies of them.
        """
        return self._forward(save, x, target)

    __call__ = forward

    def backward(self, dy: _Array) -> _Gradients:
        """`(dx, dtarget)`, given the gradient of a loss by what `forward` returned:
        once for each call of that.
        """
        return self._backward(dy)
