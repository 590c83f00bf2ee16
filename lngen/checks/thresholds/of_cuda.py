"""The thresholds of CUDA kernels: where `shapes.cuh` of the code lays rows out in another way.

`shape_of` is compiled as it stands and asked, on the emulator, for every row length. Rows have one block each. Those
that blocks share have tests of their own, in which short rows take the ways of long ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lngen.checks.emulator import emulator
from lngen.checks.layer import Checkable
from lngen.checks.on_device import compiled_for
from lngen.checks.thresholds.side import ThresholdSide
from lngen.plan.cost import parse_dtype
from lngen.runtime.includes import inlined

LONGEST = 65536
"""Rows are asked about up to here: in every layer the last way of all, to read a row anew in every stage, is in use."""

_KERNELS = "LNGEN_EACH_TYPE(LNGEN_KERNELS)"
_FIELDS = ("vector", "threads_per_row", "chunks", "threads", "row", "holds_features", "sums", "rows_copied")
_ASK = """
extern "C" __global__ void layouts_{direction}_{dtype}(int* out, int longest) {{
  for (int D = 1 + threadIdx.x; D <= longest; D += blockDim.x) {{
    using Needs = lngen::LNGEN_SPACE::Needs<lngen::{dtype}, lngen::LNGEN_SPACE::{direction}::Layer>;
    const lngen::Shape shape = lngen::shape_of(D, Needs::ASKED, lngen::LNGEN_SPACE::LIMITS);
    const int fields[] = {{{fields}}};
    for (int i = 0; i < {count}; ++i) out[{count} * D + i] = fields[i];
  }}
}}"""
_LENGTHS = ((16, 16), (1, 2), (2, 4), (4, 8))
"""First lengths and their steps: multiples of every vector, odd ones, twice and four times odd ones."""

_SOURCES = {"kernels.cu": ("forward", "backward"), "second_order.cu": ("jvp", "backward_backward")}
_ROWS = ((256, 37), (4096, 7), (LONGEST, 3))
"""Numbers of rows for lengths up to a limit: enough to fill blocks of several, few where each takes long."""


def layouts(folder: Path, dtype: str, sources: Sequence[str], shared: int) -> dict[str, NDArray[np.int32]]:
    """Return, by direction, the layout fields of rows with 0 (which stands for none), 1, ... LONGEST entries.

    `shared` is the shared memory in bytes that a block may take. Raises ToolchainMissing without an emulator, and
    KernelFault if a layout cannot be computed.
    """
    name = parse_dtype(dtype).name
    found: dict[str, NDArray[np.int32]] = {}
    for source in sources:
        found |= _asked(inlined(folder / source), _SOURCES[source], name, shared)
    return found


@cache
def _asked(text: str, directions: Sequence[str], dtype: str, shared: int) -> dict[str, NDArray[np.int32]]:
    # No kernel of the layer's is compiled: what they ask of the geometry stands in their place.
    assert _KERNELS in text
    fields = ", ".join(f"int(shape.{field})" for field in _FIELDS)
    asks = (_ASK.format(direction=each, dtype=dtype, fields=fields, count=len(_FIELDS)) for each in directions)
    text = text.replace(_KERNELS, "".join(asks), 1).replace(_KERNELS, "")
    kernels = emulator().build(text, {"LNGEN_D": 1, "LNGEN_SHARED": shared})
    found = {}
    for direction in directions:
        found[direction] = np.zeros((LONGEST + 1, len(_FIELDS)), np.int32)
        kernels[f"layouts_{direction}_{dtype}"](1, 32, 0, found[direction], LONGEST)
    return found


def _words(direction: str, fields: Sequence[int]) -> tuple[str, ...]:
    """All that the code of a direction chooses by, of a layout: how it is as a whole, then sizes."""
    vector, threads_per_row, chunks, threads, row, holds, sums, copied = fields
    whole = [
        ("read again in every stage", "in registers as stored", "in registers")[row],
        *(["with parameters"] if holds else []),
        "copied ahead" if copied else "loaded",
        "several to a block" if threads > threads_per_row else "one to a block",
        "of several warps" if threads_per_row > 32 else "of one warp",
        *(["in several accesses"] if chunks > 1 else []),
        ("sums in registers", "sums in shared memory", "sums in the workspace")[sums],
    ]
    sizes = f"{threads_per_row} threads a row", f"accesses of {vector} entries", f"{copied} rows copied ahead"
    return tuple(f"{direction}: {words}" for words in (", ".join(whole), *sizes))


def sides(layer: Checkable, dtypes: tuple[str, ...], thorough: bool) -> Iterator[ThresholdSide]:
    """Rows in each layout of forward and backward, in any type that has it; with `thorough` in all, and each direction.

    Layouts meet where one begins: lengths there, and those before, are taken as long as they have one that is new.
    """
    backend: Any = layer.module.functions  # type: ignore[attr-defined]
    folder, shared = Path(backend.__file__).parent, _shared_memory()
    sources = [name for name in _SOURCES if (folder / name).is_file()][: None if thorough else 1]
    least = layer.definition.minimum_features
    for types in [(dtype,) for dtype in dtypes] if thorough else [dtypes]:
        changes = [
            change
            for dtype in types
            for change in _changes(dtype, layouts(folder, dtype, sources, shared))
            if change.features >= least
        ]
        left = {word for change in changes for word in change.words}
        while left:
            chosen = max(changes, key=lambda change: (len(change.words & left), -change.features))
            yield _side(backend, chosen)
            left -= chosen.words


class _Change(NamedTuple):
    """A length on one side of a change of layout, in a type, and the words of all directions for it."""

    dtype: str
    features: int
    words: frozenset[str]


def _changes(dtype: str, found: Mapping[str, NDArray[np.int32]]) -> Iterator[_Change]:
    """The lengths at which a layout is another one than at the length before, and the lengths before."""
    words = {direction: cache(partial(_words, direction)) for direction in found}

    def of(features: int) -> frozenset[str]:
        return frozenset(
            word for direction, fields in found.items() for word in words[direction](tuple(fields[features].tolist()))
        )

    for first, step in _LENGTHS:
        lengths = range(first, LONGEST + 1, step)
        every = [of(features) for features in lengths]
        places = {
            place for here in range(1, len(every)) if every[here] != every[here - 1] for place in (here - 1, here)
        }
        yield from (_Change(dtype, lengths[place], every[place]) for place in sorted(places))


def _side(backend: Any, change: _Change) -> ThresholdSide:
    rows = next(count for longest, count in _ROWS if change.features <= longest)
    whole = sorted(word for word in change.words if "," in word)
    only = partial(compiled_for, backend, (parse_dtype(change.dtype).name,))
    return ThresholdSide(f"rows of {'; '.join(whole)}", (rows, change.features), (change.dtype,), meanwhile=only)


def _shared_memory() -> int:
    """Bytes of shared memory that a block may take on the device whose context is current."""
    import pycuda.driver

    attribute = pycuda.driver.device_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    return int(pycuda.driver.Context.get_device().get_attribute(attribute))
