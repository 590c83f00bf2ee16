"""Emitted Python held against `ruff`, by its default rules."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

RUFF = [sys.executable, "-m", "ruff"]


def assert_passes_ruff(paths: Collection[Path]) -> None:
    """Files are free of findings, and laid out as `ruff format` would."""
    for arguments in (["check", "--isolated"], ["format", "--isolated", "--diff"]):
        done = subprocess.run([*RUFF, *arguments, *map(str, paths)], capture_output=True, text=True, check=False)
        assert not done.returncode, done.stdout + done.stderr


def formatted(text: str) -> str:
    """A module as `ruff format` lays it out."""
    command = [*RUFF, "format", "--isolated", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
