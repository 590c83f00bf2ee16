"""Sizes of Triton kernels: what a device allows, whatever the length of a row."""

import pytest

from lngen.runtime.triton import sizes

LENGTHS = [1, 3, 4, 7, 64, 100, 1000, 1024, 4096, 5124, 8192, 16384, 16385, 40000, 1_500_000]


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize(("held", "sums"), [(2, 0), (3, 2), (9, 4)])
def test_sizes_of_each_length_are_those_that_a_device_has(held, sums, itemsize, lanes):
    for D in LENGTHS:
        found = sizes(D, itemsize, held, sums, lanes)
        threads, entries = found.num_warps * lanes, found.ROWS * found.TILE
        assert found.WHOLE is (found.TILE >= D)
        assert 128 <= threads <= 1024
        assert found.num_warps & (found.num_warps - 1) == 0
        assert found.TILE & (found.TILE - 1) == 0
        assert found.TILE % 4 == 0
        assert 1 <= found.programs <= 2048 // threads
        assert entries <= 16 * threads
        if found.WHOLE:
            assert (held + sums) * found.TILE * itemsize <= 2**18
