"""Shared parts of a module's mathematical functions: their first lines and their imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lngen.backends.layout import WIDTH, tuple_of
from lngen.backends.numpy.text import definition, words_in
from lngen.backends.spelling import PYTHON, spelled

RUNTIME_MODULES: Mapping[str, str] = {
    "blocks": "numpy.blocks",
    "calls": "protocol.calls",
    "collectives": "sharded.collectives",
    "directions": "numpy.directions",
    "functions": "numpy.functions",
    "interface": "protocol.interface",
    "rows": "numpy.rows",
    "sharded": "sharded.layers",
}
"""Modules of the runtime that emitted NumPy code imports, by the names that it has for them."""

_FUNCTION = re.compile(r"^(?=def |class )", re.MULTILINE)


def spelled_by_function(text: str) -> str:
    """A module with every marked name spelled plainly: no name of a function can meet one of another."""
    return "".join(spelled(part, PYTHON) for part in _FUNCTION.split(re.sub(r"\n{4,}", "\n\n\n", text)))


def runtime_imports(names: Iterable[str]) -> list[str]:
    """Return the lines that import modules of the runtime.

    >>> runtime_imports(["rows", "sharded"])
    ['from .._runtime.numpy import rows as _rows', 'from .._runtime.sharded import layers as _sharded']
    """
    parted = [(*RUNTIME_MODULES[name].split("."), name) for name in names]
    return [f"from .._runtime.{folder} import {module} as _{name}" for folder, module, name in sorted(parted)]


def imported(functions: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return the names that lines use and do not define."""
    text = "\n".join(line for function in functions for line in function)
    return {
        "runtime": runtime_imports(name for name in RUNTIME_MODULES if f"_{name}." in text),
        "uses_numpy": "np." in text,
        "uses_prod": "prod(" in text,
    }


def named(names: Sequence[str], parameters: Mapping[str, str]) -> list[str]:
    """Return the variables of a function's arguments; `_` for an argument that it does not read."""
    return [parameters.get(name, "_") for name in names]


def measured(lines: Sequence[str]) -> list[str]:
    """Return the line that unpacks the properties of a call that the lines of a block's function use."""
    measures = {"features": "call.features", "dtype": "call.dtype", "scalar": "call.dtype.type"}
    read = words_in(lines)
    used = [name for name in measures if name in read]
    return [f"    {', '.join(used)} = {', '.join(measures[name] for name in used)}"] if used else []


def function(
    name: str, parameters: list[str], summary: str, groups: Mapping[str, Sequence[str]], lines: Sequence[str]
) -> list[str]:
    """A function whose parameters are tuples, which are unpacked first."""
    read = words_in(lines)
    unpacked = []
    for group, names in groups.items():
        targets = [name if name in read else "_" for name in names]
        if any(target != "_" for target in targets):
            unpacked += _unpacked(targets, group)
    return [*definition(name, parameters), f'    """{summary}"""', *unpacked, *lines]


def _unpacked(targets: Sequence[str], group: str) -> list[str]:
    line = f"    {', '.join(targets)} = {group}"
    if len(targets) > 1 and len(line) <= WIDTH:
        return [line]
    if len(targets) == 1:
        return [f"    {tuple_of(targets)} = {group}"]
    return ["    (", *(f"        {target}," for target in targets), f"    ) = {group}"]
