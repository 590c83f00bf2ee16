# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on arrays of JAX's: JAX arranges them as rows, and the primitives are those of rows."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ..numpy.axes import on_rows
from ..protocol.axes import ArrangedCall
from . import JaxLayer
from .inputs import JaxInputs
from .primitives import jnp

Result = TypeVar("Result")


class JaxAxes(Generic[Result]):
    """A layer whose axes have names as a function of arrays; `on_rows` is the layer whose arrays are rows."""

    def __init__(self, numpy: Any, compiled: Any) -> None:
        self.interface = numpy.INTERFACE
        self.on_rows: JaxLayer[Result] = JaxLayer(on_rows(numpy), on_rows(compiled))
        self.inputs = JaxInputs(self.interface)
        self.arranged = ArrangedCall(self.interface, jnp.transpose, jnp.broadcast_to, _unstack, jnp.stack)

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        return self.sized((), *values)

    def sized(self, given: Sequence[Any], *values: Any) -> Result:
        """Return the output of a layer with sizes that are arguments."""
        count = len(self.interface["inputs"])
        arrays = [*self.inputs.arrays(values[:count]), *values[count:]]
        made: Result = self.arranged.call(self.on_rows.call, arrays, given)
        return made


def _unstack(value: Any, axis: int) -> Any:
    return jnp.unstack(value, axis=axis)
