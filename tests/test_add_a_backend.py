"""The guide to a backend, followed: a printer of array code, which another distribution declares."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from lngen import entry_points
from lngen.emit.backends import BACKENDS
from lngen.pipeline.files import loading
from tests.shipped import ROOT
from tests.test_entry_points import distribution, lngen

PAGE = (ROOT / "docs" / "how_to" / "add_a_backend.md").read_text(encoding="utf-8")
MODULE, DECLARED = (
    re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[1] for kind in ("python", "toml")
)


def indented(text: str) -> str:
    """A text as a page has it in a block."""
    return textwrap.indent(text, "    ").rstrip("\n") + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory whose cache the tests of this file share."""
    return tmp_path_factory.mktemp("here")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder on the path with the guide's backend, installed as its own distribution."""
    folder = tmp_path / "site"
    folder.mkdir()
    declared = DECLARED.replace("project.entry-points.", "").replace('"', "")
    distribution(folder, "lngen-plain", {"plain": MODULE}, declared)
    return folder


def test_the_backend_of_the_guide_is_short() -> None:
    assert len(MODULE.splitlines()) <= 80


@pytest.mark.ci
@pytest.mark.parametrize("name", ["rms_norm", "layer_norm"])
def test_the_guide_is_followed(name: str, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"derive {name} --out my_layers --backend plain"
    assert f"lngen {command.replace(name, 'rms_norm')}\n" in PAGE
    done = lngen(*command.split(), on_path=installed, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    folder = tmp_path / "my_layers" / name
    assert json.loads((folder / "manifest.json").read_text())["options"]["backends"] == ["numpy", "plain"]
    text = (folder / "plain_backend.py").read_text(encoding="utf-8")
    assert f"lngen derive {name}.py --backend plain" in text

    assert name != "rms_norm" or indented(text[text.index("def backward") :]) in PAGE

    monkeypatch.syspath_prepend(installed)
    # Another test of this process may have asked before this distribution was there.
    monkeypatch.setattr(entry_points, "extensions", entry_points.extensions.__wrapped__)
    numpy, plain = loading.load(folder), loading.load(folder, "plain")
    x, gamma, beta = np.random.default_rng(0).normal(size=(3, 7))
    given = {"x": x[None], "gamma": gamma, "beta": beta, "eps": 1e-5}
    code = plain.forward.__code__
    asked = {each: given[each] for each in code.co_varnames[: code.co_argcount]}
    expected, _ = numpy.forward(**asked)
    np.testing.assert_allclose(plain.forward(**asked)[0], expected, rtol=1e-13, atol=1e-15)

    # It is kept without a word, and its drift is seen.
    assert lngen("derive", name, "--out", "my_layers", "--check", on_path=installed, cwd=tmp_path).returncode == 0
    (folder / "plain_backend.py").write_text(text.replace("return y,", "return x,"), encoding="utf-8")
    drifted = lngen("derive", name, "--out", "my_layers", "--check", on_path=installed, cwd=tmp_path)
    assert drifted.returncode == 1
    assert "plain_backend.py: differs" in drifted.stdout


CHECKED = "check rms_norm --backend plain --shape 2,7 --dtype f64"


@pytest.mark.ci
@pytest.mark.parametrize("name", ["rms_norm", "softmax", "logsumexp", "batch_norm", "gated_rms_norm"])
def test_what_it_computes_is_checked(name: str, installed: Path, place: Path) -> None:
    assert f"lngen {CHECKED.partition(' --shape')[0]}\n" in PAGE
    done = lngen(*CHECKED.replace("rms_norm", name).split(), on_path=installed, cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"{name}, plain: \d+ checks passed", done.stdout)
    for kind in ("complex step", "precision", "contracts", "hard inputs"):
        assert kind in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize(
    ("right", "wrong", "kinds"),
    [
        (
            "line.text for",
            "line.text.replace('np.mean', 'np.median') for",
            {"forward vs oracle", "complex step", "hard inputs"},
        ),
        pytest.param(*("np.sum(", "np.max(", {"complex step", "precision"}), marks=pytest.mark.ci),
        pytest.param(
            *("np.asarray(array)", "np.asarray(array).astype(np.float32)", {"forward vs oracle", "precision"}),
            marks=pytest.mark.ci,
        ),
        pytest.param(
            *("np.asarray(array)", "np.asarray(array) * (1 + np.random.random() * 1e-15)", {"contracts"}),
            marks=pytest.mark.ci,
        ),
    ],
)
def test_what_is_wrong_in_it_is_refused(right: str, wrong: str, kinds: set[str], installed: Path, place: Path) -> None:
    (installed / "plain.py").write_text(MODULE.replace(right, wrong), encoding="utf-8")
    done = lngen(*CHECKED.split(), "--json", on_path=installed, cwd=place)
    assert done.returncode == 1
    (report,) = json.loads(done.stdout)
    failed = {item["kind"] for item in report["evidence"] if not item["passed"]}
    assert failed >= kinds
    assert "the files are what lngen emits" not in {item["what"] for item in report["evidence"] if not item["passed"]}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("info_nce", 0, "info_nce: not written for plain: the layer has integers, and no `takes_integers` there"),
        ("add_rms_norm_fp8", 2, "the backend plain has no float8_e4m3fn"),
    ],
)
def test_what_it_has_no_code_for_is_said(name: str, status: int, said: str, installed: Path, tmp_path: Path) -> None:
    done = lngen("derive", name, "--out", "out", "--backend", "plain", on_path=installed, cwd=tmp_path)
    assert done.returncode == status
    assert said in done.stdout + done.stderr
    assert not (tmp_path / "out" / name / "plain_backend.py").exists()


@pytest.mark.ci
def test_one_that_raises_or_ends_the_process_has_failed(installed: Path, place: Path) -> None:
    for fault in ("1 / 0", "__import__('os')._exit(3)"):
        (installed / "plain.py").write_text(MODULE.replace("np.asarray(array)", fault), encoding="utf-8")
        done = lngen(*CHECKED.split(), on_path=installed, cwd=place)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "FAILED" in done.stdout


@pytest.mark.ci
def test_one_without_an_adapter_is_not_checked(installed: Path, place: Path) -> None:
    (installed / "plain.py").write_text(MODULE.replace(", adapter=Arrays", ""), encoding="utf-8")
    done = lngen(*CHECKED.split(), on_path=installed, cwd=place)
    assert done.returncode == 2
    assert "plain is not checked by itself: its `Backend` has no `adapter`" in done.stderr


@pytest.mark.ci
def test_it_is_listed_and_refused_where_it_is_not_installed(installed: Path, tmp_path: Path) -> None:
    words = ("derive", "rms_norm", "--out", "my_layers", "--backend")
    wrong = lngen(*words, "plan", on_path=installed, cwd=tmp_path)
    assert wrong.returncode == 2
    assert f"there are {', '.join(BACKENDS)}, plain, all. Did you mean plain?" in wrong.stderr
    without = lngen(*words, "plain", on_path=tmp_path / "nothing", cwd=tmp_path)
    assert without.returncode == 2
    assert "there is no backend 'plain'" in without.stderr


@pytest.mark.ci
@pytest.mark.parametrize("other", ["emit", "Backend", "3"])
def test_what_is_no_backend_is_one_sentence(other: str, installed: Path, tmp_path: Path) -> None:
    (installed / "plain.py").write_text(f"{MODULE}\nBACKEND = {other}\n", encoding="utf-8")
    done = lngen("derive", "rms_norm", "--out", "out", "--backend", "plain", on_path=installed, cwd=tmp_path)
    assert done.returncode == 2
    assert "the extension plain (lngen.backends) of lngen-plain is broken" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_backend_cannot_write_the_files_of_another(installed: Path, tmp_path: Path) -> None:
    (installed / "plain.py").write_text(MODULE.replace("plain_backend.py", "numpy_backend.py"), encoding="utf-8")
    done = lngen("derive", "rms_norm", "--out", "out", "--backend", "plain", on_path=installed, cwd=tmp_path)
    assert done.returncode == 2
    assert "numpy_backend.py, which another backend emits" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_check_of_code_that_it_cannot_have_is_refused(installed: Path, tmp_path: Path) -> None:
    done = lngen("check", "info_nce", "--backend", "plain", on_path=installed, cwd=tmp_path)
    assert done.returncode == 2
    assert "info_nce has integers, for which plain has no code: no `takes_integers` there." in done.stderr
