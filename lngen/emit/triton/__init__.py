"""Triton backend: the kernels of a layer as one page of Triton, for the GPUs of any vendor.

`expressions` prints expressions, `arrays` says where the entries of an array are, `sweeps` prints loops over a row,
`kernel` the kernels of a direction, and `launches` the calls of them on tensors. What is left out is known when a
kernel is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lngen.emit import Notes
from lngen.emit.array.arrays import PublicArrays
from lngen.emit.cpp.kernels import handed
from lngen.emit.interface import interface
from lngen.emit.render import render
from lngen.emit.spelling import PYTHON, marked_program, plain_errors, spelled
from lngen.emit.triton.arrays import Places
from lngen.emit.triton.kernel import RowsText, TotalsText, TritonKernel
from lngen.emit.triton.launches import LaunchText
from lngen.plan.program import RowProgram

__all__ = ["TritonKernel", "emit", "kernels", "launches"]

_CALLS: dict[str, tuple[str, ...]] = {
    **{"expm1": ("tanh",), "softplus": ("log1p",), "asin": ("atan",), "acos": ("atan",)},
    **{"bits_of_float": ("rounded_to_odd",), "bits_of_integer": ("rounded_to_odd", "within")},
    **{"corrected_squares": ("corrected_products",), "smallest": ("largest",)},
}
"""Functions of the template that call others."""


def kernels(programs: Sequence[RowProgram], notes: Notes) -> list[TritonKernel]:
    """Return the kernels of a layer's directions, names marked; `programs` has forward first."""
    every = [marked_program(handed(program)) for program in programs]
    places = Places(interface(every[0], notes))
    found: list[TritonKernel] = []
    for program in every:
        found.append(RowsText(program, places).kernel(notes.layer, notes.formulas.get(program.direction, ())))
        totals = TotalsText(program, places).kernel(notes.layer)
        found += [totals] if totals else []
    return found


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """The file of a layer's kernels by its name; `programs` has forward first.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        text = "\n\n\n".join(spelled("\n".join(each.lines), PYTHON) for each in kernels(programs, notes))
    given = {"title": notes.title, "helpers": _helpers(text), "kernels": text}
    page = render("triton/kernels.py.jinja", None, header=notes.header, **given)
    return {"triton_kernels.py": re.sub(r"\n{4,}", "\n\n\n", page)}


def launches(programs: Sequence[RowProgram], notes: Notes, arrays: PublicArrays, checks: Sequence[str]) -> list[str]:
    """Return the functions that launch the kernels of forward and backward on `arrays` after their `checks`, marked."""
    forward, backward = (marked_program(handed(program)) for program in programs)
    return LaunchText(arrays.layer, arrays, checks, kernels(programs, notes)).functions(forward, backward)


def _helpers(text: str) -> set[str]:
    """The functions of the template that a text calls."""
    found: set[str] = set()
    waiting = re.findall(r"(?<![.\w])[a-z]\w*(?=\()", text)
    while waiting:
        name = waiting.pop()
        waiting += _CALLS.get(name, ()) if name not in found else ()
        found.add(name)
    return found
