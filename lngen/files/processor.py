"""Whether layers run compiled on this processor, or as NumPy: for `backend="auto"` and `lngen device`."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from lngen.runtime import host_compiler
from lngen.runtime.host_compiler import NoCompiler


@dataclass(frozen=True)
class Choice:
    """A backend, and what decided: a clause such as "no C++ compiler"."""

    backend: Literal["cpu", "numpy"]
    reason: str


def chosen(layer: Path | None = None) -> Choice:
    """What computes a layer in a folder, or any layer: compiled kernels if there is a compiler, or they are built."""
    try:
        found = compiler()
    except NoCompiler as error:
        if layer is not None and host_compiler.is_built(layer):
            return Choice("cpu", f"it was compiled ahead of time; {error.reason}")
        return Choice("numpy", error.reason)
    return Choice("cpu", f"there is a C++ compiler, {found}")


def compiler() -> str:
    """The C++ compiler with its version, such as "/usr/bin/c++ 12.2.0". Raises NoCompiler for none that runs."""
    return _told_of(host_compiler.compiler().words)


@lru_cache(maxsize=8)
def _told_of(words: tuple[str, ...]) -> str:
    # A program of this name may be there to tell how to install it.
    try:
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise NoCompiler(f"{shlex.join(words)} cannot be run: {error.strerror}", "set CXX to one that can") from error
    version = re.search(r"\b\d+(\.\d+)+", done.stdout)
    if done.returncode or not version:
        raise NoCompiler(f"{shlex.join(words)} is no compiler that works", "set CXX to one that does")
    return f"{shlex.join(words)} {version[0]}"
