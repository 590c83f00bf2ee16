"""`cuda_backend.py`: the functions that a caller has, and the tables that its launches are read from.

What a kernel is passed comes from its `LaunchContract`; what reads the tables is `lngen.runtime.launcher`, the same for
each layer. Only the public functions and the classes of results have the names that callers write; the tables, which
have inputs beside gradients, have those of the derivation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from lngen.backends import Notes
from lngen.backends.cuda.launcher_arguments import letters, parts
from lngen.backends.cuda.lowering import lower
from lngen.backends.interface import Constant, Input, Interface, OwnFields, interface
from lngen.backends.layout import WIDTH, wrapped
from lngen.backends.spelling import gradient, marked_program, plain_errors, reading
from lngen.program import RowProgram
from lngen.render import render

_MEANINGS = {
    "Row": "shape (..., D)",
    "RowScalar": "one value a row, shape {rows}.shape[:-1]",
    "Feature": "one value a feature, shape (D,)",
    "Scalar": "a number or a 0-d array",
}


def emit_launcher(forward: RowProgram, backward: RowProgram, notes: Notes) -> dict[str, str]:
    """The launcher of a layer's kernels: `{"cuda_backend.py": text}`.

    Raises LngenError for what the kernels cannot be printed from.
    """
    with plain_errors():
        programs = marked_program(forward), marked_program(backward)
        fields = _fields(*programs, notes, interface(programs[0], notes))
    text = reading(render("cuda/backend.py.jinja", **fields))
    return {"cuda_backend.py": re.sub(r"\n{4,}", "\n\n\n", text)}


def _fields(forward: RowProgram, backward: RowProgram, notes: Notes, layer: Interface) -> dict[str, Any]:
    saved = _saved(forward, backward, layer)
    rows = layer.rows[0].public
    return {
        "header": notes.header,
        "title": notes.title,
        "forward_formulas": notes.forward_formulas,
        "backward_formulas": notes.backward_formulas,
        "several_outputs": len(layer.outputs) > 1,
        "wide": forward.is_wide,
        "inputs": [_input(given, rows) for given in layer.inputs],
        "outputs": [
            {"name": output.public, "meaning": f"{_MEANINGS[output.kind].format(rows=rows)}."}
            for output in layer.outputs
        ],
        "constants": [given.public for given in layer.constants],
        "saved_fields": _saved_fields(forward, saved, layer),
        "own": OwnFields.beside(reading(name) for name in (*saved, *(symbol.name for symbol in forward.saved))),
        "forward_signature": wrapped(f"def forward({', '.join(_forward_arguments(layer))}):", 0),
        "backward_signature": wrapped(f"def backward({', '.join(_backward_arguments(layer))}):", 0),
        "forward_call": [
            *_statement("inputs_", (given.public for given in layer.inputs)),
            *_statement("constants_", (_checked_constant(given, layer) for given in layer.constants)),
        ],
        "backward_call": _statement("cotangents_", (output.derivative.public for output in layer.outputs)),
        "shared_text": _shared_text(backward, layer),
        "tables": "\n".join(_tables(forward, backward, notes, layer, saved)),
    }


def _input(given: Input, rows: str) -> dict[str, str]:
    left_out = "" if given.neutral is None else f"; left out it is {_number(given.neutral)}, and costs nothing"
    of_number = ", or the compute type for a number" if given.kind == "Scalar" else ""
    return {
        "name": given.public,
        "meaning": f"{_MEANINGS[given.kind].format(rows=rows)}{left_out}.",
        "gradient_meaning": f"The gradient of {given.public}, in its shape and type{of_number}.",
    }


def _forward_arguments(layer: Interface) -> list[str]:
    arguments = [given.public if given.required else f"{given.public}=None" for given in layer.inputs]
    constants = [
        given.public if given.default is None else f"{given.public}={_number(given.default)}"
        for given in layer.constants
    ]
    return [*arguments, "*", *constants, "out=None", "stream=None", "workspace=None"]


def _backward_arguments(layer: Interface) -> list[str]:
    first, *rest = (output.derivative.public for output in layer.outputs)
    options = ["out=None", "stream=None", "workspace=None"]
    return ["saved", first, *(f"{name}=None" for name in rest), "*", *options]


def _saved(forward: RowProgram, backward: RowProgram, layer: Interface) -> dict[str, str]:
    """The kinds of what backward reads besides cotangents and saved row scalars."""
    kinds = {given.name: given.kind for given in layer.inputs}
    kinds |= {output.name: output.kind for output in layer.outputs}
    found: dict[str, str] = {row.name: kinds[row.name] for row in backward.rows if row.origin != "cotangent"}
    return found | {parameter.name: parameter.kind for parameter in backward.parameters}


def _saved_fields(forward: RowProgram, saved: Mapping[str, str], layer: Interface) -> list[dict[str, str]]:
    words = {
        "Row": "{} of forward.",
        "RowScalar": "{} of forward.",
        "Constant": "The constant {} of forward.",
    }
    public = {each.name: each.public for each in (*layer.inputs, *layer.constants, *layer.outputs)}
    fields = [
        {"name": name, "meaning": words.get(kind, "The argument {} of forward.").format(public[name])}
        for name, kind in saved.items()
    ]
    return fields + [
        {"name": symbol.name, "meaning": f"The row scalar {symbol.name}, one a row."} for symbol in forward.saved
    ]


def _shared_text(backward: RowProgram, layer: Interface) -> str:
    public = {given.derivative.name: given.derivative.public for given in layer.inputs}
    return "".join(
        f"\n    {' and '.join(public[name] for name in store.names)} are one and the same array, "
        "unless `out` has one for each."
        for store in backward.results
        if len(store.names) > 1
    )


def _tables(
    forward: RowProgram, backward: RowProgram, notes: Notes, layer: Interface, saved: Mapping[str, str]
) -> list[str]:
    """What the launcher has to know of a layer, as Python."""
    inputs = {given.name: given.kind for given in layer.inputs}
    outputs = {output.name: output.kind for output in layer.outputs}
    gradients = {gradient(name): kind for name, kind in inputs.items()}
    fields = [
        f"name={_string(notes.layer)},",
        'source=_Path(__file__).with_name("kernels.cu"),',
        "Saved=Saved,",
        f"minimum_features={max(forward.minimum_features, backward.minimum_features)},",
        f"is_wide={forward.is_wide},",
        *_dictionary("inputs=", inputs),
        *_tuple("optional=", map(_string, layer.optional)),
        *_tuple("constants=", (_string(given.name) for given in layer.constants)),
        *_dictionary("outputs=", outputs),
        *_dictionary("saved=", saved),
        *_tuple("row_scalars=", (_string(symbol.name) for symbol in forward.saved)),
        *_direction("forward", forward, outputs),
        *_direction("backward", backward, gradients),
    ]
    return _inside("_LAYER = _launcher.Layer(", fields, ")")


def _direction(name: str, program: RowProgram, results: Mapping[str, str]) -> list[str]:
    lowered = lower(program, ())
    made = [result for store in program.results for result in store.names]
    zeros = [_string(result) for result in results if result not in made]
    shared = [f"({', '.join(map(_string, store.names))})" for store in program.results if len(store.names) > 1]
    sums = lowered.contract.column_sums, lowered.contract.scalar_sums
    contracts = (lowered.contract, *((lowered.columns.contract,) if lowered.columns else ()))
    kernels = [
        line
        for contract in contracts
        for line in _inside(
            f"{_string(contract.kernel)}: (",
            (f"{_string(letters(contract))},", *_tuple("", map(_string, parts(contract, program)))),
            "),",
        )
    ]
    fields = [
        *_dictionary("results=", results),
        *(_tuple("shared=", shared) if shared else ()),
        *(_tuple("zeros=", zeros) if zeros else ()),
        *([f"sums={sums},"] if any(sums) else ()),
        *_inside("kernels={", kernels, "},"),
    ]
    return _inside(f"{name}=_launcher.Direction(", fields, "),")


_DEEPEST = 16
"""The columns that the tables are indented by at most."""


def _dictionary(before: str, items: Mapping[str, str]) -> list[str]:
    return _listed(f"{before}{{", [f"{_string(key)}: {_string(kind)}" for key, kind in items.items()], "},")


def _tuple(before: str, values: Iterable[str]) -> list[str]:
    entries = list(values)
    return _listed(f"{before}(", entries, "),", always_comma=len(entries) == 1)


def _listed(before: str, entries: Sequence[str], after: str, always_comma: bool = False) -> list[str]:
    """Entries on one line, or a line each."""
    line = f"{before}{', '.join(entries)}{',' if always_comma else ''}{after}"
    if len(line) <= WIDTH - _DEEPEST:
        return [line]
    return _inside(before, [f"{entry}," for entry in entries], after)


def _inside(before: str, lines: Iterable[str], after: str) -> list[str]:
    return [before, *(f"    {line}" for line in lines), after]


def _statement(name: str, values: Iterable[str]) -> list[str]:
    """The statement that names a tuple, in a function."""
    lines = _tuple(f"{name} = ", values)
    return [f"    {line}" for line in (*lines[:-1], lines[-1].removesuffix(","))]


def _checked_constant(given: Constant, layer: Interface) -> str:
    sign = ", signed=False" if given.name in layer.nonnegative else ""
    return f"_launcher.finite({_string(given.public)}, {given.public}{sign})"


def _string(text: str) -> str:
    return f'"{text}"'


def _number(value: Fraction) -> str:
    if value.denominator == 1 and abs(value.numerator) < 10**6:
        return str(value.numerator)
    return repr(float(value)).replace("e-0", "e-").replace("e+0", "e+")
