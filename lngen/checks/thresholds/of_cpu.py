"""Thresholds of compiled kernels: those of their header, read by the compiler, and of their launcher."""

from __future__ import annotations

import ctypes
import importlib
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lngen.checks.layer import Checkable
from lngen.checks.thresholds.side import ThresholdSide, lowered
from lngen.runtime.includes import inlined
from lngen.runtime.native import compiler as host_compiler

_FEW = 3
_SHORT = 7
_COMPUTED = ("float64", "float32")
_NUMBERS = (*_COMPUTED, "TOGETHER", "PIECE", "ROWS_TOGETHER")
_ASK = """
#include "../_runtime/native/host_rows.h"
extern "C" long long number(int which) {
  using namespace lngen::LNGEN_SPACE;
  const long long numbers[] = {
      lngen::Lanes<lngen::f64>::COUNT, lngen::Lanes<lngen::f32>::COUNT,
      TOGETHER, PIECE, ROWS_TOGETHER};
  return numbers[which];
}
"""


def header(folder: Path) -> dict[str, int]:
    """Return the numbers of `host_rows.h` in a folder, and the lanes of each type.

    Raises NoCompiler if there is no compiler to read them.
    """
    with tempfile.TemporaryDirectory(prefix="lngen-") as place:
        source = Path(place) / "numbers.cpp"
        source.write_text(inlined(folder / "numbers.cpp", _ASK), encoding="utf-8")
        library = host_compiler.library(source, [])
    ask = ctypes.CFUNCTYPE(ctypes.c_longlong, ctypes.c_int)(library.address("number"))
    return {each: ask(which) for which, each in enumerate(_NUMBERS)}


def sides(layer: Checkable, dtypes: tuple[str, ...], thorough: bool) -> Iterator[ThresholdSide]:
    """Yield rows of lanes, of sets of lanes and of pieces, each with a tail; sums over rows; chunks of rows."""
    module: Any = layer.module
    numbers = header(Path(module.__file__).parent)
    for dtype in _COMPUTED:
        lanes, together, piece = numbers[dtype], numbers[dtype] * numbers["TOGETHER"], numbers["PIECE"]
        for features, how in (
            (lanes - 1, "fewer entries than lanes"),
            (lanes, "as many entries as lanes"),
            (lanes + 1, "an entry more than lanes"),
            (together - 1, "an entry fewer than sets of lanes"),
            (together, "as many entries as sets of lanes"),
            (together + lanes + 1, "a set of lanes, lanes and an entry"),
            (piece, "the longest that is one piece"),
            (piece + 1, "the shortest that is two pieces"),
            (2 * piece, "two pieces"),
            (2 * piece + together + lanes + 1, "two pieces and a part of one"),
        ):
            if features:
                yield ThresholdSide(f"rows of {how}", (_FEW, features), (dtype,))
        rows = numbers["ROWS_TOGETHER"]
        for count, how in ((rows, "are added up together"), (rows + 1, "are one more"), (2 * rows + 1, "are added up")):
            yield ThresholdSide(f"rows that {how}", (count, _SHORT), (dtype,))
        yield from _chunks(module, dtype)


def _chunks(module: Any, dtype: str) -> Iterator[ThresholdSide]:
    """Rows of one chunk, of a few and of the most, on one thread and on two; results that bypass the cache, or not."""
    kernels = importlib.import_module(".._runtime.native.compiled", module.__package__)
    small = kernels.CHUNK_ROWS * (kernels.FEW_CHUNKS + 1)

    in_chunks = partial(lowered, kernels, CHUNK_ENTRIES=2 * _SHORT)
    for count, how in (
        (2, "one chunk"),
        (3, "a chunk and a part"),
        (2 * kernels.FEW_CHUNKS + 1, "a few chunks"),
        (small, "chunks of more rows"),
        (kernels.CHUNK_ROWS * kernels.CHUNKS + 1, "the most chunks and one row"),
    ):
        for threads in (1, 2):
            what = f"rows of {how} on {threads} threads"
            yield ThresholdSide(what, (count, _SHORT), (dtype,), {"threads": threads}, meanwhile=in_chunks)
    for features, how in ((16, "even"), (17, "uneven")):
        what = f"{how} rows that bypass the cache"
        yield ThresholdSide(what, (_FEW, features), (dtype,), meanwhile=partial(lowered, kernels, STREAMED_BYTES=1))
