import pytest

from lngen.extensions.sharded.placement import Network, PlacedRows
from lngen.plan.cost import cost, parse_dtype
from tests import corpus

NETWORK = Network(latency=1e-5, bandwidth=1e10)
WORK = PlacedRows(rows=1024, features=4096, dtype=parse_dtype("bf16"), memory_bandwidth=1e12)


def test_one_device_needs_no_network():
    plan = corpus.planned("layer_norm")
    for times in (*WORK.rows_apart(plan, 1, NETWORK), *WORK.features_apart(plan, 1, NETWORK)):
        assert times.collectives == 0
        assert times.total == times.memory
    moved, _ = cost(plan.forward).at(1024, 4096, 2, 4)
    assert WORK.rows_apart(plan, 1, NETWORK)[0].memory == moved / 1e12


def test_collectives_of_layer_norm_are_those_counted_by_hand():
    plan = corpus.planned("layer_norm")
    forward, backward = WORK.rows_apart(plan, 8, NETWORK)
    # Two gradients of 4096 numbers of 4 bytes, scattered and gathered in three steps each.
    assert (forward.collectives, backward.collectives) == (0, pytest.approx(2 * (3e-5 + 7 / 8 * 8 * 4096 / 1e10)))
    forward, backward = WORK.features_apart(plan, 8, NETWORK)
    # A mean and two sums of each row, then two sums, from seven others.
    assert forward.collectives == pytest.approx(3e-5 + 7 * 3 * 4 * 1024 / 1e10)
    assert backward.collectives == pytest.approx(3e-5 + 7 * 2 * 4 * 1024 / 1e10)


def test_many_devices_merge_by_rows():
    forward, _ = WORK.features_apart(corpus.planned("layer_norm"), 1024, NETWORK)
    # Of three numbers a row is made what is saved: mean, residual and rstd.
    assert forward.collectives == pytest.approx(2e-4 + 1023 / 1024 * 6 * 4 * 1024 / 1e10)
