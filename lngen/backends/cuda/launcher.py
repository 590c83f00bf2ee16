"""Module `cuda_backend.py`: the public functions, and the tables from which kernels are launched.

The arguments of a kernel come from its `LaunchContract`. `launcher` of the runtime, the same for each layer, reads the
tables. The public functions and the classes of results use the names of callers. The tables, which hold inputs beside
gradients, use the names of the derivation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lngen.backends import Notes
from lngen.backends.cpp.kernels import KernelPair
from lngen.backends.description import protocol
from lngen.backends.interface import OwnFields, PublicConstant, PublicInterface, interface
from lngen.backends.layout import call, quoted, statement, table, tuple_of
from lngen.backends.saved import saved_fields
from lngen.backends.signatures import Signatures, passed
from lngen.backends.spelling import reading
from lngen.files.render import render
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol, LayerProtocol

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
    programs = list(by_name.values())
    saved = saved_fields(layer, programs[0], programs[1], programs[2:])
    own, found = OwnFields.beside(field.name for field in saved), protocol(programs, layer, saved, notes)
    tables = directions_table(directions, found, "_launcher", source_of)
    numbers = any(given.kind == "Scalar" for given in layer.inputs)
    classes = _classes(found, by_name, numbers)
    return functions(found, by_name, layer, _KEYWORDS, _called) | {
        "header": notes.header,
        "title": notes.title,
        "classes": classes,
        "aliased": ["INTERFACE", "Saved", *(each["name"] for each in classes)],
        "outputs": [output.public for output in layer.outputs],
        "saved_fields": saved,
        "array": _ARRAY,
        "own": own,
        "saved_from": Signatures(layer, _ARRAY, "Any", _KEYWORDS).saved_from(saved, own),
        "saved_from_lines": [
            *statement(f"first_ = {tuple_of((own.shape, own.dtype, own.dtypes))}", 4),
            *statement(f"fields_ = {tuple_of(field.name for field in saved)}", 4),
            "    saved_: _Saved = _launcher.saved_from(_LAYER, _INTERFACE, first_, fields_)",
            "    return saved_",
        ],
        "tables": "\n".join(layer_table("_launcher.layer_of", programs[0], tables)),
    }


def functions(
    layer: LayerProtocol,
    directions: Iterable[str],
    public: PublicInterface,
    keywords: tuple[str, ...],
    called: Callable[[DirectionProtocol], list[str]],
) -> dict[str, Any]:
    """Return the template fields of the functions on device arrays; `keywords` follow those of all backends.

    `called` has the lines with the call of a later direction of the runtime.
    """
    signatures = Signatures(public, _ARRAY, "Any", keywords)
    later = [
        {
            "name": name,
            "signature": signatures.later(takes),
            "lines": [
                *statement(f"arguments_ = {tuple_of(passed(takes, '_launcher'))}", 4),
                *called(takes),
                f"    return {_returned(takes, 'results_')}",
            ],
        }
        for name, takes in layer.directions.items()
        if name in directions and not takes.is_forward
    ]
    return {
        "forward_signature": signatures.forward(),
        "forward_call": [
            *statement(f"inputs_ = {tuple_of(each.name for each in layer.inputs)}", 4),
            *statement(f"constants_ = {tuple_of(_checked_constant(given, public) for given in public.constants)}", 4),
        ],
        "forward_returned": _returned(layer.directions["forward"], "outputs_"),
        "later": later,
    }


def _returned(takes: DirectionProtocol, results: str) -> str:
    return f"_{takes.returned}(*{results})" if takes.returned else f"{results}[0]"


def _called(takes: DirectionProtocol) -> list[str]:
    name = _string(takes.name)
    others = ["saved", "arguments_", "out", "stream", "workspace", "autotune", "like"]
    return statement(f"results_ = {call('_launcher.later', '_LAYER', name, *others)}", 4)


def _classes(layer: LayerProtocol, directions: Iterable[str], numbers: bool) -> list[dict[str, Any]]:
    """Return the classes of results, each once, of the directions that a layer has."""
    summaries = {
        "Outputs": "Outputs of `forward`; see `numpy_backend.Outputs`",
        "Gradients": "Gradients, see `numpy_backend.Gradients`" + "; that of a number has the compute type" * numbers,
        "SecondGradients": "Gradients from `backward_backward`; see `numpy_backend.SecondGradients`",
    }
    found: dict[str, tuple[str, ...]] = {}
    for takes in map(layer.directions.__getitem__, directions):
        found.setdefault(takes.returned, takes.names)
    return [
        {"name": name, "summary": summary, "fields": found[name]}
        for name, summary in summaries.items()
        if name in found
    ]


def layer_table(function: str, program: RowProgram, directions: Mapping[str, str]) -> list[str]:
    """Return the statement that makes a layer of its interface and the tables of its directions."""
    wide = str(program.is_wide)
    fields = call(function, "INTERFACE", "Saved", "__file__", is_wide=wide, directions=table(directions))
    return statement(f"_LAYER = {fields}")


def directions_table(
    directions: Sequence[Lowered], layer: LayerProtocol, module: str, source: Callable[[RowProgram], str]
) -> dict[str, str]:
    """Return the kernels of each direction.

    `module` holds the class `DeviceDirection`, and `source` returns the file of a direction's kernels.
    """
    return {
        program.direction: direction_table(program, layer, module, source(program), kernels)
        for program, kernels in directions
    }


def direction_table(
    program: RowProgram, layer: LayerProtocol, module: str, source: str, kernels: KernelPair | None = None
) -> str:
    """The kernels of one direction; none where it has no `kernels` of its own."""
    made = [reading(result) for store in program.results for result in store.names]
    takes = layer.directions[program.direction]
    zeros = [each.symbol for each in takes.results if each.symbol not in made]
    sums = (kernels.contract.column_sums, kernels.contract.scalar_sums) if kernels else (0, 0)
    lists = {
        contract.kernel: _string(", ".join(argument.part for argument in contract.arguments))
        for contract in (kernels.contracts if kernels else ())
    }
    return call(
        f"{module}.DeviceDirection",
        source=_string(source),
        zeros=quoted(zeros) if zeros else "",
        sums=str(sums) if any(sums) else "",
        kernels=table(lists),
    )


def _checked_constant(given: PublicConstant, layer: PublicInterface) -> str:
    sign = ", signed=False" if given.name in layer.nonnegative else ""
    return f"_launcher.finite({_string(given.public)}, {given.public}{sign})"


def _string(text: str) -> str:
    return f'"{text}"'
