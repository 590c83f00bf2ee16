"""Backend for the processor: row programs as C++ that the system's compiler turns into vector code on first use.

The lines for one entry are those of CUDA; here their type is a vector of lanes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lngen.backends import Notes
from lngen.backends.cpu.expressions import LanesPrinter
from lngen.backends.cpu.wrappers import module, source_of
from lngen.backends.cuda import contracts_of, head
from lngen.backends.cuda.contract import LaunchContract
from lngen.backends.cuda.lines import LoweredDirection
from lngen.backends.cuda.lowering import handed, lower
from lngen.backends.cuda.reserved import CPP
from lngen.backends.spelling import marked_program, plain_errors, spelled
from lngen.files.render import render
from lngen.plan.program import RowProgram

__all__ = ["emit", "unpacked"]


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for the processor by name: kernels, second-order kernels, and their callers.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    with plain_errors():
        programs = [marked_program(handed(program)) for program in programs]
        lowered = [
            (program, lower(program, notes.formulas.get(program.direction, ()), LanesPrinter, True))
            for program in programs
        ]
        files = {"cpu_backend.py": module(lowered, notes)}
        for name in dict.fromkeys(source_of(program) for program in programs):
            directions = [direction for program, direction in lowered if source_of(program) == name]
            files[name] = spelled(_kernels(directions, notes), CPP)
        return files


def _kernels(directions: Sequence[LoweredDirection], notes: Notes) -> str:
    arguments = {contract.kernel: unpacked(contract) for contract in contracts_of(directions)}
    text = render("cpu/kernels.cpp.jinja", **head(directions, notes), unpacked=arguments)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def unpacked(contract: LaunchContract) -> list[str]:
    """Each argument of a kernel, out of the pointers, the numbers and the sizes that it is passed."""
    sizes = {"the rows": "sizes[0]", "the features": "int(sizes[1])", "the blocks": "int(sizes[2])"}
    pointers, numbers = 0, 0
    lines = []
    for argument in contract.arguments:
        if argument.pointer:
            pointed = {"row": "Row", "parameter": "Computed", "compute": "Computed"}[argument.element]
            constant = "" if argument.writes else "const "
            lines.append(f"static_cast<{constant}{pointed}*>(arrays[{pointers}])")
            pointers += 1
        elif argument.part in sizes:
            lines.append(sizes[argument.part])
        else:
            lines.append(f"Computed(numbers[{numbers}])")
            numbers += 1
    return lines
