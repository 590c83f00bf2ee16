# SPDX-License-Identifier: MIT
"""Plans: a checked call, for all calls that differ from it in addresses and numbers alone.

Slots are places in the list of a call's values: its arguments, its results, the workspace, and the sizes for kernels.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..protocol.calls import DType, Shape
from ..protocol.directions import held
from . import devices, dlpack
from .arrays import BYTES, Memory, dtype_of, own_dtype
from .calls import DeviceCall, DeviceLayer, forward_call, later_call

MOST_PLANS = 1024

_ENDS = ("the workspace", "the rows", "the features", "the blocks")


def slots(layer: DeviceLayer, direction: str) -> tuple[str, ...]:
    """Return the names of the values of a call."""
    return (*layer.takes[direction].slots, *_ENDS)


def look(objects: list[Any], handle: int) -> tuple[list[Any], list[int], list[Any]]:
    """Return the addresses of arrays, the streams to wait for, and all properties that a plan depends on.

    A number stands for itself. An array with DLPack is imported into `objects`, to be read on the stream `handle`.
    Other objects are left for the planning to refuse.
    """
    values: list[Any] = []
    streams: list[int] = []
    facts: list[Any] = []
    for place, value in enumerate(objects):
        if value is None:
            values.append(0)
            facts.append(None)
        elif type(value) is devices.gpu_array:
            # This is the pointer of the array's interface, in less time.
            start = value.gpudata
            if type(start) is not int:
                start = 0 if start is None else int(start)
            low = start % 16 if start else None
            values.append(start)
            facts.append((value.dtype, value.shape, value.strides, low))
        elif type(value) in (float, int):
            values.append(float(value))
            facts.append(float)
        else:
            interface = getattr(value, "__cuda_array_interface__", None)
            if not isinstance(interface, dict) and (taken := dlpack.imported(value, handle)):
                objects[place], interface = taken, taken.__cuda_array_interface__
            start, stream, fact = _look_closer(objects[place], interface)
            values.append(start)
            facts.append(fact)
            if stream is not None:
                streams.append(stream)
    return values, streams, facts


def _look_closer(value: Any, interface: Any) -> tuple[int, int | None, Any]:
    """The same of an array of any library, by its interface."""
    if not isinstance(interface, dict):
        return 0, None, type(value)
    start, read_only = interface["data"]
    strides = interface.get("strides")
    fact = (
        own_dtype(value),
        interface["typestr"],
        tuple(interface["shape"]),
        None if strides is None else tuple(strides),
        start % 16 if start else None,
        bool(read_only),
        interface.get("mask") is None,
        interface.get("run", 1),
    )
    return start or 0, interface.get("stream"), fact


def planned(plans: dict[Any, "CallPlan"], key: Any, make: Callable[..., "CallPlan"], *arguments: Any) -> "CallPlan":
    """The plan for calls of a key: it is made once, and a call is checked in the making."""
    try:
        plan = plans.get(key)
    except TypeError:
        # A value that cannot be looked up is not from forward, and is refused below.
        plan = None
    if plan is None:
        plan = make(*arguments)
        if len(plans) >= MOST_PLANS:
            plans.clear()
        plans[key] = plan
    return plan


def plan_forward(layer: DeviceLayer, objects: Sequence[Any], saves: bool = True) -> "CallPlan":
    """Return the plan for calls of forward like this one; raises TypeError or ValueError for an invalid argument."""
    given = dict(zip(slots(layer, "forward"), objects, strict=False))
    # If there is nothing to write, the kernels that save serve both.
    call = forward_call(layer, given, saves or not layer.takes["forward"].row_scalars)
    call.add_results(given, ())
    call.take_workspace(given["the workspace"])
    plan = CallPlan(call)
    if saves:
        plan.save_row_scalars(call)
    return plan


def plan_later(layer: DeviceLayer, direction: str, objects: Sequence[Any], saved: Any) -> "CallPlan":
    """The plan for calls of another direction like one of these values. Raises TypeError or ValueError alike."""
    given = dict(zip(slots(layer, direction), objects, strict=False))
    call = later_call(layer, direction, saved, given)
    call.add_results(given, saved[2])
    call.take_workspace(given["the workspace"])
    return CallPlan(call)


class CallPlan:
    """Plan of a checked call, without its arrays: places of values, results to make, memory to clear, overlaps to
    check.
    """

    def __init__(self, call: DeviceCall) -> None:
        call.place_rows()
        self.layer, self.direction, self.takes, self.wanted = call.layer, call.direction, call.takes, call.wanted
        self.shape, self.rows, self.computed = call.shape, call.rows, call.computed
        self.names = slots(call.layer, call.wanted.direction)
        self.slots = {name: slot for slot, name in enumerate(self.names)}
        self.pieces: list[tuple[int, int]] = []
        self.saved_bytes = 0
        there: dict[int, int] = {}
        self.numbers: list[tuple[int, str]] = []
        of_integers = {each.symbol for each in call.takes.reads if each.is_integer}
        for name, given in call.arrays.items():
            if isinstance(given, Memory):
                there[self.slots[name]] = given.nbytes
            elif type(given) is float and name not in call.takes.numbers:
                kind = self.wanted.integer_types[1] if name in of_integers else self.wanted.parameter_type
                self.numbers.append((self.slots[name], kind))
        self.outputs = [self.slots[f"out {name}"] for name in call.results]
        written = self._add_results(call)
        self.room: int | None = None
        if call.workspace is not None:
            self.room = written[self.slots["the workspace"]] = call.workspace.nbytes
        # Each array that is written, with those that it may not overlap.
        there = {slot: size for slot, size in there.items() if size}
        self.apart: list[tuple[int, int, tuple[tuple[int, int], ...]]] = []
        for slot, size in written.items():
            if size:
                self.apart.append((slot, size, tuple(there.items())))
                there[slot] = size
        self.known: set[tuple[Any, ...]] = set()
        self.resident = tuple(there)
        self.places = call.places
        self.vectors = [(given.itemsize, _low_bits(given)) for given in call.vectors()]

    def _add_results(self, call: DeviceCall) -> dict[int, int]:
        """Sort results by where their memory comes from; the sizes of those in `out`."""
        self.new: list[tuple[int, Shape, DType, int]] = []
        written: dict[int, int] = {}
        sizes: dict[str, tuple[int, int]] = {}
        for name, given in call.results.items():
            if given is None:
                continue
            slot = self.slots[f"out {name}"]
            sizes[name] = slot, given.nbytes
            if given.owner is None:
                self.new.append((slot, given.shape, given.dtype, given.nbytes))
            else:
                written[slot] = given.nbytes
        # Kernels without rows do not run, so that there is no sum but zero.
        cleared = self.direction.zeros if self.rows else sizes
        self.zeros = [sizes[name] for name in cleared if sizes.get(name, (0, 0))[1]]
        return written

    def save_row_scalars(self, call: DeviceCall) -> None:
        """Let forward put its row scalars into pieces of one memory, and list the saved values."""
        layer = call.layer
        # Each on a boundary of 256 bytes.
        step = -(-call.rows * BYTES[self.computed] // 256) * 256
        saved = [each.symbol for each in self.takes.row_scalars]
        self.pieces = [(self.slots[name], n * step) for n, name in enumerate(saved)]
        self.saved_bytes = len(saved) * step
        self.dtype = dtype_of(self.computed)
        self.kept = held(layer.fields, (*self.takes.reads, *self.takes.makes))
        kinds = dict(self.numbers)
        self.dtypes = tuple(
            None
            if given is None
            else given.dtype
            if isinstance(given, Memory)
            else dtype_of(kinds[self.slots[each.symbol]])
            for each, given in ((each, call.arrays[each.symbol]) for each in layer.inputs)
        )

    def where(self, parts: Sequence[str]) -> Shape:
        """Return the numbers that a kernel takes behind its values: the places of rows, if they have gaps."""
        return self.places.of_kernel(parts, self.takes) if self.places else ()

    def spelled(self, slot: int) -> str:
        """Return the name of a slot in a message."""
        return self.names[slot].replace("out ", "out for ").removeprefix("the ")

    def check_apart(self, values: Sequence[Any]) -> None:
        """Refuse results that overlap arguments or one another.

        Addresses decide, since sizes are those of the plan: addresses that were apart once are apart again.
        """
        key = tuple(values)
        if key in self.known:
            return
        for slot, size, others in self.apart:
            start = values[slot]
            for other, of in others:
                if values[other] < start + size and start < values[other] + of:
                    raise ValueError(f"{self.spelled(slot)} overlaps {self.spelled(other)}; pass another array")
        if len(self.known) >= MOST_PLANS:
            self.known.clear()
        self.known.add(key)

    def check_room(self, needed: int) -> None:
        """Refuse a workspace of fewer bytes."""
        if self.room is not None and self.room < needed:
            raise ValueError(
                f"workspace has {self.room} bytes and {self.wanted.direction} needs "
                f"{needed}; workspace_bytes says how many"
            )


def _low_bits(given: Memory) -> int:
    """Return the address modulo 16 of a row of an array, or what is as aligned as the least aligned of its rows."""
    found = given.pointer
    for size, step in given.axes[:-1]:
        found |= step * given.itemsize if size > 1 else 0
    return found % 16
