"""The CUDA backend: row programs as CUDA C++ that nvcc, NVRTC and a plain C++ compiler take.

`emit` prints the kernels; a `LaunchContract` says what each of them has to be passed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lngen.backends import Notes
from lngen.backends.cuda.contract import DTYPES, LAUNCH_FIELDS, KernelArgument, LaunchContract
from lngen.backends.cuda.launcher import emit_launcher
from lngen.backends.cuda.lines import Direction
from lngen.backends.cuda.lowering import lower
from lngen.program import RowProgram
from lngen.render import render

__all__ = ["DTYPES", "LAUNCH_FIELDS", "KernelArgument", "LaunchContract", "contracts", "emit"]

_SIMPLE = {name: name for name in ("exp", "log", "sin", "cos", "tanh", "erf", "sqrt", "log1p", "expm1")}
_CALLS = {**_SIMPLE, "abs": "fabs"}


def emit(forward: RowProgram, backward: RowProgram, notes: Notes) -> dict[str, str]:
    """The CUDA files of a layer by name, `kernels.cu` and its launcher `cuda_backend.py`.

    Raises LngenError for what cannot be printed, and for a name that emitted code needs for itself.
    """
    directions = [lower(forward, notes.forward_formulas), lower(backward, notes.backward_formulas)]
    text = render(
        "cuda/kernels.cu.jinja",
        header=[_comment(line) for line in (notes.title, *notes.header)],
        directions=directions,
        contract_lines=[line for contract in _contracts(directions) for line in contract.summary()],
        launch_fields=LAUNCH_FIELDS,
        absences=_absences(directions),
        flags=_flags(directions),
        functions=sorted({name for direction in directions for name in direction.functions}),
        simple=_CALLS,
        dtypes=DTYPES,
        has_columns=any(direction.columns for direction in directions),
    )
    return {"kernels.cu": re.sub(r"\n{3,}", "\n\n", text)} | emit_launcher(forward, backward, notes)


def contracts(forward: RowProgram, backward: RowProgram) -> tuple[LaunchContract, ...]:
    """What each kernel of the emitted file has to be passed, in the file's order."""
    return _contracts([lower(forward, ()), lower(backward, ())])


def _contracts(directions: Sequence[Direction]) -> tuple[LaunchContract, ...]:
    return tuple(
        contract
        for direction in directions
        for contract in (direction.contract, *((direction.columns.contract,) if direction.columns else ()))
    )


def _flags(directions: Sequence[Direction]) -> list[tuple[str, str]]:
    """Each presence flag and the macro that clears it."""
    names = {flag for direction in directions for flag in direction.flags}
    return [(name, f"LNGEN_WITHOUT_{name}") for name in sorted(names)]


def _absences(directions: Sequence[Direction]) -> list[tuple[str, str]]:
    return [(macro, f"{name} is left out; it and its gradient are compiled away") for name, macro in _flags(directions)]


def _comment(line: str) -> str:
    """A line that stays a comment: a backslash at its end would continue it."""
    return " ".join(line.split()).rstrip("\\")
