"""Module `cuda_backend.py`: the public functions on arrays in device memory, and the plans of their calls.

A plan names the values of a call in order and launches the kernels of `kernels.cu`, whose arguments are those of the
`LaunchContract`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lngen.emit import Notes
from lngen.emit.cpp.contract import LaunchContract
from lngen.emit.cpp.kernels import Lowered, source_of
from lngen.emit.description import protocol
from lngen.emit.interface import OwnFields, PublicConstant, PublicInterface, interface
from lngen.emit.layout import call, quoted, statement, table, tuple_of
from lngen.emit.render import module
from lngen.emit.saved import saved_fields
from lngen.emit.signatures import Signatures
from lngen.emit.spelling import reading
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol, Entry, LayerProtocol

_ARRAY = "_launcher.DeviceArray"
_KEYWORDS = ("stream: Any = None", f"workspace: {_ARRAY} | None = None", "like: Any = None")
_PARTS = ("ROW", "ROW_SCALAR", "FEATURE", "NUMBER")
_COUNTS = {f"the {name}": f"plan.{name}" for name in ("rows", "features", "blocks", "workspace")}
_HOW = ("out", "stream", "workspace", "like")
_Line = tuple[list[str], str]
"""Variables of a line, and the expression that it assigns to them."""


def launcher(directions: Sequence[Lowered], notes: Notes) -> str:
    """Return the text of the launcher of a layer's kernels; `directions` are in the order of its tables."""
    return module("cuda/backend.py.jinja", **_fields(directions, notes))


def _fields(directions: Sequence[Lowered], notes: Notes) -> dict[str, Any]:
    programs = [program for program, _ in directions]
    layer = interface(programs[0], notes)
    saved = saved_fields(layer, programs[0], programs[1], programs[2:])
    own, found = OwnFields.beside(field.name for field in saved), protocol(programs, layer, saved, notes)
    numbers = any(given.kind == "Scalar" for given in layer.inputs)
    classes = _classes(found, [program.direction for program in programs], numbers)
    signatures = Signatures(layer, _ARRAY, "Any", _KEYWORDS)
    takes = [found.directions[program.direction] for program in programs]
    page = _Page(found, notes.layer)
    known = "_LAYER", "_saved_values", "INTERFACE", "fields_", own.shape, own.dtype, own.dtypes
    return {
        "header": notes.header,
        "title": notes.title,
        "classes": classes,
        "in_parts": bool(notes.together),
        "aliased": ["Saved", *(each["name"] for each in classes)],
        "outputs": [output.public for output in layer.outputs],
        "saved_fields": saved,
        "array": _ARRAY,
        "own": own,
        "saved_from": signatures.saved_from(saved, own),
        "saved_from_lines": [
            *statement(f"fields_ = {tuple_of(field.name for field in saved)}", 4),
            *statement(f"saved_: _Saved = {call('_launcher.saved_from', *known)}", 4),
            "    return saved_",
        ],
        "forward_signature": [*signatures.overloads(), *signatures.forward()],
        "forward_call": page.forward(layer),
        "later": [
            {"name": each.name, "signature": signatures.later(each), "lines": page.later(each)} for each in takes[1:]
        ],
        "layer": page.layer(programs),
        "saved_values": page.saved_values(),
        "calls": [
            {"name": of.name, "call": page.call(of), "plan": page.plan(of, program, kernels.contracts, kernels.layer)}
            for of, (program, kernels) in zip(takes, directions, strict=True)
        ],
        "counted": statement(f"calls_ = {table(dict(map(_counted, takes)))}", 4),
    }


class _Page:
    """Lines of the functions of a layer. Its values have an underscore behind their names, which no other name has."""

    def __init__(self, layer: LayerProtocol, name: str) -> None:
        self.of, self.name = layer, name
        forward = layer.directions["forward"]
        self.forward_values = [*map(_variable, (*forward.reads, *forward.results, *forward.row_scalars))]

    def layer(self, programs: Sequence[RowProgram]) -> list[str]:
        """The statement that describes the layer to the runtime."""
        inputs = [
            call(
                "_launcher.DeviceInput",
                f'"{each.name}"',
                _part(each),
                f'"{each.symbol}"',
                leading="True" if each.kind == "Row" else "",
                optional="True" if each.may_be_none else "",
                integers="True" if each.is_integer else "",
            )
            for each in self.of.inputs
        ]
        least = max(program.minimum_features for program in programs)
        given = f'"{self.name}", Saved, Path(__file__).parent, {least}, {tuple_of(inputs)}'
        return statement(f"_LAYER = _launcher.DeviceLayer({given})")

    def forward(self, layer: PublicInterface) -> list[str]:
        """The body of `forward`."""
        takes = self.of.directions["forward"]
        given = [each.public for each in layer.inputs] + [_checked_constant(each, layer) for each in layer.constants]
        places = (str(self.forward_values.index(_variable(each.owner))) for each in takes_fields(self.of))
        return [
            *statement(f"call_ = _forward({', '.join((*given, *_HOW, 'bool(save)'))})", 4),
            *statement(f"outputs_ = {_returned(takes, 'call_.run()')}", 4),
            *statement(f"return outputs_, _Saved(*call_.kept({', '.join(places)})) if save else None", 4),
        ]

    def later(self, takes: DirectionProtocol) -> list[str]:
        """The body of a direction that follows forward."""
        given = ["cotangents"] if takes.cotangents and takes.tangents else [each.name for each in takes.cotangents]
        given += [each.name for each in takes.tangents]
        return [
            *statement(f"call_ = _{takes.name}({', '.join(('saved', *given, *_HOW))})", 4),
            f"    return {_returned(takes, 'call_.run()')}",
        ]

    def call(self, takes: DirectionProtocol) -> list[str]:
        """The function that makes a call."""
        names = [f"{each.symbol}_" for each in takes.arguments]
        outs = [f"*_launcher.several(out, {quoted(takes.names)})" if takes.returned else "out"]
        if takes.is_forward:
            first, own = names, [*names, *outs, *["None"] * len(takes.row_scalars)]
            lines = []
        else:
            count = len(takes.cotangents) if takes.tangents else 0
            cotangents = [f"*_launcher.each_cotangent(cotangents, {quoted(each.name for each in takes.cotangents)})"]
            first = ["saved", *(["cotangents"] if count else []), *names[count:]]
            own = [*(cotangents if count else []), *names[count:], "*saved[3:]", *outs]
            lines = statement(f'_launcher.check_is_saved(saved, Saved, "{self.name}")', 4)
        objects = statement(f"objects = [{', '.join(own)}]", 4)
        for place, each in enumerate(() if takes.is_forward else takes.fields, len(takes.arguments)):
            if each.kind == "Constant":
                objects += statement(f'objects[{place}] = _launcher.finite("saved.{each.name}", objects[{place}])', 4)
        saved = "None" if takes.is_forward else "saved"
        made = f'_LAYER, "{takes.name}", _plan_{takes.name}, {saved}, objects, *how'
        arguments = ", ".join((*(f"{name}: Any" for name in (*first, "out")), "*how: Any"))
        return [
            *statement(f"def _{takes.name}({arguments}) -> _launcher.DeviceCall:"),
            f'    """Make a call of `{takes.name}`."""',
            *lines,
            *objects,
            *statement(f"return _launcher.DeviceCall({made})", 4),
        ]

    def saved_values(self) -> list[str]:
        """The function that checks the saved values."""
        lines, names = [], []
        for each in takes_fields(self.of):
            names.append(_variable(each.owner))
            if each.kind == "Constant":
                made = "plan.constant()"
            elif each.kind == "Computed":
                made = f'plan.saved_row_scalar("{each.name}", "{each.symbol}")'
            elif each.owner in self.of.inputs:
                made = f'plan.saved_input("{each.name}", {self.of.inputs.index(each.owner)})'
            else:
                made = f'plan.saved_output("{each.name}", "{each.symbol}", {_part(each)})'
            lines += statement(f"{names[-1]} = {made}", 4)
        return [*lines, *statement(f"return {tuple_of(names)}", 4)]

    def plan(
        self, takes: DirectionProtocol, program: RowProgram, contracts: Sequence[LaunchContract], prefix: str
    ) -> list[str]:
        """The lines that plan a call of a direction."""
        lines = self._inputs(takes) if takes.is_forward else self._arguments(takes)
        made = {reading(result) for store in program.results for result in store.names}
        used = {_argument(each.part) for contract in contracts for each in contract.arguments}
        for each in takes.results:
            lines.append(([_variable(each, "out")], self._result(takes, each, each.symbol not in made)))
        if takes.row_scalars:
            symbols = ", ".join(f'"{each.symbol}"' for each in takes.row_scalars)
            lines.append(_unpacked(takes.row_scalars, f"plan.row_scalars({symbols})"))
        found = []
        for names, value in lines:
            target = ", ".join(name if name in used else _unused(name) for name in names)
            found += statement(f"{target} = {value}" if used.intersection(names) else value, 4)
        found += statement(f'plan.source = "{source_of(takes.name)}.cu"', 4)
        sums = contracts[0].column_sums, contracts[0].scalar_sums
        if any(sums):
            found += statement(f"plan.sums = {sums}", 4)
        for contract in contracts:
            arguments = [_argument(each.part) for each in contract.arguments]
            found += statement(call("plan.launch", f'"{prefix}_{contract.kernel}"', *arguments), 4)
        return found

    def _inputs(self, takes: DirectionProtocol) -> list[_Line]:
        constants = [([_variable(each)], "plan.constant()") for each in takes.constants]
        return [_unpacked(takes.inputs, "plan.inputs()"), *constants]

    def _arguments(self, takes: DirectionProtocol) -> list[_Line]:
        count, end = len(takes.cotangents), len(takes.arguments)
        lines: list[_Line] = [([], f'plan.needs_one("cotangent", 0, {count})')] * (count > 1)
        if takes.tangents:
            kind = "cotangent of a gradient" if count else "tangent"
            lines.append(([], f'plan.needs_one("{kind}", {count}, {end})'))
        for each in takes.cotangents:
            assert each.owner is not None
            given = [f'"{each.name}"', f'"{each.symbol}"', _part(each), f'"{each.owner.name}"']
            lines.append(([_variable(each)], call("plan.cotangent", *given, optional="True" * each.may_be_none)))
        for each in takes.tangents:
            lines.append(([_variable(each)], f'plan.tangent("{each.name}", "{each.symbol}", {each.follows})'))
        fields = [each.owner for each in takes.fields]
        return [*lines, _unpacked(fields, "_saved_values(plan)")] if fields else lines

    def _result(self, takes: DirectionProtocol, each: Entry, is_zero: bool) -> str:
        zero = "True" * is_zero
        if each.follows is not None:
            return call("plan.gradient", str(each.follows), f'"{each.name}"', f'"{each.symbol}"', zero=zero)
        of = _variable(each.owner) if each.owner in takes.cotangents else ""
        given = [f'"{each.name}"', f'"{each.symbol}"', _part(each), *([of] if of else [])]
        return call("plan.result", *given, cast=f'"{each.cast}"' if each.cast else "", zero=zero)


def takes_fields(layer: LayerProtocol) -> tuple[Entry, ...]:
    """Return the fields of `Saved` after the first three."""
    return layer.directions["backward"].fields


def _part(each: Entry) -> str:
    return f"_launcher.{_PARTS[each.part]}"


def _variable(each: Entry | None, before: str = "") -> str:
    """Return the variable of a value, or of a result in functions that take no values of such names."""
    assert each is not None
    return _argument(f"{before} {each.symbol}".strip())


def _unused(name: str) -> str:
    """A name of what is not read, as linters know it: it begins with an underscore and ends with none.

    >>> _unused("saved_scale"), _unused("eps_")
    ('_saved_scale', '_unused_eps')
    """
    return f"_unused_{name[:-1]}" if name.endswith("_") else f"_{name}"


def _unpacked(values: Sequence[Entry | None], made: str) -> _Line:
    """Return the variables of values that a function returns as a sequence, and what is assigned to them."""
    return [*map(_variable, values)], made if len(values) > 1 else f"{made}[0]"


def _argument(part: str) -> str:
    """Return the variable of a value by its name in a contract."""
    part = reading(part)
    return _COUNTS.get(part) or (part.replace(" ", "_") if " " in part else f"{part}_")


def _counted(takes: DirectionProtocol) -> tuple[str, str]:
    """Return a direction with the function that makes a call of it, and the numbers of its arrays and Constants."""
    if takes.is_forward:
        return takes.name, f"(_forward, {len(takes.inputs)}, {len(takes.constants)})"
    count = len(takes.arguments) - (len(takes.cotangents) - 1 if takes.tangents and takes.cotangents else 0)
    return takes.name, f"(_{takes.name}, {1 + count}, 0)"


def _returned(takes: DirectionProtocol, results: str) -> str:
    return f"_{takes.returned}(*{results})" if takes.returned else f"{results}[0]"


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
