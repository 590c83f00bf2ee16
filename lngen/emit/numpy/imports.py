"""Imports of an emitted module: the modules of the runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

RUNTIME_MODULES: Mapping[str, str] = {
    "axes": "numpy.axes",
    "blocks": "numpy.blocks",
    "calls": "protocol.calls",
    "casts": "numpy.casts",
    "functions": "numpy.functions",
    "interface": "protocol.interface",
    "modules": "numpy.modules",
    "random": "numpy.random",
    "rows": "numpy.rows",
    "fields": "protocol.saved",
    "types": "protocol.casts",
}
"""Modules of the runtime that emitted NumPy code imports, by the names that it has for them."""


def runtime_imports(names: Iterable[str]) -> list[str]:
    """Return the lines that import modules of the runtime.

    >>> runtime_imports(["calls", "rows"])
    ['from .._runtime.numpy import rows as _rows', 'from .._runtime.protocol import calls as _calls']
    """
    parted = [(*RUNTIME_MODULES[name].split("."), name) for name in names]
    return [f"from .._runtime.{folder} import {module} as _{name}" for folder, module, name in sorted(parted)]


def imported(functions: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines that import the modules of the runtime that lines use."""
    text = "\n".join(line for function in functions for line in function)
    return runtime_imports(name for name in RUNTIME_MODULES if f"_{name}." in text)
