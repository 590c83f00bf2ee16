"""No warning, of lngen's own or of what it uses, reaches who imports it or runs a command: `python -W error`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shipped import ROOT
from tests.tiers import sample

MINE = "from lngen.language import Row, mean\n\n\ndef mine(x: Row):\n    y = x*mean(x**2)\n    return y\n"
COMMANDS = (
    "-c 'import lngen'",
    "--version",
    "--help",
    "list",
    "show layer_norm",
    "derive mine.py --out here --html mine.html --certificate mine.json",
    "check mine.py --backend numpy --shape 3,5 --dtype f32",
    "cost mine.py --shape 4,4 --dtype f32",
    "stability layer_norm",
    "cache",
    "device",
)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("command", sample(COMMANDS, ["-c 'import lngen'"]))
def test_a_command_ends_without_a_warning(command, tmp_path):
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ["-c", "import lngen"] if command.startswith("-c") else ["-m", "lngen", *command.split()]
    result = run(tmp_path, *arguments)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
