"""The thresholds of CUDA kernels: where `geometry.cuh` of the code lays rows out in another way.

`shape_of` is compiled as it stands and asked, on the emulator, for every row length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen import simt
from lngen.check.layer import Checkable
from lngen.check.on_device import compiled_for
from lngen.check.thresholds.side import Side
from lngen.plan.cost import parse_dtype
from lngen.runtime.includes import inlined

LONGEST = 65536
"""Rows are asked about up to here: in every layer the last way of all, to read a row anew in every stage, is in use."""

_KERNELS = "LNGEN_EACH_TYPE(LNGEN_KERNELS)"
_FIELDS = ("vector", "threads_per_row", "chunks", "threads", "row", "holds_features", "sums", "rows_copied")
_ASK = """
extern "C" __global__ void layouts_{direction}_{dtype}(int* out, int longest) {{
  for (int D = 1 + threadIdx.x; D <= longest; D += blockDim.x) {{
    const lngen::Shape shape = lngen::shape_of(D, lngen::{direction}::Needs<lngen::{dtype}>::ASKED);
    const int fields[] = {{{fields}}};
    for (int i = 0; i < {count}; ++i) out[{count} * D + i] = fields[i];
  }}
}}"""
_STEPS = (("in vectors", 16), ("entry by entry", 2))
"""Lengths that vectors of any type divide, and the odd ones, which none does."""

_SOURCES = {"kernels.cu": ("forward", "backward"), "second_order.cu": ("jvp", "backward_backward")}
_ROWS = ((256, 37), (4096, 7), (LONGEST, 3))
"""How many rows there are of the lengths up to one: enough to fill blocks of several, few where each takes long."""


@dataclass(frozen=True)
class Layout:
    """How a direction lays a row out, told from others by all that its code chooses by."""

    direction: str
    row: int
    holds_features: bool
    sums: int
    copies: bool
    rows_share_a_block: bool
    warps_share_a_row: bool
    several_chunks: bool
    vectors: bool

    def __str__(self) -> str:
        words = [
            ("read again in every stage", "in registers as stored", "in registers")[self.row],
            "copied ahead" if self.copies else "loaded",
            "several to a block" if self.rows_share_a_block else "one to a block",
            "of several warps" if self.warps_share_a_row else "of one warp",
            ("sums in registers", "sums in shared memory", "sums in the workspace")[self.sums],
        ]
        return f"{self.direction}: {', '.join(words)}"


def layouts(folder: Path, dtype: str, sources: Sequence[str], shared: int) -> dict[str, list[Layout]]:
    """By direction, how rows of 0 (which stands for none), 1, ... LONGEST entries are laid out.

    `shared` is how many bytes of shared memory a block may take. Raises LngenError where the emulator cannot be had.
    """
    name = parse_dtype(dtype).name
    found: dict[str, list[Layout]] = {}
    for source in sources:
        for direction, fields in _asked(inlined(folder / source), _SOURCES[source], name, shared).items():
            kinds: dict[tuple[int, ...], Layout] = {}
            lines = map(tuple, fields.tolist())
            found[direction] = [kinds.setdefault(line, _layout(direction, line)) for line in lines]
    return found


@cache
def _asked(text: str, directions: Sequence[str], dtype: str, shared: int) -> dict[str, NDArray[np.int32]]:
    # No kernel of the layer's is compiled: what they ask of the geometry stands beside them.
    assert _KERNELS in text
    fields = ", ".join(f"int(shape.{field})" for field in _FIELDS)
    asks = (_ASK.format(direction=each, dtype=dtype, fields=fields, count=len(_FIELDS)) for each in directions)
    kernels = simt.build(text.replace(_KERNELS, "") + "".join(asks), {"LNGEN_D": 1, "LNGEN_SHARED": shared})
    found = {}
    for direction in directions:
        found[direction] = np.zeros((LONGEST + 1, len(_FIELDS)), np.int32)
        kernels[f"layouts_{direction}_{dtype}"](1, 32, 0, found[direction], LONGEST)
    return found


def _layout(direction: str, line: Sequence[int]) -> Layout:
    vector, threads_per_row, chunks, threads, row, holds, sums, copied = line
    several = threads > threads_per_row, threads_per_row > 32, chunks > 1
    return Layout(direction, row, bool(holds), sums, copied > 0, *several, vector > 1)


def sides(layer: Checkable, dtypes: tuple[str, ...], thorough: bool) -> Iterator[Side]:
    """Rows in each layout of forward and backward, in whatever type has it.

    With `thorough` these are both sides of each change, in every type and direction.
    """
    backend: Any = layer.module.backend  # type: ignore[attr-defined]
    folder, shared = Path(backend.__file__).parent, _shared_memory()
    sources = [name for name in _SOURCES if (folder / name).is_file()][: None if thorough else 1]
    changes = [
        (dtype, features, how, frozenset(each[features] for each in every.values()))
        for dtype in dtypes
        for every in (layouts(folder, dtype, sources, shared),)
        for how, step in _STEPS
        for features in sorted({d for each in every.values() for d in _changes(each, step)})
        if features >= layer.definition.minimum_features
    ]
    if thorough:
        yield from (_side(backend, *change) for change in changes)
        return
    left = {layout for *_, found in changes for layout in found}
    while left:
        dtype, features, how, found = max(changes, key=lambda change: (len(change[3] & left), -change[1]))
        yield _side(backend, dtype, features, how, found & left)
        left -= found


def _changes(each: Sequence[Layout], step: int) -> Iterator[int]:
    """The lengths at which the layout is another one than at the length before, and the lengths before."""
    places = range(step if step > 2 else 1, len(each), step)
    for before, after in pairwise(places):
        if each[before] != each[after]:
            yield from (before, after)


def _side(backend: Any, dtype: str, features: int, how: str, found: Iterable[Layout]) -> Side:
    rows = next(count for longest, count in _ROWS if features <= longest)
    what = f"rows {how}; {'; '.join(sorted(map(str, found)))}"
    only = partial(compiled_for, backend, (parse_dtype(dtype).name,))
    return Side(what, (rows, features), (dtype,), meanwhile=only)


def _shared_memory() -> int:
    """What a block may take of shared memory on the device whose context is current."""
    import pycuda.driver

    attribute = pycuda.driver.device_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    return int(pycuda.driver.Context.get_device().get_attribute(attribute))
