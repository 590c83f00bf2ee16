# SPDX-License-Identifier: MIT
"""Kernels of a direction and the values that they take, on a GPU and on the processor alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

_HANDED_OVER = ("the workspace", "the blocks")
"""Values by which the kernel of the rows hands sums over rows to the one that ends them."""


@dataclass(frozen=True, eq=False)
class KernelTable:
    """Kernels of a direction, which are in a file of the name `source`, with the suffix of each device.

    `kernels` lists the values that each kernel takes: a name, "out" and a result that it writes, "saved" and a row
    scalar, or "the rows". The results in `zeros` are always zero. `sums` counts the partial sums over rows that a block
    leaves, of columns and of scalars. `in_place` lists for each result with an entry for each of a row's the rows that
    are not read after it is written.
    """

    source: str
    kernels: Mapping[str, str]
    zeros: tuple[str, ...] = ()
    sums: tuple[int, int] = (0, 0)
    in_place: Mapping[str, str] = field(default_factory=dict)

    @property
    def for_few_rows(self) -> "KernelTable":
        """The table of a GPU's kernel for few rows, which ends the sums over them, too.

        >>> two = {"backward": "x, the workspace, the rows", "backward_columns": "the workspace, the blocks, out dw"}
        >>> KernelTable("kernels", two, sums=(1, 0)).for_few_rows.kernels
        {'backward_few_rows': 'x, the rows, out dw'}
        """
        parts = dict.fromkeys(part for passed in self.kernels.values() for part in passed.split(", "))
        kept = ", ".join(part for part in parts if part not in _HANDED_OVER)
        return replace(self, kernels={f"{next(iter(self.kernels))}_few_rows": kept}, sums=(0, 0))
