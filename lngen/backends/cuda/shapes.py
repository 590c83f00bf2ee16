"""How an emitted file lays rows out over threads, by D and storage type.

The layout is chosen in CUDA C++, by `shape_of` of `rows.cuh`, when D is known to the compiler. It is not said a second
time here: NVRTC evaluates that function, and the answer is read from the PTX. No GPU is needed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lngen import nvrtc
from lngen.backends.cuda.contract import DTYPES
from lngen.errors import LngenError

Place = Literal["registers", "shared memory", "workspace"]

_PLACES: tuple[Place, ...] = ("registers", "shared memory", "workspace")
_LARGEST = 1 << 20
"""No limit is looked for beyond so many accesses a row."""

_QUESTIONS = """
namespace lngen {{
template <class N> __device__ constexpr Shape asked(int D) {{
  return shape_of(D, N::storage, N::compute, N::row, N::features, N::sums, N::calls);
}}
__device__ constexpr int rung_of(const Shape& s) {{
  return !s.keeps_row ? 3 : s.sums != IN_REGISTERS ? 2 : s.holds_features ? 0 : 1;
}}
template <class N> __device__ constexpr int longest(int rung) {{
  const int vector = 16 / N::storage;
  int accesses = 0;
  for (int step = {largest}; step > 0; step /= 2)
    if (rung_of(asked<N>((accesses + step) * vector)) <= rung) accesses += step;
  return accesses * vector;
}}
}}
#define SHAPE(s) \\
  (s).vector, (s).threads_per_row, (s).chunks, (s).threads, (s).keeps_row, (s).holds_features, int((s).sums)
__device__ int lngen_shapes[] = {{
{lines}
}};
"""


@dataclass(frozen=True)
class RowShape:
    """Who works on a row of D = `features` entries.

    A row belongs to `threads_per_row` threads, each with `entries_per_thread` entries of it, read by accesses of
    `vector` entries; a block of `threads_per_block` takes `rows_per_block` rows at a time. `keeps_row` is whether the
    row stays in registers once it is read; if not, each sweep reads it again. `holds_features` says the same of the
    Features, and `sums` where the sums over rows gather.
    """

    kernel: str
    dtype: str
    features: int
    vector: int
    threads_per_row: int
    entries_per_thread: int
    threads_per_block: int
    keeps_row: bool
    holds_features: bool
    sums: Place

    @property
    def rows_per_block(self) -> int:
        """Rows that a block works on at a time."""
        return self.threads_per_block // self.threads_per_row


@dataclass(frozen=True)
class Limits:
    """The longest rows, in entries, of which a kernel keeps something in registers, for D a multiple of 16 bytes.

    Up to `everything` that is the row, the Features and the sums over rows; up to `row_and_sums` the Features are read
    again for every row; up to `row` the sums over rows gather elsewhere too. A longer row is read again in every sweep.
    """

    kernel: str
    dtype: str
    everything: int
    row_and_sums: int
    row: int


def row_shapes(source: str, features: Sequence[int]) -> tuple[tuple[RowShape, ...], tuple[Limits, ...]]:
    """The layouts of both kernels of an emitted file for each storage type and each D, and their limits.

    `source` is the text of a `kernels.cu` with what it includes, all inputs present, parameters in the rows' type.
    Raises NvrtcMissing where there is no NVRTC, and LngenError for a text that is no such file.
    """
    needs = [(kernel, dtype) for kernel in ("forward", "backward") for dtype in DTYPES]
    lines = []
    for kernel, dtype in needs:
        demand = f"lngen::{kernel}::Needs<lngen::{dtype}>"
        lines += [f"  SHAPE(lngen::asked<{demand}>({count}))," for count in features]
        lines += [f"  lngen::longest<{demand}>({rung})," for rung in range(3)]
    asked = source + _QUESTIONS.format(lines="\n".join(lines), largest=_LARGEST)
    # D is known, as in a launch; with f16 alone, few kernels are compiled on the way.
    numbers = _numbers(nvrtc.compile(asked, "compute_80", ("-DLNGEN_D=8", "-DLNGEN_F16")).ptx)
    if len(numbers) != len(needs) * (7 * len(features) + 3):
        raise LngenError("the layouts are not in the compiler's output where they are looked for; its form has changed")
    answers = iter(numbers)
    shapes: list[RowShape] = []
    limits: list[Limits] = []
    for kernel, dtype in needs:
        shapes += [_shape(kernel, dtype, count, [next(answers) for _ in range(7)]) for count in features]
        limits.append(Limits(kernel, dtype, *(next(answers) for _ in range(3))))
    return tuple(shapes), tuple(limits)


def _shape(kernel: str, dtype: str, features: int, numbers: Iterable[int]) -> RowShape:
    vector, threads_per_row, chunks, threads, keeps, holds, sums = numbers
    entries = chunks * vector if keeps else -(-features // (threads_per_row * vector)) * vector
    place = _PLACES[sums]
    return RowShape(kernel, dtype, features, vector, threads_per_row, entries, threads, bool(keeps), bool(holds), place)


def _numbers(ptx: str) -> list[int]:
    """The initial values of the array of answers, which PTX spells as bytes, zeros at the end left out.

    >>> _numbers(".global .align 4 .b8 lngen_shapes[12] = {8, 0, 0, 0, 0, 1};")
    [8, 256, 0]
    """
    found = re.search(r"\.b8 lngen_shapes\[(\d+)\]\s*=\s*\{([^}]*)\}", ptx)
    if found is None:
        return []
    values = bytes(int(number) for number in found[2].split(","))
    return [number for (number,) in struct.iter_unpack("<i", values.ljust(int(found[1]), b"\0"))]
