# SPDX-License-Identifier: MIT
"""A layer's two modules for the processor, of which a framework calls one: the compiled one, or else NumPy's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..protocol.directions import DirectionProtocol, LayerProtocol, not_derived
from . import compiler as host_compiler


class HostModule:
    """Module that computes a layer for a framework, which keeps saved values as arrays of its own.

    `host` is the `compiled` one if kernels are available, else that on `numpy`; it is chosen at the first call.
    """

    def __init__(self, protocol: LayerProtocol, numpy: Any, compiled: Any) -> None:
        self.protocol, self.numpy, self.compiled = protocol, numpy, compiled
        self.constants = [each.name for each in protocol.constants]
        self.saved_row_scalars = [place for place, each in enumerate(protocol.fields, 3) if each.kind == "Computed"]
        self.host: Any = None

    def module(self) -> Any:
        """Return the module that computes."""
        if self.host is None:
            is_built = host_compiler.can_run(Path(str(self.compiled.__file__)).parent)
            self.host = self.compiled if is_built else self.numpy
        return self.host

    def made_by_forward(
        self, inputs: Sequence[Any], constants: Sequence[float], threads: int
    ) -> tuple[Sequence[Any], list[Any]]:
        """Return the outputs and the row scalars."""
        numbers = dict(zip(self.constants, constants, strict=True))
        made, saved = self.module().forward(*inputs, **numbers, threads=threads)
        return self.protocol.directions["forward"].several(made), [saved[place] for place in self.saved_row_scalars]

    def made_by_later(
        self, direction: DirectionProtocol, saved: Sequence[Any], own: Sequence[Any], threads: int
    ) -> Sequence[Any]:
        """Return the results of a direction that follows forward, from the fields of `Saved` and its own arguments."""
        module = self.module()
        if not hasattr(module, direction.name):
            raise not_derived(direction.name)
        kept = tuple.__new__(module.Saved, saved)
        return direction.several(getattr(module, direction.name)(kept, *direction.passed(own), threads=threads))
