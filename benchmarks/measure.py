"""What is recorded of a layer at a shape, and of the cost of a call: GPU times, rates, shares of the copy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.comparators import Comparator
from benchmarks.device import Device
from benchmarks.grid import MIB, Case
from benchmarks.layers import Calls, sets_for, tensors
from benchmarks.results import quartiles
from benchmarks.timing import Section, Timed, measure

COPIES = ("copy by the driver", "copy by a kernel")
_TENSORS_AT_ONCE = 32
"""Two sets of four tensors, as much again for what PyTorch keeps, and room."""


def largest_mib(device: Device) -> int:
    """The size of the largest tensor for which everything fits into the device's memory."""
    return max(1, device.free_bytes() // _TENSORS_AT_ONCE // MIB)


def layer(
    name: str, case: Case, device: Device, *, rounds: int, torch: Any = None, compiled: bool = False
) -> dict[str, Any]:
    """The record of one layer at one shape. Raises WrongResult, HostTooSlow, and what PyTorch raises."""
    sets = sets_for(name, case, device)
    calls = Calls(name, case, device, sets)
    worst = calls.verify()
    comparator = Comparator(torch, calls, compiled=compiled) if torch else None
    sections, moved = _sections(calls, comparator, "torch compiled" if compiled else "torch")
    timed = measure(device, sections, sets, rounds)
    return {
        "layer": name,
        "dtype": case.dtype,
        "features": case.features,
        "rows": case.rows,
        "tensor_bytes": case.tensor_bytes,
        "sets": sets,
        "rounds": rounds,
        "discarded": timed.discarded,
        "error_over_bound": float(f"{worst:.2g}"),
        "sections": recorded(timed, {name: count * case.tensor_bytes for name, count in moved.items()}),
    }


def _sections(calls: Calls, comparator: Comparator | None, prefix: str) -> tuple[list[Section], dict[str, int]]:
    """The work of a round, in turns with the copies, and how many tensors each part has to move."""
    device, size = calls.device, calls.case.tensor_bytes
    forward, backward = tensors(calls.name)

    def copy_by_driver(chosen: int) -> None:
        one, _, target = calls.rows(chosen)
        device.copy_by_driver(one, target, size)

    def copy(chosen: int) -> None:
        one, _, target = calls.rows(chosen)
        device.copy(one, target, size)

    def two_reads(chosen: int) -> None:
        device.two_reads(*calls.rows(chosen), size)

    by_driver, by_kernel = COPIES
    parts: list[tuple[str, Callable[[int], object], int]] = [
        (by_driver, copy_by_driver, 2),
        ("forward", calls.forward, forward),
        (by_kernel, copy, 2),
        ("backward", calls.backward, backward),
        ("two reads, one write", two_reads, 3),
    ]
    if comparator is not None:
        parts += [
            (f"{prefix} forward", comparator.forward, forward),
            (f"{prefix} backward", comparator.backward, backward),
        ]
    return [Section(name, launch) for name, launch, _ in parts], {name: count for name, _, count in parts}


def recorded(timed: Timed, moved: dict[str, int]) -> dict[str, dict[str, Any]]:
    """For each section: microseconds, GB/s (1e9 bytes) and the share of the copy, quartiles each.

    `moved` has the bytes that a section cannot do without. The copy is the faster of the two at this size; the
    share is taken round by round, against the copy of the same round.
    """
    rates = {
        name: [moved[name] / max(seconds, 1e-9) / 1e9 for seconds in values] for name, values in timed.seconds.items()
    }
    fastest = max(COPIES, key=lambda name: quartiles(rates[name])[1])
    return {
        name: {
            "bytes": moved[name],
            "microseconds": quartiles([1e6 * seconds for seconds in timed.seconds[name]]),
            "gigabytes_per_second": quartiles(values),
            "of_copy": quartiles([rate / copy for rate, copy in zip(values, rates[fastest], strict=True)]),
        }
        for name, values in rates.items()
    }


def overhead(name: str, case: Case, device: Device, *, calls: int, torch: Any = None) -> list[dict[str, Any]]:
    """Host time of one call, out= and workspace= given, on a shape so small that the device is done first."""
    work = Calls(name, case, device)
    parts: list[tuple[str, Callable[[int], object]]] = [("forward", work.forward), ("backward", work.backward)]
    if torch:
        comparator = Comparator(torch, work, compiled=False)
        parts += [("torch forward", comparator.forward), ("torch backward", comparator.backward)]
    return [
        {"layer": name, "call": part, "shape": str(case), "calls": calls, "microseconds": quartiles(times)}
        for part, launch in parts
        for times in [_host_times(launch, device, calls)]
    ]


def _host_times(launch: Callable[[int], object], device: Device, calls: int) -> list[float]:
    """Microseconds of each call. The queue of the device is emptied often, so that no call waits for a place in it."""
    times = []
    for number in range(calls + 20):
        if number % 50 == 0:
            device.synchronize()
        before = time.perf_counter_ns()
        launch(0)
        times.append((time.perf_counter_ns() - before) * 1e-3)
    device.synchronize()
    return times[20:]
