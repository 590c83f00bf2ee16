"""Properties of the machine that a reader of a record needs, without any that identify it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

_QUERY = (
    "name", "driver_version", "clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "power.limit",
    "temperature.gpu", "ecc.mode.current",
)  # fmt: skip
_PACKAGES = ("lngen", "numpy", "scipy", "sympy", "pycuda", "torch", "jax", "pytest")
_ROOT = Path(__file__).resolve().parents[1]


def clocks() -> dict[str, str]:
    """Return the report of nvidia-smi on the first device now: clocks in MHz, power in W; empty without an answer.

    The device's settings are read and never changed.
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    command = [program, f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [value.strip() for value in (done.stdout.splitlines() or [""])[0].split(",")]
    return dict(zip(_QUERY, values, strict=True)) if len(values) == len(_QUERY) else {}


def facts() -> dict[str, object]:
    """The processor's architecture, the number of processors that may be used, the system, the versions."""
    return {
        "architecture": platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version for name in _PACKAGES if (version := _version(name))},
        "commit": _commit(),
    }


def anonymous(text: str) -> str:
    """The text without the places of this machine.

    >>> anonymous(f"{_ROOT}/lngen/cli/app.py")
    'lngen/cli/app.py'
    """
    found = text.replace(f"{_ROOT}{os.sep}", "").replace(str(_ROOT), ".")
    return found.replace(str(Path.home()), "~") if str(Path.home()) != os.sep else found


def _version(name: str) -> str | None:
    if name == "lngen":
        from lngen import __version__

        return __version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit that is checked out, with a + where files differ from it; None where git cannot tell.

    Records are no change: one is being written.
    """
    git = ["git", "-c", "safe.directory=*", "-C", str(_ROOT)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        status = [*git, "status", "--porcelain", "--", ".", ":(exclude)benchmarks/results"]
        changed = subprocess.run(status, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return head + "+" * bool(changed)
