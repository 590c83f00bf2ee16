"""Packages of a run besides its interpreter, and `make wheelhouse`, which collects them for another machine.

Packages of the interpreter are used as they are, so that results are compared with its own PyTorch. Missing ones go
into a folder of their own, which PYTHONPATH names: that needs neither a virtual environment nor rights to install.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# Too large to carry, and there where there is a CUDA toolkit or PyTorch; or for building lngen alone.
_LEFT_OUT = ("nvidia-", "hatchling", "lngen-derive", "readme_renderer")

_BUILD_PYCUDA = "from tools.build_pycuda import VERSION, wheelhouse; print(wheelhouse(VERSION))"


class PackagesMissing(Exception):
    """Error for a package that cannot be had; the message says which, and what to do."""


def requirements() -> list[str]:
    """Return the requirements of lngen, its CUDA backend and its tests, from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["cuda"], *extras["test"]]
    return [requirement for requirement in wanted if not requirement.startswith(_LEFT_OUT)]


def environment(site: Path) -> dict[str, str]:
    """The environment of processes that see this checkout, the folder, and the interpreter's own packages.

    The toolkit's programs are found too where it is in its usual place: many machines leave it off the PATH.
    """
    modules = [str(ROOT), str(site), os.environ.get("PYTHONPATH", "")]
    programs = [os.environ.get("PATH", os.defpath), "/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
    found = {"PYTHONPATH": os.pathsep.join(place for place in modules if place), "PATH": os.pathsep.join(programs)}
    return {**os.environ, **found}


def prepare(site: Path, wheelhouse: Path | None) -> list[str]:
    """Put into `site` what the interpreter lacks, from a folder of wheels or else the package index.

    The names of what was put there. Raises PackagesMissing.
    """
    wanted = requirements()
    if wheelhouse is not None:
        if not any(wheelhouse.glob("*.whl")):
            raise PackagesMissing(f"{wheelhouse} holds no wheels; `make wheelhouse` collects them")
        return _install(site, wanted, ["--no-index", "--find-links", str(wheelhouse)])
    ours = [requirement for requirement in wanted if not requirement.startswith("pycuda")]
    done = _install(site, ours, ["--only-binary", ":all:"])
    if _absent(site, wanted := [r for r in wanted if r not in ours]):
        done += _install(site, wanted, ["--no-index", "--find-links", str(_built_pycuda(site))])
    return done


def _install(site: Path, wanted: Sequence[str], where: Sequence[str]) -> list[str]:
    # pip would put everything into a target, there or not; so it is asked first what is not there.
    plan = ["install", "--dry-run", "--quiet", "--report", "-", *where, *wanted]
    report: dict[str, Any] = json.loads(_pip(plan, site))
    lacking = [f"{entry['metadata']['name']}=={entry['metadata']['version']}" for entry in report["install"]]
    if lacking:
        _pip(["install", "--quiet", "--no-deps", "--upgrade", "--target", str(site), *where, *lacking], site)
    return lacking


def _absent(site: Path, wanted: Sequence[str]) -> bool:
    names = [re.match(r"[\w.-]+", requirement) for requirement in wanted]
    ask = "import importlib.metadata, sys; [importlib.metadata.version(name) for name in sys.argv[1:]]"
    command = [sys.executable, "-c", ask, *(name[0] for name in names if name)]
    return bool(subprocess.run(command, env=environment(site), capture_output=True, check=False).returncode)


def _built_pycuda(site: Path) -> Path:
    """A folder with PyCUDA's wheel for this interpreter, which is built if it is not in lngen's cache."""
    command = [sys.executable, "-c", _BUILD_PYCUDA]
    done = subprocess.run(command, cwd=ROOT, env=environment(site), capture_output=True, text=True, check=False)
    if done.returncode:
        raise PackagesMissing(f"PyCUDA cannot be built: {_last_line(done.stderr)}")
    return Path(done.stdout.strip().splitlines()[-1])


def _pip(arguments: Sequence[str], site: Path) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, env=environment(site), capture_output=True, text=True, check=False)
    if done.returncode:
        remedy = (
            "install pip for it, or name another interpreter: make gpu PYTHON=..."
            if "No module named pip" in done.stderr
            else f"without network, `make wheelhouse PYTHON_VERSION={sys.version_info[0]}.{sys.version_info[1]}` on "
            "a machine that has one collects what is needed, and WHEELHOUSE=folder names it"
        )
        raise PackagesMissing(f"{_last_line(done.stderr)}\n{remedy}")
    return done.stdout


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it failed without a word"])[-1]
