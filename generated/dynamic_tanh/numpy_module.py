# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: 1 output, 17 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:32b42773dd3ff53f8b4ef0585a0ad7c09bdd345d9cd176457106c18090d4b4f9
"""Dynamic tanh: an elementwise layer in the place of a norm."""

import numpy as np
import numpy.typing as npt

from .._runtime import modules as _modules
from .._runtime.calls import Array as _Array
from .numpy_backend import INTERFACE

__all__ = ["DynamicTanh"]


class DynamicTanh(_modules.Module[_Array, _Array]):
    """`dynamic_tanh` as an object, which has the parameters alpha, gamma and beta.

    Args:
        D: how many features a row has.
        alpha: False leaves it out; it is 0.5 at first.
        gamma: False leaves it out; it is 1 at first.
        beta: False leaves it out; it is 0 at first.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: how many threads share the rows. It changes no bit of a result.
    """

    _package, _interface = __name__.rpartition(".")[0], INTERFACE

    def __init__(
        self,
        D: int,
        *,
        alpha: bool = True,
        gamma: bool = True,
        beta: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            D,
            {"alpha": alpha, "gamma": gamma, "beta": beta},
            {},
            backend,
            threads,
            dtype,
        )

    def forward(self, x: _Array, *, save: bool = True) -> _Array:
        """The layer of rows. Unless `save` is False it keeps what `backward` needs:
        the arrays that are given here and the parameters, not copies of them.
        """
        return self._forward(save, x)

    __call__ = forward

    def backward(self, dy: _Array) -> _Array:
        """dx, given the gradient of a loss by what `forward` returned: once for each
        call of that. `gradients` has those of parameters, of this call alone.
        """
        return self._backward(dy)
