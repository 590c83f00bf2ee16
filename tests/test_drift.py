"""Committed files equal the emitted ones, on every machine and in every process."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from lngen.pipeline.files import manifest
from tests.shipped import FILES, ROOT, WHOLE

SEEDS = ("1000", "4242")
# What has the most to sort: a norm and signs.
SEEDED = ("mean_abs_norm",)
LAYER = "rms_norm"  # the one that is proved fastest


def lngen(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the lngen of the checkout that `cwd` is."""
    command = [sys.executable, "-m", "lngen", *map(str, arguments)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=cwd, env=inherited | environment, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A copy of this checkout with one layer, free to be changed."""
    folder = tmp_path / "checkout"
    for name in ("lngen", "templates", f"generated/{LAYER}"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "generated" / "_runtime").symlink_to("../lngen/runtime")
    (folder / "derive").mkdir()
    for name in ("pyproject.toml", f"derive/{LAYER}.py"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def change_a_byte(path: Path, after: bytes) -> None:
    """Flip a bit of the byte behind the first `after`."""
    content = bytearray(path.read_bytes())
    content[content.index(after) + len(after)] ^= 1
    path.write_bytes(content)


def test_a_changed_byte_under_generated_fails_until_it_is_derived_again(checkout):
    file = checkout / "generated" / LAYER / "numpy_backend.py"
    right = file.read_bytes()
    change_a_byte(file, b"def ")
    wrong = file.read_bytes()
    result = lngen("derive", "--check", cwd=checkout)
    assert (result.returncode, result.stderr) == (1, "")
    assert f"{LAYER}/numpy_backend.py: differs\n--- {LAYER}/numpy_backend.py" in result.stdout
    assert "Run `lngen derive`" in result.stdout
    assert file.read_bytes() == wrong
    assert lngen("derive", cwd=checkout).returncode == 0
    assert file.read_bytes() == right


@pytest.mark.ci
def test_a_changed_byte_in_a_template_fails(checkout):
    change_a_byte(checkout / "templates" / "numpy" / "package.py.jinja", b"__")
    result = lngen("derive", "--check", cwd=checkout)
    assert (result.returncode, result.stderr) == (1, "")
    assert "-__all__" in result.stdout
    assert "+__`ll__" in result.stdout
    assert "Run `lngen derive`" in result.stdout


@pytest.mark.ci
def test_a_changed_runtime_is_no_drift_and_a_copy_of_it_is(checkout):
    link = checkout / "generated" / "_runtime"
    change_a_byte(checkout / "lngen" / "runtime" / "cuda" / "rows.cuh", b"// ")
    result = lngen("derive", "--check", cwd=checkout)
    assert (result.returncode, result.stderr) == (0, "")
    count = len(FILES) + len(manifest.runtime_emission().files)
    assert result.stdout == f"{count} files of 1 layer in generated are what lngen emits.\n"
    link.unlink()
    shutil.copytree(checkout / "lngen" / "runtime", link)
    result = lngen("derive", "--check", cwd=checkout)
    assert (result.returncode, result.stderr) == (1, "")
    assert "_runtime (a link to lngen/runtime): differs" in result.stdout


@pytest.mark.ci
def test_another_hash_seed_gives_the_bytes_that_are_committed(tmp_path):
    environment = {"PYTHONHASHSEED": SEEDS[0], "LNGEN_CACHE": str(tmp_path / "cache")}
    assert lngen("derive", *SEEDED, "--out", tmp_path / "made", cwd=ROOT, **environment).returncode == 0
    found, committed = (_contents(folder) for folder in (tmp_path / "made", ROOT / "generated"))
    assert len(found) == len(FILES) * len(SEEDED) + len(manifest.runtime_emission().files)
    assert {path: committed[path] for path in found if not path.startswith("_runtime/")}.items() <= found.items()


# Of every twelfth definition of the tests: steps and proofs, programs, reports, and both backends.
EVERYTHING = """
import hashlib
from lngen.pipeline.stages import derived
from lngen.report import report
from tests import corpus
for name in corpus.NAMES[::12]:
    made = derived(corpus.definition(name))
    for what in (made.plan, made.emission, *(report(made.plan, form) for form in ("text", "markdown", "json"))):
        print(name, hashlib.sha256(str(what).encode()).hexdigest())
"""


@pytest.mark.exhaustive
def test_every_hash_seed_gives_the_same_everything(tmp_path):
    running = [
        subprocess.Popen(
            [sys.executable, "-c", EVERYTHING],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "LNGEN_CACHE": str(tmp_path / f"cache-{seed}")},
            stdout=subprocess.PIPE,
        )
        for seed in SEEDS
    ]
    printed = [process.communicate()[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0] * len(SEEDS)
    assert len(printed[0]) > 25
    assert printed == [printed[0]] * len(SEEDS)


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(files)}


ONLY_NUMPY = """
    import sys

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            top = name.partition(".")[0]
            if top not in ("numpy", "generated") and top not in sys.stdlib_module_names:
                raise ImportError(f"{name} is not to be had here")

    sys.meta_path.insert(0, Refuse())
    import importlib
    import numpy as np

    for name in sys.argv[1:]:
        layer = importlib.import_module(f"generated.{name}")
        y, saved = layer.forward(np.ones((2, 3)))
        assert layer.backward(saved, np.ones((2, 3))).dx.shape == (2, 3)
    loaded = {name.partition(".")[0] for name in sys.modules}
    print(sorted(loaded & {"lngen", "sympy", "jinja2", "mpmath", "typer", "rich"}))
"""


def test_emitted_code_needs_numpy_alone():
    command = [sys.executable, "-c", textwrap.dedent(ONLY_NUMPY), *WHOLE]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "[]\n", "")
