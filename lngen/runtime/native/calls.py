# SPDX-License-Identifier: MIT
"""Directions of a layer on compiled kernels as tensor_call.c reads them."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..numpy.directions import ForwardCall, LaterCall
from ..protocol.calls import INT32, DType
from ..protocol.directions import Entry, computed
from .compiled import CHUNK_ENTRIES, LINE, STREAMED_BYTES, CompiledKernels
from .kernels import DirectionKernels
from .memory import LARGE
from .straight import TYPES

_STORED, _COMPUTED, _CONVERTED, _WHOLE = range(4)
"""Types of arrays: that of the rows, the compute type, any type, of which kernels get a converted copy, or integers."""

KNOWN = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
"""Types that every call knows by sight."""


def prepared(kernels: DirectionKernels, given: list[Any], stored: DType, computed: DType) -> bytes:
    """Return the kernels of a call as binding.h reads them: of each its address, and the places of its arguments."""
    loaded: CompiledKernels = kernels.chosen(given, stored, computed).__self__  # type: ignore[attr-defined]
    words: list[Any] = []
    for function, places in zip(loaded.held, kernels.kernels.values(), strict=True):
        workspace = [len(kernels.names)] if kernels.has_sums else []
        arrays = [*workspace, *places] if words else [*places, *workspace]
        address = ctypes.cast(function, ctypes.c_void_p).value
        words += [address, len(arrays), *arrays, len(kernels.numbers), *kernels.numbers]
    return np.array(words, np.int64).tobytes()


def cut(kernels: DirectionKernels, rows: int, features: int, stored: DType) -> tuple[int, int, int]:
    """Return the chunks of the rows of a call, the entries of a workspace, and a flag for streamed results."""
    loaded = CompiledKernels([0] * len(kernels.kernels), kernels.direction.sums, 0, 0)
    chunks = 1 if rows * features <= CHUNK_ENTRIES else loaded.chunks(rows, features)
    entries = loaded.workspace(features, chunks) if kernels.has_sums else 0
    return chunks, entries, int(rows * features * stored.itemsize >= STREAMED_BYTES)


def described(of: ForwardCall[Any, Any] | LaterCall[Any], kernels: DirectionKernels) -> list[Any]:
    """Return a direction as numbers, in the order of the structures of call_arguments.h."""
    looked, layer, direction = _looked(of), of.layer, of.direction
    results = [(*each, len(looked.values) + place in kernels.zeros) for place, each in enumerate(looked.results)]
    rows = [each.kind == "Row" for each in layer.protocol.inputs]
    # The compute type for an array of each type; that of a call is the widest of them.
    widest = [_type(computed([KNOWN[max(0, place - 1)]])) for place in range(len(TYPES))]
    counts = len(direction.cotangents), len(direction.tangents), len(direction.results)
    least = layer.minimum_features
    # As many entries as a call has, or a few more: lines are filled up.
    columns, scalars = 2 * kernels.direction.sums[0], kernels.direction.sums[1]
    workspace = (columns, (2 * columns + scalars + 2) * LINE) if kernels.has_sums else (0, 0)
    settings = (direction.is_forward, *counts, least, CHUNK_ENTRIES, LARGE, *workspace)
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
