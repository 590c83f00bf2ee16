# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
# Evidence: 2 outputs, 20 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Residual addition, then layer normalization; the sum is the second output."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .._runtime import modules as _modules
from .._runtime.calls import Array as _Array
from .numpy_backend import INTERFACE, Outputs

__all__ = ["AddLayerNorm"]


_Gradients: TypeAlias = tuple[_Array, _Array]


class AddLayerNorm(_modules.Module[Outputs, _Gradients]):
    """`add_layer_norm` as an object, which has the parameters gamma and beta.

    Args:
        D: how many features a row has.
        gamma: False leaves it out; it is 1 at first.
        beta: False leaves it out; it is 0 at first.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: how many threads share the rows. It changes no bit of a result.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            D, {"gamma": gamma, "beta": beta}, {"eps": eps}, backend, threads, dtype
        )

    def forward(self, x: _Array, residual: _Array, *, save: bool = True) -> Outputs:
        """The layer of rows. Unless `save` is False it keeps what `backward` needs:
        the arrays that are given here and the parameters, not copies of them.
        """
        return self._forward(save, x, residual)

    __call__ = forward

    def backward(self, dy: _Array | None, dh: _Array | None = None) -> _Gradients:
        """`(dx, dresidual)`, given the gradient of a loss by what `forward` returned:
        once for each call of that. `gradients` has those of parameters, of this call
        alone.
        """
        return self._backward(dy, dh)
