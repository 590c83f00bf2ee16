"""The kernels of a layer, compiled for an architecture and looked at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lngen.check.toolchain import nvrtc
from lngen.check.toolchain.nvrtc import NvrtcMissing, Resources
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.emit.cpp.kernels import source_of
from lngen.errors import LngenError
from lngen.extensions.inspection import listing
from lngen.extensions.inspection.architectures import Architecture
from lngen.extensions.inspection.counting import KINDS, Access, accesses, kind, trips
from lngen.extensions.inspection.cubin import integers
from lngen.extensions.inspection.listing import Loop
from lngen.extensions.inspection.machine_code import KernelBinary, as_launched
from lngen.extensions.inspection.model import Expectation, KernelFacts, expected
from lngen.extensions.inspection.multiprocessors import resident
from lngen.extensions.inspection.walk import walk
from lngen.paths import generated_folder
from lngen.pipeline.stages import Derived
from lngen.plan.cost import DType, cost
from lngen.plan.program import RowProgram
from lngen.runtime.cuda.arrays import MOST_FEATURES
from lngen.runtime.cuda.macros import macros
from lngen.runtime.includes import inlined
from lngen.runtime.protocol.directions import DIRECTIONS


@dataclass(frozen=True)
class KernelWork:
    """Work of a kernel on rows, as counted in its instructions.

    `facts` are the input of the model. `instructions` are those for an entry of a row by kind, a warp's counted as 32.
    `barriers` are those of a row, and `accesses` those of a thread for its part of the rows of a trip.
    """

    facts: KernelFacts
    instructions: Mapping[str, float]
    barriers: float
    accesses: Mapping[Access, int]
    expected: Expectation


@dataclass(frozen=True)
class Inspected:
    """Kernel with its resources, and the array that describes its launch.

    `blocks` are those that a multiprocessor holds at a time, 0 if not even one. `work` is None for a kernel that ends
    sums over rows, and without `nvdisasm`.
    """

    name: str
    resources: Resources
    launch: Mapping[str, int]
    blocks: int
    work: KernelWork | None

    @property
    def ends_sums(self) -> bool:
        """Test whether the kernel adds up the partial sums of a direction's blocks, and works on no row."""
        return "_columns_" in self.name

    @property
    def threads(self) -> int:
        """The threads of a multiprocessor."""
        return self.blocks * self.launch["threads_per_block"]

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a block, static and dynamic."""
        return self.launch["shared_bytes"] + self.resources.shared


def inspected(
    layer: Derived, architecture: Architecture, features: int, dtype: DType, directions: Sequence[str] = DIRECTIONS
) -> tuple[Inspected, ...]:
    """Return the kernels of some directions of a layer, for rows of so many features.

    Raises LngenError for features that the layer cannot have, and NvrtcMissing without a compiler. Without `nvdisasm`
    (`missing_disassembler` says so) its findings are left out.
    """
    least = layer.plan.forward.minimum_features
    if not least <= features <= MOST_FEATURES:
        raise LngenError(
            f"--D {features} is not a length of the layer's rows: pass one from {least} to {MOST_FEATURES}."
        )
    found: list[Inspected] = []
    for program in layer.plan.programs():
        if program.direction in directions:
            found += _of_direction(layer, program, architecture, features, dtype)
    return tuple(found)


def missing_disassembler() -> str:
    """Return what to install to disassemble instructions; empty if it is installed."""
    try:
        nvrtc.disassembler()
    except NvrtcMissing as error:
        return str(error)
    return ""


def _of_direction(
    layer: Derived, program: RowProgram, architecture: Architecture, features: int, dtype: DType
) -> list[Inspected]:
    name = f"{source_of(program)}.cu"
    place = generated_folder() / layer.definition.name / name
    kernels = layer.text(name).replace('#include "layer.h"', layer.text("layer.h"))
    text = inlined(place, kernels)
    given = macros(
        program.direction,
        dtype.name,
        dtype.name,
        features,
        shared=architecture.block_shared,
        blocks_per_row=architecture.blocks_per_row(features),
    )
    code = as_launched(text, architecture.name, [f"-D{macro}" for macro in given])
    listed = {} if missing_disassembler() else listing.kernels(nvrtc.disassemble(code.cubin))
    row_kernel = f"{program.direction}_{dtype.name}"
    found = []
    for name in sorted(code.resources, key=len):
        launch = launch_of(code, name)
        blocks = _blocks(code.resources[name], launch, architecture)
        work = None
        if name == row_kernel and name in listed and blocks:
            whole = cost(program)
            work = work_of(
                listed[name],
                launch,
                blocks=blocks,
                features=features,
                itemsize=dtype.itemsize,
                rows_read=whole.rows_read,
                rows_written=whole.rows_written,
                architecture=architecture,
            )
        found.append(Inspected(name, code.resources[name], launch, blocks, work))
    return found


def launch_of(code: KernelBinary, name: str) -> dict[str, int]:
    """The array of a module that says how a kernel is launched, by the names of its fields."""
    numbers = integers(code.cubin, f"{name}_launch")
    if numbers is None or len(numbers) != len(LAUNCH_FIELDS):
        raise LngenError(f"the module of {name} does not say how it is launched: derive the layer anew.")
    return dict(zip(LAUNCH_FIELDS, numbers, strict=True))


def _blocks(used: Resources, launch: Mapping[str, int], architecture: Architecture) -> int:
    shared = launch["shared_bytes"] + used.shared
    return resident(launch["threads_per_block"], used.registers, shared, architecture.multiprocessor)


def work_of(
    code: Loop,
    launch: Mapping[str, int],
    *,
    blocks: int,
    features: int,
    itemsize: int,
    rows_read: int,
    rows_written: int,
    architecture: Architecture,
) -> KernelWork:
    """Count the work of a block that reads and writes so many row tensors, `itemsize` bytes an entry."""
    threads = launch["threads_per_block"]
    part = features / launch["blocks_per_row"]
    cut = trips(code, part / launch["threads_per_row"], itemsize)
    executed = list(cut.weighted(cut.trip.parts))
    kinds = Counter[str]()
    for instruction, times in executed:
        kinds[kind(instruction)] += times
    around = [*cut.weighted(cut.before), *cut.weighted(cut.after)]
    rows = launch["rows_per_block"] * _rows_at_a_time(executed, part, launch, itemsize, rows_written)
    entries = float(rows * part)
    way = walk(cut, architecture.latency_clocks, threads // 32)
    # Parameters that are read again for each row are in the first cache; a row that a loop reads again is not.
    row_accesses = [(i, times) for i, times in executed if times > 1 or "CONSTANT" not in i.modifiers]
    least = float(itemsize * (rows_read + rows_written))
    facts = KernelFacts(
        threads=threads,
        blocks=blocks,
        entries=entries,
        bytes=least,
        moved=max(least, _moved(row_accesses) * threads / entries),
        instructions={name: float(kinds[name]) for name in KINDS},
        once=float(sum(times for _, times in around)),
        moved_once=float(_moved(around) * threads),
        trip=way.trip,
        start=way.once,
        in_flight=float(way.in_flight),
    )
    barriers = sum(times for instruction, times in executed if instruction.opcode == "BAR")
    return KernelWork(
        facts,
        facts.an_entry,
        barriers * launch["rows_per_block"] / rows,
        accesses(iter(executed)),
        expected(facts, architecture),
    )


def _moved(executed: Sequence[tuple[listing.Instruction, int]]) -> int:
    """Bytes that a thread moves between a multiprocessor and memory or the second cache."""
    return sum(i.bytes * times for i, times in executed if i.opcode in ("LDG", "STG", "LDGSTS"))


def _rows_at_a_time(
    executed: Sequence[tuple[listing.Instruction, int]],
    features: float,
    launch: Mapping[str, int],
    itemsize: int,
    rows_written: int,
) -> int:
    """Rows that a group of threads takes in a trip: the compiler, or a ring of rows, may make one of several."""
    if not rows_written:
        return 1
    wide = min(16, launch["vector"] * itemsize)
    stores = [(i, times) for i, times in executed if i.opcode == "STG" and i.bytes == wide]
    # Row scalars are stored as entries may be, but not as what is not read again soon.
    rows = [(i, times) for i, times in stores if "EF" in i.modifiers] or stores
    stored = sum(times for _, times in rows)
    of_a_row = math.ceil(features / (launch["threads_per_row"] * launch["vector"]))
    return max(1, round(stored / (of_a_row * rows_written)))
