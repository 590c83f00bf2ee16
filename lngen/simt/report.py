"""What a launch found wrong, with the line of the source that did it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.errors import LngenError

Place = tuple[int, int, int]

KINDS = (
    "data race", "out of bounds", "uninitialised read", "misaligned access", "undefined arithmetic",
    "divergent barrier", "divergent warp operation", "crash", "time limit",
)  # fmt: skip
"""The kinds of a finding."""


@dataclass(frozen=True)
class Finding:
    """One fault of a kernel.

    `line` is the line of the source, 0 where it is not known; `callers` are the lines of the calls that led
    to it where functions were inlined, innermost first. `other_line` is the other side of a race, or where
    other threads wait. `block` and `thread` are indices along x, y and z. `buffer` is the name of the
    kernel's parameter, or "shared memory"; `offset` counts bytes from its start, and is -1 where it means
    nothing.
    """

    kind: str
    message: str
    line: int = 0
    callers: tuple[int, ...] = ()
    other_line: int = 0
    block: Place | None = None
    thread: Place | None = None
    buffer: str = ""
    offset: int = -1

    def __str__(self) -> str:
        called = f" (called from {', '.join(map(str, self.callers))})" if self.callers else ""
        where = f"line {self.line}{called}: " if self.line else ""
        who = f" [block {self.block}, thread {self.thread}]" if self.block else ""
        return f"{where}{self.kind}: {self.message}{who}"


class KernelFault(LngenError):
    """A kernel did what it must not; `findings` says what. The arrays that it was given are as they were."""

    def __init__(self, title: str, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join([title, *(f"  {finding}" for finding in findings)]))


@dataclass(frozen=True)
class _Record:
    """A line of a module's report, as runtime/findings.cpp writes it."""

    kind: str
    block: str
    thread: str
    line: int
    other_line: int
    code: int
    other_code: int
    other_thread: int
    offset: int
    bytes: int
    buffer_bytes: int
    buffer: str
    text: tuple[str, ...]


def read_report(lines: Sequence[str], module: Path, source_name: str) -> tuple[Finding, ...]:
    """The findings of a report, their places in the code as lines of the source.

    >>> text = "divergent barrier\\t0,0,0\\t3,0,0\\t7\\t5\\t0\\t0\\t-1\\t0\\t0\\t0\\t\\tothers wait in line 5"
    >>> print(read_report([text], Path("module.so"), "kernels.cu")[0])
    line 7: divergent barrier: others wait in line 5 [block (0, 0, 0), thread (3, 0, 0)]
    """
    records = [_record(line) for line in lines]
    lines_of = source_lines(module, source_name, [code for r in records for code in (r.code, r.other_code) if code])
    return tuple(_finding(record, lines_of) for record in records)


def crash(lines: Sequence[str], module: Path, source_name: str, seconds: float) -> tuple[Finding, ...]:
    """The findings of a worker that died of a signal: that, and what its report had until then."""
    number, where, code, offset = lines[0].split()
    chain = source_lines(module, source_name, [int(code, 16)]).get(int(code, 16), ())
    block, thread = (_place(part) for part in where.split(":")) if ":" in where else (None, None)
    if int(number) == signal.SIGALRM:
        kind, message = "time limit", f"the kernel has not ended after {seconds:g} s"
    else:
        kind = "crash"
        message = _SIGNALS.get(int(number), f"signal {number}")
        message += f" at byte {offset} of the device's memory" if int(offset) >= 0 else ""
    finding = Finding(kind, message, *_line_and_callers(0, chain), block=block, thread=thread)
    return (*read_report(lines[1:], module, source_name), finding)


def source_lines(module: Path, source_name: str, codes: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """For offsets of code in a module's file, the lines of the source: the innermost, then those of its callers.

    Empty where `addr2line`, which comes with the compiler, is missing or knows nothing.
    """
    wanted = sorted(set(codes))
    tool = shutil.which("addr2line")
    if tool is None or not wanted:
        return {}
    command = [tool, "-a", "-i", "-e", str(module), *map(hex, wanted)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[int, list[int]] = {}
    chain: list[int] = []
    for line in done.stdout.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            chain = found.setdefault(int(line, 16), [])
        elif (place := re.match(r"(.*):(\d+)", line)) and os.path.basename(place[1]) == os.path.basename(source_name):
            chain.append(int(place[2]))
    return {code: tuple(chain) for code, chain in found.items()}


_SIGNALS: dict[int, str] = {
    signal.SIGSEGV: "an address that is no memory (segmentation fault)",
    signal.SIGBUS: "an address that is no memory (bus error)",
    signal.SIGFPE: "a division of integers by zero, or one whose quotient overflows",
    # Processors differ in what a trap is.
    signal.SIGILL: "a trap, or an instruction that is none",
    signal.SIGTRAP: "a trap, or an instruction that is none",
    signal.SIGABRT: "abort",
}


def _record(line: str) -> _Record:
    kind, block, thread, *numbers = line.split("\t", 11)
    *numbers, rest = numbers
    buffer, *text = rest.split("\t")
    line_, other, code, other_code, other_thread, offset, size, whole = numbers
    return _Record(
        kind, block, thread, int(line_), int(other), int(code, 16), int(other_code, 16),
        int(other_thread), int(offset), int(size), int(whole), buffer, tuple(text),
    )  # fmt: skip


def _finding(record: _Record, lines_of: dict[int, tuple[int, ...]]) -> Finding:
    line, callers = _line_and_callers(record.line, lines_of.get(record.code, ()))
    other_line, _ = _line_and_callers(record.other_line, lines_of.get(record.other_code, ()))
    return Finding(
        record.kind,
        _message(record, other_line),
        line,
        callers,
        other_line,
        _place(record.block),
        _place(record.thread),
        record.buffer,
        record.offset if record.buffer else -1,
    )


def _message(record: _Record, other_line: int) -> str:
    if record.kind not in ("data race", "out of bounds", "uninitialised read") or not record.bytes:
        where = f" at byte {record.offset} of {record.buffer}" if record.buffer else ""
        return record.text[0] + where
    # A write that is found after the launch has no size that is known.
    access = f"{record.text[0]} of {record.bytes} bytes" if record.code else record.text[0]
    if record.buffer:
        access += f" at byte {record.offset} of {record.buffer}, which has {record.buffer_bytes}"
    else:
        access += " at an address that is in none of the kernel's buffers"
    if record.kind != "data race":
        return access
    _, other, where = record.text
    thread = f"thread {record.other_thread} of the {where}" if where == "same block" else f"a thread of {where}"
    return f"{access}, unordered with a {other} by {thread}" + (f" in line {other_line}" if other_line else "")


def _line_and_callers(line: int, chain: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return (line, ()) if line or not chain else (chain[0], chain[1:])


def _place(text: str) -> Place | None:
    if not text:
        return None
    x, y, z = map(int, text.split(","))
    return x, y, z
