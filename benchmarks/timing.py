"""GPU times of several pieces of work, taken in turns so that all see the same clocks and temperature.

A round is: hold the device, then launch each section with an event before and after it. The device is held
long enough that the whole round is in its queue before the first section begins; so what is measured is the
device's time, not that of the Python that launches. A round in which the host was too slow is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_LEAD = 1e-3
_LONGEST_LEAD = 0.1
_WARM_ROUNDS = 2


@dataclass(frozen=True)
class Section:
    """A piece of work; `launch` is told which set of buffers to work on."""

    name: str
    launch: Callable[[int], object]


@dataclass(frozen=True)
class Timed:
    """Seconds of each section in each round that counts, and how many rounds did not."""

    seconds: dict[str, list[float]]
    discarded: int
    lead: float


class HostTooSlow(Exception):
    """The host cannot launch a round within the longest time that the device is held."""


def measure(device: Any, sections: Sequence[Section], sets: int, rounds: int) -> Timed:
    """Run the sections in turns for a number of rounds.

    Each section takes the next of `sets` sets of buffers, from round to round too, so that it does not find in
    a cache what it or the one before it touched. `device` has `hold`, `event`, `emulated`. Raises HostTooSlow.
    """
    seconds: dict[str, list[float]] = {section.name: [] for section in sections}
    lead, turn, discarded, warm = _LEAD, 0, 0, _WARM_ROUNDS
    while len(seconds[sections[0].name]) < rounds:
        device.hold(lead)
        events = [device.event()]
        for section in sections:
            section.launch(turn % sets)
            events.append(device.event())
            turn += 1
        if len(sections) % sets == 0:
            turn += 1  # else a section would be given the same set in every round
        host_was_first = device.emulated or not events[0].query()
        events[-1].synchronize()
        if warm:
            warm -= 1
        elif host_was_first:
            for section, before, after in zip(sections, events, events[1:], strict=False):
                seconds[section.name].append(after.time_since(before) * 1e-3)
        else:
            discarded += 1
            lead *= 2
            if lead > _LONGEST_LEAD:
                raise HostTooSlow(f"a round of {len(sections)} sections took the host more than {lead / 2:.2g} s")
    return Timed(seconds, discarded, lead)
