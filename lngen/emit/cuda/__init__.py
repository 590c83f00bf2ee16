"""CUDA backend: the kernels of `layer.h`'s mathematics for nvcc, NVRTC and a plain C++ compiler.

The loops over rows and columns are those of `layer_rows.cuh`; a `LaunchContract` lists the arguments of each kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from lngen.derivation.derivation import Direction
from lngen.emit import Notes, cpp
from lngen.emit.cpp.contract import DTYPES, LAUNCH_FIELDS, KernelArgument, LaunchContract
from lngen.emit.cpp.kernels import KernelPair, contracts_of, handed, head, kernels_of
from lngen.emit.cpp.reserved import CPP
from lngen.emit.cuda.launcher import launcher
from lngen.emit.render import render
from lngen.emit.spelling import marked_program, plain_errors, reading, spelled, spellings
from lngen.plan.program import RowProgram

__all__ = ["DTYPES", "LAUNCH_FIELDS", "KernelArgument", "LaunchContract", "contracts", "emit", "kernels_text"]


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the CUDA files of a layer by name: its mathematics, its kernels, those of second order, their launcher.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    notes = notes.of_rows()
    with plain_errors():
        directions = cpp.lowered(programs, notes)
        files = cpp.sources(directions, notes, ".cu", lambda kernels: kernels_text(kernels, notes))
        return {"cuda_backend.py": launcher([program for program, _ in directions], notes), **files}


def contracts(forward: RowProgram, backward: RowProgram) -> tuple[LaunchContract, ...]:
    """Return the launch contracts of the emitted file's kernels, in the file's order."""
    programs = marked_program(handed(forward)), marked_program(handed(backward))
    directions = [kernels_of(program, ()) for program in programs]
    names = spellings(_kernels(directions, Notes(forward.layer, "")), CPP)

    def settled(contract: LaunchContract) -> LaunchContract:
        return replace(
            contract,
            arguments=tuple(
                replace(a, name=names.get(a.name, a.name), part=reading(a.part)) for a in contract.arguments
            ),
        )

    return tuple(map(settled, contracts_of(directions)))


def kernels_text(directions: Sequence[KernelPair], notes: Notes, layer: str = "") -> str:
    """The text of a file of the kernels of some directions: those of `layer.h`, or of a text in its place."""
    return spelled(_kernels(directions, notes, layer), CPP)


def _kernels(directions: Sequence[KernelPair], notes: Notes, layer: str = "") -> str:
    """The text of the kernels of some directions, names marked."""
    return render(
        "cuda/kernels.cu.jinja",
        **head(directions, notes),
        layer=layer.rstrip("\n"),
        parts_alone=not {direction.name for direction in directions} & {*get_args(Direction)},
        has_columns=any(direction.columns for direction in directions),
    )
