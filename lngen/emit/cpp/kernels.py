"""Kernels of a direction, as `kernels.cu` and `kernels.cpp` list them: their contracts beside the mathematics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lngen.algebra.symbols import axes
from lngen.emit import Notes
from lngen.emit.cpp.contract import LaunchContract, column_results, columns_contract, row_contract, without
from lngen.emit.cpp.presence import flags
from lngen.emit.cpp.reserved import CPP
from lngen.emit.cpp.sweeps import MOST_SUMS
from lngen.emit.spelling import reading
from lngen.plan.history import after
from lngen.plan.passes.moments import with_corrected_moments
from lngen.plan.passes.places import with_places
from lngen.plan.program import RowProgram

COLUMNS = 8
"""Columns of a block in the kernel that ends the sums over rows: in float, a sector of memory."""


@dataclass(frozen=True)
class KernelPair:
    """The kernel of a direction's rows and, where columns are summed over rows, the one that ends the sums.

    Their names in a program begin with `layer`. `formulas` says in comments what is computed, and `flags` names the
    arguments that may be left out.
    """

    layer: str
    name: str
    contract: LaunchContract
    columns: LaunchContract | None
    formulas: tuple[str, ...]
    flags: tuple[str, ...]

    @property
    def contracts(self) -> tuple[LaunchContract, ...]:
        """Return the contracts of both."""
        return (self.contract, self.columns) if self.columns else (self.contract,)

    @property
    def optional(self) -> list[str]:
        """Return the values that kernels are compiled without where they are left out."""
        macros = {argument.absent for each in self.contracts for argument in each.arguments}
        return [reading(name) for name in self.flags if without(name) in macros]

    @property
    def spaces(self) -> list[tuple[LaunchContract, str]]:
        """Return each contract with the namespace of its mathematics."""
        return [(each, self.name + "::columns" * (each is self.columns)) for each in self.contracts]

    @property
    def lines(self) -> list[str]:
        """Return the lines that declare the kernels for a GPU, of a storage type T."""
        return [line for each, space in self.spaces for line in each.kernel_lines(space)]


Lowered = tuple[RowProgram, KernelPair]
"""A program that is printed, its names marked, and its kernels."""


def source_of(direction: str) -> str:
    """Return the name, without a suffix, of the file that the kernels of a direction are in."""
    return "kernels" if direction in ("forward", "backward") else "second_order"


def passes(program: RowProgram) -> Iterator[tuple[str, RowProgram]]:
    """Yield the program after each pass for loops over a row, and the pass's rule."""
    program = with_corrected_moments(program, MOST_SUMS)
    yield "moments", program
    yield "first places", with_places(program)


def handed(program: RowProgram) -> RowProgram:
    """Return the program that is printed: that of the plan after the passes."""
    return after(passes, program)


def kernels_of(program: RowProgram, layer: str, formulas: Sequence[str] = ()) -> KernelPair:
    """Return the kernels of a layer's direction that is `handed` over, its names marked."""
    over_rows = [item.symbol for stage in program.stages for item in stage.rows_reductions]
    columns = sum(axes(symbol).features for symbol in over_rows)
    sums = columns, len(over_rows) - columns
    ends = columns_contract(program, sums) if column_results(program) else None
    prefix = layer if CPP.legal(layer) else f"{layer}_layer"  # a macro of a header may have its name
    given = tuple(sorted(flags(program)))
    return KernelPair(prefix, program.direction, row_contract(program, sums), ends, tuple(formulas), given)


def head(directions: Sequence[KernelPair], notes: Notes) -> dict[str, Any]:
    """Return the head of a file of C++ kernels: the layer, its formulas, its arguments, and macros for absent
    inputs.
    """
    names = sorted({flag for direction in directions for flag in direction.flags})
    return {
        "header": [_comment(line) for line in (notes.title, *notes.header)],
        "layer": directions[0].layer,
        "file": source_of(directions[0].name),
        "directions": directions,
        "has_columns": any(each.columns for each in directions),
        "contract_lines": [line for each in contracts_of(directions) for line in each.summary(directions[0].layer)],
        "flags": [(name, without(name)) for name in names],
    }


def contracts_of(directions: Sequence[KernelPair]) -> tuple[LaunchContract, ...]:
    """The contracts of the kernels of some directions, in the file's order."""
    return tuple(contract for direction in directions for contract in direction.contracts)


def _comment(line: str) -> str:
    """A line that stays a comment: a backslash at its end would continue it."""
    return " ".join(line.split()).rstrip("\\")
