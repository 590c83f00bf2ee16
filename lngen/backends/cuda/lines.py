"""Finished lines of a kernel, from the lowering to the templates, which only place them."""

from __future__ import annotations

from dataclasses import dataclass

from lngen.backends.cuda.contract import LaunchContract

COLUMNS = 8
"""Columns of a block in the kernel that ends the sums over rows: in float, a sector of memory."""


@dataclass(frozen=True)
class Read:
    """Argument that is read where `condition` holds; elsewhere its value is `otherwise`."""

    name: str
    condition: str
    otherwise: str


@dataclass(frozen=True)
class Stored:
    """Value that is computed once and written to each of its results, where the result's condition holds."""

    value: str
    results: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StageFunctions:
    """One pass over the features: its reads, the lines for one entry, the reductions, and the lines after them.

    `starts` holds the neutral element of each reduction. `needed`, `maxima` and `minima` are sets of reductions as
    bits; the first is a constant expression, since a reduction may be absent with an input. `columns` is the set of
    sums over rows that an entry adds to. A later pass `recalls` the row values that this one `keeps`, and does not
    compute them again.
    """

    name: str
    title: tuple[str, ...]
    rows: tuple[str, ...]
    features: tuple[str, ...]
    totals: tuple[str, ...]
    body: tuple[str, ...]
    place: bool
    firsts: int
    starts: tuple[str, ...]
    needed: str
    maxima: int
    minima: int
    columns: str
    stores: tuple[Stored, ...]
    after: tuple[str, ...]
    row_scalar_stores: tuple[Stored, ...]
    keeps: tuple[str, ...] = ()
    recalls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The kernel that ends the sums over rows: `stages` for reductions of Features, then `last` a column."""

    contract: LaunchContract
    totals: tuple[Read, ...]
    scalar_totals: tuple[Read, ...]
    features: tuple[Read, ...]
    members: tuple[str, ...]
    scalars: tuple[Read, ...]
    constants: tuple[str, ...]
    before: tuple[str, ...]
    stages: tuple[StageFunctions, ...]
    last: StageFunctions
    most_sums: int
    scalar_stores: tuple[Stored, ...]

    @property
    def place(self) -> dict[str, int]:
        """Return the index of each total."""
        return {read.name: index for index, read in enumerate(self.totals)}

    @property
    def in_registers(self) -> dict[str, str]:
        """Return the expression of each total in the thread that has just summed it."""
        return {read.name: f"totals[{index}]" for index, read in enumerate(self.totals)}

    @property
    def in_workspace(self) -> dict[str, str]:
        """Return the expression of each total in the workspace."""
        return {read.name: f"at({index})" for index, read in enumerate(self.totals)}

    @property
    def columns_per_block(self) -> int:
        """Return the number of columns that a block takes at a time; 0 means all, as stages of their own need."""
        return 0 if self.stages else COLUMNS


@dataclass(frozen=True)
class LoweredDirection:
    """Template fields of one direction."""

    name: str
    formulas: tuple[str, ...]
    contract: LaunchContract
    rows: tuple[Read, ...]
    row_scalars: tuple[Read, ...]
    saved: tuple[str, ...]
    saves: tuple[str, ...]
    features: tuple[Read, ...]
    scalars: tuple[Read, ...]
    constants: tuple[str, ...]
    members: tuple[str, ...]
    before: tuple[str, ...]
    prologue: tuple[StageFunctions, ...]
    stages: tuple[StageFunctions, ...]
    column_wants: tuple[str, ...]
    scalar_wants: tuple[str, ...]
    most_sums: int
    calls: int
    columns: Columns | None

    flags: tuple[str, ...]

    @property
    def per_row(self) -> tuple[str, ...]:
        """Return the names read of each row: row arrays, then row scalars."""
        return (*(read.name for read in self.rows), *self.saved, *(read.name for read in self.row_scalars))

    @property
    def kept(self) -> tuple[str, ...]:
        """The row values that a pass keeps for a later one."""
        return tuple(name for stage in self.stages for name in stage.keeps)

    @property
    def most_results(self) -> int:
        """Return the largest number of rows that a pass computes and writes."""
        return max((len(stage.stores) for stage in self.stages), default=0)

    @property
    def kernels(self) -> list[str]:
        """The lines that declare its kernels."""
        return [*self.contract.kernel_lines(), *(self.columns.contract.kernel_lines() if self.columns else ())]
