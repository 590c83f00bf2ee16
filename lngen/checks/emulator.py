"""The device that runs CUDA without a GPU: an extension's (`lngen.devices`), where there is one.

Nothing here knows how it does that: by it a kernel's schedule and its accesses to memory can be chosen and watched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from lngen import entry_points
from lngen.checks.toolchain.item import Item
from lngen.errors import LngenError, ToolchainMissing
from lngen.version import DISTRIBUTION

PURPOSE = "runs kernels on this CPU, and finds their faults"
_NONE = f"nothing here runs CUDA without a GPU: install {DISTRIBUTION} again"


class Emulator(Protocol):
    """Interface of the module of such a device."""

    SCHEDULES: Sequence[str]
    """The orders in which it runs blocks, warps and lanes."""

    def items(self) -> Sequence[Item]:
        """Return its needs of this machine; the last item is the emulator itself."""

    def enable(self) -> None:
        """Make it PyCUDA's driver, before that is imported. Raises LngenError, with what is missing."""

    def enabled(self) -> bool:
        """Test whether PyCUDA in this process runs on it."""

    def using(
        self, *, schedule: str | None = None, seed: int | None = None, check: bool | None = None
    ) -> AbstractContextManager[None]:
        """Run kernels in an order, and with `check` every access to memory watched."""

    def build(self, text: str, macros: Mapping[str, Any]) -> Any:
        """Compile a text; the kernels by name, to be called with blocks, threads, shared memory and arguments."""

    def stand_in(self) -> Path:
        """The program that takes the place of nvcc while PyCUDA runs on it."""


@cache
def emulator() -> Emulator:
    """The device. Raises ToolchainMissing where no extension has one, and LngenError where that is broken."""
    for name in entry_points.extensions(entry_points.DEVICES):
        found: Emulator = entry_points.find(entry_points.DEVICES, name)
        return found
    raise ToolchainMissing(_NONE)


def enabled() -> bool:
    """Test whether PyCUDA in this process runs on an emulator."""
    try:
        return emulator().enabled()
    except LngenError:
        return False


def stands_in(compiler: Path) -> bool:
    """Test whether a compiler is the emulator's in the place of nvcc: it makes no machine code."""
    try:
        return compiler == emulator().stand_in()
    except LngenError:
        return False


def items() -> Sequence[Item]:
    """Return the needs of the emulator, and the emulator; in its place the reason where there is none."""
    try:
        return emulator().items()
    except LngenError as error:
        reason, _, remedy = str(error).rpartition(": ")
        return (Item("emulator", False, reason, PURPOSE, remedy),)
