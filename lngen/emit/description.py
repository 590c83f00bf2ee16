"""A layer as `INTERFACE` and the manifest describe it, and Python literals of such descriptions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from lngen.emit import Notes
from lngen.emit.interface import PublicInput, PublicInterface, PublicOutput, interface
from lngen.emit.layout import call, statement, table
from lngen.emit.saved import Field, saved_fields
from lngen.emit.spelling import marked_program, plain_errors, reading
from lngen.language.axes import AxisSize, RowAxes
from lngen.language.definition import Counterpart
from lngen.plan.program import RowProgram
from lngen.runtime.protocol import interface as runtime
from lngen.runtime.protocol.directions import LayerProtocol


def description(programs: Sequence[RowProgram], notes: Notes) -> runtime.Interface:
    """The description of a layer, from the programs of its directions, forward first and backward second.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        every = list(map(marked_program, programs))
        layer = interface(every[0], notes)
        return described(every, layer, saved_fields(layer, every[0], every[1], every[2:]), notes)


def described(
    programs: Sequence[RowProgram], layer: PublicInterface, saved: Sequence[Field], notes: Notes
) -> runtime.Interface:
    """Return the description of marked programs, given their interface and fields."""
    interface: runtime.Interface = {
        "name": notes.layer,
        "minimum_features": max(program.minimum_features for program in programs),
        "inputs": [
            runtime.given(
                given.public,
                given.kind,
                None if given.neutral is None else as_number(given.neutral),
                symbol=reading(given.name),
                pattern=_pattern(given),
                parts=_parts(given),
                draws=given.draws,
            )
            for given in layer.inputs
        ],
        "constants": [
            runtime.constant(
                given.public,
                None if given.default is None else as_number(given.default),
                "nonnegative" if given.name in layer.nonnegative else "any",
                symbol=reading(given.name),
            )
            for given in layer.constants
        ],
        "outputs": [
            runtime.output(
                output.public,
                output.kind,
                symbol=reading(output.name),
                cast=output.cast,
                pattern=_pattern(output),
                parts=_parts(output),
            )
            for output in layer.outputs
        ],
        "saved": [
            runtime.saved(
                field.name,
                "row scalar" if field.origin == "computed" else field.origin,
                list(runtime.AXES[field.kind]) if field.kind != "Constant" else [],
                of=field.source.public,
                parts=[reading(name) for name in field.parts],
            )
            for field in saved
        ],
        "gradients": [runtime.gradient(given.public, may_be_none=not given.required) for given in layer.differentiable],
        "directions": [program.direction for program in programs],
        "counterparts": [_counterpart(each) for each in notes.counterparts],
    }
    if layer.layout:
        interface["layout"] = layout_entry(layer.layout, layer.sizes, layer.counts)
    return interface


def layout_entry(layout: RowAxes, sizes: Sequence[AxisSize], counts: Mapping[str, int]) -> runtime.LayoutEntry:
    """Return the description of named axes; `counts` are the sizes of those that number parts of arrays."""
    entry: runtime.LayoutEntry = {
        "pattern": [list(axis) for axis in layout.pattern.axes],
        "features": list(layout.features),
        "sizes": [{"name": size.name, "default": size.default} for size in sizes],
    }
    return {**entry, "parts": dict(counts)} if counts else entry


def _counterpart(each: Counterpart) -> runtime.CounterpartEntry:
    reduction: runtime.ReductionEntry | None = None
    if of := each.reduction:
        reduction = {"attribute": of.attribute, "label": of.label, "ignored": of.ignored}
    return runtime.counterpart(
        each.name,
        dict(each.attributes),
        dict(each.conditions),
        statistics={of.attribute: {"of": of.output, "lost": of.lost} for of in each.statistics},
        reduction=reduction,
    )


def _pattern(given: PublicInput | PublicOutput) -> runtime.Pattern | None:
    return [list(axis) for axis in given.pattern.axes] if given.pattern else None


def _parts(given: PublicInput | PublicOutput) -> list[str] | None:
    return [reading(name) for name in given.parts] or None


def protocol(
    programs: Sequence[RowProgram], layer: PublicInterface, saved: Sequence[Field], notes: Notes
) -> LayerProtocol:
    """The protocol of a layer's directions, from marked programs as in `described`."""
    return LayerProtocol(described(programs, layer, saved, notes))


def protocol_of(programs: Sequence[RowProgram], notes: Notes) -> LayerProtocol:
    """The protocol of a layer's directions, from their marked programs, forward first and backward second."""
    layer = interface(programs[0], notes)
    return protocol(programs, layer, saved_fields(layer, programs[0], programs[1], programs[2:]), notes)


def as_number(value: Fraction) -> float:
    """A default as JSON and Python have it.

    >>> as_number(Fraction(1)), as_number(Fraction(1, 100000))
    (1, 1e-05)
    """
    return value.numerator if value.denominator == 1 and abs(value.numerator) < 10**6 else float(value)


def assignment(interface: runtime.Interface) -> list[str]:
    """Return the statement that makes a description in an emitted module, by functions of the runtime, an entry a line.

    >>> x, y = runtime.given("x", "Row"), runtime.output("y", "Row", symbol="y_1")
    >>> field, gradient = runtime.saved("x", "input", ["...", "D"]), runtime.gradient("x")
    >>> lists = {"inputs": [x], "constants": [], "outputs": [y], "saved": [field], "gradients": [gradient]}
    >>> named = {"name": "f", "minimum_features": 1, "directions": ["forward"], "counterparts": []}
    >>> print("\\n".join(assignment({**named, **lists})))
    INTERFACE: _interface.Interface = {
        "name": "f",
        "minimum_features": 1,
        "inputs": [_interface.given("x", "Row")],
        "constants": [],
        "outputs": [_interface.output("y", "Row", symbol="y_1")],
        "saved": [_interface.saved("x", "input", ["...", "D"])],
        "gradients": [_interface.gradient("x")],
        "counterparts": [],
        "directions": ["forward"],
    }
    """
    given: Any = interface
    entries = {key: [_made(*_MAKERS[key], entry) for entry in given[key]] for key in _MAKERS}
    fields = {key: literal(interface[key]) for key in ("name", "minimum_features")}
    fields |= {key: f"[{', '.join(made)}]" for key, made in entries.items()}
    fields["directions"] = literal(interface["directions"])
    if "layout" in interface:
        fields["layout"] = literal(interface["layout"])
    return statement(f"INTERFACE: _interface.Interface = {table(fields)}")


_MAKERS = {
    "inputs": ("given", ("name", "kind")),
    "constants": ("constant", ("name",)),
    "outputs": ("output", ("name", "kind")),
    "saved": ("saved", ("name", "kind", "axes")),
    "gradients": ("gradient", ("of",)),
    "counterparts": ("counterpart", ("name", "attributes", "conditions")),
}
"""Function of the runtime that makes an entry of each list, and the keys of the entry that it is passed in order."""


def _made(function: str, first: Sequence[str], entry: Mapping[str, Any]) -> str:
    """The call that makes an entry, without what it makes of the rest, or is by default."""
    usual = {"symbol": entry["name"], "of": entry["name"], "sign": "any"}
    arguments = [entry[key] for key in first if key != "conditions" or entry[key]]
    others = {key: value for key, value in entry.items() if key not in (*first, "name", "axes")}
    given = {key: value for key, value in others.items() if value not in (None, usual.get(key)) and value is not False}
    return call(f"_interface.{function}", *map(literal, arguments), **{key: literal(given[key]) for key in given})


def literal(value: Any) -> str:
    """Return a JSON value as Python, on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(entry)}' for key, entry in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return repr(value) if '"' in value else json.dumps(value)
    return repr(value).replace("e-0", "e-").replace("e+0", "e+")
