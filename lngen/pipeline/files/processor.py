"""Choice between compiled code and NumPy on this processor, for `backend="auto"` and `lngen device`."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lngen.runtime.native import compiler as host_compiler
from lngen.runtime.native.compiler import NoCompiler


@dataclass(frozen=True)
class Choice:
    """Choice of a backend, and its reason: a clause such as "no C++ compiler"."""

    backend: Literal["cpu", "numpy"]
    reason: str


def chosen(layer: Path | None = None) -> Choice:
    """Choose the backend of a layer in a folder, or of any layer.

    It is the compiled one if there is a compiler, or if the layer was compiled ahead of time.
    """
    try:
        found = compiler()
    except NoCompiler as error:
        if layer is not None and host_compiler.is_built(layer):
            return Choice("cpu", f"it was compiled ahead of time; {error.reason}")
        return Choice("numpy", error.reason)
    return Choice("cpu", f"there is a C++ compiler, {found}")


def compiler() -> str:
    """The C++ compiler with its version, such as "/usr/bin/c++ 12.2.0". Raises NoCompiler for none that works."""
    found = host_compiler.compiler()
    version = re.search(r"\b\d+(\.\d+)+", found.version())
    return " ".join([shlex.join(found.words), *([version[0]] if version else [])])
