"""The model beside the figures of a timing simulator: it has to put kernels in the simulator's order.

`simulated.json` holds what was found of each kernel's machine code, and the clocks that the simulator took; its `about`
says which kernels they are.
"""

import json
import math
import statistics
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from lngen.errors import LngenError
from lngen.extensions.inspection.architectures import NAMES, architecture
from lngen.extensions.inspection.model import LANES_A_CLOCK, KernelFacts, expected

TABLE = json.loads((Path(__file__).parent / "simulated.json").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = TABLE["kernels"]
H200 = architecture("sm_90")
APART = 1.15
"""The simulator's own figures are not to be believed to less than this ratio."""


def in_order(quality: dict[str, float]) -> float:
    """The share of the pairs that are far enough apart in which the better one has the larger number."""
    speed = {case["name"]: case["bytes"] / case["clocks"] for case in CASES}
    apart = [(a, b) for a, b in combinations(speed, 2) if max(speed[a], speed[b]) > APART * min(speed[a], speed[b])]
    return sum((quality[a] > quality[b]) == (speed[a] > speed[b]) for a, b in apart) / len(apart)


def share(case: dict[str, Any], **changes: Any) -> float:
    return expected(replace(KernelFacts(**case["facts"]), **changes), H200, case["trips"]).share


def test_the_model_puts_kernels_in_the_order_of_the_simulator() -> None:
    assert len(CASES) > 30
    assert in_order({case["name"]: share(case) for case in CASES}) > 0.95


def test_what_a_block_takes_alone_is_needed_for_that() -> None:
    assert in_order({case["name"]: share(case, trip=0.0, start=0.0) for case in CASES}) < 0.9


def test_shares_are_near_those_of_the_simulator() -> None:
    ratios = [math.log(share(case) / (case["bytes"] / case["clocks"] / TABLE["copy_bytes_a_clock"])) for case in CASES]
    assert max(map(abs, ratios)) < math.log(1.4)


def test_what_is_counted_in_the_code_is_what_is_executed() -> None:
    executed = {case["name"]: case["executed"] for case in CASES if "executed" in case}
    assert len(executed) > 20
    off = []
    for case in CASES:
        if case["name"] in executed:
            facts = KernelFacts(**case["facts"])
            counted = sum(facts.an_entry.values()) + facts.once * facts.threads / facts.entries / case["trips"]
            off.append(abs(counted / executed[case["name"]] - 1))
    assert statistics.median(off) < 0.03
    # What some warps of a block pass over is counted for all of them, so a few are far off.
    assert statistics.quantiles(off, n=10)[-1] < 0.1


FACTS = KernelFacts(
    threads=256,
    blocks=4,
    entries=4096,
    bytes=4,
    moved=4,
    instructions={"floating point": 200.0, "memory": 8.0},
    once=0.0,
    moved_once=0.0,
    trip=1000.0,
    start=0.0,
    in_flight=32,
)


def test_the_limits() -> None:
    assert expected(FACTS, H200).limit == "memory"
    assert expected(replace(FACTS, instructions={"integer": 900.0}), H200).limit == "issue"
    assert expected(replace(FACTS, trip=9000.0), H200).limit == "latency"
    # An issue limit is exact: 4 blocks of 8 warps, four instructions a clock.
    assert expected(replace(FACTS, instructions={"control": 900.0}), H200).issue == 4 * 8 * 900 / 4
    # A unit that gives 16 results a clock takes two clocks for a warp.
    assert expected(replace(FACTS, instructions={"function": 400.0}), H200).issue == 4 * 8 * 400 * 2
    assert LANES_A_CLOCK["function"] == 16


def test_double_precision_is_as_slow_as_the_device() -> None:
    doubles = replace(FACTS, instructions={"double precision": 100.0})
    clocks = {name: expected(doubles, architecture(name)).issue for name in NAMES}
    assert clocks == {"sm_80": 3200, "sm_90": 1600, "sm_100": 1600, "sm_120": 51200}


def test_what_is_done_once_counts_less_with_every_trip() -> None:
    started = replace(FACTS, start=2000.0, once=500.0)
    shares = [expected(started, H200, trips).share for trips in (1, 2, 8, math.inf)]
    assert shares == sorted(shares)
    assert shares[-1] == expected(FACTS, H200).share
    # Two and a half trips take as long as three.
    assert expected(FACTS, H200, 2.5).together == pytest.approx(1.2 * expected(FACTS, H200).together)


def test_nothing_is_faster_than_a_copy() -> None:
    assert expected(replace(FACTS, trip=0.0, instructions={}), H200).share <= 1


@pytest.mark.parametrize("name", NAMES)
def test_bytes_in_flight_by_littles_law(name: str) -> None:
    found = architecture(name)
    assert found.bytes_wanted * found.processors == pytest.approx(found.bandwidth * found.latency)
    assert 4e3 < found.bytes_wanted < 64e3


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(LngenError, match="'sm_91' is not known; it is one of sm_80, sm_90, sm_100, sm_120"):
        architecture("sm_91")
