"""Module `cpu_backend.py`: the functions of `numpy_backend` on compiled kernels, and the table of their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lngen.backends import Notes
from lngen.backends.cuda.launcher import Lowered, directions_table
from lngen.backends.description import protocol
from lngen.backends.interface import OwnFields, interface
from lngen.backends.layout import call, in_order, statement, table
from lngen.backends.numpy.wrappers import PublicFunctions
from lngen.backends.saved import saved_fields
from lngen.backends.signatures import Signatures
from lngen.backends.spelling import reading
from lngen.files.render import render
from lngen.plan.program import RowProgram

_ARRAY = "npt.NDArray[Any]"


def source_of(program: RowProgram) -> str:
    """The file that the kernels of a direction are in."""
    return "kernels.cpp" if program.direction in ("forward", "backward") else "second_order.cpp"


def module(directions: Sequence[Lowered], notes: Notes) -> str:
    """Return the text of `cpu_backend.py`; raises LngenError for an expression that cannot be printed."""
    programs = [program for program, _ in directions]
    layer = interface(programs[0], notes)
    saved = saved_fields(layer, programs[0], programs[1], programs[2:])
    own = OwnFields.beside(field.name for field in saved)
    signatures = Signatures(layer, _ARRAY, _ARRAY, ("threads: int = 1",))
    found = protocol(programs, layer, saved, notes)
    functions = PublicFunctions(layer, notes, signatures, saved, own, programs, found).all()[:-1]
    tables = table(directions_table(directions, found, "_host", source_of))
    calls = []
    for program in programs:
        name = program.direction
        results = found.directions[name].returned or "_directions.only"
        first = f"forward({results}" if name == "forward" else f'later("{name}", {results}'
        calls += statement(f"_{name.upper()} = _KERNELS.{first}, _numpy._{name.upper()})")
    classes = ["INTERFACE", "Saved", *found.classes(program.direction for program in programs)]
    wide = ", is_wide=True" if programs[0].is_wide else ""
    text = render(
        "cpu/backend.py.jinja",
        header=notes.header,
        title=notes.title,
        imported=in_order([*classes, "saved_from"]),
        exported=in_order([*classes, "saved_from", *(program.direction for program in programs)]),
        functions=[
            (program.direction, function.signature, function.lines)
            for program, function in zip(programs, functions, strict=True)
        ],
        uses_calls=any("_calls." in line for function in functions for line in function.lines),
        tables=[
            f"_LAYER = _directions.HostLayer(INTERFACE, Saved{wide})",
            *statement(f"_KERNELS = {call('_host.HostKernels', '_LAYER', '__file__', directions=tables)}"),
            *calls,
        ],
    )
    return reading(re.sub(r"\n{4,}", "\n\n\n", text))
