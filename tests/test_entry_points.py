"""Extensions: found by entry points, a stranger's as lngen's own, and none of them needed by what is not its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lngen import entry_points, paths
from tests.tiers import sample

ROOT = Path(__file__).parents[1]
EXTENSIONS = sorted(
    path.name for path in (ROOT / "lngen" / "extensions").iterdir() if not path.name.startswith("__")
)  # fmt: skip
DEFINITION = "def centred(x: Row):\n    return x - mean(x)\n"

GREET = '''
import typer

def greet(name: str = typer.Option("you", help="Who it is.")):
    """Say hello."""
    print("hello", name)
'''


def distribution(folder: Path, name: str, modules: dict[str, str], declared: str) -> None:
    """Install a distribution as pip does: its modules, and a folder with what it declares."""
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(declared, encoding="utf-8")


def lngen(*words: str, on_path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(on_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}
    command = [sys.executable, "-m", "lngen", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=environment, timeout=300)


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def test_lngen_s_own_are_declared_as_a_stranger_s_are() -> None:
    declared = paths.project_table()["entry-points"]
    groups = entry_points.BACKENDS, entry_points.DEVICES, entry_points.REPORTS, entry_points.VERBS
    assert declared.keys() <= set(groups)
    for group, entries in declared.items():
        assert list(entry_points.extensions(group))[: len(entries)] == list(entries)
        assert entry_points.each(group, pytest.fail).keys() >= entries.keys()


class TestVerb:
    @pytest.mark.ci
    def test_a_stranger_s_is_listed_and_run(self, strangers: Path, tmp_path: Path) -> None:
        distribution(strangers, "greeting", {"greeting": GREET}, "[lngen.verbs]\ngreet = greeting:greet\n")
        listed = lngen("--help", on_path=strangers, cwd=tmp_path)
        assert re.search(r"greet +Say hello\.", listed.stdout)
        assert "Who it is." in lngen("greet", "-h", on_path=strangers, cwd=tmp_path).stdout
        assert lngen("greet", "--name", "Ada", on_path=strangers, cwd=tmp_path).stdout == "hello Ada\n"
        meant = lngen("gret", on_path=strangers, cwd=tmp_path)
        assert meant.returncode == 2
        assert "'greet'" in meant.stderr

    @pytest.mark.ci
    def test_one_of_lngen_s_own_cannot_be_replaced(self, strangers: Path, tmp_path: Path) -> None:
        declared = "[lngen.verbs]\nlist = greeting:greet\nsite = greeting:greet\n"
        distribution(strangers, "greeting", {"greeting": GREET}, declared)
        assert "hello" not in lngen("list", on_path=strangers, cwd=tmp_path).stdout
        assert "pages" in lngen("site", "--help", on_path=strangers, cwd=tmp_path).stdout

    @pytest.mark.parametrize(
        ("module", "declared"),
        sample(
            [
                ("raise SystemExit(3)", "bad = greeting:greet"),
                (GREET, "bad = greeting:other"),
                (GREET, "bad = gone:greet"),
                (GREET, "no entry"),
            ],
            [(GREET, "bad = gone:greet")],
        ),
    )
    def test_a_broken_one_is_one_sentence(self, module: str, declared: str, strangers: Path, tmp_path: Path) -> None:
        distribution(strangers, "bad-greeting", {"greeting": module}, f"[lngen.verbs]\n{declared}\n")
        listed = lngen("--help", on_path=strangers, cwd=tmp_path)
        assert listed.returncode == 0
        assert "derive" in listed.stdout
        assert listed.stderr.count("bad-greeting is broken") == 1
        assert "Traceback" not in listed.stderr
        name = "bad" if declared.startswith("bad") else "bad-greeting"
        asked = lngen(name, on_path=strangers, cwd=tmp_path)
        assert asked.returncode == 2
        assert "bad-greeting is broken" in asked.stderr
        assert "pip uninstall bad-greeting" in asked.stderr
        assert "Traceback" not in asked.stderr

    @pytest.mark.ci
    def test_a_distribution_that_has_nothing_for_lngen_may_be_broken(self, strangers: Path, tmp_path: Path) -> None:
        distribution(strangers, "other", {}, "[console_scripts]\nno entry\n")
        listed = lngen("--help", on_path=strangers, cwd=tmp_path)
        assert (listed.returncode, listed.stderr) == (0, "")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("words", "searched"), [(["--version"], False), (["derive", "--help"], False), (["--help"], True)]
)
def test_nothing_is_looked_for_before_it_is_asked_for(words: list[str], searched: bool) -> None:
    """`lngen --version` and a completion of lngen's own options answer at once."""
    code = f"""
import sys
from contextlib import suppress
from lngen.cli.app import app
sys.argv = {["lngen", *words]}
with suppress(SystemExit):
    app()
print(*(name for name in sys.modules if name.startswith(("lngen.entry_points", "lngen.extensions."))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert bool(done.stdout.splitlines()[-1].strip()) == searched


def without(names: list[str], folder: Path, *, declared: bool) -> None:
    """Copy the checkout without some extensions; they may still be declared, as in a damaged installation."""
    caches = shutil.ignore_patterns("__pycache__")
    for part in ("lngen", "templates", "derive"):
        shutil.copytree(ROOT / part, folder / part, ignore=caches)
    for name in names:
        place = folder / "lngen" / "extensions" / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    gone = tuple(f'"lngen.extensions.{name.removesuffix(".py")}' for name in names)
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if declared or not any(each in line for each in gone)]
    (folder / "pyproject.toml").write_text("".join(kept), encoding="utf-8")
    (folder / "centred.py").write_text(DEFINITION, encoding="utf-8")


@pytest.mark.ci
@pytest.mark.parametrize(
    "gone",
    [*(pytest.param([name], marks=pytest.mark.ci) for name in EXTENSIONS), EXTENSIONS],
    ids=[*EXTENSIONS, "all"],
)
def test_all_else_works_without_an_extension(gone: list[str], tmp_path: Path) -> None:
    without(gone, tmp_path, declared=False)
    for words, said in (
        (("--help",), "derive"),
        (("derive", "centred.py", "--out", "out"), "dx = dy - mean(dy)"),
        (("check", "centred.py", "--backend", "numpy", "--shape", "2,3", "--dtype", "f32"), "checks passed"),
    ):
        done = lngen(*words, on_path=tmp_path, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        assert "broken" not in done.stderr
    assert (tmp_path / "out" / "centred" / "kernels.cu").is_file()
