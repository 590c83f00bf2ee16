import subprocess
import sys
from pathlib import Path

import pytest

import lngen
from lngen import paths
from lngen.errors import LngenError

ROOT = Path(__file__).parents[3]


def emit(folder: Path, name: str, scale: int = 2) -> Path:
    """Write a folder that looks like an emitted layer: a package with relative imports, and a manifest."""
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    (folder / paths.RUNTIME).mkdir(exist_ok=True)
    (folder / paths.RUNTIME / "__init__.py").touch()
    (target / "__init__.py").write_text("from .numpy_backend import forward\n")
    (target / "numpy_backend.py").write_text(f"def forward(x):\n    return {scale} * x\n")
    (target / "manifest.json").write_text(f'{{"scale": {scale}}}')
    return target


@pytest.fixture
def generated(tmp_path, monkeypatch):
    folder = tmp_path / "generated"
    monkeypatch.setattr(paths, "generated_folder", lambda: folder)
    for name in [
        name for name in sys.modules if name.split(".")[0] == "generated" or name.startswith("lngen.generated")
    ]:
        monkeypatch.delitem(sys.modules, name)
    yield folder
    for name in [
        name for name in sys.modules if name.split(".")[0] == "generated" or name.startswith("lngen.generated")
    ]:
        del sys.modules[name]


def test_a_named_layer_is_the_module_that_import_finds(generated, tmp_path, monkeypatch):
    emit(generated, "doubled")
    monkeypatch.syspath_prepend(tmp_path)
    module = lngen.load("doubled")
    from generated import doubled

    assert module is doubled
    assert module is lngen.load("doubled")
    assert module.forward(3) == 6


def test_a_named_layer_loads_where_the_checkout_is_not_importable(generated, tmp_path, monkeypatch):
    emit(generated, "doubled")
    elsewhere = emit(tmp_path / "users" / "generated", "doubled", scale=5)
    monkeypatch.syspath_prepend(elsewhere.parents[1])
    module = lngen.load("doubled")
    assert module.__name__ == "lngen.generated.doubled"
    assert module.forward(3) == 6
    assert module is lngen.load("doubled")


@pytest.mark.parametrize("name", ["../doubled", "doubled/", "doubled.numpy_backend", "", ".", "class", "a b", "/tmp"])
def test_a_name_is_never_a_path(generated, name):
    emit(generated, "doubled")
    with pytest.raises(LngenError, match=r"is not a layer's name; lngen has doubled\. .*pathlib\.Path"):
        lngen.load(name)


def test_a_folder_is_loaded_from_anywhere(tmp_path):
    one, other = emit(tmp_path / "one", "layer", 2), emit(tmp_path / "other", "layer", 3)
    assert lngen.load(one).forward(1) == 2
    assert lngen.load(other).forward(1) == 3
    assert lngen.load(one) is lngen.load(tmp_path / "other" / ".." / "one" / "layer")


def test_a_folder_emitted_anew_is_loaded_anew(tmp_path):
    old = lngen.load(emit(tmp_path, "layer", 2))
    new = lngen.load(emit(tmp_path, "layer", 30))
    assert (old.forward(1), new.forward(1)) == (2, 30)


def test_importing_lngen_is_light():
    code = "import sys, lngen; print([m for m in ('sympy', 'jinja2', 'numpy', 'typer') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
