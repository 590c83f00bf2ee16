# SPDX-License-Identifier: MIT
"""The macros that kernels are compiled with, for a call and a device."""

from collections.abc import Sequence
from typing import NamedTuple

from . import driver

BESIDE_SUMS = 8192
"""Bytes of the shared memory of a block that its sums over rows leave to the row (shapes.cuh)."""

NARROW = "LNGEN_VECTOR=1"
"""Macro of kernels for arrays that are not aligned for vectors."""


class KernelKey(NamedTuple):
    """Properties of a call that choose its kernels.

    `integer_types` are those of arrays of integers, and of inputs that are one integer. Rows lie along so many `axes`,
    or with none one behind the other.
    """

    direction: str
    features: int
    row_type: str
    parameter_type: str
    integer_types: tuple[str, str]
    without: tuple[str, ...]
    saves: bool = True
    axes: int = 0


def most_blocks_of_cluster(has_clusters: bool, sums: int, shared: int) -> int:
    """Return how many blocks may share a row, on a device with clusters or without.

    They do where the bytes of a block's `sums` over rows do not fit into its `shared` memory: an H200 then takes an
    eighth of the time. Of shorter rows, and without sums, it takes less time with one block a row.
    """
    return driver.MOST_BLOCKS_OF_CLUSTER if has_clusters and sums > shared - BESIDE_SUMS else 1


def macros(
    direction: str,
    row_type: str,
    parameter_type: str,
    features: int,
    without: Sequence[str] = (),
    saves: bool = True,
    shared: int = 0,
    integer_types: tuple[str, str] = ("i32", "i32"),
    axes: int = 0,
    blocks_per_row: int = 1,
) -> list[str]:
    """Return the macros that the kernels of a direction are compiled with, for rows of some features.

    Types are `f16`, `bf16`, `f32` or `f64`. `without` are the absent inputs, cotangents and tangents. `saves` is true
    if forward writes the row scalars for other directions. `shared` is the shared memory in bytes that a block may take
    on the device, 0 if unknown. `integer_types` are those of arrays of integers, as `i64` or `u8`, and of one integer.
    Rows lie along so many `axes` (places.cuh), or one behind the other. A row may be shared by
    `blocks_per_row` blocks, on devices with clusters.

    >>> macros("forward", "bf16", "f32", 1024, ["beta"], saves=False)[3:]
    ['LNGEN_WITHOUT_beta', 'LNGEN_PARAMETERS=f32', 'LNGEN_SAVE_NOTHING']
    """
    found = [
        f"LNGEN_{direction.upper()}",
        f"LNGEN_{row_type.upper()}",
        f"LNGEN_D={features}",
        *(f"LNGEN_WITHOUT_{name}" for name in without),
    ]
    if parameter_type != row_type:
        found.append(f"LNGEN_PARAMETERS={parameter_type}")
    names = ("LNGEN_INTEGERS", "LNGEN_INTEGER")
    found += [f"{name}={kind}" for name, kind in zip(names, integer_types, strict=True) if kind != "i32"]
    if not saves:
        found.append("LNGEN_SAVE_NOTHING")
    if axes:
        found.append(f"LNGEN_AXES={axes}")
    if shared:
        found.append(f"LNGEN_SHARED={shared}")
    if blocks_per_row > 1:
        found.append(f"LNGEN_BLOCKS_PER_ROW={blocks_per_row}")
    return found
