"""Layers that another version of lngen wrote: they run on their own runtime until all of them are derived again."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.cli import derive as derive_command
from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline.files import atomic, loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.cache import digest

CHANGED = "numpy/__init__.py"
"""A file of the runtime that every layer for NumPy needs."""

TEXTS = {
    "doubled": "from lngen.language import Row\n\n\ndef doubled(x: Row):\n    return 2 * x\n",
    "centred": "from lngen.language import Row, mean\n\n\ndef centred(x: Row):\n    return x - mean(x)\n",
}


def lngen(*arguments: object):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], prog_name="lngen")


def held(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def write(folder: Path, *backends: str) -> None:
    for name, text in TEXTS.items():
        manifest.write(derived(parse(text, f"{name}.py"), backends=backends).emission, folder)


def changed(file: Path, **entries: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **entries}))


@pytest.fixture
def older(tmp_path, monkeypatch) -> Path:
    """A folder with two layers of an older lngen: another text of the runtime, and manifests as they were then."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "layers", "numpy")
    runtime = tmp_path / "layers" / RUNTIME
    text = (runtime / CHANGED).read_text() + 'OF = "0.0.9"\n'
    (runtime / CHANGED).write_text(text)
    hashes = json.loads((runtime / manifest.MANIFEST).read_text())["files"]
    changed(runtime / manifest.MANIFEST, lngen="0.0.9", files={**hashes, CHANGED: digest([text])})
    for name in TEXTS:
        listed = sorted(set(hashes) - {manifest.MANIFEST})
        changed(tmp_path / "layers" / name / manifest.MANIFEST, lngen="0.0.9", runtime=listed)
    (tmp_path / "new.py").write_text(TEXTS["doubled"].replace("doubled", "new"))
    return tmp_path / "layers"


def test_older_layers_run_on_their_own_runtime(older):
    layer = loading.load(older / "centred")
    y, _ = layer.forward(np.array([[1.0, 3.0]]))
    assert y.tolist() == [[-1.0, 1.0]]
    package = layer.__name__.rpartition(".")[0]
    own = __import__(f"{package}.{RUNTIME}.numpy", fromlist=["OF"])
    assert own.OF == "0.0.9"


@pytest.mark.parametrize("command", ["derive", "build"])
def test_a_layer_beside_older_ones_is_refused_before_it_is_derived(older, command, monkeypatch):
    monkeypatch.setattr(derive_command, "derived", None)
    before = held(older)
    result = lngen(command, "new.py", "--out", "layers")
    assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
    said = " ".join(result.stderr.split())
    assert (
        "layers/_runtime is of another lngen, 0.0.9, and layers beside it need it as it is: centred, doubled." in said
    )
    assert "`lngen derive --all --out layers`" in said
    assert held(older) == before


def test_one_of_two_older_layers_is_refused_and_both_are_not(older):
    (older.parent / "doubled.py").write_text(TEXTS["doubled"])
    result = lngen("derive", "doubled.py", "--out", "layers")
    assert result.exit_code == cli.REFUSED
    assert "as it is: centred." in " ".join(result.stderr.split())
    (older.parent / "centred.py").write_text(TEXTS["centred"])
    assert lngen("derive", "doubled.py", "centred.py", "--out", "layers").exit_code == 0


def test_an_older_layer_that_needs_nothing_of_what_changed_is_not_in_the_way(older):
    for name in TEXTS:
        changed(older / name / manifest.MANIFEST, runtime={".": ["__init__.py"]})
    assert lngen("derive", "new.py", "--out", "layers", "--backend", "numpy").exit_code == 0


def test_a_runtime_that_was_edited_by_hand_is_repaired(older, tmp_path):
    write(tmp_path / "edited", "numpy")
    (tmp_path / "edited" / RUNTIME / CHANGED).write_text("")
    assert lngen("derive", "new.py", "--out", "edited", "--backend", "numpy").exit_code == 0
    assert (tmp_path / "edited" / RUNTIME / CHANGED).read_text() != ""


@pytest.mark.ci
def test_all_derives_every_layer_again_from_its_manifest(older, tmp_path):
    assert lngen("derive", "--all", "--out", "layers", "--check").exit_code == 1
    assert lngen("derive", "--all", "--out", "layers").exit_code == 0
    write(tmp_path / "fresh", "numpy")
    assert held(older) == held(tmp_path / "fresh")
    assert lngen("derive", "--all", "--out", "layers", "--check").exit_code == 0


@pytest.mark.ci
def test_all_with_a_definition_takes_the_file_for_its_layer(older):
    file = older.parent / "doubled.py"
    file.write_text(TEXTS["doubled"].replace("2", "3"))
    assert lngen("derive", "new.py", file, "--all", "--out", "layers").exit_code == 0
    assert sorted(each.name for each in manifest.layers_in(older)) == ["centred", "doubled", "new"]
    texts = {each.name: manifest.definition_in(each).source for each in manifest.layers_in(older)}
    assert "3 * x" in texts["doubled"]
    assert texts["centred"] == TEXTS["centred"]


@pytest.mark.parametrize("text", ["def centred(x: Row): return z\n", None])
def test_all_with_a_text_that_is_refused_changes_nothing(older, text):
    changed(older / "centred" / manifest.MANIFEST, text=text)
    before = held(older)
    result = lngen("derive", "--all", "--out", "layers")
    assert result.exit_code == cli.REFUSED
    assert "centred" in result.stderr
    assert held(older) == before


@pytest.mark.ci
@pytest.mark.parametrize("last", [1, 2, 3])
def test_all_with_a_folder_that_cannot_be_replaced_changes_nothing(older, monkeypatch, last):
    before, done, exchange = held(older), [], atomic.exchange

    def fails(new: Path, target: Path) -> None:
        done.append(target.name)
        if len(done) == last:
            raise OSError(5, os.strerror(5))
        exchange(new, target)

    monkeypatch.setattr(atomic, "exchange", fails)
    result = lngen("derive", "--all", "--out", "layers")
    assert result.exit_code == cli.REFUSED
    assert "layers cannot be written" in result.stderr
    assert held(older) == before
    assert sorted(os.listdir(older)) == [RUNTIME, *sorted(TEXTS)]


def test_all_needs_a_folder_and_a_layer(older, tmp_path):
    result = lngen("derive", "--all")
    assert result.exit_code == cli.REFUSED
    assert "say with --out DIR which folder" in result.stderr
    result = lngen("derive", "--all", "--out", tmp_path / "none")
    assert result.exit_code == cli.REFUSED
    assert "holds no layer that lngen wrote" in result.stderr
