# SPDX-License-Identifier: MIT
"""Directions of a layer whose rows are sharded over the devices of several processes, for `cuda_sharded.py`.

Kernels compute the shards (`parts`). The exchange and the merge run on the host, by the functions for NumPy
(`sharded`), so that row scalars are the same on all processes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..protocol.calls import several
from ..protocol.interface import Interface
from ..sharded import layers as sharded
from ..sharded.collectives import Communicator
from . import devices, dlpack, driver, plans
from .arrays import dtype_of, memory, part, stream_handle
from .calls import DeviceDirection, DeviceLayer, saved_name
from .calls import layer_of as device_layer
from .kernels import launches
from .launcher import later_plan, returned
from .parts import DeviceWork, Nothing, on_host, store
from .plans import CallPlan


def layer_of(
    interface: Interface, saved: Any, file: str, is_wide: bool, directions: Mapping[str, DeviceDirection]
) -> DeviceLayer:
    """Return a layer of which a process may have no features."""
    parts = interface.copy()
    parts["minimum_features"] = 0
    return device_layer(parts, saved, file, is_wide, directions)


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
        self,
        plan: CallPlan,
        objects: list[Any],
        values: list[Any],
        streams: Sequence[int],
        names: tuple[Mapping[str, str], Mapping[str, str]],
        stream: Any,
        like: Any,
        communicator: Communicator,
    ) -> list[Any]:
        """Compute the results of a call; `names` are the names of values and of results in functions."""
        take, handle = dlpack.taker(like), 0 if stream is None else stream_handle(stream)
        plan.check_apart(values)
        numbers = list(values)
        with devices.entered(plan.resident, values, plan.spelled) as device:
            driver.wait_for(streams, handle)
            # No kernel is launched: this makes the arrays.
            launches(device, plan).run(objects, values, stream, handle)
        arrays = {
            slot: numbers[slot] if type(given) in (int, float) else given if given is None else memory(name, given)
            for slot, (name, given) in enumerate(zip(plan.names, objects, strict=False))
        }
        known = {name: arrays[plan.slots[slot]] for slot, name in names[0].items()}
        made = {name: arrays[plan.slots[slot]] for slot, name in names[1].items()}
        for name, of in plan.direction.arguments.items():
            if name in names[0] and arrays[plan.slots[name]] is None and of in self.layer.inputs:
                known[names[0][name]] = Nothing(part(self.layer.inputs[of], plan.shape))
        wanted = plan.wanted
        work = DeviceWork(plan.shape, dtype_of(plan.computed), wanted.row_type, wanted.parameter_type, stream, handle)
        self.steps.run(known, made, work, communicator)
        with devices.entered(plan.resident, values, plan.spelled) as device:
            return returned(plan, objects, device.ordinal, take, handle)


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
        layer = self.layer
        handle = 0 if stream is None else stream_handle(stream)
        outs = (out,) if len(layer.outputs) == 1 else several(out, tuple(layer.outputs))
        objects = [*inputs, *constants, *outs, *[None] * len(layer.row_scalars), None]
        values, streams, facts = plans.look(objects, handle)
        saves = bool(save)
        plan = plans.planned(layer.plans, ("forward", saves, *facts), plans.plan_forward, layer, objects, saves)
        given = {name: name for name in (*layer.inputs, *layer.constants)}
        made = {f"out {name}": name for name in layer.outputs} | {saved_name(name): name for name in layer.row_scalars}
        outputs = self._run(plan, objects, values, streams, (given, made), stream, like, communicator)
        if not saves:
            return outputs, None
        kept = [objects[slot] for slot in plan.kept]
        return outputs, tuple.__new__(layer.Saved, (plan.shape, plan.dtype, plan.dtypes, *kept))


class DeviceShardedLater(_ShardedDirection):
    """Direction that follows forward, with sharded features on devices.

    `arguments` and `makes` are the names of its own arguments and of its results in functions.
    """

    def __init__(
        self, layer: DeviceLayer, direction: str, steps: DeviceSteps, *, arguments: Sequence[str], makes: Sequence[str]
    ) -> None:
        super().__init__(layer, steps)
        self.direction = direction
        tables = layer.directions[direction]
        own = dict(zip(tables.arguments, arguments, strict=True))
        saved = {saved_name(name) if kind == "computed" else name: name for name, kind in layer.saved.items()}
        results = {f"out {name}": made for name, made in zip(tables.results, makes, strict=True)}
        zeros = [f"out {name}" for name in tables.zeros]
        self.names = saved | own, {slot: name for slot, name in results.items() if slot not in zeros}

    def call(
        self, saved: Any, arguments: Sequence[Any], out: Any, stream: Any, like: Any, communicator: Communicator
    ) -> list[Any]:
        """The results of this part, in their order."""
        handle = 0 if stream is None else stream_handle(stream)
        plan, objects, values, streams = later_plan(self.layer, self.direction, saved, arguments, out, None, handle)
        return self._run(plan, objects, values, streams, self.names, stream, like, communicator)
