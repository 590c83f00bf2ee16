# SPDX-License-Identifier: MIT
"""Shared part of every layer's `jax_backend`: the layer as a function of JAX's arrays.

`Layer(numpy_backend, cpu_backend)` calls any emitted package, also one that is not known in advance.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ..protocol.calls import constant, is_integer
from ..protocol.directions import LayerProtocol, computed
from . import derivatives as _rules
from .gpu import JaxOnGPU
from .inputs import JaxInputs
from .kernels import JaxKernels
from .primitives import Array, DirectionSignatures, bind, jax

__all__ = ["Array", "JaxLayer"]

assert _rules
Result = TypeVar("Result")


class JaxLayer(Generic[Result]):
    """A layer as a function of arrays of JAX's, which is differentiable twice, forwards and in reverse.

    `numpy` and `compiled` are its modules for the processor.
    """

    def __init__(self, numpy: Any, compiled: Any) -> None:
        self.interface = interface = numpy.INTERFACE
        protocol = LayerProtocol(interface)
        self.directions = DirectionSignatures(protocol)
        self.kernels = JaxKernels(self, protocol, numpy, compiled)
        self.gpu = JaxOnGPU(self.kernels, numpy.__package__)
        self.outputs, self.inputs = len(interface["outputs"]), len(interface["inputs"])
        self._look = numpy._FORWARD.looked
        self.taken = JaxInputs(interface)
        self._names = [each["name"] for each in interface["inputs"]]

    def __repr__(self) -> str:
        name: str = self.interface["name"]
        return name

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        inputs = self.taken.arrays(values[: self.inputs])
        self.taken.check_shards(inputs)
        constants = [
            _constant(each["name"], value, each["sign"] == "any")
            for each, value in zip(self.interface["constants"], values[self.inputs :], strict=True)
        ]
        self._look([_stand_in(*each) for each in zip(self._names, inputs, strict=True)])
        made = bind("forward", self, tuple(constants), inputs)
        chosen: Any = made[0] if self.outputs == 1 else tuple(made[: self.outputs])
        result: Result = chosen
        return result

    def computed(self, inputs: Sequence[Any]) -> np.dtype[Any]:
        """Return the compute type of a call, given its inputs or arrays like them, None for an absent one."""
        types = (np.dtype(each.dtype) for each in inputs if each is not None)
        return computed(each for each in types if not is_integer(each))


def _constant(name: str, value: Any, signed: bool) -> float:
    if isinstance(value, jax.core.Tracer):
        raise TypeError(
            f"{name} is traced, and a constant has a value before: bind it beforehand, as functools.partial does, "
            f'or trace with jax.jit(f, static_argnames="{name}")'
        )
    return float(constant(name, np.asarray(value) if isinstance(value, Array) else value, signed))


def _stand_in(name: str, value: Any) -> Any:
    """An array of NumPy's of the shape and the type of another, which takes no memory.

    Raises TypeError for a shape with a size that has no value while a program is traced.
    """
    if value is None:
        return None
    if not all(isinstance(size, int) for size in value.shape):
        shape = ", ".join(map(str, value.shape))
        raise TypeError(f"{name} has the symbolic shape ({shape}); pass sizes that are numbers, one program for each")
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)
