"""Times and rates of the measurement, on simulated devices."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import measure
from benchmarks.timing import Section, Timed
from benchmarks.timing import measure as timed


class Clock:
    """A device whose work takes what the sections say; `late` rounds find it idle before they are launched."""

    def __init__(self, late: int = 0) -> None:
        self.emulated, self.now, self.late, self.holds = False, 0.0, late, []

    def hold(self, seconds: float) -> None:
        self.holds.append(seconds)
        self.now += seconds

    def event(self) -> Any:
        at = self.now
        late = len(self.holds) <= self.late
        return SimpleNamespace(
            at=at, query=lambda: late, synchronize=lambda: None, time_since=lambda other: 1e3 * (at - other.at)
        )


def sections(clock: Clock, seconds: list[float], seen: list[list[int]]) -> list[Section]:
    def launch(place: int, chosen: int) -> None:
        clock.now += seconds[place]
        seen[place].append(chosen)

    return [
        Section(f"section {place}", lambda chosen, place=place: launch(place, chosen)) for place in range(len(seconds))
    ]


@pytest.mark.parametrize(("count", "sets"), [(2, 2), (3, 2), (4, 2), (5, 3), (6, 3), (1, 1)])
def test_each_section_has_its_time_and_gets_every_set_of_buffers_in_turn(count: int, sets: int) -> None:
    clock, seconds = Clock(), [0.25 * (place + 1) for place in range(count)]
    seen: list[list[int]] = [[] for _ in seconds]
    found = timed(clock, sections(clock, seconds, seen), sets, rounds=12)
    for place, value in enumerate(seconds):
        assert found.seconds[f"section {place}"] == pytest.approx([value] * 12)
    assert found.discarded == 0
    for chosen in seen:
        assert set(chosen) == set(range(sets))
        assert sets == 1 or all(one != next_ for one, next_ in itertools.pairwise(chosen))


def test_a_round_that_the_host_was_too_slow_for_does_not_count_and_the_next_are_held_longer() -> None:
    clock = Clock(late=5)
    found = timed(clock, sections(clock, [1.0], [[]]), 1, rounds=4)
    # Two rounds warm up and never count; three of the five late ones came after them.
    assert found.discarded == 3
    assert len(found.seconds["section 0"]) == 4
    assert clock.holds[-1] == pytest.approx(8 * clock.holds[0])


def test_rates_are_bytes_over_time_and_shares_are_taken_round_by_round() -> None:
    # The clock of the device falls by half in the second round, for the roofs as for the layer.
    seconds = {
        "copy by the driver": [4e-3, 8e-3, 4e-3],
        "copy by a kernel": [2e-3, 4e-3, 2e-3],
        "triad": [2.5e-3, 5e-3, 2.5e-3],
        "forward": [2.5e-3, 5e-3, 2.5e-3],
        "backward": [5e-3, 10e-3, 5e-3],
    }
    copied = (4 * 10**9, 4 * 10**9)
    moved = {**dict.fromkeys(seconds, copied), "triad": (8 * 10**9, 4 * 10**9), "backward": (8 * 10**9, 4 * 10**9)}
    found = measure.recorded(Timed(seconds, 0, 0.0), moved)
    assert found["copy by a kernel"]["gigabytes_per_second"] == [3000, 4000, 4000]
    assert found["forward"]["microseconds"] == [2500, 2500, 3750]
    assert (found["forward"]["roof"], found["forward"]["of_roof"]) == ("copy", [0.8, 0.8, 0.8])
    assert found["copy by a kernel"]["of_roof"] == [1, 1, 1]
    # What reads more than it writes is held to the triad, which moves 12 GB here in the time of 10.
    assert (found["backward"]["roof"], found["backward"]["of_roof"]) == ("triad", [0.5, 0.5, 0.5])
