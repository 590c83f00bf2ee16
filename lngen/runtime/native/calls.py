# SPDX-License-Identifier: MIT
"""Calls of a layer's directions on compiled kernels, with a fast check in host_call.c.

The fast check passes plain arrays without gaps, of the right shapes, with rows all of one type. It adds a microsecond
to the kernels' time. Any other call goes through `directions`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..numpy.blocks import round_to
from ..numpy.directions import ForwardCall, LaterCall, only
from ..protocol.calls import INT32, DType, Shape, whole
from ..protocol.directions import Entry, computed
from .extensions import extension
from .memory import LARGE, empty

Returned = TypeVar("Returned")

TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
"""Names in kernels of the types that rows may be stored in."""

_STORED, _COMPUTED, _CONVERTED, _WHOLE = range(4)
"""Types of arrays: that of the rows, the compute type, any type, of which kernels get a converted copy, or integers."""

KNOWN = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
"""Types that every call knows by sight."""


class Running(NamedTuple):
    """Functions that run the kernels of a direction on a list of its values and results.

    `prepare(given, stored, computed)` returns the kernels as binding.h reads them, for rows in one chunk. `run(given,
    shape, stored, computed, threads)` runs the kernels on any rows. Up to `most_entries` are one chunk. Its sums take
    the entries of `workspace`: some for each feature, and some besides. Results at the places `zeros` have to be 0
    before.
    """

    prepare: Callable[[list[Any], DType, DType], bytes]
    run: Callable[[list[Any], Shape, DType, DType, int], None]
    most_entries: int
    workspace: tuple[int, int]
    zeros: Sequence[int]


class HostCall(Generic[Returned]):
    """Direction on kernels: `call` has the arguments and results of a `ForwardCall` or a `LaterCall`.

    It is the one of `any_call` if there is no extension for this Python, or if the layer has more than some fifty
    values.
    """

    call: Callable[..., Returned]

    def __init__(self, any_call: ForwardCall[Any, Any] | LaterCall[Any], running: Running) -> None:
        self.any_call, self.running = any_call, running
        self.call = self._first

    def _first(self, *arguments: Any) -> Returned:
        """Compile the extension on the first call, and call it."""
        # The fast check knows the types of rows alone.
        make = None if any(each.cast for each in self.any_call.direction.makes) else extension("host_call")
        chosen: Any = make and make(self._objects(), *described(self.any_call, self.running))
        chosen = chosen or self.any_call
        self.call = chosen.call
        return self.call(*arguments)

    def _objects(self) -> tuple[Any, ...]:
        """Return the objects that host_call.c asks, in the order of its enumeration."""
        of, running = self.any_call, self.running
        returned = None if of.results is only else of.results
        functions = of.call, running.prepare, running.run, round_to, empty, _type, whole
        return *functions, of.layer.Saved, returned, KNOWN


def described(of: ForwardCall[Any, Any] | LaterCall[Any], running: Running) -> list[Any]:
    """Return a direction as numbers, in the order of the structures of call_arguments.h."""
    looked, layer, direction = _looked(of), of.layer, of.direction
    results = [(*each, len(looked.values) + place in running.zeros) for place, each in enumerate(looked.results)]
    rows = [each.kind == "Row" for each in layer.protocol.inputs]
    # The compute type for an array of each type; that of a call is the widest of them.
    widest = [_type(computed([KNOWN[max(0, place - 1)]])) for place in range(len(TYPES))]
    counts = len(direction.cotangents), len(direction.tangents), len(direction.results)
    least = layer.minimum_features
    settings = (direction.is_forward, *counts, least, running.most_entries, LARGE, *running.workspace)
    tables = [np.asarray(table, np.intc) for table in (looked.values, results, looked.kept, rows, widest)]
    return [*tables, np.asarray(settings, np.longlong)]


class _Looked(NamedTuple):
    """Arguments and results of a call, as its fast check has them.

    A value is its shape, its type, a flag for required, and the input that it follows, or -1. A result is its shape,
    its type, and the input or argument whose type it has, or -1; arguments are numbered after the inputs. `kept` are
    the places of saved values among values and results.
    """

    values: Sequence[tuple[int, ...]]
    results: Sequence[tuple[int, ...]]
    kept: Sequence[int]


def _looked(call: ForwardCall[Any, Any] | LaterCall[Any]) -> _Looked:
    direction, inputs = call.direction, len(call.layer.protocol.inputs)
    values = [
        (*_array(each), not each.may_be_none, -1 if each.follows is None else each.follows) for each in direction.reads
    ]
    if isinstance(call, ForwardCall):
        return _Looked(values, [(*_array(each), -1) for each in direction.makes], call.kept_places)
    places = [of if of is not None else -1 if own is None else inputs + own for of, own in direction.owners]
    return _Looked(values, [(*_array(each), of) for each, of in zip(direction.results, places, strict=True)], ())


def _array(each: Entry) -> tuple[int, int]:
    """Return the numbers of the shape and of the type of an array."""
    if each.is_integer:
        return each.part, _WHOLE
    return each.part, _COMPUTED if each.kind == "Computed" else _STORED if each.is_per_row else _CONVERTED


def _type(dtype: DType) -> int:
    """The place of a type in `TYPES`, integers after them, of 32 bits first; -1 of one that kernels do not take."""
    if not dtype.isnative:
        return -1
    if dtype.kind in "iub":
        return len(TYPES) + (dtype != INT32)
    return [*TYPES].index(dtype.name) if dtype.name in TYPES else -1
