"""Emitted Python as `ruff` lays it out by its default rules."""

import subprocess
import sys

RUFF = [sys.executable, "-m", "ruff"]


def formatted(text: str) -> str:
    """A module as `ruff format` lays it out."""
    command = [*RUFF, "format", "--isolated", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
