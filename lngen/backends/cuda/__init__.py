"""CUDA backend: row programs as CUDA C++ for nvcc, NVRTC and a plain C++ compiler.

`emit` prints the kernels; a `LaunchContract` lists the arguments of each of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from lngen.backends import Notes
from lngen.backends.cuda.contract import DTYPES, LAUNCH_FIELDS, KernelArgument, LaunchContract, without
from lngen.backends.cuda.launcher import launcher, source_of
from lngen.backends.cuda.lines import LoweredDirection
from lngen.backends.cuda.lowering import handed, lower
from lngen.backends.cuda.reserved import CPP
from lngen.backends.spelling import marked_program, plain_errors, reading, spelled, spellings
from lngen.derivation.derivation import Direction
from lngen.files.render import render
from lngen.plan.program import RowProgram

__all__ = [
    "DTYPES",
    "LAUNCH_FIELDS",
    "KernelArgument",
    "LaunchContract",
    "contracts",
    "contracts_of",
    "emit",
    "handed",
    "head",
    "kernels_text",
]


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the CUDA files of a layer by name: kernels, second-order kernels in a file of their own, their launcher.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    with plain_errors():
        programs = [marked_program(handed(program)) for program in programs]
        lowered = [(program, lower(program, notes.formulas.get(program.direction, ()))) for program in programs]
        files = {"cuda_backend.py": launcher(lowered, notes)}
        for name in dict.fromkeys(source_of(program) for program in programs):
            directions = [direction for program, direction in lowered if source_of(program) == name]
            files[name] = kernels_text(directions, programs[0].is_wide, notes)
        return files


def contracts(forward: RowProgram, backward: RowProgram) -> tuple[LaunchContract, ...]:
    """Return the launch contracts of the emitted file's kernels, in the file's order."""
    programs = marked_program(handed(forward)), marked_program(handed(backward))
    directions = [lower(program, ()) for program in programs]
    names = spellings(_kernels(directions, forward.is_wide, Notes(forward.layer, "")), CPP)

    def settled(contract: LaunchContract) -> LaunchContract:
        return replace(
            contract,
            arguments=tuple(
                replace(a, name=names.get(a.name, a.name), part=reading(a.part)) for a in contract.arguments
            ),
        )

    return tuple(map(settled, contracts_of(directions)))


def kernels_text(directions: Sequence[LoweredDirection], is_wide: bool, notes: Notes) -> str:
    """The text of a file of the kernels of some directions."""
    return spelled(_kernels(directions, is_wide, notes), CPP)


def _kernels(directions: Sequence[LoweredDirection], is_wide: bool, notes: Notes) -> str:
    """The text of the kernels of some directions, names marked."""
    text = render(
        "cuda/kernels.cu.jinja",
        **head(directions, notes),
        wide=is_wide,
        parts_alone=not {direction.name for direction in directions} & {*get_args(Direction)},
        has_columns=any(direction.columns for direction in directions),
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def head(directions: Sequence[LoweredDirection], notes: Notes) -> dict[str, Any]:
    """Return the head of a file of C++ kernels: the layer, its formulas, its arguments, and macros for absent
    inputs.
    """
    flags = _flags(directions)
    return {
        "header": [_comment(line) for line in (notes.title, *notes.header)],
        "directions": directions,
        "contract_lines": [line for contract in contracts_of(directions) for line in contract.summary()],
        "absences": [(macro, f"{name} is left out; it and its gradient are compiled away") for name, macro in flags],
        "flags": flags,
    }


def contracts_of(directions: Sequence[LoweredDirection]) -> tuple[LaunchContract, ...]:
    """The contracts of the kernels of some directions, in the file's order."""
    return tuple(
        contract
        for direction in directions
        for contract in (direction.contract, *((direction.columns.contract,) if direction.columns else ()))
    )


def _flags(directions: Sequence[LoweredDirection]) -> list[tuple[str, str]]:
    """Each presence flag and the macro that clears it."""
    names = {flag for direction in directions for flag in direction.flags}
    return [(name, without(name)) for name in sorted(names)]


def _comment(line: str) -> str:
    """A line that stays a comment: a backslash at its end would continue it."""
    return " ".join(line.split()).rstrip("\\")
