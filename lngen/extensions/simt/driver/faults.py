"""Launches that went wrong, as the emulated driver tells of them, made into findings."""

from __future__ import annotations

from pathlib import Path

from lngen.extensions.simt.report import Finding, KernelFault, of_worker, written_beyond

_latest: tuple[Finding, ...] = ()


def latest() -> tuple[Finding, ...]:
    """The findings of the last launch that went wrong."""
    return _latest


def clear() -> None:
    """Drop them."""
    global _latest
    _latest = ()


def note(text: str) -> str:
    """Keep the findings of a launch, and give them as one message.

    The text has a line each for the worker's answer, the module, the name of its source, the kernel, the
    seconds it was given, and the number of the worker's lines; then those; then a line for each allocation
    with a changed band: its name, the first byte, its size.

    >>> print(note("done\\nmodule.so\\nk.cu\\nfill\\n60\\n0\\ny\\t8\\t8\\n"))
    kernel fill of k.cu:
      out of bounds: write at byte 8 of y, which has 8
    >>> latest()[0].buffer, latest()[0].offset
    ('y', 8)
    >>> clear()
    """
    global _latest
    word, module, source, kernel, seconds, count, *lines = text.splitlines()
    own, beyond = lines[: int(count)], lines[int(count) :]
    _latest = of_worker(word, own, Path(module), source, float(seconds))
    if not any(finding.kind == "out of bounds" for finding in _latest):
        parts = (line.split("\t") for line in beyond)
        _latest += tuple(written_beyond(name, int(first), int(size)) for name, first, size in parts)
    return str(KernelFault(f"kernel {kernel} of {source}:", _latest))
