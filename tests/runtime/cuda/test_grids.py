"""Grid sizes: with partial sums, the fewest blocks that need no more trips; else one trip a block."""

import pytest

from lngen.runtime.cuda.grids import MOST_BLOCKS, columns_grid, fullest_grid, grid, rows_grid


@pytest.mark.parametrize("per_block", [1, 4, 32])
def test_a_grid_takes_as_many_trips_as_the_fullest(per_block: int) -> None:
    processors, held = 4, 3
    for rows in range(1, 3000, 7):
        blocks = grid(rows, per_block, processors * held)
        needed = -(-rows // per_block)
        assert 1 <= blocks <= min(needed, processors * held)
        trips = -(-needed // blocks)
        assert trips == -(-needed // (processors * held))
        # One block fewer would make a trip more.
        assert blocks == 1 or -(-needed // (blocks - 1)) > trips


@pytest.mark.parametrize("per_block", [1, 4])
def test_the_fullest_grid_gives_each_multiprocessor_its_share(per_block: int) -> None:
    """Deals blocks out in turns: the most that one works on is what it has to be; with fewer blocks not."""

    def most(blocks: int, trips: int) -> int:
        """Trips of all blocks of the first multiprocessor."""
        each = [-(-(trips - block) // blocks) for block in range(blocks)]
        return sum(each[::processors])

    processors, held, worse = 4, 3, 0
    for rows in range(1, 400):
        needed = -(-rows // per_block)
        blocks = fullest_grid(rows, per_block, processors * held)
        assert 1 <= blocks <= min(needed, processors * held)
        assert most(blocks, needed) == -(-needed // processors)
        worse += most(grid(rows, per_block, processors * held), needed) > most(blocks, needed)
    assert worse > 10


def test_rows_grid_gives_each_block_one_trip_up_to_the_most() -> None:
    assert [rows_grid(rows, 4) for rows in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert rows_grid(2**40, 4) == MOST_BLOCKS


def test_a_grid_of_a_kernel_that_fits_nowhere_is_left_to_the_driver_to_refuse() -> None:
    assert grid(100, 1, 0) == 1
    assert grid(0, 1, 16) == 0
    assert (fullest_grid(100, 1, 0), fullest_grid(0, 1, 16)) == (1, 0)


def test_the_end_of_the_sums() -> None:
    assert [columns_grid(features, 8) for features in (1, 8, 9)] == [1, 1, 2]
    assert columns_grid(5000, 0) == 1
