# SPDX-License-Identifier: MIT
"""Choice of the fastest grid on a device: measured once, and kept beside compiled kernels.

All grids give the same bits, so that measurements, which differ between machines, change no result.
"""

import ctypes
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median

from ..cache import keep, kept
from . import devices
from .compilers import cache_folder

_ROUNDS, _LAUNCHES = 7, 3
_WORTH = 0.98
"""The share of the usual grid's time below which another one is taken: less is noise."""


def blocks_held(cubin: bytes, kernel: str, device: str, launches: Mapping[int, Callable[[], None]], stream: int) -> int:
    """Return the key of the fastest of some launches of a kernel, the first of which is the default.

    A key is the number of blocks on a multiprocessor. An earlier measurement on a device of this name stays valid,
    whatever the launches are. `stream` is the handle of the launches' stream, which is waited for.
    """
    digest = hashlib.sha256(b"\0".join([cubin, kernel.encode(), device.encode()])).hexdigest()
    path = cache_folder() / f"{digest}.grid.json"
    found = _kept(path)
    if found is None:
        usual = next(iter(launches))
        times = measured(launches, stream)
        found = min(times, key=times.__getitem__)
        if times[found] > _WORTH * times[usual]:
            found = usual
        record = {"kernel": kernel, "device": device, "blocks_held": found, "microseconds": times}
        keep(path, f"{json.dumps(record, indent=1)}\n".encode())
    return found


def _kept(path: Path) -> int | None:
    """Return the grid chosen earlier; None if there is none, or if it cannot be read."""
    with suppress(ValueError, TypeError, KeyError):
        found = json.loads(kept(path) or b"")["blocks_held"]
        if type(found) is int and found >= 0:
            return found
    return None


def measured(launches: Mapping[int, Callable[[], None]], stream: int) -> dict[int, float]:
    """Microseconds of each launch: medians over rounds in which they take turns."""
    times: dict[int, list[float]] = {key: [] for key in launches}
    begin, end = _DriverEvent(), _DriverEvent()
    for number in range(_ROUNDS + 1):
        for key, launch in launches.items():
            begin.record(stream)
            for _ in range(_LAUNCHES):
                launch()
            end.record(stream)
            if number:  # the first round warms up
                times[key].append(end.microseconds_since(begin) / _LAUNCHES)
            else:
                end.microseconds_since(begin)
    return {key: round(median(values), 3) for key, values in times.items()}


class _DriverEvent:
    """Event of the driver, on a stream of any library."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        devices.call("cuEventCreate", ctypes.byref(self.handle), 0)

    def record(self, stream: int) -> None:
        devices.call("cuEventRecord", self.handle, ctypes.c_void_p(stream))

    def microseconds_since(self, other: "_DriverEvent") -> float:
        milliseconds = ctypes.c_float()
        devices.call("cuEventSynchronize", self.handle)
        devices.call("cuEventElapsedTime", ctypes.byref(milliseconds), other.handle, self.handle)
        return 1e3 * milliseconds.value

    def __del__(self) -> None:
        with suppress(RuntimeError):
            devices.call("cuEventDestroy_v2", self.handle)
