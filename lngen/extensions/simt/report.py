"""Findings of a launch, each with the line of the source at fault."""

from __future__ import annotations

import functools
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


class LineNumber(int):
    """The number of a line, and the `file` it is in where that is one that the source includes.

    >>> f"{LineNumber(7)}, {LineNumber(9, 'rows.cuh')}"
    '7, 9 of rows.cuh'
    """

    file: str

    def __new__(cls, number: int, file: str = "") -> LineNumber:
        line = super().__new__(cls, number)
        line.file = file
        return line

    @classmethod
    def parse(cls, text: str, source_name: str) -> LineNumber:
        """A line from `file:number`; 0 from nothing."""
        file, _, number = os.path.basename(text).rpartition(":")
        return cls(int(number or 0), "" if file == os.path.basename(source_name) else file)

    def __str__(self) -> str:
        return f"{int(self)} of {self.file}" if self.file else str(int(self))


_UNKNOWN = LineNumber(0)


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
    line: LineNumber = _UNKNOWN
    callers: tuple[LineNumber, ...] = ()
    other_line: LineNumber = _UNKNOWN
    block: Place | None = None
    thread: Place | None = None
    buffer: str = ""
    offset: int = -1

    def __str__(self) -> str:
        where = f"line {self.line}{_called_from(self.callers)}: " if self.line else ""
        who = f" [block {self.block}, thread {self.thread}]" if self.block else ""
        return f"{where}{self.kind}: {self.message}{who}"


def _called_from(callers: Sequence[LineNumber]) -> str:
    return f" (called from {', '.join(map(str, callers))})" if callers else ""


class KernelFault(LngenError):
    """Error for a kernel at fault; `findings` describe it.

    The arrays that it was given are unchanged.
    """

    def __init__(self, title: str, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join([title, *(f"  {finding}" for finding in findings)]))


@dataclass(frozen=True)
class _Record:
    """A line of a module's report, as runtime/findings.cpp writes it."""

    kind: str
    block: str
    thread: str
    line: str
    other_line: str
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

    >>> text = "divergent barrier\\t0,0,0\\t3,0,0\\tk.cu:7\\tk.cu:5\\t0\\t0\\t-1\\t0\\t0\\t0\\t\\tothers wait at k.cu:5"
    >>> print(read_report([text], Path("module.so"), "k.cu")[0])
    line 7: divergent barrier: others wait at k.cu:5 [block (0, 0, 0), thread (3, 0, 0)]
    """
    records = [_record(line) for line in lines]
    lines_of = source_lines(module, source_name, [code for r in records for code in (r.code, r.other_code) if code])
    return tuple(_finding(record, lines_of, source_name) for record in records)


def of_worker(word: str, lines: Sequence[str], module: Path, source_name: str, seconds: float) -> tuple[Finding, ...]:
    """Return the findings of an answer of the worker to a launch."""
    if word == "crash":
        return _crash(lines, module, source_name, seconds)
    if word == "lost":
        return (Finding("crash", "the process that the kernel ran in was lost"),)
    return read_report(lines, module, source_name)


def written_beyond(buffer: str, at: int, size: int) -> Finding:
    """Return the finding of a write outside an array; without a name it is of none that the kernel was given."""
    name = buffer or "an allocation that the kernel was not given"
    return Finding("out of bounds", f"write at byte {at} of {name}, which has {size}", buffer=buffer, offset=at)


def _crash(lines: Sequence[str], module: Path, source_name: str, seconds: float) -> tuple[Finding, ...]:
    """Return the findings of a worker that died of a signal: the signal, and its report until then."""
    number, where, code, offset = lines[0].split()
    chain = source_lines(module, source_name, [int(code, 16)]).get(int(code, 16), ())
    block, thread = (_place(part) for part in where.split(":")) if ":" in where else (None, None)
    if int(number) == signal.SIGALRM:
        kind, message = "time limit", f"the kernel has not ended after {seconds:g} s"
    else:
        kind = "crash"
        message = _SIGNALS.get(int(number), f"signal {number}")
        message += f" at byte {offset} of the device's memory" if int(offset) >= 0 else ""
    finding = Finding(kind, message, *_line_and_callers(_UNKNOWN, chain), block=block, thread=thread)
    return (*read_report(lines[1:], module, source_name), finding)


def source_lines(module: Path, source_name: str, codes: Iterable[int]) -> dict[int, tuple[LineNumber, ...]]:
    """Return the source lines of code offsets in a module's file: the innermost line, then those of its callers.

    Lines of CUDA's headers are left out. The result is empty if `addr2line`, which comes with the compiler, is missing
    or finds nothing.
    """
    wanted = sorted(set(codes))
    tool = shutil.which("addr2line")
    if tool is None or not wanted:
        return {}
    command = [tool, "-a", "-i", "-e", str(module), *map(hex, wanted)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[int, list[LineNumber]] = {}
    chain: list[LineNumber] = []
    for line in done.stdout.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            chain = found.setdefault(int(line, 16), [])
        elif (place := re.match(r"(.*):\d+", line)) and os.path.basename(place[1]) in _files(module):
            chain.append(LineNumber.parse(place[0], source_name))
    return {code: tuple(chain) for code, chain in found.items()}


@functools.cache
def _files(module: Path) -> frozenset[str]:
    """The files of a module's source, which the text that was compiled names where each begins."""
    unit = module.with_name("unit.cpp").read_text(encoding="utf-8")
    return frozenset(map(os.path.basename, re.findall(r'^# \d+ "(.*)"', unit, re.MULTILINE)))


_SIGNALS: dict[int, str] = {
    signal.SIGSEGV: "an address outside of memory (segmentation fault)",
    signal.SIGBUS: "an address outside of memory (bus error)",
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
        kind, block, thread, line_, other, int(code, 16), int(other_code, 16),
        int(other_thread), int(offset), int(size), int(whole), buffer, tuple(text),
    )  # fmt: skip


def _finding(record: _Record, lines_of: dict[int, tuple[LineNumber, ...]], source_name: str) -> Finding:
    line, callers = _line_and_callers(LineNumber.parse(record.line, source_name), lines_of.get(record.code, ()))
    other_line, other_callers = _line_and_callers(
        LineNumber.parse(record.other_line, source_name), lines_of.get(record.other_code, ())
    )
    return Finding(
        record.kind,
        _message(record, f" in line {other_line}{_called_from(other_callers)}" if other_line else ""),
        line,
        callers,
        other_line,
        _place(record.block),
        _place(record.thread),
        record.buffer,
        record.offset if record.buffer else -1,
    )


def _message(record: _Record, in_other_line: str) -> str:
    if record.kind not in ("data race", "copy in flight", "out of bounds", "uninitialised read") or not record.bytes:
        where = f" at byte {record.offset} of {record.buffer}" if record.buffer else ""
        return record.text[0] + where + (in_other_line if record.other_code else "")
    # A write that is found after the launch has no size that is known.
    access = f"{record.text[0]} of {record.bytes} bytes" if record.code else record.text[0]
    if record.buffer:
        access += f" at byte {record.offset} of {record.buffer}, which has {record.buffer_bytes}"
    else:
        access += " at an address that is in none of the kernel's buffers"
    if record.kind == "copy in flight":
        started = f"thread {record.other_thread} started it{in_other_line} and has not awaited it"
        return f"{access}, where a copy has not arrived: {started}"
    if record.kind != "data race":
        return access
    _, other, where = record.text
    thread = f"thread {record.other_thread} of the {where}" if where == "same block" else f"a thread of {where}"
    return f"{access}, unordered with a {other} by {thread}{in_other_line}"


def _line_and_callers(line: LineNumber, chain: tuple[LineNumber, ...]) -> tuple[LineNumber, tuple[LineNumber, ...]]:
    return (line, ()) if line or not chain else (chain[0], chain[1:])


def _place(text: str) -> Place | None:
    if not text:
        return None
    x, y, z = map(int, text.split(","))
    return x, y, z
