# SPDX-License-Identifier: MIT
"""Directions of a layer whose rows are sharded over the devices of several processes, for `cuda_sharded.py`.

Kernels compute the shards (`parts`). The exchange and the merge run on the host, by the functions for NumPy
(`sharded`), so that row scalars are the same on all processes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..protocol.directions import DirectionProtocol
from ..protocol.interface import Interface
from ..protocol.kernels import KernelTable
from ..sharded import layers as sharded
from ..sharded.collectives import Communicator
from . import driver
from .arrays import dtype_of, memory, part
from .calls import DeviceLayer
from .calls import layer_of as device_layer
from .kernels import launches
from .launcher import PlannedCall, planned_forward, planned_later
from .parts import DeviceWork, Nothing, on_host, store


def layer_of(
    interface: Interface, saved: Any, file: str, directions: Mapping[str, KernelTable], *, is_wide: bool = False
) -> DeviceLayer:
    """Return a layer of which a process may have no features."""
    parts = interface.copy()
    parts["minimum_features"] = 0
    return device_layer(parts, saved, file, directions, is_wide=is_wide)


class DeviceSteps(sharded.ShardSteps):
    """The steps of a direction, whose parts are kernels."""

    def fetched(self, value: Any, call: Any) -> Any:
        """A value as NumPy has it."""
        return on_host(value, call)

    def store(self, result: Any, value: Any, call: Any) -> None:
        """Write a value that the host has computed."""
        store(result, value, call)


class _ShardedDirection:
    """A direction over parts of rows: its call is looked at like any other, and its steps are run."""

    def __init__(self, layer: DeviceLayer, steps: DeviceSteps) -> None:
        self.layer, self.steps = layer, steps

    def _run(
        self, call: PlannedCall, names: tuple[Mapping[str, str], Mapping[str, str]], communicator: Communicator
    ) -> list[Any]:
        """Compute the results of a call; `names` are the names of values and of results in functions."""
        plan, objects, values = call.plan, call.objects, call.values
        plan.check_apart(values)
        numbers = list(values)
        with call.on_device() as device:
            driver.wait_for(call.streams, call.handle)
            # No kernel is launched: this makes the arrays.
            launches(device, plan).run(objects, values, call.stream, call.handle, call.take is None)
        arrays = {
            slot: numbers[slot] if type(given) in (int, float) else given if given is None else memory(name, given)
            for slot, (name, given) in enumerate(zip(plan.names, objects, strict=False))
        }
        for each in plan.takes.reads:
            if each.is_integer and type(given := arrays[plan.slots[each.symbol]]) is float:
                arrays[plan.slots[each.symbol]] = int(given)
        known = {name: arrays[plan.slots[slot]] for slot, name in names[0].items()}
        made = {name: arrays[plan.slots[slot]] for slot, name in names[1].items()}
        for each in plan.takes.tangents:
            if arrays[plan.slots[each.symbol]] is None:
                known[names[0][each.symbol]] = Nothing(part(each.kind, plan.shape))
        row_type, parameter_type = plan.wanted.row_type, plan.wanted.parameter_type
        work = DeviceWork(plan.shape, dtype_of(plan.computed), row_type, parameter_type, call.stream, call.handle)
        self.steps.run(known, made, work, communicator)
        with call.on_device() as device:
            return call.returned(device.ordinal)


class DeviceShardedForward(_ShardedDirection):
    """`forward` of a layer."""

    def call(
        self,
        inputs: Sequence[Any],
        constants: Sequence[float],
        save: Any,
        out: Any,
        stream: Any,
        like: Any,
        communicator: Communicator,
    ) -> tuple[list[Any], Any]:
        """Return the outputs of this shard and its saved values, or None instead of those."""
        call = planned_forward(self.layer, inputs, constants, save, out, stream, None, like)
        outputs = self._run(call, _names(self.layer.takes["forward"]), communicator)
        return outputs, call.saved() if save else None


class DeviceShardedLater(_ShardedDirection):
    """Direction that follows forward, with sharded features on devices."""

    def __init__(self, layer: DeviceLayer, direction: str, steps: DeviceSteps) -> None:
        super().__init__(layer, steps)
        self.direction = direction
        self.names = _names(layer.takes[direction], layer.directions[direction].zeros)

    def call(
        self, saved: Any, arguments: Sequence[Any], out: Any, stream: Any, like: Any, communicator: Communicator
    ) -> list[Any]:
        """The results of this part, in their order."""
        call = planned_later(self.layer, self.direction, saved, arguments, out, stream, None, like)
        return self._run(call, self.names, communicator)


def _names(takes: DirectionProtocol, zeros: Sequence[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names in functions of the values that are read, and of those made and not zero, by their slots."""
    reads = {each.symbol: each.variable for each in takes.reads}
    made = {f"out {each.symbol}": each.variable for each in takes.results if each.symbol not in zeros}
    return reads, made | {each.symbol: each.variable for each in takes.row_scalars}
