"""`make gpu` and `make wheelhouse` where nothing is installed but pip: what they need, they bring along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.results import Results
from lngen.extensions.simt import driver
from tests.requirements import needs_gxx
from tests.shipped import ROOT

pytestmark = [pytest.mark.exhaustive, needs_gxx]


@pytest.fixture
def bare(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """An interpreter without packages, and the environment of a checkout that was just cloned."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "bare")], check=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "clone")], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    return tmp_path / "bare" / "bin" / "python", kept


def run(bare: tuple[Path, dict[str, str]], *words: str) -> subprocess.CompletedProcess[str]:
    python, environment = bare
    command = [str(python), *words]
    where = python.parents[2] / "clone"
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(driver.has_device_files(), reason="a GPU's driver is there, and cannot be replaced")
def test_every_stage_runs_in_an_empty_environment(bare: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    done = run(bare, "-m", "tools.gpu")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    done = run(bare, "-m", "tools.gpu", "--emulator", "--quick", "--seconds", "3600", "--results", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert Results.read(tmp_path / "emulator.json").record["complete"]


def test_wheels_are_collected_in_an_empty_environment(bare: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    done = run(bare, "-m", "tools.gpu.wheelhouse", str(tmp_path / "wheels"), "--python-version", version)
    assert done.returncode == 0, done.stdout + done.stderr
    names = {path.name.partition("-")[0] for path in (tmp_path / "wheels").glob("*.whl")}
    assert {"numpy", "pycuda", "pytest", "sympy"} <= names
    assert not [name for name in names if name.startswith(("lngen", "nvidia"))]
