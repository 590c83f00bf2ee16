# SPDX-License-Identifier: MIT
"""Layers whose axes have names, over several processes: each has a part of the first axis of the features.

Arrays have the axes of the definition, with the entries of this process along that axis. As its rows are those of a
shard, the mathematics is that of `layers`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..numpy.axes import AxesForward, AxesLater, AxesLayer
from ..numpy.blocks import Work
from ..numpy.layers import Kept
from ..protocol.directions import FEATURE, Entries
from ..protocol.interface import Interface
from .collectives import Communicator
from .layers import Results, ShardedForward, ShardedLater, without_least

__all__ = ["ShardedAxesForward", "ShardedAxesLater", "layer"]


def layer(interface: Interface, saved: Callable[..., Kept], *, is_wide: bool = False) -> AxesLayer[Kept]:
    """Return a layer of which a process may have no features."""
    return AxesLayer(without_least(interface), saved, is_wide=is_wide)


class ShardedAxesForward(ShardedForward[Results, Kept]):
    """`forward` of a layer whose axes have names."""

    kind = AxesForward
    layer: AxesLayer[Kept]

    @property
    def on_rows(self) -> ShardedForward[Any, Any]:
        """The same for the layer on rows."""
        layer = self.layer
        return ShardedForward(layer.on_rows, layer.results_of_rows("forward", self.results), self._steps)

    def _run(self, communicator: Communicator, values: Sequence[Any], made: Sequence[Any], call: Work) -> Any:
        targets = _flat(self._direction.makes, made, call)
        super()._run(communicator, values, targets, call)
        return targets


class ShardedAxesLater(ShardedLater[Results]):
    """Direction that follows forward of a layer whose axes have names."""

    kind = AxesLater
    layer: AxesLayer[Any]

    @property
    def on_rows(self) -> ShardedLater[Any]:
        """The same for the layer on rows."""
        layer, name = self.layer, self._direction.name
        return ShardedLater(layer.on_rows, name, layer.results_of_rows(name, self.results), self._steps)

    def _run(
        self,
        communicator: Communicator,
        arguments: Sequence[Any],
        fields: Sequence[Any],
        made: Sequence[Any],
        call: Work,
    ) -> Any:
        targets = _flat(self._direction.results, made, call)
        super()._run(communicator, arguments, fields, targets, call)
        return targets


def _flat(entries: Entries, made: Sequence[Any], call: Work) -> list[Any]:
    """Results with one axis for all features in the place of those with a value for each."""
    return [
        value if value is None or each.part != FEATURE else np.zeros(call.features, call.dtype)
        for each, value in zip(entries, made, strict=True)
    ]
