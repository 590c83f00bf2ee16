"""Releases of Python, NumPy, SymPy, PyTorch and JAX, oldest and newest: texts are the same, and frameworks' tests pass.

Each combination is installed into an environment of its own, by gigabytes. An interpreter that the machine lacks is
skipped by its name.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.shipped import FILES, ROOT

pytestmark = pytest.mark.exhaustive

# JAX 0.5 exports by absl, and does not ask for it.
RELEASES = {
    "oldest": ("torch==2.6.0", "jax==0.5.0", "absl-py", "numpy==2.0.*", "sympy==1.13.*"),
    "between": ("torch==2.9.1", "jax==0.7.2", "numpy==2.2.*", "sympy==1.13.*"),
    "newest": ("torch", "jax", "numpy", "sympy"),
}
# Older releases of the frameworks have no wheels for newer interpreters.
INTERPRETERS = {"oldest": ("3.11",), "between": ("3.11", "3.13"), "newest": ("3.11", "3.12", "3.13", "3.14")}
BESIDE = ("pytest", "pytest-xdist", "hypothesis", "expecttest")
TESTS = ("tests/emit/test_jax_backend.py", "tests/emit/test_torch_decomposition.py", "tests/runtime/torch")


def interpreter(version: str) -> Path | None:
    """A Python of a version that runs: the one on the path, or one that pyenv keeps."""
    on_path = shutil.which(f"python{version}")
    found = [Path(on_path)] if on_path else []
    found += sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return next(
        (each for each in found if not subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode),
        None,
    )


@pytest.mark.parametrize(
    ("releases", "version"), [(name, version) for name, versions in INTERPRETERS.items() for version in versions]
)
def test_a_combination_of_releases_derives_the_same_text_and_passes(
    releases: str, version: str, tmp_path: Path
) -> None:
    own = interpreter(version)
    if own is None:
        pytest.skip(f"no Python {version} on this machine")
    python = tmp_path / "venv" / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "LNGEN_"))}

    def run(*words: object, where: Path = ROOT) -> None:
        command = [*map(str, words)]
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]

    run(own, "-m", "venv", tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", "--editable", ROOT, *RELEASES[releases], *BESIDE)
    run(python, "-m", "lngen", "derive", "layer_norm", "--out", tmp_path / "out")
    folders = tmp_path / "out" / "layer_norm", ROOT / "generated" / "layer_norm"
    assert filecmp.cmpfiles(*folders, FILES, shallow=False) == ([*FILES], [], [])
    run(
        python,
        "-m",
        "pytest",
        "-q",
        "-W",
        "default",
        "-m",
        "not exhaustive and not matrix",
        "-p",
        "no:cacheprovider",
        *TESTS,
    )
