# SPDX-License-Identifier: MIT
"""Grid sizes: as many blocks as a device holds at a time, each of which takes several runs of rows."""


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
