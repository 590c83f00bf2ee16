"""Results that a kernel may write over the rows that it reads.

A thread reads the entries of a row that it writes, and no other thread does. In each sweep it reads an entry's place
before it writes there. So a result may take the place of a row that no later sweep reads, however long rows are. Where
a kernel holds its row, it has read all of it before it writes.
"""

from __future__ import annotations

from lngen.algebra.symbols import RowSymbol, axes
from lngen.emit.cpp.sweeps import Recomputed, of_stage
from lngen.plan.program import RowProgram


def in_place(program: RowProgram) -> dict[str, list[str]]:
    """Return, for each result that has an entry for each of a row's, the rows that no sweep after its own reads."""
    lines = [*program.prologue, *program.temps()]
    recomputed = Recomputed(line for line in lines if axes(line.symbol).features)
    rows = {row.symbol: row.name for row in program.rows if isinstance(row.symbol, RowSymbol)}
    over: dict[str, list[str]] = {}
    later: set[str] = set()
    for stage in reversed(program.stages):
        for sweep in reversed(of_stage(stage, recomputed)):
            for store in sweep.stores:
                over |= {name: [row for row in rows.values() if row not in later] for name in store.names}
            later |= {rows[leaf] for leaf in recomputed.closure(sweep.roots)[1] if leaf in rows}
    return over
