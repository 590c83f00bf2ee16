"""How times are taken and turned into rates, on devices that are made up."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import comparators, measure
from benchmarks.timing import HostTooSlow, Section, Timed
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


def test_a_host_that_is_never_first_is_given_up() -> None:
    clock = Clock(late=10**9)
    with pytest.raises(HostTooSlow, match="a round of 1 sections"):
        timed(clock, sections(clock, [1.0], [[]]), 1, rounds=4)


def test_rates_are_bytes_over_time_and_shares_are_taken_round_by_round() -> None:
    # The clock of the device falls by half in the second round, for the copy as for the layer.
    seconds = {
        "copy by the driver": [4e-3, 8e-3, 4e-3],
        "copy by a kernel": [2e-3, 4e-3, 2e-3],
        "forward": [2.5e-3, 5e-3, 2.5e-3],
    }
    found = measure.recorded(Timed(seconds, 0, 0.0), dict.fromkeys(seconds, 8 * 10**9))
    assert found["copy by a kernel"]["gigabytes_per_second"] == [3000, 4000, 4000]
    assert found["forward"]["microseconds"] == [2500, 2500, 3750]
    assert found["forward"]["of_copy"] == [0.8, 0.8, 0.8]
    assert found["copy by a kernel"]["of_copy"] == [1, 1, 1]


class Tensor:
    """As much of a tensor as a comparator asks for."""

    def __init__(self, source: Any) -> None:
        self.source, self.leaf, self.dtype = source, False, source.__cuda_array_interface__["typestr"]
        self.shape = source.__cuda_array_interface__["shape"]

    def view(self, dtype: str) -> Tensor:
        self.dtype = dtype
        return self

    def requires_grad_(self) -> Tensor:
        self.leaf = True
        return self


def test_torch_is_given_the_same_memory_and_the_layers_inputs_in_order() -> None:
    asked: list[Any] = []
    torch = SimpleNamespace(
        as_tensor=lambda source, device: Tensor(source),
        bfloat16="bfloat16",
        nn=SimpleNamespace(functional=SimpleNamespace(layer_norm=lambda *given: asked.append(given) or "y")),
        autograd=SimpleNamespace(grad=lambda *given, retain_graph: asked.append((*given, retain_graph))),
        cuda=SimpleNamespace(synchronize=lambda: None),
    )

    def array(pointer: int, shape: tuple[int, ...]) -> Any:
        return SimpleNamespace(__cuda_array_interface__={"shape": shape, "typestr": "<V2", "data": (pointer, False)})

    buffers = SimpleNamespace(
        inputs={"x": array(16, (4, 8)), "gamma": array(32, (8,)), "beta": array(48, (8,))},
        cotangents={"dy": array(64, (4, 8))},
    )
    calls: Any = SimpleNamespace(name="layer_norm", sets=[buffers], case=SimpleNamespace(dtype="bf16"))
    comparators.Comparator(torch, calls, compiled=False)
    x, shape, gamma, beta, eps = asked[0]
    assert [t.source.__cuda_array_interface__["data"][0] for t in (x, gamma, beta)] == [16, 32, 48]
    assert x.source.__cuda_array_interface__["typestr"] == "<i2"
    assert (x.dtype, shape, eps) == ("bfloat16", (8,), 1e-5)
    output, leaves, cotangent, kept = asked[-1]
    assert (output, leaves, kept) == ("y", [x, gamma, beta], True)
    assert all(leaf.leaf for leaf in leaves)
    assert not cotangent.leaf


def test_the_comparators_are_for_layers_that_are_shipped_with_their_default_constants() -> None:
    from benchmarks import layers
    from lngen.language.syntax import Kind

    assert set(comparators.FUNCTIONS) <= set(layers.names())
    for name in comparators.FUNCTIONS:
        constants = [entry.default for entry in layers.definition(name).inputs if entry.kind is Kind.CONSTANT]
        assert [float(value) for value in constants if value is not None] == [1e-5]


def test_the_tensors_to_be_moved_are_the_plans() -> None:
    from benchmarks import layers

    counted = {"layer_norm": (2, 3), "add_rms_norm": (4, 5), "adaptive_layer_norm": (4, 6), "logsumexp": (1, 2)}
    assert {name: layers.tensors(name) for name in layers.names() if name in counted} == counted


def test_numpy_types() -> None:
    from benchmarks.grid import ITEMSIZE
    from benchmarks.layers import numpy_dtype

    assert {name: numpy_dtype(name).itemsize for name in ITEMSIZE} == ITEMSIZE
    assert numpy_dtype("bf16") != np.float16
