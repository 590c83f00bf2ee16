"""Backend for the processor: row programs as C++ that the system's compiler turns into vector code on first use.

The mathematics is that of `layer.h`; `host_directions.h` has the loops. The functions of `cpu_backend.py` are those of
`numpy_backend.py`, which call these kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit import Notes, cpp
from lngen.emit.cpp.kernels import KernelPair, head, source_of
from lngen.emit.cpp.reserved import CPP
from lngen.emit.cpp.typed import on_processor, typed_text
from lngen.emit.cpu.calls import CompiledFunction
from lngen.emit.cpu.long import long_call
from lngen.emit.description import protocol_of
from lngen.emit.interface import interface
from lngen.emit.layout import call, in_order, quoted, statement
from lngen.emit.render import module, render
from lngen.emit.signatures import Signatures
from lngen.emit.spelling import plain_errors, spelled
from lngen.plan.program import RowProgram

ARRAY = "npt.NDArray[Any]"


def emit(programs: Sequence[RowProgram], notes: Notes) -> dict[str, str]:
    """Emit the files of a layer for the processor by name: its mathematics, kernels of it, and their callers.

    `programs` are forward and backward, and any other directions. Raises LngenError for an expression that cannot be
    printed.
    """
    with plain_errors():
        directions = cpp.lowered(programs, notes)
        files = cpp.sources(directions, notes, ".cpp", lambda kernels: kernels_text(kernels, notes))
        return {
            "cpu_backend.py": _module(directions, notes),
            "layer.hpp": typed_text("cpu/layer.hpp.jinja", on_processor, directions, notes),
            **files,
        }


def _module(directions: Sequence[cpp.Lowered], notes: Notes) -> str:
    """Return the text of `cpu_backend.py`."""
    programs = [program for program, _ in directions]
    names = [program.direction for program in programs]
    layer, protocol = interface(programs[0], notes), protocol_of(programs, notes)
    on_rows = protocol_of(programs, notes.of_rows()).directions
    imported = ["INTERFACE", "Saved", "saved_from", *protocol.classes(names)]
    least = max(program.minimum_features for program in programs)
    signatures = Signatures(layer, ARRAY, ARRAY, ("threads: int = 1",))
    functions = []
    for program, kernels in directions:
        takes = protocol.directions[program.direction]
        function = CompiledFunction(takes, kernels, protocol, layer, least)
        signature = signatures.forward() if takes.is_forward else signatures.later(takes)
        by_rows = long_call(on_rows[takes.name], kernels)
        functions.append({"name": takes.name, "signature": signature, "lines": function.lines(), "long": by_rows})
    bodies = "".join(line for function in functions for line in function["lines"])
    return module(
        "cpu/backend.py.jinja",
        header=notes.header,
        title=notes.title,
        has_second=any(source_of(name) != source_of("forward") for name in names),
        imported=in_order(imported),
        exported=in_order([*imported, *names]),
        functions=functions,
        compiled=[line for _, kernels in directions for line in compiled(kernels)],
        reads={name for name in ("np.", "_calls.", "_straight.") if name in bodies},
    )


def compiled(kernels: KernelPair, module: str = "_compiled", macros: Sequence[str] = ()) -> list[str]:
    """Return the statement that names the kernels of a direction, and the values that may be left out of each.

    `module` has the class of them, and `macros` are further ones that they are compiled with.
    """
    sums = kernels.contract.column_sums, kernels.contract.scalar_sums
    return statement(
        f"_{kernels.name.upper()} = "
        + call(
            f"{module}.CompiledDirection",
            "__file__",
            f'"{source_of(kernels.name)}"',
            *(f'"{kernels.layer}_{contract.kernel}"' for contract in kernels.contracts),
            optional=quoted(kernels.optional) if kernels.optional else "",
            sums=str(sums) if any(sums) else "",
            macros=quoted(macros) if macros else "",
        )
    )


def kernels_text(directions: Sequence[KernelPair], notes: Notes) -> str:
    """The text of a file of the kernels of some directions."""
    kernels = [(contract.kernel, space) for each in directions for contract, space in each.spaces]
    text = render("cpu/kernels.cpp.jinja", **head(directions, notes), kernels=kernels)
    return spelled(text, CPP)
