"""Findings about a kernel, as pairs of a title and words: for a terminal, and for the page of a layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lngen.errors import counted
from lngen.extensions.inspection.architectures import Architecture
from lngen.extensions.inspection.kernels import Inspected, KernelWork
from lngen.extensions.inspection.model import LIMITS


def heading(architecture: Architecture, features: int, dtype: str) -> str:
    """Describe the inspected rows and the device.

    >>> from lngen.extensions.inspection.architectures import architecture
    >>> heading(architecture("sm_90"), 4096, "bf16")
    'rows of 4096 bf16, sm_90: H200, 132 multiprocessors at 1.98 GHz, 4.80 TB/s'
    """
    return f"rows of {features} {dtype}, {device(architecture)}"


def device(architecture: Architecture) -> str:
    """The device that stands for an architecture."""
    return (
        f"{architecture.name}: {architecture.device}, {architecture.processors} multiprocessors at "
        f"{architecture.clock / 1e9:.3g} GHz, {architecture.bandwidth / 1e12:.2f} TB/s"
    )


def facts(kernel: Inspected, architecture: Architecture) -> tuple[tuple[str, str], ...]:
    """All that is said of a kernel, in order."""
    return (*_resources(kernel, architecture), *(_instructions(kernel.work, architecture) if kernel.work else ()))


def _resources(kernel: Inspected, architecture: Architecture) -> Iterator[tuple[str, str]]:
    launch, holds = kernel.launch, architecture.multiprocessor
    yield "registers a thread", str(kernel.resources.registers)
    yield "spills and stack", ", ".join(kernel.resources.faults()) or "none"
    yield "shared memory a block", f"{kernel.shared} bytes"
    yield "a block", f"{counted(launch['threads_per_block'], 'thread')}{_part(kernel)}"
    if kernel.blocks:
        share = kernel.threads / holds.threads
        words = f"{counted(kernel.blocks, 'block')}, {kernel.threads} of {holds.threads} threads ({share:.0%})"
    else:
        words = "not one block: it takes more than there is"
    yield "a multiprocessor holds", words


def _part(kernel: Inspected) -> str:
    """Describe the rows of a block at a time, or the columns of a kernel that ends sums over rows."""
    launch = kernel.launch
    if kernel.ends_sums:
        return f"; {counted(launch['rows_per_block'], 'column')}" if launch["rows_per_block"] else ""
    rows = f"{counted(launch['rows_per_block'], 'row')}, {counted(launch['threads_per_row'], 'thread')} a row"
    if launch["blocks_per_row"] > 1:
        rows = f"a row of {launch['blocks_per_row']} blocks, {counted(launch['threads_per_row'], 'thread')} of each"
    elif launch["cluster"] > 1:
        rows = f"{rows}; {launch['cluster']} blocks end the sums over rows"
    return f"; {rows}; {_held(launch)}"


def _held(launch: Mapping[str, int]) -> str:
    """Describe the memory of a row during work on it, and the number of trips by which its copy is ahead."""
    ahead = copied = launch["rows_copied"]
    if HELD[launch["row_held"]]:
        place = f"in registers {HELD[launch['row_held']]}"
    elif copied:
        # The row that is worked on is one of the copies.
        place, ahead = "in shared memory", copied - 1
    else:
        place = "read again in every stage"
    return f"a row is {place}, copied {counted(ahead, 'trip')} ahead" if ahead else f"a row is {place}"


def _instructions(work: KernelWork, architecture: Architecture) -> Iterator[tuple[str, str]]:
    flying, wanted = work.facts.bytes_in_flight, architecture.bytes_wanted
    yield "bytes in flight", f"{flying / 1000:.1f} kB a multiprocessor; {wanted / 1000:.1f} kB are wanted"
    yield "accesses of a thread", ", ".join(f"{n} {a.opcode}.{8 * a.bytes}" for a, n in work.accesses.items()) or "none"
    kinds = {kind: count for kind, count in work.instructions.items() if count >= 0.05}
    listed = ", ".join(f"{kind} {count:.1f}" for kind, count in sorted(kinds.items(), key=lambda item: -item[1]))
    yield "instructions an entry", f"{sum(work.instructions.values()):.1f}: {listed}"
    yield "barriers a row", f"{work.barriers:g}"
    found = work.expected
    times = ", ".join(f"{name} {getattr(found, name):.0f}" for name in LIMITS)
    yield "expected limit", f"{found.limit}; clocks of a trip over rows: {times}"
    yield "expected speed", f"{found.share:.0%} of a copy's"


HELD = ("", "as it is stored", "in the compute type")
"""Form of a row in registers between the stages, by `row_held` of a launch array; the first is none."""

HEADINGS = (
    "kernel",
    "D",
    "registers",
    "spills and stack",
    "threads a multiprocessor",
    "kB in flight",
    "instructions an entry",
    "barriers a row",
    "expected limit",
    "of a copy's speed",
)
"""Titles of the cells of `line`."""


def line(kernel: Inspected, features: int) -> tuple[str, ...]:
    """Return the cells of a kernel in a table; cells that need instructions are dashes without a disassembler."""
    first = (
        kernel.name,
        str(features),
        str(kernel.resources.registers),
        ", ".join(kernel.resources.faults()) or "none",
        str(kernel.threads),
    )
    work = kernel.work
    if work is None:
        return (*first, *["-"] * (len(HEADINGS) - len(first)))
    return (
        *first,
        f"{work.facts.bytes_in_flight / 1000:.1f}",
        f"{sum(work.instructions.values()):.1f}",
        f"{work.barriers:g}",
        work.expected.limit,
        f"{work.expected.share:.0%}",
    )


def document(kernels: Sequence[Inspected], architecture: Architecture) -> list[dict[str, Any]]:
    """All that was found, for a program."""
    return [_entry(kernel, architecture) for kernel in kernels]


def _entry(kernel: Inspected, architecture: Architecture) -> dict[str, Any]:
    used = kernel.resources
    found: dict[str, Any] = {
        "kernel": kernel.name,
        "registers": used.registers,
        "spilled_bytes": used.spill_stores + used.spill_loads,
        "stack_bytes": used.stack,
        "shared_bytes": kernel.shared,
        "launch": dict(kernel.launch),
        "blocks": kernel.blocks,
        "threads": kernel.threads,
    }
    if kernel.work is not None:
        work = kernel.work
        found |= {
            "bytes_in_flight": work.facts.bytes_in_flight,
            "bytes_wanted": architecture.bytes_wanted,
            "accesses": [{"opcode": a.opcode, "bytes": a.bytes, "count": n} for a, n in work.accesses.items()],
            "instructions": dict(work.instructions),
            "barriers": work.barriers,
            "expected": {
                "limit": work.expected.limit,
                "share": work.expected.share,
                "clocks": {name: getattr(work.expected, name) for name in LIMITS},
            },
        }
    return found
