"""The parts of rows as kernels for the processor, and the table of what those are passed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lngen.backends import Notes
from lngen.backends.cpu import unpacked
from lngen.backends.cpu.expressions import LanesPrinter
from lngen.backends.cuda import contracts_of, head
from lngen.backends.cuda.lines import LoweredDirection
from lngen.backends.cuda.lowering import lower
from lngen.backends.cuda.reserved import CPP
from lngen.backends.layout import WIDTH, quoted
from lngen.backends.spelling import belongs_to, marked_program, reading, spelled
from lngen.expressions.symbols import RowScalarSymbol, RowSymbol, is_row
from lngen.files.render import render
from lngen.plan.program import RowProgram

SOURCE = "sharded.cpp"


@dataclass(frozen=True)
class Kernel:
    """A part, whose kernels have its `name`: its program, marked, and its lines in C++."""

    name: str
    program: RowProgram
    lowered: LoweredDirection


def kernel(name: str, part: RowProgram, direction: str) -> Kernel:
    """The kernel of a part of a direction. Raises LngenError for what C++ cannot be printed from."""
    program = marked_program(part)
    # What of several cotangents is left out comes as zeros: a part may read but one of them.
    rows = tuple(replace(row, origin="saved output") if row.origin == "cotangent" else row for row in program.rows)
    program = replace(program, rows=rows)
    if direction != "forward" and program.results:
        program = replace(program, direction="backward")
    lowered = lower(program, (), LanesPrinter, True)
    columns = lowered.columns
    if columns:
        columns = replace(columns, contract=replace(columns.contract, kernel=f"{name}_columns"))
    renamed = replace(lowered, name=name, contract=replace(lowered.contract, kernel=name), columns=columns)
    return Kernel(name, program, renamed)


def source(kernels: Sequence[Kernel], notes: Notes) -> str:
    """The text of `sharded.cpp`."""
    directions = [each.lowered for each in kernels]
    arguments = {contract.kernel: unpacked(contract) for contract in contracts_of(directions)}
    text = render("cpu/kernels.cpp.jinja", **head(directions, notes), unpacked=arguments)
    return spelled(re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n", CPP)


def statement(kernel: Kernel, cotangents: Sequence[str]) -> list[str]:
    """The statement that makes of a kernel a function such as those for NumPy."""
    program, lowered = kernel.program, kernel.lowered
    kinds = {row.name: "Row" if is_row(row.symbol) else "RowScalar" for row in program.rows}
    kinds |= {parameter.name: parameter.kind for parameter in program.parameters}
    of_result: dict[type, str] = {RowSymbol: "Row", RowScalarSymbol: "RowScalar"}
    made = {name: of_result.get(type(store.symbol), "Computed") for store in program.results for name in store.names}
    made |= {symbol.name: "Computed" for symbol in program.saved}
    contracts = (lowered.contract, *((lowered.columns.contract,) if lowered.columns else ()))
    passed = {
        contract.kernel: ", ".join(re.sub("^saved ", "out ", argument.part) for argument in contract.arguments)
        for contract in contracts
    }
    sums = lowered.contract.column_sums, lowered.contract.scalar_sums
    optional = [name for name in dict(program.optional) if name in kinds or name in map(belongs_to, made)]
    zeros = [name for name in cotangents if name in kinds]
    lines = [f"_{kernel.name} = _host_parts.HostPart(", "    __file__,", f'    "{SOURCE}",']
    lines += [f"    _kernels.{kernel.name},", *_mapping("values", kinds), *_mapping("results", made)]
    lines += _mapping("kernels", passed)
    lines += [f"    sums={sums},"] if any(sums) else []
    lines += [f"    optional={quoted(optional)},"] if optional else []
    lines += [f"    zeros={quoted(zeros)},"] if len(cotangents) > 1 and zeros else []
    return [reading(line) for line in [*lines, ")"]]


def _mapping(name: str, entries: Mapping[str, str]) -> list[str]:
    lines = [f"    {name}={{"]
    for key, value in entries.items():
        line = f'        "{reading(key)}": "{reading(value)}",'
        if len(line) <= WIDTH:
            lines.append(line)
            continue
        words, rows = reading(value).split(", "), [""]
        for number, word in enumerate(words):
            piece = word + (", " if number + 1 < len(words) else "")
            if len(rows[-1]) + len(piece) > WIDTH - 14:
                rows.append("")
            rows[-1] += piece
        lines += [f'        "{reading(key)}": (', *(f'            "{row}"' for row in rows), "        ),"]
    return [*lines, "    },"]
