"""A layer as `INTERFACE` and the manifest describe it, and Python literals of such descriptions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from lngen.backends import Notes
from lngen.backends.interface import Interface, interface
from lngen.backends.layout import WIDTH
from lngen.backends.saved import Field, saved_fields
from lngen.backends.spelling import marked_program, plain_errors, reading
from lngen.plan.program import RowProgram
from lngen.runtime import interface as runtime

_AXES: dict[str, runtime.Axes] = {
    "Row": ["...", "D"],
    "RowScalar": ["..."],
    "Feature": ["D"],
    "Scalar": [],
    "Constant": [],
}


def description(programs: Sequence[RowProgram], notes: Notes) -> runtime.Interface:
    """The description of a layer, from the programs of its directions, forward first and backward second.

    Raises LngenError as `interface` does.
    """
    with plain_errors():
        every = list(map(marked_program, programs))
        layer = interface(every[0], notes)
        return described(every, layer, saved_fields(layer, every[0], every[1], every[2:]), notes)


def described(
    programs: Sequence[RowProgram], layer: Interface, saved: Sequence[Field], notes: Notes
) -> runtime.Interface:
    """The same of marked programs, whose interface and fields are known."""
    return {
        "name": notes.layer,
        "minimum_features": max(program.minimum_features for program in programs),
        "inputs": [
            {
                "name": given.public,
                "symbol": reading(given.name),
                "kind": given.kind,
                "axes": _AXES[given.kind],
                "default": None if given.neutral is None else as_number(given.neutral),
            }
            for given in layer.inputs
        ],
        "constants": [
            {
                "name": given.public,
                "symbol": reading(given.name),
                "default": None if given.default is None else as_number(given.default),
                "sign": "nonnegative" if given.name in layer.nonnegative else "any",
            }
            for given in layer.constants
        ],
        "outputs": [
            {
                "name": output.public,
                "symbol": reading(output.name),
                "kind": output.kind,
                "axes": _AXES[output.kind],
            }
            for output in layer.outputs
        ],
        "saved": [
            {
                "name": field.name,
                "kind": "row scalar" if field.origin == "computed" else field.origin,
                "of": field.source.public,
                "axes": _AXES[field.kind],
            }
            for field in saved
        ],
        "gradients": [
            {"name": given.derivative.public, "of": given.public, "may_be_none": not given.required}
            for given in layer.inputs
        ],
        "directions": [program.direction for program in programs],
    }


def as_number(value: Fraction) -> float:
    """A default as JSON and Python have it.

    >>> as_number(Fraction(1)), as_number(Fraction(1, 100000))
    (1, 1e-05)
    """
    return value.numerator if value.denominator == 1 and abs(value.numerator) < 10**6 else float(value)


def assignment(target: str, value: Any) -> list[str]:
    """The statement that names what JSON can say, on as few lines as a formatter would take.

    >>> print("\\n".join(assignment("X", {"of": ["x"] * 9, "left": [{"y" * 40: None, "z" * 40: True}]})))
    X = {
        "of": ["x", "x", "x", "x", "x", "x", "x", "x", "x"],
        "left": [
            {
                "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy": None,
                "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz": True,
            },
        ],
    }
    """
    return _literal(f"{target} = ", value, "", 0)


def _literal(before: str, value: Any, after: str, indent: int) -> list[str]:
    pad = " " * indent
    line = f"{pad}{before}{literal(value)}{after}"
    if len(line) <= WIDTH or not isinstance(value, (dict, list)):
        return [line]
    entries = [("", entry) for entry in value]
    if isinstance(value, dict):
        entries = [(f"{literal(key)}: ", entry) for key, entry in value.items()]
    inner = [line for key, entry in entries for line in _literal(key, entry, ",", indent + 4)]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return [f"{pad}{before}{start}", *inner, f"{pad}{end}{after}"]


def literal(value: Any) -> str:
    """What JSON can say, as Python on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(entry)}' for key, entry in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value).replace("e-0", "e-").replace("e+0", "e+")
