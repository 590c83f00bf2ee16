"""Choice of the emitted backends: the option, the default of a project, the layer on disk."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import lngen
from lngen import LngenError
from lngen.cli import app as cli
from lngen.pipeline.files import loading
from lngen.pipeline.project import Project, backends_for, project
from lngen.runtime.emitted import BACKENDS, backends_in

DOUBLED = "from lngen.language import Row\n\n\ndef doubled(x: Row):\n    return 2 * x\n"


def run(*arguments: object):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], prog_name="lngen")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "doubled.py").write_text(DOUBLED)
    return tmp_path


def said(folder: Path, text: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(text)
    return file


class TestProject:
    def test_the_first_file_with_the_table_counts(self, here):
        (here / "a" / "b").mkdir(parents=True)
        file = said(here, '[tool.lngen]\nbackends = ["jax"]\n')
        said(here / "a", "[tool.ruff]\n")
        assert project(here / "a" / "b" / "layers") == Project(file, ("jax",))
        nearer = said(here / "a" / "b", '[tool.lngen]\nbackends = ["all"]\n')
        assert project(here / "a" / "b") == Project(nearer, BACKENDS)
        said(here / "a" / "b", "[tool.lngen]\n")
        assert project(here / "a" / "b").backends is None

    @pytest.mark.ci
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('[tool.lngen]\nbackends = ["cudda"]', "tool.lngen.backends: there is no backend 'cudda'; .* mean cuda?"),
            ('[tool.lngen]\nbackends = "cuda"', "tool.lngen.backends: pass a list of backends"),
            ("[tool.lngen]\nbackends = []", "tool.lngen.backends: pass a list of backends"),
            ("[tool.lngen]\nbackends = [1]", "tool.lngen.backends: there is no backend 1;"),
            ("[tool.lngen]\nbackends = 3", "tool.lngen.backends: pass a list of backends"),
            ('[tool.lngen]\nbackend = ["cuda"]', "tool.lngen.backend: there is no such key; there is backends"),
            ("tool.lngen = 1", "tool.lngen: write a table"),
            ("[tool.lngen\n", "it is no TOML: "),
            ("\x00", "it is no TOML: "),
        ],
    )
    def test_a_wrong_value_is_one_error_with_file_and_key(self, here, text, message):
        said(here, text)
        with pytest.raises(LngenError, match=message) as caught:
            project(here / "layers")
        assert str(caught.value).startswith(f"{here / 'pyproject.toml'}: ")
        result = run("derive", "doubled.py", "--out", "layers")
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert result.stderr.count("\n") == 1
        assert not (here / "layers").exists()

    @pytest.mark.ci
    def test_backends_for_goes_by_what_is_asked_then_the_project_then_what_is_there(self, here):
        layers = here / "layers"
        assert backends_for("doubled", layers) == BACKENDS
        lngen.derive(DOUBLED).write(layers, backends=["cuda"])
        assert backends_for("doubled", layers) == ("numpy", "cuda")
        assert backends_for("other", layers) == BACKENDS
        said(here, '[tool.lngen]\nbackends = ["cpu"]\n')
        assert backends_for("doubled", layers) == ("numpy", "cpu")
        assert backends_for("doubled", layers, ["jax"]) == ("jax",)
        assert backends_for("doubled", None) == ("numpy", "cpu")


class TestDerive:
    @pytest.mark.ci
    def test_backend_says_what_is_written_and_what_was_added(self, here):
        result = run("derive", "doubled.py", "--out", "layers", "--backend", "cpu")
        assert result.exit_code == 0
        assert "\ncpu needs numpy: written too\nwrote layers/_runtime: " in result.stdout
        assert backends_in(here / "layers" / "doubled") == ["numpy", "cpu"]
        # It is kept, and the folder is as it should be, without the option.
        assert run("derive", "doubled.py", "--out", "layers", "--check").exit_code == 0
        assert "unchanged" in run("derive", "doubled.py", "--out", "layers").stdout
        assert run("derive", "doubled.py", "--out", "layers", "--check", "--backend", "numpy").exit_code == 1
        result = run("derive", "doubled.py", "--out", "layers", "--backend", "numpy")
        assert "written too" not in result.stdout
        assert "written too" not in run("derive", "doubled.py", "--out", "all", "--backend", "all").stdout
        assert backends_in(here / "layers" / "doubled") == ["numpy"]
        assert run("derive", "doubled.py", "--out", "layers", "--check").exit_code == 0


class TestLeftOut:
    @pytest.fixture
    def layer(self, here) -> Path:
        assert run("derive", "doubled.py", "--out", "layers", "--backend", "numpy").exit_code == 0
        return here / "layers" / "doubled"

    @pytest.mark.parametrize("backend", ["cpu", "torch", "jax"])
    def test_load_says_how_to_have_it(self, layer, backend, monkeypatch):
        monkeypatch.setattr(loading, "is_installed", lambda package: True)
        remedy = f"lngen derive doubled.py --out layers --backend numpy,{backend}"
        with pytest.raises(LngenError, match=f"doubled was derived without {backend}: {remedy}"):
            lngen.load(layer, backend=backend)
        assert run(*remedy.split()[1:]).exit_code == 0
        assert backend in backends_in(layer)

    @pytest.mark.ci
    def test_check_of_a_project_goes_by_what_is_written(self, here, monkeypatch):
        monkeypatch.setattr("lngen.cli.layers.paths.packaged", True)
        (here / "derive").mkdir()
        (here / "doubled.py").rename(here / "derive" / "doubled.py")
        assert run("derive", "--backend", "numpy").exit_code == 0
        asked = ("--shape", "2,3", "--dtype", "f64")
        result = run("check", "doubled", "--backend", "cuda", *asked)
        assert (result.exit_code, result.stdout) == (cli.REFUSED, "")
        assert "doubled was derived without cuda: lngen derive doubled.py --out generated" in result.stderr
        result = run("check", "doubled", *asked)
        assert "FAILED" not in result.stdout
        assert "doubled, numpy: " in result.stdout
        assert "doubled, cuda" not in result.stdout


class TestLibrary:
    def test_derive_and_write_take_the_choice(self, here):
        layer = lngen.derive(DOUBLED, backends=["cpu"])
        assert layer.backends == ("numpy", "cpu")
        assert "cuda_backend.py" not in layer.derived.files
        place = layer.write(here / "layers")
        assert backends_in(place) == ["numpy", "cpu"]
        assert backends_in(layer.write(here / "layers", backends=["cuda"])) == ["numpy", "cuda"]
        assert backends_in(layer.load().__file__ and Path(layer.load().__file__).parent) == ["numpy", "cpu"]
        with pytest.raises(LngenError, match="doubled was derived without cuda: name it in the backends"):
            layer.check("cuda")
        for wrong in (["metal"], "cuda", []):
            with pytest.raises(LngenError, match=r"^backends: "):
                lngen.derive(DOUBLED, backends=wrong)
            with pytest.raises(LngenError, match=r"^backends: "):
                layer.write(here / "layers", backends=wrong)
