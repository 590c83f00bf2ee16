"""Layouts of rows for every length: each fits what a GPU has, is compiled, and holds what it promises.

The functions of shapes.cuh are compiled by g++ and evaluated by shapes_sweep.cpp, which counts by itself what a
multiprocessor holds.
"""

from __future__ import annotations

import itertools
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from lngen.extensions.inspection.kernels import BLOCK_SHARED
from lngen.paths import generated_folder
from lngen.runtime.cuda.arrays import MOST_FEATURES
from lngen.runtime.cuda.variants import VARIANTS
from tests.requirements import needs_gxx
from tests.shipped import ROOT
from tests.tiers import sample

pytestmark = needs_gxx

Sweep = Callable[..., "tuple[int, str]"]

HEADER = ROOT / "lngen" / "runtime" / "cuda" / "shapes.cuh"
PROGRAM = Path(__file__).with_name("shapes_sweep.cpp")
LONGEST = 300_000
SIZES = sorted({size: 0 if arch == "sm_75" else 1024 for arch, size in BLOCK_SHARED.items()}.items())
"""Shared memory that a block may take, and what the system reserves in each."""

WIDEST, SINGLE = 16, 1
"""Entries of an access at the most: what the launcher defines, and where arrays do not start where vectors do."""

TYPES = [(2, 2, 4), (2, 4, 4), (4, 4, 4), (8, 8, 8)]
"""Bytes of the types of rows, of parameters and of what is computed."""
MORE_TYPES = [*TYPES, (8, 4, 8), (4, 4, 8)]
"""Types, and those of layers that compute in double."""

_DIRECTION = re.compile(
    r"(?P<names>(?:constexpr Name<.*\n|struct Absent_.*\n)*)using Given = .*\n\n"
    r"struct Layer : Direction<Given, decltype\(over_rows\(.*\)\), (?P<numbers>[\d, ]+)>"
)


def shipped() -> list[tuple[int, ...]]:
    """Demands of all directions of all layers: rows, features, sums, calls, scalars, results, and reductions."""
    found = set()
    for path in generated_folder().glob("*/layer.h"):
        for direction in _DIRECTION.finditer(path.read_text(encoding="utf-8")):
            kinds = Counter(re.findall(r"Name<(\w+),", direction["names"]))
            most_sums, calls, scalars, results, *_ = map(int, direction["numbers"].split(", "))
            # Below these, row scalars and results take nothing of what a thread has.
            common = (calls, max(scalars, 8), max(results, 2), most_sums, kinds["OVER_ALL"])
            found.add((kinds["ROWS"], kinds["FEATURES"], kinds["OVER_ROWS"], *common))
    return sorted(found)


def left_out(demands: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Demands where every input that is not a row is left out."""
    return sorted({(demand[0], 0, 0, *demand[3:]) for demand in demands})


def drawn(count: int) -> list[tuple[int, ...]]:
    """Demands that no layer makes."""
    generator = random.Random(34)
    most = (9, 8, 8, 6, 40, 6, 64, 8)
    return [tuple(generator.randint(0, bound) for bound in most) for _ in range(count)]


def limits(
    sizes: Iterable[tuple[int, int]],
    vectors: Iterable[int],
    variants: Iterable[tuple[str, ...]],
    blocks_per_row: Iterable[int] = (1,),
) -> Iterator[str]:
    for (block_shared, reserved), vector, variant, blocks in itertools.product(
        sizes, vectors, variants, blocks_per_row
    ):
        given = dict(macro.removeprefix("LNGEN_").split("=") for macro in variant)
        numbers = block_shared, vector, 0, given.get("RESIDENT", 0), given.get("ROOM", 100)
        yield " ".join(map(str, ("limits", *numbers, blocks, block_shared + reserved, reserved)))


def asked(
    demands: Iterable[tuple[int, ...]],
    types: Iterable[tuple[int, ...]] = MORE_TYPES,
) -> Iterator[str]:
    """Lines of demands."""
    for demand, sizes in itertools.product(demands, types):
        yield " ".join(map(str, ("asked", *sizes, *demand)))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """Judges layouts by a header's functions, for lengths from the first to the last: failures and what is printed."""

    def swept(
        lines: Iterable[str], first: int, last: int, step: int = 1, header: str = "", watched: bool = True
    ) -> tuple[int, str]:
        folder = tmp_path_factory.mktemp("sweep")
        (folder / HEADER.name).write_text(header or HEADER.read_text(encoding="utf-8"), encoding="utf-8")
        watching = ["-fsanitize=undefined", "-fno-sanitize-recover"] * watched
        options = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", *watching, f"-I{folder}"]
        subprocess.run(["g++", *options, str(PROGRAM), "-o", str(folder / "sweep")], check=True)
        command = [str(folder / "sweep"), str(first), str(last), str(step)]
        done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return swept


ALL = SIZES


def test_demands_of_layers_are_found() -> None:
    found = shipped()
    # Layer norm reads x and two Features forward, and x and dy backward, where dgamma and dbeta are sums over rows.
    assert {(1, 2, 0, 0, 8, 2, 2, 0), (2, 1, 2, 0, 8, 2, 2, 0)} <= {*found}
    assert len(found) > 50


@pytest.mark.ci
def test_layouts_of_some_lengths_are_sound(sweep: Sweep) -> None:
    """Each part of the range, each demand, type, alignment and size of shared memory; nothing overflows."""
    lines = [*limits(ALL, (WIDEST, SINGLE), VARIANTS[:1], (1, 8)), *asked(shipped())]
    status, said = sweep(lines, 1, LONGEST, 1009)
    assert (status, said.splitlines()[-1].split(", ")[1]) == (0, "0 failures"), said


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [size for size, _ in SIZES])
def test_layouts_of_every_length_are_sound(sweep: Sweep, size: int) -> None:
    # An odd length has accesses of one entry in any case.
    for vector, first in ((WIDEST, 1), (SINGLE, 2)):
        lines = [*limits([(size, dict(SIZES)[size])], [vector], VARIANTS[:1], (1, 8)), *asked(shipped(), TYPES)]
        status, said = sweep(lines, first, LONGEST, first, watched=False)
        assert status == 0, said


@pytest.mark.exhaustive
def test_layouts_with_fewer_registers_or_inputs_are_sound(sweep: Sweep) -> None:
    """Kernels that spilled are compiled with these layouts. The step has no common factor with any vector length."""
    lines = [*limits(ALL, (WIDEST, SINGLE), VARIANTS), *asked([*shipped(), *left_out(shipped())])]
    status, said = sweep(lines, 1, LONGEST, 101, watched=False)
    assert status == 0, said


@pytest.mark.ci
@pytest.mark.parametrize("count", sample([40, 400], [40]))
def test_layouts_of_demands_that_no_layer_makes_are_sound(sweep: Sweep, count: int) -> None:
    lines = [*limits(ALL, (WIDEST, SINGLE), VARIANTS), *asked(drawn(count))]
    status, said = sweep(lines, 1, LONGEST, 2503)
    assert status == 0, said


@pytest.mark.ci
def test_layouts_of_the_longest_rows_are_sound_and_longer_ones_refused(sweep: Sweep) -> None:
    lines = [*limits(ALL, (WIDEST, SINGLE), VARIANTS), *asked(shipped()[::5])]
    assert sweep(lines, MOST_FEATURES - 40, MOST_FEATURES, 5)[0] == 0
    status, said = sweep(lines[:1] + lines[-1:], MOST_FEATURES + 8, MOST_FEATURES + 8)
    assert status == 1
    assert "a column is beyond int" in said


MUTANTS = {
    # As it was: with a block of 1024 threads and accesses of 2 bytes, none is left.
    "no block": ("while (s.blocks > 1 && (", "while ((", "division by zero"),
    "blocks that are not held": ("!are_held(s.blocks, taken.bytes(0), may)", "false", "more blocks are promised"),
    "slots that are not counted": (
        "larger_of(taken.slots, USUAL_SLOTS)",
        "USUAL_SLOTS",
        "more shared memory than it may",
    ),
    "a ceiling that overflows": ("a / b + (a % b != 0)", "(2 * a + 2 * b - 1) / b / 2", "signed integer overflow"),
    "part of a warp": (
        "ceiling(ceiling(vectors, chunks), 32) * 32",
        "ceiling(ceiling(vectors, chunks), 8) * 8",
        "threads are",
    ),
    "a chunk too few": ("chunks = ceiling(chunks, 2)", "chunks /= 2", "registers do not hold the row"),
}


@pytest.mark.parametrize("fault", sample(MUTANTS, ["no block"]))
def test_a_planted_fault_is_found(sweep: Sweep, fault: str) -> None:
    was, becomes, said = MUTANTS[fault]
    header = HEADER.read_text(encoding="utf-8")
    assert header.count(was) == 1
    lines = [*limits(ALL, (WIDEST, SINGLE), VARIANTS[:1]), *asked([*shipped(), *drawn(20)])]
    first, last, step = (MOST_FEATURES - 1, MOST_FEATURES, 1) if "overflow" in fault else (1, LONGEST, 1009)
    status, found = sweep(lines, first, last, step, header.replace(was, becomes))
    assert status != 0
    assert said in found, found


def test_functions_without_sums_over_rows_have_twice_the_threads(tmp_path: Path) -> None:
    """Layouts of a row of 4096 entries of 16 bits with one function, with a sum over rows, and in double."""
    (tmp_path / "threads.cpp").write_text("""
#define __host__
#define __device__
#include "shapes.cuh"
using namespace lngen;

constexpr int threads(int compute, int sums, int calls) {
  const Asked asked = {2, 2, compute, 1, 0, sums, calls, 2, 1, 1, 0};
  const Shape found = shape_in(1, 4096, asked, Limits{232448, 16, 0, 0, 100});
  return found.blocks * found.threads;
}
static_assert(threads(4, 0, 1) == MOST_THREADS_AT_A_TIME, "a function");
static_assert(threads(4, 1, 1) == THREADS_AT_A_TIME, "a function beside a sum over rows");
static_assert(threads(8, 0, 1) == THREADS_AT_A_TIME, "a function of doubles");
""")
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{HEADER.parent}", tmp_path / "threads.cpp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
