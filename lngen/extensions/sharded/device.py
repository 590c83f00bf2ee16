"""`cuda_sharded.py`: the functions of a layer over parts of rows that lie on devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lngen.emit import Notes
from lngen.emit.cpp.table import direction_table
from lngen.emit.cuda.launcher import functions, layer_statement
from lngen.emit.interface import PublicInterface
from lngen.emit.layout import call, in_order, statement, table
from lngen.emit.render import render
from lngen.emit.spelling import reading
from lngen.extensions.sharded import compiled
from lngen.extensions.sharded.compiled import TEMPLATES
from lngen.extensions.sharded.statements import DirectionSteps, told
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol, LayerProtocol

_KEYWORDS = ("communicator: _collectives.Communicator", "stream: Any = None", "like: Any = None")


def files(
    programs: Mapping[str, RowProgram],
    steps: Sequence[DirectionSteps],
    protocol: LayerProtocol,
    layer: PublicInterface,
    notes: Notes,
    has_parts: bool,
    lines: Sequence[str],
) -> dict[str, str]:
    """Return the files for devices; `programs` are marked, by direction, and `lines` describe their collectives.

    Arrays are rows; those of other modules have axes in parts if the layer `has_parts`.

    Raises LngenError for an expression that CUDA code cannot be printed for.
    """
    kernels = []
    for each in steps:
        public = {row.name for row in each.form.program.rows}
        parts = [part for part in each.form.parts if part is not None]
        kernels += [
            compiled.cuda_kernel(step.name, part, each.form.program.direction, public)
            for step, part in zip(each.parts(), parts, strict=True)
        ]
    cotangents = [output.derivative.name for output in layer.outputs]
    statements = [line for kernel in kernels for line in compiled.cuda_statement(kernel, cotangents)]
    is_wide = programs["forward"].is_wide
    tables = {
        direction: direction_table(program, protocol.directions[direction], compiled.SOURCE)
        for direction, program in programs.items()
    }
    statements += layer_statement("_device_sharded.layer_of", programs["forward"], table(tables))
    for each in steps:
        statements += each.statement(notes.layer, "_device_sharded.DeviceSharded", "_device_sharded.DeviceSteps", "_")
    text = render(
        "sharded/cuda.py.jinja",
        TEMPLATES,
        **_told(functions(protocol, programs, layer, _KEYWORDS, _called)),
        header=notes.header,
        title=notes.title,
        collectives=lines,
        of_wholes=has_parts,
        exported=sorted(programs),
        imported=in_order(["Saved", *protocol.classes(programs)]),
        statements=statements,
    )
    return {
        "cuda_sharded.py": reading(text),
        f"{compiled.SOURCE}.cu": compiled.cuda_source(kernels, notes, is_wide=is_wide),
    }


def _called(takes: DirectionProtocol) -> list[str]:
    values = ["saved", "arguments_", "out", "stream", "like", "communicator"]
    return statement(f"results_ = {call(f'_{takes.name.upper()}.call', *values)}", 4)


def _told(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the functions for the template, each of which tells the other processes of an error."""
    later = [{**each, "signature": told(each["signature"])} for each in fields["later"]]
    return {**fields, "forward_signature": told(fields["forward_signature"]), "later": later}
