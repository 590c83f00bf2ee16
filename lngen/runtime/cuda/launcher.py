# SPDX-License-Identifier: MIT
"""Entry point of `cuda_backend.py` of a layer: kernels launched by PyCUDA.

A call is checked (`plans`), its device found (`devices`), and its kernels compiled on first use (`compilers`) and
launched (`kernels`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..protocol.calls import DType, Shape, check_is_saved, each_cotangent, several
from ..protocol.interface import Interface
from ..protocol.saved import first_fields
from . import devices, dlpack, driver, kernels, plans
from .arrays import KINDS, DeviceArray, array, dtype_of, finite, stream_handle
from .calls import DeviceLayer, check_saved, layer_of
from .compilers import compilations
from .plans import CallPlan

__all__ = ["DeviceArray", "compilations", "each_cotangent", "finite", "layer_of"]
"""Names of other modules that `cuda_backend.py` has from here."""


class _PlannedCall(NamedTuple):
    """Call with its plan, its values by slot and their addresses, and the streams on which they are written.

    `stream` is that of the launch, and `handle` its handle. `take` makes arrays of another library of the results, and
    is None for PyCUDA's.
    """

    plan: CallPlan
    objects: list[Any]
    values: list[Any]
    streams: Sequence[int]
    stream: Any
    handle: int
    take: Callable[[dlpack.Exported], Any] | None

    def run(self) -> list[Any]:
        """Check the addresses, make the arrays that are to be made, launch the kernels; the results of the call."""
        plan = self.plan
        plan.check_apart(self.values)
        plan.check_room(plan.saved_bytes)
        with self.on_device() as device:
            driver.wait_for(self.streams, self.handle)
            launches = kernels.launches(device, plan)
            launches.run(self.objects, self.values, self.stream, self.handle)
            return self.returned(device.ordinal)

    def on_device(self) -> devices.entered:
        """Return the device of the call, to be entered."""
        return devices.entered(self.plan.resident, self.values, self.plan.spelled)

    def returned(self, ordinal: int) -> list[Any]:
        """The results of the call, new ones as arrays of the library that is to have them."""
        results = [self.objects[slot] for slot in self.plan.outputs]
        if self.take is not None:
            made = {slot for slot, *_ in self.plan.new}
            where, wait = (dlpack.CUDA, ordinal), partial(driver.follow, handle=self.handle)
            results = [
                self.take(_exported(result, where, wait)) if slot in made else result
                for slot, result in zip(self.plan.outputs, results, strict=True)
            ]
        # The caller's own arrays are given back as they came.
        return [each.owner if type(each) is dlpack.Imported else each for each in results]

    def saved(self) -> Any:
        """The saved values of a call of forward."""
        plan = self.plan
        kept = [self.objects[slot] for slot in plan.kept]
        # This is the constructor of a NamedTuple, without its signature.
        return tuple.__new__(plan.layer.Saved, (plan.shape, plan.dtype, plan.dtypes, *kept))


def forward(
    layer: DeviceLayer,
    inputs: Sequence[Any],
    constants: Sequence[float],
    save: Any,
    out: Any,
    stream: Any,
    workspace: Any,
    like: Any,
) -> tuple[list[Any], Any]:
    """Return the outputs of a layer and its saved values.

    If it is to save nothing, the saved values are None, and no row scalar is written.
    """
    take, handle = dlpack.taker(like), stream_handle(stream)
    takes = layer.takes["forward"]
    outs = (out,) if not takes.returned else several(out, takes.names)
    objects = [*inputs, *constants, *outs, *[None] * len(takes.row_scalars), workspace]
    values, streams, facts = plans.look(objects, handle)
    saves = bool(save)
    plan = plans.planned(layer.plans, ("forward", saves, *facts), plans.plan_forward, layer, objects, saves)
    call = _PlannedCall(plan, objects, values, streams, stream, handle, take)
    outputs = call.run()
    return outputs, call.saved() if saves else None


def later(layer: DeviceLayer, direction: str, *given: Any) -> list[Any]:
    """Return the results of a direction that follows forward, in order, given what `_planned_later` is."""
    return _planned_later(layer, direction, *given).run()


def _planned_later(
    layer: DeviceLayer,
    direction: str,
    saved: Any,
    arguments: Sequence[Any],
    out: Any,
    stream: Any,
    workspace: Any,
    like: Any,
) -> _PlannedCall:
    """Plan a call of a direction that follows forward; `arguments` are in the order of its tables."""
    take, handle = dlpack.taker(like), stream_handle(stream)
    check_is_saved(saved, layer.Saved, layer.name)
    takes = layer.takes[direction]
    outs = (out,) if not takes.returned else several(out, takes.names)
    objects = [*arguments, *saved[3:], *outs, workspace]
    for place, name in layer.saved_constants:
        slot = len(arguments) + place
        objects[slot] = finite(f"saved.{name}", objects[slot])
    values, streams, facts = plans.look(objects, handle)
    key = (direction, *saved[:3], *facts)
    plan = plans.planned(layer.plans, key, plans.plan_later, layer, direction, objects, saved)
    return _PlannedCall(plan, objects, values, streams, stream, handle, take)


def saved_from(layer: DeviceLayer, interface: Interface, first: tuple[Any, Any, Any], fields: Sequence[Any]) -> Any:
    """Return the saved values of forward, from its fields; `first` are shape, dtype and dtypes, None if inferred."""

    def look(name: str, value: Any) -> tuple[Shape, DType]:
        if type(value) in (int, float):
            return (), number_type()
        found = array(name, value)
        return found.shape, found.dtype

    def number_type() -> DType:
        """Return the type of a number: that of the other parameters, or else the compute type."""
        arrays = [
            (field["axes"], array(f"saved.{field['name']}", value).dtype)
            for field, value in zip(interface["saved"], fields, strict=True)
            if field["kind"] == "input" and value is not None and type(value) not in (int, float)
        ]
        parameters = [kind for axes, kind in arrays if "..." not in axes]
        return parameters[0] if parameters else dtype_of(layer.computed(*(KINDS[kind.str] for _, kind in arrays)))

    saved = layer.Saved(*first_fields(interface, fields, *first, look), *fields)
    check_saved(layer, saved)
    return saved


def workspace_bytes(layer: DeviceLayer, direction: str, arguments: Sequence[Any], out: Any = None) -> int:
    """Return the bytes of `workspace` that a call of a direction with these positional arguments needs.

    For forward, the workspace holds the row scalars of `Saved` in their order. Each is dense in the compute type, and
    starts at a multiple of 256 bytes. Its partial sums, if any, are in memory of their own.

    For another direction with sums over rows, it holds the partial sums of each block of threads, in the compute type.
    First come the sums with one value per feature: for each sum, a row of D for each block. Then come the others: for
    each sum, a number for each block. Other directions need 0 bytes.

    Raises ValueError for an unknown direction, and TypeError for too many arguments.
    """
    if direction not in layer.directions:
        known = ", ".join(f'"{name}"' for name in layer.directions)
        raise ValueError(f"direction is {direction!r}; pass one of {known}")
    own = layer.takes[direction]
    takes = len(own.inputs) if own.is_forward else 1 + len(own.arguments)
    if own.cotangents and own.tangents and len(arguments) > 1:
        cotangents = [each.name for each in own.cotangents]
        arguments = (arguments[0], *each_cotangent(arguments[1], cotangents), *arguments[2:])
    if len(arguments) > takes:
        raise TypeError(f"{direction} takes {takes} arrays at most, and {len(arguments)} were given")
    given = [*arguments, *[None] * (takes - len(arguments))]
    if own.is_forward:
        absent = [None] * (len(plans.slots(layer, direction)) - takes)
        return plans.plan_forward(layer, [*given, *absent]).saved_bytes
    call = _planned_later(layer, direction, given[0], given[1:], out, dlpack.NO_WAIT, None, None)
    with call.on_device() as device:
        return kernels.launches(device, call.plan).partial_bytes


def _exported(made: Any, where: tuple[int, int], wait: Callable[[int], None]) -> dlpack.Exported:
    kind = KINDS.get(made.dtype.str, made.dtype.name)
    return dlpack.Exported(made, int(made.gpudata or 0), made.shape, kind, where, wait)
