"""Module `kernels.py`: the values that each kernel takes, on a GPU and on the processor alike.

It holds inputs beside gradients, so its names are those of the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit import Notes
from lngen.emit.cpp.kernels import KernelPair, Lowered, source_of
from lngen.emit.description import protocol_of
from lngen.emit.layout import call, quoted, statement, table
from lngen.emit.render import render
from lngen.emit.spelling import reading
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol


def module(directions: Sequence[Lowered], header: Sequence[str], notes: Notes) -> str:
    """Return the text of `kernels.py` for the directions of a layer, forward first."""
    programs = [program for program, _ in directions]
    takes = protocol_of(programs, notes.of_rows()).directions
    tables: dict[str, str] = {
        program.direction: direction_table(program, takes[program.direction], source_of(program.direction), kernels)
        for program, kernels in directions
    }
    lines = statement(f"KERNELS = {table(tables)}")
    return reading(render("cpp/kernels.py.jinja", header=header, title=notes.title, lines=lines))


def direction_table(program: RowProgram, takes: DirectionProtocol, source: str, kernels: KernelPair) -> str:
    """Return the kernels of a direction, which are in a file of the name `source`."""
    made = [reading(result) for store in program.results for result in store.names]
    zeros = [each.symbol for each in takes.results if each.symbol not in made]
    sums = kernels.contract.column_sums, kernels.contract.scalar_sums
    taken = {
        f"{kernels.layer}_{contract.kernel}": f'"{", ".join(argument.part for argument in contract.arguments)}"'
        for contract in kernels.contracts
    }
    return call(
        "KernelTable",
        source=f'"{source}"',
        zeros=quoted(zeros) if zeros else "",
        sums=str(sums) if any(sums) else "",
        kernels=table(taken),
    )
