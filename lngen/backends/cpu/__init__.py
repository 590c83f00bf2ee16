"""Backend for the processor: row programs as C++ that the system's compiler turns into vector code on first use.

The mathematics is that of `layer.h`; `host_directions.h` has the loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from lngen.backends import Notes
from lngen.backends.cpp import layer
from lngen.backends.cpp.kernels import KernelPair, handed, head, kernels_of
from lngen.backends.cpp.reserved import CPP
from lngen.backends.cpu.wrappers import module, source_of
from lngen.backends.spelling import marked_program, plain_errors, spelled
from lngen.files.render import render
from lngen.plan.program import RowProgram

__all__ = ["emit", "kernels_text"]


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for the processor by name: its mathematics, kernels of it, and their callers.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    with plain_errors():
        programs = [marked_program(handed(program)) for program in programs]
        pairs = [(program, kernels_of(program, notes.formulas.get(program.direction, ()))) for program in programs]
        files = {"cpu_backend.py": module(pairs, notes), "layer.h": layer(pairs, notes)}
        for name in dict.fromkeys(source_of(program) for program in programs):
            directions = [direction for program, direction in pairs if source_of(program) == name]
            files[name] = kernels_text(directions, notes)
        return files


def kernels_text(directions: Sequence[KernelPair], notes: Notes, layer: str = "") -> str:
    """The text of a file of the kernels of some directions: those of `layer.h`, or of a text in its place."""
    kernels = [(contract.kernel, space) for each in directions for contract, space in each.spaces]
    text = render("cpu/kernels.cpp.jinja", **head(directions, notes), kernels=kernels, layer=layer)
    return spelled(text, CPP)
