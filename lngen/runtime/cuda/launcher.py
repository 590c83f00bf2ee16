# SPDX-License-Identifier: MIT
"""Entry point of `cuda_backend.py` of a layer: calls of kernels, launched by PyCUDA.

A call is looked at, its plan found or made (`plans`), its device found (`devices`), and its kernels compiled on first
use (`compilers`) and launched (`kernels`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.calls import DType, Shape, check_is_saved, each_cotangent, several
from ..protocol.interface import Interface
from ..protocol.saved import first_fields
from . import devices, driver, kernels, libraries
from .arrays import (
    FEATURE,
    NUMBER,
    ROW,
    ROW_SCALAR,
    DeviceArray,
    array,
    facts_of,
    finite,
    stream_handle,
)
from .compilers import compilations
from .plans import MOST_PLANS, DeviceInput, DeviceLayer, LaunchPlan

__all__ = [
    "FEATURE",
    "NUMBER",
    "ROW",
    "ROW_SCALAR",
    "DeviceArray",
    "DeviceInput",
    "DeviceLayer",
    "LaunchPlan",
    "check_is_saved",
    "compilations",
    "each_cotangent",
    "finite",
    "several",
]
"""Names of other modules that `cuda_backend.py` has from here."""


class DeviceCall:
    """Call of a direction with its plan, its values in order, and their addresses.

    `make` names the values and the kernels in a plan. The `objects` are the values that are read, which include those
    of `saved`, and those that are written, None for new ones. `like` is a library for the results, or an array of it.
    """

    def __init__(
        self,
        layer: DeviceLayer,
        direction: str,
        make: Callable[[LaunchPlan], None],
        saved: Any,
        objects: list[Any],
        stream: Any,
        workspace: Any,
        like: Any,
        saves: bool = True,
    ) -> None:
        objects.append(workspace)
        self.take = None if like is None else libraries.taker(like)
        self.stream, self.handle = stream, 0 if stream is None else stream_handle(stream)
        self.objects = objects
        self.streams: list[int] = []
        key = (direction, *((saves,) if saved is None else saved[:3]), *self._look())
        try:
            plan = layer.plans.get(key)
        except TypeError:
            # A value that cannot be looked up is not from forward, and is refused below.
            plan = None
        if plan is None:
            plan = LaunchPlan(layer, direction, objects, saved, saves)
            make(plan)
            plan.finish()
            if len(layer.plans) >= MOST_PLANS:
                layer.plans.clear()
            layer.plans[key] = plan
        self.plan: LaunchPlan = plan

    def _look(self) -> list[Any]:
        """Find the addresses of arrays and the streams to wait for, and return all properties that a plan depends on.

        A number stands for itself. An array with DLPack is imported. Other objects are left for the planning to refuse.
        """
        self.values: list[Any] = []
        values = self.values
        facts: list[Any] = []
        for place, value in enumerate(self.objects):
            if value is None:
                values.append(0)
                facts.append(None)
            elif type(value) is devices.gpu_array:
                # This is the pointer of the array's interface, in less time.
                start = value.gpudata
                if type(start) is not int:
                    start = 0 if start is None else int(start)
                values.append(start)
                facts.append((value.dtype, value.shape, value.strides, start % 16 if start else None))
            elif type(value) in (float, int):
                values.append(float(value))
                facts.append(float)
            else:
                start, fact = self._look_closer(place, value)
                values.append(start)
                facts.append(fact)
        return facts

    def _look_closer(self, place: int, value: Any) -> tuple[int, Any]:
        """Return the address and the properties of an array of any library."""
        if not isinstance(getattr(value, "__cuda_array_interface__", None), dict):
            taken = libraries.imported(value)
            if taken is None:
                return 0, type(value)
            self.objects[place] = value = taken
            self.streams.append(taken.stream)
        start, facts, stream = facts_of(value)
        if stream is not None:
            self.streams.append(stream)
        return start, facts

    def run(self) -> list[Any]:
        """Check the addresses, make the arrays that are to be made, launch the kernels; the results of the call."""
        plan = self.plan
        plan.check_apart(self.values)
        if plan.room is not None:
            plan.check_room(plan.saved_bytes)
        with devices.entered(plan.resident, self.values, plan.spelled) as device:
            if self.streams:
                driver.wait_for(self.streams, self.handle)
            kernels.launches(device, plan).run(self.objects, self.values, self.stream, self.handle)
            results = [self.objects[place] for place in plan.outputs]
            if self.take is not None:
                made = {place for place, *_ in plan.new}
                driver.follow(libraries.stream_of(self.take.library), self.handle)
                results = [
                    self.take(result, device.ordinal) if place in made else result
                    for place, result in zip(plan.outputs, results, strict=True)
                ]
        if not self.streams:
            return results
        # The caller's own arrays are given back as they came; each that was imported has a stream.
        return [each.owner if type(each) is libraries.Imported else each for each in results]

    def kept(self, *places: int) -> list[Any]:
        """Return the fields of what a call of forward saves, of which these values are kept."""
        return [*self.plan.first, *[self.objects[place] for place in places]]


def saved_from(
    layer: DeviceLayer,
    check: Callable[[LaunchPlan], Any],
    interface: Interface,
    fields: Sequence[Any],
    shape: Sequence[int] | None,
    dtype: Any,
    dtypes: Mapping[str, Any] | None,
) -> Any:
    """Return the saved values of forward, from its fields; `shape`, `dtype` and `dtypes` are inferred if None."""
    inputs = {each.name: each for each in layer.inputs}
    described = {f"saved.{each['name']}": each for each in interface["saved"]}
    numbers = []

    def look(name: str, value: Any) -> tuple[Shape, DType]:
        field = described[name]
        given = inputs.get(field["of"]) if field["kind"] == "input" else None
        if given and type(value) in (int, float):
            numbers.append(given)
            return (), np.dtype(np.float64)
        row_axes = len(field["axes"]) - 1 if "..." in field["axes"] else None  # rows may lie apart
        found = array(name, value, bool(given and given.integers), row_axes)
        return found.shape, found.dtype

    rows, wide, types = first_fields(interface, fields, shape, dtype, dtypes, look)
    known = dict(zip(inputs, types, strict=True))
    of_arrays = {name: kind for name, kind in known.items() if kind and inputs[name] not in numbers}
    for number in numbers:
        # A number has the type of another that is read as such.
        alike = [kind for name, kind in of_arrays.items() if inputs[name].group == number.group]
        if (dtypes or {}).get(number.name) is None:
            known[number.name] = (*alike, np.dtype(np.int32) if number.integers else wide)[0]
    saved = layer.Saved(rows, wide, tuple(known.values()), *fields)
    check(LaunchPlan(layer, "backward", fields, saved))
    return saved


def workspace_bytes(
    calls: Mapping[str, tuple[Any, int, int]], direction: str, arguments: Sequence[Any], out: Any = None
) -> int:
    """Return the bytes of `workspace` that a call of a direction with these positional arguments needs.

    For forward, the workspace holds the row scalars of `Saved` in their order. Each is dense in the compute type, and
    starts at a multiple of 256 bytes. Its partial sums, if any, are in memory of their own.

    For another direction with sums over rows, it holds the partial sums of each block of threads, in the compute type.
    First come the sums with one value per feature: for each sum, a row of D for each block. Then come the others: for
    each sum, a number for each block. Other directions need 0 bytes.

    `calls` has the function that makes the call of each direction, and how many arrays and Constants it takes. Raises
    ValueError for an unknown direction, and TypeError for too many arguments.
    """
    if direction not in calls:
        known = ", ".join(f'"{name}"' for name in calls)
        raise ValueError(f"direction is {direction!r}; pass one of {known}")
    make, takes, constants = calls[direction]
    if len(arguments) > takes:
        raise TypeError(f"{direction} takes {takes} arrays at most, and {len(arguments)} were given")
    absent = [None] * (takes - len(arguments) + constants)
    call: DeviceCall = make(*arguments, *absent, out, None, None, None)
    if direction == "forward":
        return call.plan.saved_bytes
    with devices.entered(call.plan.resident, call.values, call.plan.spelled) as device:
        return kernels.launches(device, call.plan).partial_bytes
