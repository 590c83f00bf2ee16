"""The headers of the system that kernels for the processor include, precompiled once for many compilations.

Half of a kernel's compilation goes to reading them. What is compiled is not touched, and what is made of it is the
same: GCC takes `NAME.gch` for the NAME that a text includes first, if it was made with the same options, and leaves it
where it was not. Other compilers find a header that stands for the one that they look for.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lngen.runtime.native import compiler as host_compiler

VARIABLE = "CPLUS_INCLUDE_PATH"
FIRST = "cstdint"
HEADERS = (FIRST, "cstring", "type_traits", "immintrin.h", "cmath")
"""System headers that `host_rows.h` and its includes use, the first of them first."""


def precompiled(folder: Path) -> dict[str, str]:
    """Write the headers into a folder: the environment in which compilers look there first.

    It is empty where there is no compiler, or it refuses them.
    """
    try:
        words = host_compiler.compiler().words
    except host_compiler.NoCompiler:
        return {}
    (folder / FIRST).write_text(f"#include_next <{FIRST}>\n", encoding="utf-8")
    source = folder / "all.h"
    present = (f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in HEADERS)
    source.write_text("".join(present), encoding="utf-8")
    options = ["-x", "c++-header", "-std=c++17", *host_compiler.OPTIONS, "-march=native"]
    command = [*words, *options, str(source), "-o", str(folder / f"{FIRST}.gch")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return {}
    return {VARIABLE: os.pathsep.join(filter(None, [str(folder), os.environ.get(VARIABLE)]))}


@contextmanager
def precompiled_when_needed(compiler: Any) -> Iterator[None]:
    """Have the headers precompiled before the first text that lngen's or a runtime's `native.compiler` compiles."""
    before, is_done = os.environ.get(VARIABLE), False
    plain = {each.HostCompiler: each.HostCompiler.compile for each in (compiler, host_compiler)}
    with tempfile.TemporaryDirectory(prefix="lngen-") as folder:

        def compiled(self: Any, *arguments: Any) -> bytes:
            nonlocal is_done
            if not is_done:
                is_done = True
                os.environ.update(precompiled(Path(folder)))
            made: bytes = plain[type(self)](self, *arguments)
            return made

        for each in plain:
            each.compile = compiled
        try:
            yield
        finally:
            for each, own in plain.items():
                each.compile = own
            if before is None:
                os.environ.pop(VARIABLE, None)
            else:
                os.environ[VARIABLE] = before
