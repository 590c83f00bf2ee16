"""`lngen.derive`: what a program may ask of a layer."""

from pathlib import Path

import numpy as np
import pytest

import lngen
from lngen import DerivedLayer, LngenError

SCALED = """
from lngen.language import Feature, Row, mean, sqrt


def scaled(x: Row, gamma: Feature = 1):
    rms = sqrt(1 + mean(x**2))
    return gamma * x / rms
"""


@pytest.fixture(scope="module")
def scaled() -> DerivedLayer:
    return lngen.derive(SCALED)


@pytest.mark.ci
def test_formulas_steps_and_evidence(scaled: DerivedLayer) -> None:
    assert (scaled.name, scaled.definition.outputs) == ("scaled", ("y",))
    assert list(scaled.forward)[-1] == "y"
    assert {"dx", "dgamma"} <= set(scaled.gradients)
    assert scaled.gradients["dgamma"].startswith("sum_rows(")
    assert [step.number for step in scaled.steps] == list(range(1, len(scaled.steps) + 1))
    assert all(proof.passed for proof in scaled.evidence)
    assert f"dx     = {scaled.gradients['dx']}" in str(scaled)


@pytest.mark.ci
def test_load_gives_the_module_of_a_backend(scaled: DerivedLayer) -> None:
    assert [scaled.load(name).__name__.rpartition(".")[2] for name in ("numpy", "cpu")] == ["scaled", "cpu_backend"]
    with pytest.raises(LngenError, match="there is no backend 'gpu'"):
        scaled.load("gpu")


def test_a_notebook_shows_a_refusal_without_a_traceback() -> None:
    with pytest.raises(LngenError) as refused:
        lngen.derive("def f(x: Row): return meen(x)")
    (shown,) = refused.value._render_traceback_()
    assert shown.startswith("DefinitionError: <definition>:1:23: there is no function 'meen'\n")


@pytest.mark.ci
def test_a_text_a_file_and_a_name_are_told_apart(scaled: DerivedLayer, tmp_path: Path) -> None:
    file = tmp_path / "any.py"
    file.write_text(SCALED)
    assert lngen.derive(file).gradients == scaled.gradients
    assert lngen.derive("rms_norm").name == "rms_norm"
    with pytest.raises(
        LngenError,
        match=r"there is no layer 'rms_nrm'\. Did you mean rms_norm\? lngen has ada_layer_norm, ada_layer_norm_z",
    ):
        lngen.derive("rms_nrm")
    with pytest.raises(LngenError, match=r"any.py is a text. To read a file, pass it as a pathlib.Path"):
        lngen.derive(str(file))
    with pytest.raises(LngenError, match="there is no such file"):
        lngen.derive(tmp_path / "none.py")


def test_a_layer_is_shown_on_a_line_and_a_misspelled_one_has_a_neighbour(scaled: DerivedLayer) -> None:
    assert repr(scaled).startswith(f"<derived layer {scaled.name}(x, ")
    assert len(repr(scaled).splitlines()) == 1
    for find in (lngen.derive, lngen.load):
        with pytest.raises(lngen.LngenError, match=r"Did you mean layer_norm\?"):
            find("layernorm")
    with pytest.raises(lngen.LngenError, match=r"of a function, pass inspect.getsource\(function\)"):
        lngen.derive(test_writing)  # type: ignore[arg-type]


def test_a_module_without_a_folder_of_ones_own(scaled: DerivedLayer) -> None:
    x = np.random.default_rng(0).normal(size=(3, 5))
    module = scaled.load()
    y, saved = module.forward(x)
    assert np.allclose(y, x / np.sqrt(1 + np.mean(x**2, -1, keepdims=True)), rtol=1e-14)
    assert module.backward(saved, x).dgamma is None
    assert scaled.load() is module


def test_writing(scaled: DerivedLayer, tmp_path: Path) -> None:
    place = scaled.write(tmp_path / "layers")
    assert place == tmp_path / "layers" / "scaled"
    made = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    assert scaled.write(str(tmp_path / "layers")) == place
    assert {path: path.stat().st_mtime_ns for path in place.iterdir()} == made
    shared = place.with_name("_runtime") / "numpy" / "rows.py"
    text = shared.read_text()
    shared.unlink()
    scaled.write(tmp_path / "layers")
    assert shared.read_text() == text, "what layers share is put right too"
    assert lngen.load(place).INTERFACE["name"] == "scaled"
    with pytest.raises(LngenError, match="'my-layers' is not the name of a Python package"):
        scaled.write(tmp_path / "my-layers")
    (place / "mine.txt").write_text("notes")
    with pytest.raises(LngenError, match=r"mine\.txt, which lngen did not write there"):
        scaled.write(tmp_path / "layers")


@pytest.mark.ci
def test_checking(scaled: DerivedLayer) -> None:
    report = scaled.check(shapes=[(2, 3)], dtypes=["float32"])
    assert report.passed
    assert {item.dtype for item in report.evidence if item.kind == "precision"} == {"float32"}
    with pytest.raises(LngenError, match="there is no backend 'metal'; there are numpy, cpu, cuda"):
        scaled.check("metal")
