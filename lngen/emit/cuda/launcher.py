"""Module `cuda_backend.py`: the public functions on arrays in device memory.

`launcher` of the runtime, the same for each layer, launches the kernels of `kernels.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lngen.emit import Notes
from lngen.emit.description import protocol
from lngen.emit.interface import OwnFields, PublicConstant, PublicInterface, interface
from lngen.emit.layout import call, statement, tuple_of
from lngen.emit.render import module
from lngen.emit.saved import saved_fields
from lngen.emit.signatures import Signatures, passed
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol, LayerProtocol

_ARRAY = "_launcher.DeviceArray"
_KEYWORDS = ("stream: Any = None", f"workspace: {_ARRAY} | None = None", "like: Any = None")


def launcher(programs: Sequence[RowProgram], notes: Notes) -> str:
    """Return the text of the launcher of a layer's kernels; `programs` are those of its directions, forward first."""
    return module("cuda/backend.py.jinja", **_fields(programs, notes))


def _fields(programs: Sequence[RowProgram], notes: Notes) -> dict[str, Any]:
    layer = interface(programs[0], notes)
    by_name = {program.direction: program for program in programs}
    saved = saved_fields(layer, programs[0], programs[1], programs[2:])
    own, found = OwnFields.beside(field.name for field in saved), protocol(programs, layer, saved, notes)
    numbers = any(given.kind == "Scalar" for given in layer.inputs)
    classes = _classes(found, by_name, numbers)
    signatures = Signatures(layer, _ARRAY, "Any", _KEYWORDS)
    later = [
        {
            "name": takes.name,
            "signature": signatures.later(takes),
            "lines": [
                *statement(f"arguments_ = {tuple_of(passed(takes, '_launcher'))}", 4),
                *_called(takes),
                f"    return {_returned(takes, 'results_')}",
            ],
        }
        for takes in map(found.directions.__getitem__, by_name)
        if not takes.is_forward
    ]
    return {
        "header": notes.header,
        "title": notes.title,
        "classes": classes,
        "in_parts": bool(notes.together),
        "aliased": ["INTERFACE", "Saved", *(each["name"] for each in classes)],
        "outputs": [output.public for output in layer.outputs],
        "saved_fields": saved,
        "array": _ARRAY,
        "own": own,
        "saved_from": signatures.saved_from(saved, own),
        "saved_from_lines": [
            *statement(f"first_ = {tuple_of((own.shape, own.dtype, own.dtypes))}", 4),
            *statement(f"fields_ = {tuple_of(field.name for field in saved)}", 4),
            "    saved_: _Saved = _launcher.saved_from(_LAYER, _INTERFACE, first_, fields_)",
            "    return saved_",
        ],
        "forward_signature": signatures.forward(),
        "forward_call": [
            *statement(f"inputs_ = {tuple_of(each.public for each in layer.inputs)}", 4),
            *statement(f"constants_ = {tuple_of(_checked_constant(given, layer) for given in layer.constants)}", 4),
        ],
        "forward_returned": _returned(found.directions["forward"], "outputs_"),
        "later": later,
        "layer": "\n".join(
            statement(f"_LAYER = {call('_launcher.layer_of', 'INTERFACE', 'Saved', '__file__', 'KERNELS')}")
        ),
    }


def _returned(takes: DirectionProtocol, results: str) -> str:
    return f"_{takes.returned}(*{results})" if takes.returned else f"{results}[0]"


def _called(takes: DirectionProtocol) -> list[str]:
    given = f'_LAYER, "{takes.name}", saved, arguments_, out, stream, workspace, like'
    return statement(f"results_ = _launcher.later({given})", 4)


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


def _checked_constant(given: PublicConstant, layer: PublicInterface) -> str:
    sign = ", signed=False" if given.name in layer.nonnegative else ""
    return f'_launcher.finite("{given.public}", {given.public}{sign})'
