"""Definitions by what a caller passes for one, and their values."""

from __future__ import annotations

import os
from typing import Any

from lngen.errors import LngenError, nearest, printable
from lngen.language.definition import Definition
from lngen.language.parsing import load, parse
from lngen.paths import derive_folder
from lngen.runtime.protocol.calls import constant


def run(definition: str | os.PathLike[str], /, *unnamed: Any, **inputs: Any) -> Any:
    """Return the outputs of a definition in float64, a tuple of several: what its text says, and no emitted code.

    `definition` is what `derive` takes. A Row has shape (..., D), a RowScalar (...,), a Feature (D,), a Scalar or a
    Constant is a number; what is left out has its default. Raises LngenError for an input that is unknown, missing or
    of another shape, and for a definition whose axes have names.

    >>> run("def centred(x: Row): return x - mean(x)", x=[[1.0, 2.0, 6.0]])
    array([[-2., -1.,  3.]])
    """
    from lngen.language.oracle.evaluate import evaluate

    found = definition_of(definition)
    if found.layout is not None:
        raise LngenError(
            f"the axes of {found.name} have names, and run takes rows; lngen.load({found.name!r}).forward takes them."
        )
    named = {found.public(each.name): each.name for each in found.inputs}
    if unnamed:
        raise LngenError(f"run takes the inputs of {found.name} by name: pass {next(iter(named))}=...")
    given = {named.get(name, name): value for name, value in inputs.items()}
    for entry in found.constants:
        if given.get(entry.name) is not None:
            try:
                constant(found.public(entry.name), given[entry.name], entry.name not in found.needed_positive)
            except (TypeError, ValueError) as error:
                raise LngenError(f"{error}.") from None
    outputs = tuple(evaluate(found, given).values())
    return outputs if len(outputs) > 1 else outputs[0]


def definition_of(definition: str | os.PathLike[str]) -> Definition:
    """Return the definition that a text, a file or the name of a shipped layer has. Raises LngenError for none."""
    if callable(definition):
        raise LngenError(
            "a definition is given as its text, or as a pathlib.Path: of a function, pass inspect.getsource(function)."
        )
    if not isinstance(definition, str):
        return load(definition)
    if definition.isidentifier():
        file = derive_folder() / f"{definition}.py"
        if not file.is_file():
            names = sorted(path.stem for path in derive_folder().glob("*.py"))
            raise LngenError(
                f"there is no layer {definition!r}.{nearest(definition, names)} lngen has {', '.join(names)}."
            )
        return load(file)
    if "\n" not in definition and definition.endswith(".py"):
        raise LngenError(f"{printable(definition)} is a text. To read a file, pass it as a pathlib.Path.")
    return parse(definition)
