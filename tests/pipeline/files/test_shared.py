"""Runtime files that a layer needs, from the import statements and includes of its files."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.files.shared import FIRST, needed, runtime_files
from lngen.pipeline.stages import Derived, derived
from lngen.runtime.emitted import BACKENDS
from lngen.version import __version__
from tests.requirements import needs_gxx, needs_jax, needs_torch
from tests.shipped import ROOT

SCALED = """
from lngen.language import Feature, Row, mean, sqrt


def scaled(x: Row, gamma: Feature = 1):
    return gamma * x / sqrt(1 + mean(x**2))
"""

IMPORTED = """
import importlib, pathlib, sys
sys.path.insert(0, sys.argv[1])
files = sorted(pathlib.Path(sys.argv[1], "layers").glob("*/**/*.py"))
for file in files:
    importlib.import_module(".".join(file.relative_to(sys.argv[1]).with_suffix("").parts))
from layers import scaled
import numpy as np
y, saved = scaled.forward(np.arange(6.0).reshape(2, 3), np.ones(3))
dx, dgamma = scaled.backward(saved, np.ones((2, 3)))
layer = scaled.Scaled(3, backend="auto")
layer.forward(np.ones((2, 3), np.float32))
print(y.tolist(), dgamma.tolist(), "lngen" in sys.modules, len(files))
"""


def made(*backends: str) -> Derived:
    return derived(parse(SCALED, "scaled.py"), proved=False, backends=backends)


def write(folder: Path, *backends: str) -> list[str]:
    """The names of the files of the runtime that a layer for these backends is written with."""
    manifest.write(made(*backends).emission, folder)
    return written(folder)


def written(folder: Path) -> list[str]:
    """The paths of the files of the runtime in a folder of layers."""
    return sorted(path.relative_to(folder / RUNTIME).as_posix() for path in (folder / RUNTIME).rglob("*.*"))


def test_a_wheel_has_the_copies_that_lngen_writes():
    copies = runpy.run_path(str(ROOT / "hatch_build.py"))["runtime_copies"](ROOT, __version__)
    assert copies == {path: text.encode() for path, text in manifest.runtime_emission().files}


def test_needed_follows_imports_includes_and_names_of_c():
    files = {"a.py": "from .._runtime.native import extensions as _e\n"}
    found = needed(files)
    assert {FIRST, "native/__init__.py", "native/extensions.py", "native/compiler.py"} <= found
    assert "native/addresses.c" in found
    assert "cuda/rows.cuh" not in found
    assert needed({"k.cu": '  #  include "../_runtime/cuda/layer_rows.cuh"\n'}) >= {
        "cuda/row_loop.cuh",
        "cpp/space.h",
        "cuda/copies.cuh",
        "cuda/rows.cuh",
    }


@pytest.mark.ci
def test_numpy_alone_runs_in_a_clean_interpreter_with_its_folder_alone(tmp_path):
    names = write(tmp_path / "layers", "numpy")
    assert not [name for name in names if name.startswith(("native", "cuda", "torch", "jax"))]
    assert not [name for name in names if not name.endswith((".py", ".json"))]
    assert sorted(path.name for path in (tmp_path / "layers" / "scaled").glob("*_backend.py")) == ["numpy_backend.py"]
    found = subprocess.run([sys.executable, "-I", "-c", IMPORTED, tmp_path], capture_output=True, text=True, check=True)
    y = np.arange(6.0).reshape(2, 3)
    y /= np.sqrt(1 + np.mean(y**2, -1, keepdims=True))
    values, _, rest = found.stdout.partition("]] ")
    assert np.allclose(json.loads(f"{values}]]"), y, rtol=1e-14)
    assert rest.split()[-2:] == ["False", str(len(names) - 1 + 2)]


@pytest.mark.ci
@pytest.mark.parametrize(
    "backend",
    [
        "cuda",
        pytest.param("cpu", marks=needs_gxx),
    ],
)
def test_each_backend_is_imported_whole_in_a_clean_interpreter(backend, tmp_path):
    names = write(tmp_path / "layers", backend)
    found = subprocess.run([sys.executable, "-I", "-c", IMPORTED, tmp_path], capture_output=True, text=True)
    assert found.stderr == ""
    assert "False" in found.stdout
    assert len(names) < len(runtime_files())


@needs_torch
@pytest.mark.ci
def test_pytorch_needs_neither_numpy_s_nor_the_processor_s_backend(tmp_path):
    names = write(tmp_path / "layers", "torch")
    assert not [name for name in names if name.startswith(("numpy", "protocol", "cuda"))]
    found = {path.name for path in (tmp_path / "layers" / "scaled").iterdir()}
    assert found == {
        "derivation.md",
        "kernels.cpp",
        "layer.h",
        "manifest.json",
        "torch_backend.py",
        "triton_kernels.py",
    }
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from layers.scaled.torch_backend import Scaled
import torch
x = torch.ones(2, 3, requires_grad=True)
layer = Scaled(3)
layer(x).sum().backward()
print(layer.gamma.grad.tolist(), layer._layer.interface["name"], "lngen" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-I", "-c", program, tmp_path], capture_output=True, text=True)
    assert (found.stderr, found.stdout.split()[-2:]) == ("", ["scaled", "False"])


@needs_jax
@pytest.mark.ci
def test_jax_is_one_file_that_needs_no_runtime(tmp_path):
    manifest.write(made("jax").emission, tmp_path / "layers")
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert files == [f"layers/scaled/{name}" for name in ("derivation.md", "jax_backend.py", "manifest.json")]
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from layers.scaled.jax_backend import scaled
import jax
print(scaled(jax.numpy.ones((2, 3))).shape, "lngen" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-I", "-c", program, tmp_path], capture_output=True, text=True)
    assert (found.stderr, found.stdout) == ("", "(2, 3) False\n")
    assert loading.load(tmp_path / "layers" / "scaled", backend="jax").__name__.endswith(".jax_backend")
    # Beside a layer that has needs, it has none still.
    other = parse("from lngen.language import Row\n\n\ndef other(x: Row):\n    return 2 * x\n", "other.py")
    manifest.write(derived(other, proved=False, backends=["numpy"]).emission, tmp_path / "layers")
    assert (tmp_path / "layers" / RUNTIME / "numpy").is_dir()


@pytest.mark.ci
def test_every_backend_takes_the_whole_runtime(tmp_path):
    assert write(tmp_path, *BACKENDS) == sorted([*runtime_files(), manifest.MANIFEST])


@pytest.mark.ci
def test_layers_of_one_folder_get_the_union(tmp_path):
    alone = write(tmp_path / "alone", "cuda")
    both = tmp_path / "both"
    write(both, "cuda")
    other = parse("from lngen.language import Row\n\n\ndef other(x: Row):\n    return 2 * x\n", "other.py")
    manifest.write(derived(other, proved=False, backends=["numpy"]).emission, both)
    assert written(both) == alone
    emissions = [derived(other, proved=False, backends=["numpy"]).emission, made("cuda").emission]
    assert manifest.drift([manifest.shared_emission(emissions, both), *emissions], both) == []
    # The one that needed more is written anew for less: what nobody needs goes.
    manifest.write(made("numpy").emission, both)
    assert not (both / RUNTIME / "cuda").exists()


@pytest.mark.parametrize("text", ['{"lngen": "0", "name": "odd", "files": {}, "runtime": 3}', "{", "[]"])
def test_shared_emission_a_manifest_that_is_none_needs_nothing(text, tmp_path):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / manifest.MANIFEST).write_text(text)
    with_odd = manifest.shared_emission([made("numpy").emission], tmp_path)
    assert with_odd == manifest.shared_emission([made("numpy").emission])
