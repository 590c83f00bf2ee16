"""The kernels of a layer as compiled for an architecture: their resources, and the instructions that are listed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lngen.algebra.symbols import FeatureSymbol
from lngen.checks.toolchain import nvrtc
from lngen.checks.toolchain.nvrtc import NvrtcMissing, Resources
from lngen.emit.cpp.contract import LAUNCH_FIELDS
from lngen.emit.cpp.kernels import source_of
from lngen.errors import LngenError, printable
from lngen.extensions.inspection.cubin import integers
from lngen.extensions.inspection.machine_code import KernelBinary, as_launched
from lngen.paths import generated_folder
from lngen.pipeline.stages import Derived
from lngen.plan.cost import DType
from lngen.plan.program import RowProgram
from lngen.runtime.cuda.arrays import MOST_FEATURES
from lngen.runtime.cuda.macros import macros, most_blocks_of_cluster
from lngen.runtime.includes import inlined
from lngen.runtime.protocol.interface import DIRECTIONS

BLOCK_SHARED: Mapping[str, int] = {
    "sm_75": 64 * 1024,
    **dict.fromkeys(("sm_80", "sm_87"), 163 * 1024),
    **dict.fromkeys(("sm_86", "sm_89"), 99 * 1024),
    **dict.fromkeys(("sm_90", "sm_100", "sm_103", "sm_110"), 227 * 1024),
    **dict.fromkeys(("sm_120", "sm_121"), 99 * 1024),
}
"""Bytes of shared memory that a block may take, by architecture (CUDA C++ Programming Guide, compute capabilities)."""

_ACCESS = re.compile(r"(LD|ST|LDG|STG|LDS|STS|LDL|STL|LDGSTS|ATOM|ATOMG|ATOMS|RED)\.(.*)")
_WIDTHS: Mapping[str, int] = {"128": 128, "64": 64, "U16": 16, "S16": 16, "U8": 8, "S8": 8}


@dataclass(frozen=True)
class Inspected:
    """Kernel with its resources, and the array that describes its launch.

    `instructions` is how many the code has, `accesses` how many of them access memory, by opcode and bits a thread;
    both are None without `nvdisasm`.
    """

    name: str
    resources: Resources
    launch: Mapping[str, int]
    instructions: int | None
    accesses: Mapping[str, int] | None

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a block, static and dynamic."""
        return self.launch["shared_bytes"] + self.resources.shared

    def facts(self) -> dict[str, str]:
        """Return what is said of the kernel, by title."""
        found = {
            "registers a thread": str(self.resources.registers),
            "spills and stack": ", ".join(self.resources.faults()) or "none",
            "shared memory a block": f"{self.shared} bytes",
            "threads a block": str(self.launch["threads_per_block"]),
        }
        if self.accesses is not None:
            found["instructions"] = str(self.instructions)
            found["accesses"] = ", ".join(f"{count} {name}" for name, count in self.accesses.items()) or "none"
        return found

    def document(self) -> dict[str, object]:
        """Return all that was found, for a program."""
        used = self.resources
        return {
            "kernel": self.name,
            "registers": used.registers,
            "spilled_bytes": used.spill_stores + used.spill_loads,
            "stack_bytes": used.stack,
            "shared_bytes": self.shared,
            "launch": dict(self.launch),
            "instructions": self.instructions,
            "accesses": None if self.accesses is None else dict(self.accesses),
        }


def inspected(
    layer: Derived, arch: str, features: int, dtype: DType, directions: Sequence[str] = DIRECTIONS
) -> tuple[Inspected, ...]:
    """Return the kernels of some directions of a layer, for rows of so many features.

    Raises LngenError for an unknown architecture and for features that the layer cannot have, and NvrtcMissing without
    a compiler.
    """
    if arch not in BLOCK_SHARED:
        raise LngenError(f"--arch {printable(arch)!r} is not known; it is one of {', '.join(BLOCK_SHARED)}.")
    least = layer.plan.forward.minimum_features
    if not least <= features <= MOST_FEATURES:
        raise LngenError(
            f"--D {features} is not a length of the layer's rows: pass one from {least} to {MOST_FEATURES}."
        )
    chosen = (program for program in layer.plan.programs() if program.direction in directions)
    return tuple(kernel for program in chosen for kernel in _of_direction(layer, program, arch, features, dtype))


def missing_disassembler() -> str:
    """Return what to install to disassemble instructions; empty if it is installed."""
    try:
        nvrtc.disassembler()
    except NvrtcMissing as error:
        return str(error)
    return ""


def accesses(instructions: Iterable[str]) -> dict[str, int]:
    """Count the instructions that access memory, by opcode and bits a thread.

    >>> accesses(["LDG.E.128.CONSTANT R4, desc[UR4][R2.64]", "STS.U16 [R1], R2", "FADD R1, R1, R2", "STS [R1], R3"])
    {'LDG.128': 1, 'STS.16': 1, 'STS.32': 1}
    """
    found = Counter[str]()
    for instruction in instructions:
        if access := _ACCESS.fullmatch(f"{instruction.split()[0]}."):
            bits = next((_WIDTHS[part] for part in access[2].split(".") if part in _WIDTHS), 32)
            found[f"{access[1]}.{bits}"] += 1
    return dict(sorted(found.items()))


def _of_direction(layer: Derived, program: RowProgram, arch: str, features: int, dtype: DType) -> list[Inspected]:
    name = f"{source_of(program.direction)}.cu"
    kernels = layer.text(name).replace('#include "layer.h"', layer.text("layer.h"))
    over_rows = [item.symbol for stage in program.stages for item in stage.rows_reductions]
    sums = sum(isinstance(symbol, FeatureSymbol) for symbol in over_rows) * features * dtype.accumulate_itemsize
    given = macros(
        program.direction,
        dtype.name,
        dtype.name,
        features,
        shared=BLOCK_SHARED[arch],
        blocks_per_row=most_blocks_of_cluster(int(arch.removeprefix("sm_")) >= 90, sums, BLOCK_SHARED[arch]),
    )
    text = inlined(generated_folder() / layer.definition.name / name, kernels)
    code = as_launched(text, arch, [f"-D{macro}" for macro in given])
    listed = {} if missing_disassembler() else nvrtc.instructions(nvrtc.disassemble(code.cubin))
    found = []
    for kernel in sorted(code.resources, key=len):
        lines = [line for line in listed.get(kernel, []) if not line.startswith("NOP")]
        counted = (len(lines), accesses(lines)) if lines else (None, None)
        found.append(Inspected(kernel, code.resources[kernel], launch_of(code, kernel), *counted))
    return found


def launch_of(code: KernelBinary, name: str) -> dict[str, int]:
    """The array of a module that says how a kernel is launched, by the names of its fields."""
    numbers = integers(code.cubin, f"{name}_launch")
    if numbers is None or len(numbers) != len(LAUNCH_FIELDS):
        raise LngenError(f"the module of {name} does not say how it is launched: derive the layer anew.")
    return dict(zip(LAUNCH_FIELDS, numbers, strict=True))
