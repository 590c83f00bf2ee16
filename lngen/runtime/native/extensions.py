# SPDX-License-Identifier: MIT
"""Extensions compiled for this Python from C files of this folder."""

import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np

from .compiler import ahead_of_time, library, ready

EXTENSIONS = ("addresses",)
"""Files without .c; each has a function of its own name that makes its Python object."""

_FOLDER = Path(__file__).parent


def extension(name: str) -> Any:
    """Compile and load the extension of a C file; None without Python's headers or a compiler."""
    if sys.implementation.name != "cpython":
        return None
    source = _FOLDER / f"{name}.c"
    try:
        includes = headers()
        found = library(source, _of_this(), includes=includes) if includes else ready(source, _of_this())
    except RuntimeError:
        return None
    return None if found is None else found.python_object(name)


def compile_ahead(source: Path, architecture: str) -> Path:
    """Compile a copy of a C file for this Python and processors of an architecture, where `extension` finds it.

    Returns its path. Raises RuntimeError without the headers of Python, and the errors of `ahead_of_time`.
    """
    includes = headers()
    if not includes:
        raise RuntimeError("no headers of Python; install them (Debian, Ubuntu: apt-get install python3-dev)")
    return ahead_of_time(source, _of_this(), architecture, includes=includes)


def _of_this() -> list[str]:
    """The macro by which an extension for this Python and this NumPy differs from that for others."""
    numpy = np.__version__.split(".")[0]
    name = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}_numpy{numpy}"
    return ["FOR_" + "".join(letter if letter.isalnum() else "_" for letter in name)]


def headers() -> list[Path]:
    """The folders of this Python's headers and of NumPy's; none where the first are not installed."""
    folder = Path(sysconfig.get_path("include"))
    return [folder, Path(np.get_include())] if (folder / "Python.h").exists() else []
