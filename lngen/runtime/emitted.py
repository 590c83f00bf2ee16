# SPDX-License-Identifier: MIT
"""The modules of an emitted layer by backend. One that was left out is an error that says how to have it."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

BACKENDS = ("numpy", "cpu", "cuda", "torch", "jax")
"""The backends that a layer may be emitted for."""

WITHIN = {"triton": "torch"}
"""The backends that others have within their files, by name: those that call them."""


def backend_module(package: str, backend: str) -> Any:
    """The module of a backend in the package of a layer. Raises ImportError if it was not emitted."""
    name = f"{package}.{backend}_backend"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(left_out(Path(str(import_module(package).__file__)).parent, backend)) from None


def backends_in(folder: Path) -> list[str]:
    """The backends that there are files of in the folder of a layer, in the order of `BACKENDS`."""
    return [backend for backend in BACKENDS if is_emitted(folder, backend)]


def is_emitted(folder: Path, backend: str) -> bool:
    """Test whether the folder of a layer has code for a backend."""
    return (folder / f"{backend}_backend.py").is_file()


def left_out(folder: Path, backend: str) -> str:
    """Say that a layer has no such backend, and what writes it.

    >>> print(left_out(Path("my_layers/mine"), "cuda"))
    mine was derived without cuda: lngen derive mine.py --out my_layers --backend cuda
    """
    wanted = [each for each in BACKENDS if each == backend or each in backends_in(folder)]
    wanted += [] if backend in BACKENDS else [backend]
    relative = os.path.relpath(folder.parent)
    out = str(folder.parent) if relative.startswith("..") else relative
    command = f"lngen derive {folder.name}.py --out {out} --backend {','.join(wanted)}"
    return f"{folder.name} was derived without {backend}: {command}"
