"""`benchmarks.processes`: what it times are results, and all processes have their part in each."""

import numpy as np
import pytest

from benchmarks import processes
from lngen.runtime.sharded.collectives import Alone
from tests.requirements import needs_gxx

pytestmark = needs_gxx


@pytest.mark.ci
def test_both_ways_are_beside_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert processes.main(["softmax", "--shapes", "6x10", "4x7", "--rounds", "2"]) == 0
    head, _, first, second = capsys.readouterr().out.splitlines()
    assert head.count("2 processes") == 2
    assert first.startswith("| softmax | 6 x 10 |")
    assert second.startswith("| softmax | 4 x 7 |")


class Noted:
    """Two processes of which this one, the second, is told what it sends itself; how many bytes each time is noted."""

    rank, size = 1, 2

    def __init__(self) -> None:
        self.sent: list[int] = []

    def all_gather(
        self, sent: "np.ndarray[tuple[int], np.dtype[np.uint8]]"
    ) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
        self.sent.append(sent.size)
        return np.stack([sent, sent])


@pytest.mark.ci
def test_a_process_has_its_part_of_rows_and_of_features() -> None:
    with processes.packages(["layer_norm"]) as folders:
        name = processes.loading.load(folders["layer_norm"]).__name__
        whole, parts = (processes.import_module(f"{name}.{each}") for each in ("cpu_backend", "cpu_sharded"))
        processes.one(whole, (5, 8))()
        noted = Noted()
        processes.rows_apart(whole, (5, 8), noted)()
        assert noted.sent == [2 * 8 * 4]
        noted = Noted()
        processes.features_apart(parts, (5, 9), noted)()
        head = 5 * 8
        assert noted.sent == [head + 3 * 5 * 4, head + 2 * 5 * 4]


@pytest.mark.ci
def test_what_is_waited_for_is_counted() -> None:
    waits = processes.Waits(Alone())
    waits.all_gather(np.zeros(3, np.uint8))
    assert waits.seconds > 0
    assert not hasattr(waits, "all_to_all")
