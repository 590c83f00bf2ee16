"""No warning, of lngen's own or of what it uses, reaches who imports it or runs a command: `python -W error`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shipped import ROOT

MINE = "from lngen.language import Row, mean\n\n\ndef mine(x: Row):\n    y = x*mean(x**2)\n    return y\n"
COMMANDS = (
    "--version",
    "--help",
    "derive layer_norm --full",
    "derive mine.py --out here --html mine.html --certificate mine.json",
    "check mine.py --backend numpy --shape 3,5 --dtype f32",
    "cost mine.py --shape 4,4 --dtype f32",
    "stability mine.py",
    "cache",
    "device",
)
PROGRAM = """
import sys, warnings
import lngen
from typer.testing import CliRunner
from lngen.cli.app import app
for line in sys.argv[1:]:
    result = CliRunner().invoke(app, line.split(), prog_name="lngen")
    if result.exit_code or "Warning" in result.output:
        sys.exit(f"{line}: {result.output} {result.exception!r}")
warnings.warn("old", DeprecationWarning)
"""


@pytest.mark.ci
def test_commands_end_without_a_warning_and_one_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM, *COMMANDS]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.endswith("DeprecationWarning: old\n"), result.stderr
