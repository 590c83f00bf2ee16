# SPDX-License-Identifier: MIT
"""Entry point of `cuda_backend.py` of a layer: calls of kernels, launched by PyCUDA.

A call is looked at, its plan found or made (`plans`), its device found (`devices`), and its kernels compiled on first
use (`compilers`) and launched (`kernels`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.calls import DType, Shape, check_is_saved, each_cotangent, several
from . import devices, driver, kernels, libraries
from .arrays import (
    FEATURE,
    KINDS,
    NUMBER,
    ROW,
    ROW_SCALAR,
    DeviceArray,
    array,
    computed,
    dtype_of,
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
        # The caller's own arrays are given back as they came.
        return [each.owner if type(each) is libraries.Imported else each for each in results]

    def kept(self, *places: int) -> list[Any]:
        """Return the fields of what a call of forward saves, of which these values are kept."""
        return [*self.plan.first, *[self.objects[place] for place in places]]


class SavedFields:
    """Fields of `Saved` from which its first three are inferred; a function that checks them in a plan names them."""

    def __init__(self, layer: DeviceLayer, fields: Sequence[Any]) -> None:
        self.layer, self.fields = layer, iter(fields)
        self.types: dict[int, DType] = {}
        self.numbers: list[int] = []
        self.rows: list[Shape] = []
        self.stored: list[DType] = []
        self.computed: list[DType] = []

    def saved_input(self, name: str, place: int) -> None:
        """Name a field that holds an input."""
        each, value = self.layer.inputs[place], next(self.fields)
        if type(value) in (int, float):
            self.numbers.append(place)
        elif value is not None:
            self.types[place] = self._type(name, value, each.part, each.integers)

    def saved_output(self, name: str, symbol: str, part: int) -> None:
        """Name a field that holds an output."""
        self._type(name, next(self.fields), part, False)

    def saved_row_scalar(self, name: str, symbol: str) -> None:
        """Name a field that holds a row scalar."""
        self.computed.append(array(f"saved.{name}", next(self.fields), False, 0).dtype)

    def constant(self) -> None:
        """Pass over a field that holds a Constant."""
        next(self.fields)

    def _type(self, name: str, value: Any, part: int, integers: bool) -> DType:
        found = array(f"saved.{name}", value, integers, {ROW: 1, ROW_SCALAR: 0}.get(part))
        self.rows += [found.shape] * (part == ROW)
        self.stored += [found.dtype] * (part in (ROW, ROW_SCALAR) and not integers)
        return found.dtype

    def first(self, shape: Sequence[int] | None, dtype: Any, dtypes: Mapping[str, Any] | None) -> tuple[Any, ...]:
        """Return the first three fields, inferred where they are None."""
        inputs = self.layer.inputs
        if shape is None and not self.rows:
            raise TypeError("shape is None, and no field has the shape of the rows; pass shape")
        for name, kind in (dtypes or {}).items():
            places = [place for place, each in enumerate(inputs) if each.name == name]
            if not places:
                raise ValueError(f"dtypes has {name}; pass types of {', '.join(each.name for each in inputs)}")
            # NumPy takes None for float64.
            if kind is not None:
                self.types[places[0]] = _dtype(f"dtypes[{name!r}]", kind)
        for place, each in enumerate(inputs):
            if place not in (*self.types, *self.numbers) and not each.optional:
                if not self.stored:
                    raise TypeError(f"dtypes lacks {each.name}, and no field tells it; pass dtypes")
                self.types[place] = self.stored[0]
        floats = {place: kind for place, kind in self.types.items() if not inputs[place].integers}
        wide = dtype_of(computed(*(KINDS.get(kind.str, "f64") for kind in floats.values())))
        wide = _dtype("dtype", dtype) if dtype is not None else (*self.computed, wide)[0]
        for place in self.numbers:
            parameters = [kind for of, kind in floats.items() if inputs[of].part in (FEATURE, NUMBER)]
            integers = [kind for of, kind in self.types.items() if inputs[of].integers and inputs[of].part == NUMBER]
            usual = (*integers, np.dtype(np.int32)) if inputs[place].integers else (*parameters, wide)
            self.types.setdefault(place, usual[0])
        found = tuple(self.types.get(place) for place in range(len(inputs)))
        return tuple(self.rows[0] if shape is None else shape), wide, found


def _dtype(name: str, value: Any) -> DType:
    try:
        found: DType = np.dtype(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; pass a type of floats, such as np.float32") from None
    return found


def saved_from(layer: DeviceLayer, check: Callable[[Any], Any], fields: Sequence[Any], *first: Any) -> Any:
    """Return the saved values of forward, from its fields; `first` are shape, dtype and dtypes, None if inferred."""
    known = SavedFields(layer, fields)
    check(known)
    saved = layer.Saved(*known.first(*first), *fields)
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
