# SPDX-License-Identifier: MIT
"""Kernels that were compiled ahead of time, in `compiled/` beside their source."""

import os
import re
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .. import cache, trust
from ..includes import inlined
from . import driver
from .calls import DeviceLayer, KernelKey
from .compilers import number_of, options
from .devices import Device, launches_early, may_end_few_rows, may_share_rows
from .grids import MULTIPROCESSORS

DIRECTIONS = ("forward", "backward")
"""Directions that `lngen build` compiles unless it is told others."""

_FILE = re.compile(r"(?P<text>[0-9a-f]+)\.(?P<macros>[0-9a-f]+)\.(?P<architecture>(sm|compute)_\d+)\.(cubin|ptx)")
_DIGITS = 16
_SHARED = "LNGEN_SHARED="
_told: set[Path] = set()


class ReadyCode:
    """Code of a source that was compiled ahead of time with some macros, by architecture.

    A file is named by the text of the source with its headers, by the macros, and by the architecture, so that code of
    another text is never used. An architecture, such as "sm_90", or "compute_90" for PTX, says the shared memory that a
    block may take, so the macro of that is not part of the name.
    """

    def __init__(self, source: Path, macros: Iterable[str]) -> None:
        self.source = source
        self.macros = sorted(macro for macro in macros if not macro.startswith(_SHARED))

    @cached_property
    def _names(self) -> tuple[str, str]:
        """The digests of the text and of the macros."""
        of_text, of_macros = (cache.digest(each)[:_DIGITS] for each in ([inlined(self.source)], options(self.macros)))
        return of_text, of_macros

    def place(self, architecture: str) -> Path:
        """Return the file of the code for an architecture, which need not exist."""
        suffix = "ptx" if architecture.startswith("compute_") else "cubin"
        name = f"{self.source.stem}.{'.'.join(self._names)}.{architecture}.{suffix}"
        return self.source.parent / cache.COMPILED / name

    @cached_property
    def _built(self) -> list[re.Match[str]]:
        """The names of all code of the source, of whatever text and macros."""
        stem = f"{self.source.stem}."
        with suppress(OSError):
            names = (name for name in os.listdir(self.source.parent / cache.COMPILED) if name.startswith(stem))
            return [found for name in sorted(names) if (found := _FILE.fullmatch(name, len(stem)))]
        return []

    @cached_property
    def architectures(self) -> list[str]:
        """The architectures that there is code for."""
        return [each["architecture"] for each in self._built if (each["text"], each["macros"]) == self._names]

    def serves(self, architecture: str, block_shared: int) -> bool:
        """Test whether there is code for a device whose blocks may take some shared memory."""
        return bool(runnable(architecture, block_shared, self.architectures))

    @property
    def is_stale(self) -> bool:
        """Test whether all code there is was made of another text."""
        return bool(self._built) and all(each["text"] != self._names[0] for each in self._built)

    def load(self, architecture: str, block_shared: int) -> driver.LoadedCode | None:
        """Return the code for a device whose blocks may take some shared memory; None if the device can load none."""
        if not self._built:
            return None
        for path in map(self.place, runnable(architecture, block_shared, self.architectures)):
            with suppress(OSError, driver.DriverError):
                code = cache.unsealed(trust.regular(path))
                if code is not None:
                    return driver.LoadedCode(code)
                _tell(path, f"{path} is damaged, so it is not used: build it anew with `lngen build`")
        if self.is_stale:
            _tell(self.source, f"{self.lacks(architecture)}, so that is not used: build it anew with `lngen build`")
        return None

    def lacks(self, architecture: str) -> str:
        """Say why no code serves a device; empty if there is none of the source at all."""
        if not self._built:
            return ""
        name = f"{self.source.parent.name}/{self.source.name}"
        if self.is_stale:
            return f"{name} or one of its headers has changed since it was compiled ahead of time"
        if self.architectures:
            return f"{name} is compiled ahead of time for {', '.join(self.architectures)}, and not for {architecture}"
        return f"{name} is compiled ahead of time, and not with {', '.join(self.macros)}"


class TargetDevice(NamedTuple):
    """Properties of a device that kernels are compiled for, as those of `Device`."""

    architecture: str
    block_shared: int
    is_dependent: bool
    has_clusters: bool
    ends_few_rows: bool


def target(architecture: str) -> TargetDevice:
    """Return the properties of devices of an architecture; raises ValueError if it is unknown."""
    if not shared_of(architecture):
        raise ValueError(f"no architecture {architecture!r} of devices; pass one of {', '.join(MULTIPROCESSORS)}")
    capability = divmod(number_of(architecture), 10)
    settings = launches_early(capability), may_share_rows(capability), may_end_few_rows()
    return TargetDevice(architecture, shared_of(architecture), *settings)


def how_to_build(layer: DeviceLayer, wanted: KernelKey, device: Device, is_narrow: bool) -> str:
    """Say how the kernels of a call are compiled ahead of time, or that they are not."""
    if wanted.axes or is_narrow or wanted.in_place:
        return "code is built ahead of time for dense arrays, apart and aligned to 16 bytes: pass such ones"
    folder = layer.folder.parent
    near = os.path.relpath(folder)
    words = [f"lngen build {layer.folder.name} --out {folder if near.startswith('..') else near}"]
    words.append(f"--cuda {device.architecture} --D {wanted.features} --dtype {wanted.row_type}")
    if wanted.parameter_type != wanted.row_type:
        words.append(f"--parameters {wanted.parameter_type}")
    if absent := [each.symbol for each in layer.inputs if each.symbol in wanted.without]:
        words.append(f"--without {','.join(absent)}")
    if wanted.direction not in DIRECTIONS:
        words.append(f"--direction {wanted.direction}")
    return f"build it where there is one: `{' '.join(words)}`"


def shared_of(architecture: str) -> int:
    """Return the bytes of shared memory that a block may take on devices of an architecture; 0 if it is unknown."""
    found = MULTIPROCESSORS.get(f"sm_{number_of(architecture)}")
    return found.block_shared if found else 0


def runnable(architecture: str, block_shared: int, built: Iterable[str]) -> list[str]:
    """Return the architectures whose code a device runs, the best first.

    They are its own, older ones of its family, and PTX of its own or an older one. No code takes more shared memory
    than the device has.

    >>> runnable("sm_103", 232448, ["compute_90", "sm_100", "sm_90", "sm_103", "compute_120"])
    ['sm_103', 'sm_100', 'compute_90']
    >>> runnable("sm_86", 101376, ["sm_80"])
    []
    """
    number = number_of(architecture)
    older = [each for each in built if number_of(each) <= number and 0 < shared_of(each) <= block_shared]
    found = [each for each in older if each.startswith("compute_") or number_of(each) // 10 == number // 10]
    return sorted(found, key=lambda each: (each.startswith("compute_"), -number_of(each)))


def _tell(about: Path, text: str) -> None:
    """Warn, once for each file."""
    if about not in _told:
        _told.add(about)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
