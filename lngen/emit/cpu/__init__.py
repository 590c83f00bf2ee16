"""Backend for the processor: row programs as C++ that the system's compiler turns into vector code on first use.

The mathematics is that of `layer.h`; `host_directions.h` has the loops. The functions of `cpu_backend.py` are those of
`numpy_backend.py`, which call these kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit import Notes, cpp
from lngen.emit.cpp.kernels import KernelPair, head, source_of
from lngen.emit.cpp.reserved import CPP
from lngen.emit.description import protocol_of
from lngen.emit.layout import call, in_order, quoted, statement
from lngen.emit.render import render
from lngen.emit.spelling import plain_errors, reading, spelled
from lngen.plan.program import RowProgram


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for the processor by name: its mathematics, kernels of it, and their callers.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    with plain_errors():
        directions = cpp.lowered(programs, notes)
        files = cpp.sources(directions, notes, ".cpp", lambda kernels: _kernels_text(kernels, notes))
        return {"cpu_backend.py": _module(directions, notes), **files}


def _module(directions: Sequence[cpp.Lowered], notes: Notes) -> str:
    """Return the text of `cpu_backend.py`."""
    programs = [program for program, _ in directions]
    names = [program.direction for program in programs]
    imported = ["INTERFACE", "Saved", "saved_from", *protocol_of(programs, notes).classes(names)]
    return render(
        "cpu/backend.py.jinja",
        header=notes.header,
        title=notes.title,
        imported=in_order(imported),
        exported=in_order([*imported, *names]),
        directions=names,
        compiled=[line for _, kernels in directions for line in _compiled(kernels)],
    )


def _compiled(kernels: KernelPair) -> list[str]:
    """Return the statement that names the kernels of a direction, and the values that may be left out of each."""
    sums = kernels.contract.column_sums, kernels.contract.scalar_sums
    return statement(
        f"_{kernels.name.upper()} = "
        + call(
            "_compiled.CompiledDirection",
            "__file__",
            f'"{source_of(kernels.name)}"',
            *(f'"{kernels.layer}_{contract.kernel}"' for contract in kernels.contracts),
            optional=quoted(map(reading, kernels.flags)) if kernels.flags else "",
            sums=str(sums) if any(sums) else "",
        )
    )


def _kernels_text(directions: Sequence[KernelPair], notes: Notes) -> str:
    """The text of a file of the kernels of some directions."""
    kernels = [(contract.kernel, space) for each in directions for contract, space in each.spaces]
    text = render("cpu/kernels.cpp.jinja", **head(directions, notes), kernels=kernels)
    return spelled(text, CPP)
