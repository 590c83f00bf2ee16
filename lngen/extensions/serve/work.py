"""Derive a text in a process of its own, and tell each part of the page as soon as it is known."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from lngen.errors import DefinitionError, LngenError, printable
from lngen.extensions.serve import panels
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived, planned

Answer = dict[str, Any]
"""A JSON object; `lngen.extensions.serve` lists the kinds."""

LAST = ("refused", "stopped", "done", "replaced")
"""The kinds of answers that no other comes after."""

MEMORY_IS_GONE = (MemoryError, SystemError)
"""The errors that a lack of memory ends in: the second is a library's that did not look for it."""

NO_MEMORY = 77
"""The exit status of a process that had no more memory."""


_PAGES = Path("/proc/self/statm")
_SLACK = 2**28  # bytes of address space that are not in memory: stacks of threads, libraries
_GLANCE = 0.02  # seconds between two looks at the memory


@dataclass(frozen=True)
class Limits:
    """The most that one derivation may take: seconds on the clock, and bytes beyond those of an idle process."""

    seconds: float = 20.0
    memory: int = 2 * 2**30


def work(text: str, limits: Limits, channel: Connection) -> None:
    """Derive a text in this process, which is the caller's to end, and send the answers through a channel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the server's, which ends this process
    _limit(limits)
    try:
        for answer in answers(text):
            channel.send_bytes(json.dumps(answer).encode())
    except BrokenPipeError:
        pass  # the server has gone
    except MEMORY_IS_GONE:
        os._exit(NO_MEMORY)  # nothing else can be relied on now


def answers(text: str) -> Iterator[Answer]:
    """Yield the answers to a text, the last one of a kind in `LAST`. Nothing is raised but for want of memory.

    >>> [answer["kind"] for answer in answers("def centred(x: Row): return x - mean(x)")]
    ['panels', 'panels', 'panels', 'done']
    >>> refused, = answers("import os")
    >>> refused["kind"], refused["line"], refused["column"]
    ('refused', 1, 1)
    """
    begun = time.perf_counter()
    try:
        yield from _parts(text)
        yield {"kind": "done", "seconds": round(time.perf_counter() - begun, 1)}
    except DefinitionError as error:
        place = {"line": error.line, "column": error.column}
        yield {"kind": "refused", **place, "message": printable(error.message), "remedy": printable(error.remedy)}
    except LngenError as error:
        yield stopped(str(error))
    except MEMORY_IS_GONE:
        raise
    except Exception as error:
        yield stopped(
            f"lngen failed on this definition: {type(error).__name__}: {printable(str(error))}. "
            "This is a fault of lngen, not of the definition: please report both."
        )


def stopped(message: str) -> Answer:
    """Return the answer that ends a derivation without a result."""
    return {"kind": "stopped", "message": message}


def _parts(text: str) -> Iterator[Answer]:
    definition = parse(text)
    definition = replace(definition, filename=f"{definition.name}.py")  # so reports and code name the file to save
    yield _panels(panels.of_plan(planned(definition, proved=False)), "proving")
    yield _panels(panels.of_plan(planned(definition)), "writing the code")
    yield _panels(panels.of_code(derived(definition)), "")


def _panels(parts: panels.Panels, following: str) -> Answer:
    return {"kind": "panels", "panels": parts, "next": following}


def _limit(limits: Limits) -> None:
    """End this process where the server no longer can, let it have so much memory, and leave no core behind.

    An interpreter that is refused memory may fail where no error can be raised, so the process ends itself before the
    system refuses any.
    """
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _PAGES.exists():
        mapped, resident = _memory()
        most = mapped + 2 * limits.memory + _SLACK
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        threading.Thread(target=_end_beyond, args=(resident + limits.memory,), daemon=True).start()


def _memory() -> tuple[int, int]:
    """The bytes of this process: of its address space, and in memory."""
    mapped, resident, *_ = (int(pages) * os.sysconf("SC_PAGE_SIZE") for pages in _PAGES.read_text().split())
    return mapped, resident


def _end_beyond(most: int) -> None:
    """End this process as soon as it holds more bytes."""
    while _memory()[1] <= most:
        time.sleep(_GLANCE)
    os._exit(NO_MEMORY)
