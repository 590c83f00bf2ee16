import difflib
import json
import os
from pathlib import Path

import pytest

from lngen import paths, runtime
from lngen.errors import LngenError
from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline.files import manifest
from lngen.pipeline.files.manifest import Drift, Emission, drift, write
from tests.shipped import LAYERS, ROOT

DEFINITION = parse("def layer(x: Row): return 2*x", "mine.py")


def an_emission(name: str = "layer", **texts: str) -> Emission:
    files = {"__init__.py": "from .numpy_backend import forward\n", "numpy_backend.py": "y = x\n"}
    files |= {path.replace("__", "/"): text for path, text in texts.items()}
    return manifest.emission(
        name,
        files,
        definition=DEFINITION,
        templates={},
        options={},
        cost={},
        gradient=[],
        interface={},
        evidence=[],
    )


def held(folder: Path) -> dict[str, str]:
    """Every path below a folder, with its text."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


class TestEmission:
    @pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "a\\b", "./a", "a//b", "", "."])
    def test_its_paths_stay_inside(self, path):
        with pytest.raises(LngenError, match="not a path inside"):
            Emission("layer", ((path, ""),))


class TestLostGrades:
    EXACT = ({"about": "steps", "count": 3, "kind": "exact at every D", "statement": "", "passed": True},)
    WEAKER = (
        {"about": "steps", "count": 2, "kind": "exact at every D", "statement": "", "passed": True},
        {"about": "steps", "count": 1, "kind": "50 digits", "statement": "", "passed": True},
    )

    def with_evidence(self, evidence) -> Emission:
        about = {"definition": DEFINITION, "templates": {}, "options": {}, "cost": {}, "gradient": [], "interface": {}}
        return manifest.emission("layer", {"__init__.py": ""}, **about, evidence=evidence)

    def test_lost_grades_statement_that_is_no_longer_exact_is_told(self, tmp_path):
        write(self.with_evidence(self.EXACT), tmp_path)
        (line,) = manifest.lost_grades(self.with_evidence(self.WEAKER), tmp_path)
        assert line == "layer: 1 of its steps are not exact, and 0 were not before"

    def test_lost_grades_same_or_stronger_evidence_is_not_told(self, tmp_path):
        write(self.with_evidence(self.WEAKER), tmp_path)
        for evidence in (self.WEAKER, self.EXACT):
            assert manifest.lost_grades(self.with_evidence(evidence), tmp_path) == []


class TestManifest:
    def test_the_range_of_sympy_is_the_one_declared(self):
        project = (paths.checkout / "pyproject.toml").read_text()
        assert f'"sympy{manifest.supported_sympy()}"' in project

    @pytest.mark.parametrize("name", LAYERS)
    def test_manifest_shipped_has_few_lines(self, name):
        text = (ROOT / "generated" / name / manifest.MANIFEST).read_text()
        assert 90 < text.count("\n") <= 150

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            (("cost", "backward", "flops_per_element"), 1),
            (("cost", "forward", "functions", 0, "per_row"), 2),
            (("definition",), "0"),
            (("evidence", 3, "kind"), "50 digits"),
            (("files", "layer.h"), "0"),
            (("gradient", 1), "dx = 0"),
            (("interface", "constants", 0, "default"), 1),
            (("interface", "inputs", 1, "kind"), "Row"),
            (("options", "proved"), False),
            (("runtime", "numpy", 0), "none.py"),
            (("text",), "\n"),
        ],
    )
    def test_manifest_changed_in_one_fact_differs_in_one_line(self, place, value):
        before = (ROOT / "generated" / "layer_norm" / manifest.MANIFEST).read_text()
        held = changed = json.loads(before)
        for key in place[:-1]:
            held = held[key]
        assert held[place[-1]] != value
        held[place[-1]] = value
        after = manifest.as_json(changed) + "\n"
        assert json.loads(after) == changed
        lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
        assert [sum(line.startswith(sign) for line in lines) for sign in "-+"] == [1, 1]


class TestWrite:
    def test_writing_again_removes_what_is_stale_and_what_python_left(self, tmp_path):
        write(an_emission(kernels="old"), tmp_path)
        (tmp_path / "layer" / "__pycache__").mkdir()
        (tmp_path / "layer" / "__pycache__" / "numpy_backend.cpython-311.pyc").touch()
        emission = an_emission()
        write(emission, tmp_path)
        assert held(tmp_path / "layer") == dict(emission.files)
        assert sorted(os.listdir(tmp_path)) == [RUNTIME, "layer"]

    def test_what_else_is_in_the_folder_is_not_touched(self, tmp_path):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "thesis.tex").write_text("mine")
        (tmp_path / "__init__.py").write_text("mine")
        write(an_emission(), tmp_path)
        assert held(tmp_path / "other") == {"thesis.tex": "mine"}
        assert (tmp_path / "__init__.py").read_text() == "mine"

    @pytest.mark.parametrize(
        "with_manifest",
        [None, "{}", "not JSON", "[]", '{"lngen": "1", "name": "another", "files": {"mine.py": ""}}'],
    )
    def test_a_folder_that_is_not_ours_is_refused(self, tmp_path, with_manifest):
        (tmp_path / "layer").mkdir()
        (tmp_path / "layer" / "mine.py").write_text("mine")
        if with_manifest is not None:
            (tmp_path / "layer" / "manifest.json").write_text(with_manifest)
        before = held(tmp_path)
        with pytest.raises(LngenError, match=r"holds .*mine\.py, which lngen did not write there"):
            write(an_emission(), tmp_path)
        assert held(tmp_path) == before

    def test_a_foreign_file_in_a_folder_of_ours_is_refused(self, tmp_path):
        write(an_emission(), tmp_path)
        (tmp_path / "layer" / "sub").mkdir()
        (tmp_path / "layer" / "sub" / "notes.md").write_text("mine")
        before = held(tmp_path)
        with pytest.raises(LngenError, match=r"holds sub/notes\.md, which lngen did not write there"):
            write(an_emission(), tmp_path)
        assert held(tmp_path) == before

    @pytest.mark.parametrize("exists", [True, False])
    def test_a_symbolic_link_is_refused(self, tmp_path, exists):
        if exists:
            (tmp_path / "elsewhere").mkdir()
        (tmp_path / "layer").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(LngenError, match="symbolic link"):
            write(an_emission(), tmp_path)
        assert held(tmp_path) == {}

    def test_a_symbolic_link_in_a_folder_of_ours_is_refused(self, tmp_path):
        write(an_emission(), tmp_path)
        (tmp_path / "target.py").write_text("mine")
        (tmp_path / "layer" / "numpy_backend.py").unlink()
        (tmp_path / "layer" / "numpy_backend.py").symlink_to(tmp_path / "target.py")
        with pytest.raises(LngenError, match=r"holds numpy_backend\.py"):
            write(an_emission(), tmp_path)
        assert (tmp_path / "target.py").read_text() == "mine"


class TestLink:
    """`_runtime` of the checkout is a link to `lngen/runtime`; anywhere else it is a folder of copies."""

    @pytest.fixture
    def generated(self, tmp_path, monkeypatch) -> Path:
        monkeypatch.setattr(paths, "checkout", tmp_path)
        return tmp_path / "generated"

    def test_a_link_that_is_missing_is_drift_and_is_made(self, generated):
        emission = manifest.runtime_emission()
        (found,) = drift([emission], generated)
        assert (found.kind, found.path) == ("missing", f"{RUNTIME} (a link to lngen/runtime)")
        assert manifest.update([emission], generated) == {RUNTIME: [found]}
        assert (generated / RUNTIME).resolve() == Path(runtime.__path__[0]).resolve()
        assert not (generated / RUNTIME).readlink().is_absolute()
        assert drift([emission], generated) == []

    def test_a_copy_and_a_link_to_elsewhere_are_drift(self, generated):
        write(manifest.runtime_emission(), generated.parent / "copies")
        generated.mkdir()
        emission = manifest.runtime_emission()
        (generated / RUNTIME).symlink_to(generated.parent / "copies" / RUNTIME)
        assert [entry.kind for entry in drift([emission], generated)] == ["differs"]
        manifest.update([emission], generated)
        assert drift([emission], generated) == []
        (generated / RUNTIME).unlink()
        (generated.parent / "copies" / RUNTIME).rename(generated / RUNTIME)
        assert [entry.kind for entry in drift([emission], generated)] == ["differs"]
        with pytest.raises(LngenError, match=r"has to be a link to .*Remove it"):
            manifest.update([emission], generated)

    def test_a_folder_that_is_not_the_checkouts_gets_copies_with_a_manifest(self, generated):
        emission = an_emission()
        write(emission, generated.parent / "layers")
        folder = generated.parent / "layers" / RUNTIME
        assert not folder.is_symlink()
        assert held(folder) == dict(manifest.runtime_emission().files)


class TestDrift:
    @pytest.mark.parametrize("content", [b"y = x\r\n", b"y = x", b"\xffy = x\n", b"y = x\n\n", b""])
    def test_a_byte_that_hardly_shows_is_a_difference(self, tmp_path, content):
        write(an_emission(), tmp_path)
        (tmp_path / "layer" / "numpy_backend.py").write_bytes(content)
        (found,) = drift([an_emission()], tmp_path)
        assert found.kind == "differs"
        assert any(line[0] in "+-" for line in found.diff.splitlines()[3:])

    def test_a_missing_file_and_a_missing_layer(self, tmp_path):
        write(an_emission("a"), tmp_path)
        (tmp_path / "a" / "numpy_backend.py").unlink()
        found = drift([an_emission("a"), an_emission("b")], tmp_path)
        assert found == [
            Drift("missing", "a/numpy_backend.py"),
            Drift("missing", "b/__init__.py"),
            Drift("missing", "b/manifest.json"),
            Drift("missing", "b/numpy_backend.py"),
        ]
        assert len(drift([an_emission()], tmp_path / "gone")) == 3

    def test_a_layer_without_a_definition_is_left_over_unless_only_some_were_asked_for(self, tmp_path):
        write(an_emission("kept"), tmp_path)
        write(an_emission("gone"), tmp_path)
        (tmp_path / "not_ours").mkdir()
        (tmp_path / "not_ours" / "notes.md").touch()
        found = drift([an_emission("kept")], tmp_path)
        assert [entry.path for entry in found] == ["gone/__init__.py", "gone/manifest.json", "gone/numpy_backend.py"]
        assert {entry.kind for entry in found} == {"left over"}
        assert drift([an_emission("kept")], tmp_path, every_layer=False) == []
