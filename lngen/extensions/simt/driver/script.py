"""The program that PyCUDA finds as nvcc."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from lngen.pipeline import cache
from lngen.pipeline.cache import folders


def write() -> Path:
    """Write a program `nvcc` that runs simt/nvcc.py with the Python that runs now, to a folder of its own."""
    package_root = Path(__file__).resolve().parents[4]
    script = (
        "#!/bin/sh\n"
        f"PYTHONPATH={shlex.quote(str(package_root))}${{PYTHONPATH:+:$PYTHONPATH}} "
        f'exec {shlex.quote(sys.executable)} -m lngen.extensions.simt.nvcc "$@"\n'
    )

    def make(folder: Path) -> None:
        program = folder / "nvcc"
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)

    return folders.entry(f"nvcc-{cache.key([script])}", make) / "nvcc"
