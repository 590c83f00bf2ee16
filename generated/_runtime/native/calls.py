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
from ..numpy.layers import ROW, ROW_SCALAR, Value
from ..protocol.calls import DType, Shape
from .extensions import extension
from .memory import LARGE, empty

__all__ = ["TYPES", "HostCall", "Running"]

Returned = TypeVar("Returned")

TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
"""Names in kernels of the types that rows may be stored in."""

_STORED, _COMPUTED, _CONVERTED = range(3)
"""Types of arrays: that of the rows, the compute type, or any type, of which kernels get a converted copy."""

_KNOWN = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))


class Running(NamedTuple):
    """Functions that run the kernels of a direction on a list of its values and results.

    `prepare(given, stored, computed)` returns the address of each kernel, and the places of its pointers and its
    numbers, for rows in one chunk. `run(given, shape, stored, computed, threads)` runs the kernels on any rows. Up to
    `most_entries` are one chunk. Its sums take the entries of `workspace`: some for each feature, and some besides.
    Results at the places `zeros` have to be 0 before. `kernels` is the owner of both functions.
    """

    prepare: Callable[[list[Any], DType, DType], tuple[Any, ...]]
    run: Callable[[list[Any], Shape, DType, DType, int], None]
    most_entries: int
    workspace: tuple[int, int]
    zeros: Sequence[int]
    kernels: Any


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
        make = extension("host_call")
        chosen: Any = make and make(*self._described(_looked(self.any_call)))
        chosen = chosen or self.any_call
        self.call = chosen.call
        return self.call(*arguments)

    def _described(self, looked: "_Looked") -> tuple[Any, ...]:
        """Return the arguments of make_call in host_call.c: objects, then numbers in the order of its structures."""
        of, running = self.any_call, self.running
        layer, values = of.layer, looked.values
        returned = None if of.results is only else of.results
        objects = (of.call, running.prepare, running.run, round_to, empty, _type, layer.Saved, returned, _KNOWN)
        results = [(*each, len(values) + place in running.zeros) for place, each in enumerate(looked.results)]
        rows = [slot in layer.rows for slot in range(len(layer.inputs))]
        is_forward, least = isinstance(of, ForwardCall), layer.minimum_features
        settings = (is_forward, layer.is_wide, *looked.counts, least, running.most_entries, LARGE, *running.workspace)
        tables = [np.asarray(table, np.intc) for table in (values, results, looked.kept, rows)]
        return objects, *tables, np.asarray(settings, np.longlong)


class _Looked(NamedTuple):
    """Arguments and results of a call, as host_call.c checks and makes them.

    A value is its shape, its type, a flag for required, and the input that it follows, or -1. A result is its shape,
    its type, and the input or cotangent whose type it has, or -1; cotangents are numbered after the inputs. `kept` are
    the places of saved values among values and results. `counts` are the numbers of cotangents, of tangents, and of
    results that are returned.
    """

    values: list[tuple[int, ...]]
    results: list[tuple[int, ...]]
    kept: Sequence[int]
    counts: tuple[int, int, int]


def _looked(call: ForwardCall[Any, Any] | LaterCall[Any]) -> _Looked:
    layer = call.layer
    if isinstance(call, ForwardCall):
        made = [(each.part, _STORED, -1) for each in layer.outputs]
        made += [(ROW_SCALAR, _COMPUTED, -1) for _ in layer.row_scalars]
        return _Looked([_value(each) for each in call.values], [*made], call.kept_places, (0, 0, call.count))
    fields = [_value(each, each.name in layer.row_scalars) for each in layer.fields]
    own = [_value(each) for each in (*call.cotangents, *call.moved)]
    results = [(each.part, _element(each.part), -1 if call.is_jvp else _owner(call, each)) for each in call.made]
    return _Looked([*own, *fields], [*results], (), (len(call.cotangents), len(call.moved), len(results)))


def _value(each: Value, is_computed: bool = False) -> tuple[int, ...]:
    element = _COMPUTED if is_computed else _element(each.part)
    return each.part, element, each.required, -1 if each.follows is None else each.follows


def _element(part: int) -> int:
    return _STORED if part in (ROW, ROW_SCALAR) else _CONVERTED


def _owner(call: LaterCall[Any], gradient: Value) -> int:
    if gradient.follows is not None:
        return gradient.follows
    return len(call.layer.inputs) + [output.name for output in call.layer.outputs].index(gradient.of)


def _type(dtype: DType) -> int:
    """The place of a type in `TYPES`; -1 of one that kernels do not take."""
    return [*TYPES].index(dtype.name) if dtype.name in TYPES and dtype.isnative else -1
