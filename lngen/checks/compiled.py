"""Evidence from the compiler: `kernels.cu` built by NVRTC for real architectures, and its machine code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from lngen.checks.evidence import Evidence, verdict
from lngen.checks.toolchain import nvrtc
from lngen.checks.toolchain.nvrtc import Compiled
from lngen.plan.cost import parse_dtype

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
"""The architectures that are compiled for, from Ampere to Blackwell."""

KIND = "compiled, not run"
"""Name of this evidence: a compiler shows that code fits a machine, not that it is right."""

DEFAULT_FEATURES = (1024,)
_ACCESS_BYTES = 16
_DOUBLE = ("DADD", "DMUL", "DFMA", "DSETP", "MUFU.RCP64H", "MUFU.RSQ64H")


def compile_evidence(source: str, features: Sequence[int], dtypes: Sequence[str]) -> tuple[Evidence, ...]:
    """Compile for each architecture and each D in `features`; one piece of evidence for a kernel and a D.

    A kernel passes with no spill and no stack frame in the variant that the launcher takes. Its instructions are looked
    at too: none of double precision unless its type is f64, and accesses of 16 bytes where a row is a multiple of that.
    Raises NvrtcMissing where there is no NVRTC, CompileError where the source is refused.
    """
    storage = [parse_dtype(dtype).name for dtype in dtypes]
    flags = [f"-DLNGEN_{name.upper()}" for name in storage]
    jobs = list(product(features, ARCHITECTURES))

    def job(item: tuple[int, str]) -> tuple[Compiled, dict[str, list[str]] | None]:
        d, arch = item
        compiled = nvrtc.compile_as_launched(source, arch, [*flags, f"-DLNGEN_D={d}"])
        return compiled, _instructions(compiled)

    built: dict[int, dict[str, tuple[Compiled, dict[str, list[str]] | None]]] = {d: {} for d in features}
    # The compiler runs outside of Python's lock, and takes seconds.
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for (d, arch), result in zip(jobs, pool.map(job, jobs), strict=True):
            built[d][arch] = result
    return tuple(
        _evidence(kernel, d, built[d]) for d in features for kernel in sorted(built[d][ARCHITECTURES[0]][0].resources)
    )


def _instructions(compiled: Compiled) -> dict[str, list[str]] | None:
    try:
        return nvrtc.instructions(nvrtc.disassemble(compiled.cubin))
    except nvrtc.NvrtcMissing:
        return None


def _evidence(kernel: str, d: int, built: dict[str, tuple[Compiled, dict[str, list[str]] | None]]) -> Evidence:
    storage = kernel.rpartition("_")[2]
    # The second stage of a sum over rows reads a workspace that has no wide rows.
    wide_rows = d * parse_dtype(storage).itemsize % _ACCESS_BYTES == 0 and "columns" not in kernel
    faults, registers, wide = [], [], []
    for arch, (compiled, listing) in built.items():
        used = compiled.resources[kernel]
        registers.append(used.registers)
        faults += [f"{arch}: {fault}" for fault in used.faults()]
        if listing is None:
            continue
        wide.append(sum(_is_wide(line) for line in listing[kernel]))
        if wide_rows and not wide[-1]:
            faults.append(f"{arch}: no 128-bit access")
        if storage != "f64" and any(line.startswith(_DOUBLE) for line in listing[kernel]):
            faults.append(f"{arch}: double-precision instructions in a kernel of {storage}")
    notes = [_span(registers, "registers"), "no spill"]
    if wide and wide_rows:
        notes.append(_span(wide, "128-bit accesses"))
    elif not wide:
        notes.append("no nvdisasm, so the instructions were not looked at")
    return verdict(KIND, f"{kernel}, D = {d}", "; ".join(faults), (), storage, "; ".join(notes))


def _is_wide(instruction: str) -> bool:
    name = instruction.split(maxsplit=1)[0]
    return name.startswith(("LDG", "STG", "LD.", "ST.")) and ".128" in name


def _span(numbers: Sequence[int], unit: str) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"
