"""Module `cuda_backend.py`: the public functions, and the tables from which kernels are launched.

The arguments of a kernel come from its `LaunchContract`. `launcher` of the runtime, the same for each layer, reads the
tables. The public functions and the classes of results use the names of callers. The tables, which hold inputs beside
gradients, use the names of the derivation.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lngen.backends import Notes
from lngen.backends.cpp.kernels import KernelPair
from lngen.backends.interface import OwnFields, PublicConstant, PublicInterface, interface, moved
from lngen.backends.layout import WIDTH, quoted
from lngen.backends.saved import saved_fields
from lngen.backends.signatures import Signatures
from lngen.backends.spelling import gradient, reading, tangent
from lngen.files.render import render
from lngen.plan.program import RowProgram, moved_name

_ARRAY = "_launcher.DeviceArray"
_KEYWORDS = ("stream: Any = None", f"workspace: {_ARRAY} | None = None", "autotune: bool = False", "like: Any = None")

Lowered = tuple[RowProgram, KernelPair]


def source_of(program: RowProgram) -> str:
    """The file that the kernels of a direction are in."""
    return "kernels.cu" if program.direction in ("forward", "backward") else "second_order.cu"


def launcher(directions: Sequence[Lowered], notes: Notes) -> str:
    """Return the text of the launcher of a layer's kernels.

    Raises LngenError for an expression that kernels cannot be printed from.
    """
    by_name: dict[str, RowProgram] = {program.direction: program for program, _ in directions}
    layer = interface(by_name["forward"], notes)
    text = reading(render("cuda/backend.py.jinja", **_fields(directions, by_name, notes, layer)))
    return re.sub(r"\n{4,}", "\n\n\n", text)


def _fields(
    directions: Sequence[Lowered], by_name: Mapping[str, RowProgram], notes: Notes, layer: PublicInterface
) -> dict[str, Any]:
    saved = saved_fields(layer, by_name["forward"], by_name["backward"], list(by_name.values())[2:])
    own = OwnFields.beside(field.name for field in saved)
    return functions(by_name, layer, _KEYWORDS) | {
        "header": notes.header,
        "title": notes.title,
        "inputs": [given.public for given in layer.differentiable],
        "numbers": any(given.kind == "Scalar" for given in layer.inputs),
        "outputs": [output.public for output in layer.outputs],
        "saved_fields": saved,
        "array": _ARRAY,
        "own": own,
        "saved_from": Signatures(layer, _ARRAY, "Any", _KEYWORDS).saved_from(saved, own),
        "saved_from_lines": [
            *_statement("first_", (own.shape, own.dtype, own.dtypes)),
            *_statement("fields_", (field.name for field in saved)),
            "    saved_: _Saved = _launcher.saved_from(_LAYER, _INTERFACE, first_, fields_)",
            "    return saved_",
        ],
        "tables": "\n".join(_tables(directions, layer)),
    }


def functions(by_name: Mapping[str, RowProgram], layer: PublicInterface, keywords: tuple[str, ...]) -> dict[str, Any]:
    """Return the template fields of the functions on device arrays; `keywords` follow those of all backends."""
    cotangents = [output.derivative for output in layer.outputs]
    signatures = Signatures(layer, _ARRAY, "Any", keywords)
    return {
        "several_outputs": len(layer.outputs) > 1,
        "forward_signature": signatures.forward(),
        "forward_call": [
            *_statement("inputs_", (given.public for given in layer.inputs)),
            *_statement("constants_", (_checked_constant(given, layer) for given in layer.constants)),
        ],
        "backward_signature": signatures.backward(),
        "backward_call": _statement("arguments_", (cotangent.public for cotangent in cotangents)),
        "jvp": _later(by_name.get("jvp"), signatures),
        "second": _later(
            by_name.get("backward_backward"),
            signatures,
            f"*_launcher.each_cotangent(cotangents, {quoted(c.public for c in cotangents)})",
        ),
    }


def _later(program: RowProgram | None, signatures: Signatures, *given: str) -> dict[str, list[str]] | None:
    """Return the template fields of the JVP or the double backward; None if there is none."""
    if program is None:
        return None
    own = (moved_name(program.direction, of.public) for of in moved(program, signatures.layer).values())
    results = [name for store in program.results for name in store.names]
    return {
        "signature": signatures.later(program),
        "call": _statement("arguments_", (*given, *own)),
        "results": results,
    }


def _tables(directions: Sequence[Lowered], layer: PublicInterface) -> list[str]:
    """Return the launcher's tables of a layer besides its interface, as Python."""
    programs = [program for program, _ in directions]
    tables = directions_table(directions, layer, "_launcher", source_of)
    fields = [
        "INTERFACE,",
        "Saved,",
        "__file__,",
        f"is_wide={programs[0].is_wide},",
        *inside("directions={", tables, "},"),
    ]
    return inside("_LAYER = _launcher.layer_of(", fields, ")")


def directions_table(
    directions: Sequence[Lowered], layer: PublicInterface, module: str, source: Callable[[RowProgram], str]
) -> list[str]:
    """Return the arguments, results and kernels of each direction, as the entries of a dictionary.

    `module` holds the class `DeviceDirection`, and `source` returns the file of a direction's kernels.
    """
    return [
        line
        for program, kernels in directions
        for line in direction_table(program, layer, module, source(program), kernels)
    ]


def direction_table(
    program: RowProgram, layer: PublicInterface, module: str, source: str, kernels: KernelPair | None = None
) -> list[str]:
    """The entry of one direction; without any where it has no `kernels` of its own."""
    made = [result for store in program.results for result in store.names]
    arguments, results = _belongings(program, layer)
    zeros = [_string(result) for result in results if result not in made]
    contracts = kernels.contracts if kernels else ()
    sums = (kernels.contract.column_sums, kernels.contract.scalar_sums) if kernels else (0, 0)
    lists = [
        line
        for contract in contracts
        for line in _text(f"{_string(contract.kernel)}: ", [argument.part for argument in contract.arguments])
    ]
    fields = [
        f'source="{source}",',
        *(_dictionary("arguments=", arguments) if arguments else ()),
        *_dictionary("results=", results),
        *(_tuple("zeros=", zeros) if zeros else ()),
        *([f"sums={sums},"] if any(sums) else ()),
        *(inside("kernels={", lists, "},") if lists else ["kernels={},"]),
    ]
    return inside(f"{_string(program.direction)}: {module}.DeviceDirection(", fields, "),")


def _belongings(program: RowProgram, layer: PublicInterface) -> tuple[dict[str, str], dict[str, str]]:
    """Return a direction's arguments besides inputs, and its results, each with its owner."""
    outputs = {output.derivative.name: output.name for output in layer.outputs}
    tangents = {tangent(output.name): output.name for output in layer.outputs}
    gradients = {given.derivative.name: given.name for given in layer.differentiable}
    own = {name: given.name for name, given in moved(program, layer).items()}
    again = {gradient(name): name for name in outputs}
    return {
        "forward": ({}, {name: name for name in outputs.values()}),
        "backward": (outputs, gradients),
        "jvp": (own, tangents),
        "backward_backward": (outputs | own, gradients | again),
    }[program.direction]


_WIDTH = WIDTH - 12
"""The columns that a field of a direction has."""


def _dictionary(before: str, items: Mapping[str, str]) -> list[str]:
    return _listed(f"{before}{{", [f"{_string(key)}: {_string(kind)}" for key, kind in items.items()], "},")


def _text(before: str, entries: Sequence[str]) -> list[str]:
    """A text that lists entries, on as many lines as it takes, none broken."""
    whole = ", ".join(entries)
    if len(f'{before}"{whole}",') <= _WIDTH - 4:
        return [f'{before}"{whole}",']
    unbroken = whole.replace(" ", "\0").replace(",\0", ", ")
    room = _WIDTH - 8 - len('""')
    # Each line but the last ends with a blank.
    lines = textwrap.wrap(unbroken, room - (len(whole) > room), break_long_words=False)
    text = [*(f'"{line} "' for line in lines[:-1]), f'"{lines[-1]}"']
    return inside(f"{before}(", [line.replace("\0", " ") for line in text], "),")


def _tuple(before: str, values: Iterable[str]) -> list[str]:
    entries = list(values)
    return _listed(f"{before}(", entries, "),", always_comma=len(entries) == 1)


def _listed(before: str, entries: Sequence[str], after: str, always_comma: bool = False) -> list[str]:
    """Entries on one line, or a line each."""
    line = f"{before}{', '.join(entries)}{',' if always_comma else ''}{after}"
    if len(line) <= _WIDTH:
        return [line]
    return inside(before, [f"{entry}," for entry in entries], after)


def inside(before: str, lines: Iterable[str], after: str) -> list[str]:
    """Indent lines between the lines that open and close a bracket."""
    return [before, *(f"    {line}" for line in lines), after]


def _statement(name: str, values: Iterable[str]) -> list[str]:
    """The statement that names a tuple, in a function."""
    lines = _tuple(f"{name} = ", values)
    return [f"    {line}" for line in (*lines[:-1], lines[-1].removesuffix(","))]


def _checked_constant(given: PublicConstant, layer: PublicInterface) -> str:
    sign = ", signed=False" if given.name in layer.nonnegative else ""
    return f"_launcher.finite({_string(given.public)}, {given.public}{sign})"


def _string(text: str) -> str:
    return f'"{text}"'
