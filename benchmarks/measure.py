"""Record of a layer at a shape, and of the cost of a call: GPU times, rates, shares of the roof, ratios."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks import gate
from benchmarks.device import Device
from benchmarks.grid import MIB, Case
from benchmarks.layers import Calls, sets_for, tensors
from benchmarks.peers import Peer, PeerCalls
from benchmarks.results import quartiles
from benchmarks.sections import COMPARED, COPIES, TRIAD
from benchmarks.timing import Section, Timed, measure

_TENSORS_AT_ONCE = 64
"""Two sets of a dozen tensors, the results that the peers keep for their graphs, and room."""


def largest_mib(device: Device) -> int:
    """The size of the largest tensor for which everything fits into the device's memory."""
    return max(1, device.free_bytes() // _TENSORS_AT_ONCE // MIB)


def layer(
    name: str, case: Case, device: Device, *, rounds: int, torch: Any = None, peers: Sequence[Peer] = ()
) -> dict[str, Any]:
    """The record of one layer at one shape, beside those peers that compute it and are right.

    Raises WrongResult if lngen is not, HostTooSlow, and what a peer raises that was right before.
    """
    peers = [peer for peer in peers if name in peer.functions]
    worst, right, left_out = gate.admitted(name, case, device, torch, peers)
    sets = sets_for(name, case, device)
    calls = Calls(name, case, device, sets)
    judge = gate.Judge(calls, gate.some_rows(case))
    worst = max(worst, judge.own())
    works: dict[str, PeerCalls] = {}
    for peer in right:
        try:
            work = PeerCalls(torch, peer, calls)
            judge.peer(work)
        except Exception as error:
            left_out[peer.name] = gate.reason(error)
        else:
            works[peer.name] = work
    sections, moved = _sections(calls, works)
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
        "sections": recorded(timed, moved),
        "best_peer": best_peers(timed, [peer.name for peer in right if peer.name in works and not peer.is_own]),
        "peak_bytes": {name: work.peak_bytes() for name, work in works.items()},
        "left_out": left_out,
    }


def _sections(calls: Calls, works: Mapping[str, PeerCalls]) -> tuple[list[Section], dict[str, tuple[int, int]]]:
    """The work of a round, in turns with the roofs, and how many bytes each part has to read and to write."""
    device, size = calls.device, calls.case.tensor_bytes
    needed = tensors(calls.name)

    def copy_by_driver(chosen: int) -> None:
        one, _, target = calls.rows(chosen)
        device.copy_by_driver(one, target, size)

    def copy(chosen: int) -> None:
        one, _, target = calls.rows(chosen)
        device.copy(one, target, size)

    def triad(chosen: int) -> None:
        device.triad(*calls.rows(chosen), size)

    roofs: list[tuple[str, Callable[[int], object], tuple[int, int]]] = [
        (COPIES[0], copy_by_driver, (1, 1)),
        (COPIES[1], copy, (1, 1)),
        (TRIAD, triad, (2, 1)),
    ]
    own = [(name, functools.partial(calls.run, name), needed[name]) for name in calls.directions]
    # A roof stands beside each of the first directions, as far as there are roofs.
    parts = [part for pair in zip(roofs, own, strict=False) for part in pair]
    parts += [*roofs[len(own) :], *own[len(roofs) :]]
    for direction in COMPARED:
        parts += [(f"{name} {direction}", getattr(work, direction), needed[direction]) for name, work in works.items()]
    moved = {name: (read * size, written * size) for name, _, (read, written) in parts}
    return [Section(name, launch) for name, launch, _ in parts], moved


def recorded(timed: Timed, moved: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, Any]]:
    """Return microseconds, GB/s (1e9 bytes), the roof and the share of it for each section, quartiles each.

    `moved` has the bytes that a section has to read and write. The roof of a section that reads more than it writes is
    the triad, that of all others the copy, the faster of the two at this size. The share is taken round by round,
    against the roof of the same round.
    """
    rates = {
        name: [sum(moved[name]) / max(seconds, 1e-9) / 1e9 for seconds in values]
        for name, values in timed.seconds.items()
    }
    fastest = max(COPIES, key=lambda name: quartiles(rates[name])[1])
    roofs = {name: TRIAD if read > written and TRIAD in rates else fastest for name, (read, written) in moved.items()}
    return {
        name: {
            "bytes": sum(moved[name]),
            "microseconds": quartiles([1e6 * seconds for seconds in timed.seconds[name]]),
            "gigabytes_per_second": quartiles(values),
            "roof": "copy" if roofs[name] in COPIES else roofs[name],
            "of_roof": quartiles([rate / roof for rate, roof in zip(values, rates[roofs[name]], strict=True)]),
        }
        for name, values in rates.items()
    }


def best_peers(timed: Timed, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the peer of the shortest median time for each direction, and its time over lngen's, round by round."""
    found = {}
    for direction in COMPARED:
        times = {name: timed.seconds[f"{name} {direction}"] for name in names}
        if times:
            best = min(times, key=lambda name: quartiles(times[name])[1])
            own = timed.seconds[direction]
            ratios = [theirs / max(ours, 1e-9) for theirs, ours in zip(times[best], own, strict=True)]
            found[direction] = {"name": best, "ratio": quartiles(ratios)}
    return found


def overhead(
    name: str, case: Case, device: Device, *, calls: int, torch: Any = None, peers: Sequence[Peer] = ()
) -> list[dict[str, Any]]:
    """Host time of one call, out= and workspace= given, on a shape so small that the device is done first."""
    work = Calls(name, case, device)
    parts: list[tuple[str, Callable[[int], object]]] = [
        (direction, functools.partial(work.run, direction)) for direction in work.directions
    ]
    for peer in peers:
        # Who fails here fails at the gate too, and is named there.
        if name in peer.functions:
            with contextlib.suppress(Exception):
                theirs = PeerCalls(torch, peer, work)
                parts += [(f"{peer.name} {direction}", getattr(theirs, direction)) for direction in COMPARED]
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
