# SPDX-License-Identifier: MIT
"""Kernels on a GPU for the functions of a shard, and copies of numbers between host and device.

The numbers that a shard reduces are copied to the host and sent. The merged numbers are copied back. They are a few
numbers of each row.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..protocol.calls import Array, DType, Shape
from ..protocol.directions import CONSTANT, NUMBER, PARTS, DirectionProtocol, Entry
from ..protocol.interface import INTEGERS
from ..protocol.kernels import KernelTable
from . import devices, driver, plans
from .arrays import INTEGER_KINDS, TYPES, Memory, dtype_of, part
from .calls import DeviceCall, DeviceLayer, KernelKey
from .kernels import launches
from .plans import CallPlan

_ZEROS = b""
"""Memory of zero bits."""


class DeviceWork(NamedTuple):
    """Properties that all shards of a call share.

    They are the shape of rows, the compute type, the types of rows and of parameters as kernels name them, and the
    stream.
    """

    shape: Shape
    dtype: DType
    row_type: str
    parameter_type: str
    stream: Any
    handle: int

    @property
    def features(self) -> int:
        """The entries of a row."""
        return self.shape[-1]


class Nothing(NamedTuple):
    """An argument that is None, which is zero, of a kind that has this shape."""

    shape: Shape


Value: TypeAlias = Memory | Array | Nothing | int | float | None


class DevicePart:
    """Function (values, results, call) that runs the kernels of `source`.cu beside `file`.

    A value is a device array, a number, or a host array with a number per row; a result is an array of either kind.
    `values` and `results` name the kind of each, `kernels` the arguments of each kernel. Inputs in `optional` may be
    None, and their gradients may be omitted. A None in `zeros` stands for zero. `casts` are the types of results that
    are rounded to one.
    """

    def __init__(
        self,
        file: str,
        source: str,
        values: Mapping[str, Any],
        results: Mapping[str, Any],
        kernels: Mapping[str, str],
        *,
        sums: tuple[int, int] = (0, 0),
        optional: Sequence[str] = (),
        zeros: Sequence[str] = (),
        is_wide: bool = False,
        casts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = next(iter(kernels))
        self.kinds = {**results, **values}
        self.values, self.results, self.optional, self.zeros = tuple(values), tuple(results), tuple(optional), zeros
        # A gradient is known by the input that it belongs to.
        self.of = {each: each[1:] if each[1:] in optional else each for each in results}
        reads: Any = tuple(Entry(each, each, kind) for each, kind in values.items())
        made: Any = tuple(Entry(each, each, kind, cast=casts.get(each)) for each, kind in results.items())
        self.layer = DeviceLayer(
            name=self.name,
            Saved=None,
            folder=Path(file).parent,
            minimum_features=1,
            is_wide=is_wide,
            takes={self.name: DirectionProtocol(self.name, made, tangents=reads)},
            directions={self.name: KernelTable(source=source, kernels=kernels, sums=sums)},
        )

    def __call__(self, values: Sequence[Value], results: Sequence[Any], call: DeviceWork) -> None:
        """Compute the results."""
        given: dict[str, Value] = dict(zip(self.values, values, strict=True))
        made: dict[str, Any] = dict(zip(self.results, results, strict=True))
        there = [value.pointer for value in (*values, *results) if isinstance(value, Memory) and value.nbytes]
        room = _Room()
        integers = self._integers(given, call)
        self._place(given, made, room, integers, call)
        with on_device(there) as device:
            # Not freed after the call, for that would wait for its kernels.
            memory = device.scratch_for(call.stream, call.handle, room.size, "parts") if room.size else None
            room.settle(memory.pointer if memory else 0, call.handle)
            facts = (*map(_fact, given.values()), *map(_fact, made.values()))
            key = (call.shape, call.row_type, call.parameter_type, integers, *facts)
            plan = plans.planned(self.layer.plans, key, self._planned, given, made, integers, call)
            slots = [_address(each) for each in (*given.values(), *made.values())]
            launches(device, plan).run([None] * (len(slots) + 1), [*slots, 0], call.stream, call.handle)
            for name, result in zip(self.results, results, strict=True):
                if isinstance(result, np.ndarray):
                    download(made[name].pointer, result, call.handle)

    def _integers(self, given: dict[str, Value], call: DeviceWork) -> tuple[str, str]:
        """Return the types of arrays of integers and of one integer; arrays of another type become those of the host.

        Kernels read all arrays in one type. Positions in a row may be too large for one of less than 32 bits.
        """
        arrays = {name: value for name, value in given.items() if self.kinds[name] in INTEGERS and value is not None}
        ones = {name: arrays.pop(name) for name in [*arrays] if PARTS[self.kinds[name]] == NUMBER}
        one = {value.kind for value in ones.values() if isinstance(value, Memory)}
        kinds = {value.kind for value in arrays.values() if isinstance(value, Memory)} or {"i32"}
        kind = kinds.pop() if kinds in ({"i32"}, {"i64"}) else "i64"
        given |= {name: on_host(value, call) for name, value in arrays.items() if getattr(value, "kind", kind) != kind}
        return kind, one.pop() if one else "i32"

    def _place(
        self,
        given: dict[str, Value],
        made: dict[str, Any],
        room: "_Room",
        integers: tuple[str, str],
        call: DeviceWork,
    ) -> None:
        """Give device memory to host values, to zeros, and to results for the host."""
        for name, value in given.items():
            if PARTS[self.kinds[name]] in (NUMBER, CONSTANT) and isinstance(value, np.ndarray | int):
                given[name] = float(value)
            elif self.kinds[name] in INTEGERS and isinstance(value, np.ndarray):
                dtype = np.dtype(TYPES[integers[0]])
                given[name] = room.piece(value.shape, dtype, np.ascontiguousarray(value, dtype).tobytes())
            elif isinstance(value, np.ndarray):
                given[name] = room.piece(value.shape, call.dtype, np.ascontiguousarray(value, call.dtype).tobytes())
            elif value is None or isinstance(value, Nothing):
                is_zero = name in self.zeros or name not in self.optional
                given[name] = self._zero(name, room, call) if is_zero else None
        for name, result in made.items():
            if isinstance(result, np.ndarray):
                made[name] = room.piece(result.shape, result.dtype)
            elif result is None and self.of[name] == name:
                # A kernel writes it, though nobody has asked for it.
                made[name] = room.piece(part(self.kinds[name], call.shape), dtype_of(call.row_type))

    def _zero(self, name: str, room: "_Room", call: DeviceWork) -> Memory | float:
        kind = self.kinds[name]
        if kind == "Scalar":
            return 0.0
        stored = call.parameter_type if kind == "Feature" else call.row_type
        return room.piece(part(kind, call.shape), dtype_of(stored), _ZEROS)

    def _planned(
        self, given: Mapping[str, Value], made: Mapping[str, Any], integers: tuple[str, str], call: DeviceWork
    ) -> CallPlan:
        asked = {self.of[name]: result for name, result in made.items()}
        without = tuple(name for name in self.optional if {**asked, **given}.get(name, ()) is None)
        wanted = KernelKey(self.name, call.features, call.row_type, call.parameter_type, integers, without)
        arrays: Any = {name: value for name, value in given.items() if value is not None}
        found = DeviceCall(self.layer, wanted, call.shape, arrays, dtype_of(call.row_type))
        found.results |= made
        return CallPlan(found)


class _Room:
    """Memory that a call takes of a device, in pieces whose addresses are known when all of them are."""

    def __init__(self) -> None:
        self.size = 0
        self.pieces: list[tuple[Memory, bytes | None]] = []

    def piece(self, shape: Shape, dtype: DType, data: bytes | None = None) -> Memory:
        """One that holds some bytes, or zeros."""
        found = Memory(self, self.size, shape, dtype.str, dtype=dtype)
        # Each on a boundary of 256 bytes.
        self.size += -(-found.nbytes // 256) * 256
        self.pieces.append((found, data))
        return found

    def settle(self, start: int, handle: int) -> None:
        """Set the start of the memory, and write the initial content of its pieces."""
        for memory, data in self.pieces:
            memory.pointer += start
            if data == _ZEROS and memory.nbytes:
                driver.call("cuMemsetD8Async", memory.pointer, 0, memory.nbytes, handle)
            elif data:
                upload(memory.pointer, data, handle)


def _fact(value: Any) -> Any:
    """Return the property of a value that a plan depends on."""
    return (value.typestr, value.shape, value.pointer % 16) if isinstance(value, Memory) else type(value)


def _address(value: Any) -> Any:
    return value.pointer if isinstance(value, Memory) else 0 if value is None else value


# ---- to the host and back


@contextmanager
def on_device(addresses: Sequence[int]) -> Iterator[devices.Device]:
    """The device of these addresses, its context current."""
    names = [f"array {number}" for number in range(len(addresses))]
    with devices.entered(range(len(addresses)), addresses, names.__getitem__) as device:
        yield device


def upload(pointer: int, data: bytes, handle: int) -> None:
    """Copy bytes to a device, in the order of a stream. The driver has read them when this returns."""
    if data:
        driver.call("cuMemcpyHtoDAsync", pointer, data, len(data), handle)


def download(pointer: int, into: Array, handle: int) -> None:
    """Copy the result of a stream to an array without gaps, and wait for it."""
    if into.nbytes:
        driver.call("cuMemcpyDtoHAsync", into.ctypes.data, pointer, into.nbytes, handle)
        driver.call("cuStreamSynchronize", handle)


def on_host(value: Value, call: DeviceWork) -> Any:
    """A value as NumPy has it, in the type that is computed in."""
    if isinstance(value, Nothing):
        return np.zeros(value.shape, call.dtype)
    if isinstance(value, Memory):
        found = np.empty(value.nbytes, np.uint8)
        with on_device([value.pointer] if value.nbytes else []):
            download(value.pointer, found, call.handle)
        numbers = devices.numbers(found.tobytes(), value.kind).reshape(value.shape)
        return numbers if value.kind in INTEGER_KINDS.values() else np.asarray(numbers, call.dtype)
    if isinstance(value, int):
        return np.asarray(value, np.int64)
    return None if value is None else np.asarray(value, call.dtype)


def store(result: Memory | None, value: Any, call: DeviceWork) -> None:
    """Write numbers of the host in a result's own type; nothing where there is no result."""
    if result is not None and result.nbytes:
        data = devices.entries(np.broadcast_to(value, result.shape), result.kind)
        with on_device([result.pointer]):
            upload(result.pointer, data, call.handle)
