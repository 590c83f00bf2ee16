# SPDX-License-Identifier: MIT
"""Choice of the fastest grid on a device: measured once, and kept beside compiled kernels.

All grids give the same bits, so that measurements, which differ between machines, change no result.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median

from ..cache import keep, kept
from . import driver
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
    begin, end = driver.call("cuEventCreate", 0), driver.call("cuEventCreate", 0)
    try:
        for number in range(_ROUNDS + 1):
            for key, launch in launches.items():
                driver.call("cuEventRecord", begin, stream)
                for _ in range(_LAUNCHES):
                    launch()
                driver.call("cuEventRecord", end, stream)
                driver.call("cuEventSynchronize", end)
                if number:  # the first round warms up
                    times[key].append(1e3 * driver.call("cuEventElapsedTime", begin, end) / _LAUNCHES)
    finally:
        for event in (begin, end):
            driver.call("cuEventDestroy", event)
    return {key: round(median(values), 3) for key, values in times.items()}
