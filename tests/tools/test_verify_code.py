"""Emitted NumPy that another program re-runs: what is right is taken, and every mistake in a text is refused."""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lngen.check.validation.emission import validated_files
from lngen.language.parsing import load
from lngen.paths import RUNTIME
from lngen.pipeline.stages import derived
from lngen.report.certificate import certificate
from tests.requirements import needs_gxx
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample

# The language of certificates has no random numbers.
HELD = [name for name in LAYERS if "dropout" not in name]


def written(name: str, folder: Path) -> Path:
    """The certificate of a shipped layer, in a folder."""
    layer = derived(load(ROOT / "derive" / f"{name}.py"))
    path = folder / f"{name}.json"
    path.write_text(certificate(layer.plan.derivation, validated_files(layer)))
    return path


def verified(path: Path, folder: Path) -> str:
    """Line that the program says of a certificate and a folder of code."""
    definition = ROOT / "derive" / f"{path.stem}.py"
    program = [sys.executable, "-I", str(ROOT / "tools" / "verify.py"), str(path), "--definition", str(definition)]
    words = [*program, "--code", str(folder), "--seed", "3", "--seconds", "60"]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=False).stdout.splitlines()[0]


def test_the_reader_imports_nothing_of_lngen():
    tree = ast.parse((ROOT / "tools" / "verify_code.py").read_text(encoding="utf-8"))
    names = [node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names == {"mpmath", "numpy"}


@pytest.mark.parametrize("name", sample(HELD, ["softmax"], ci=lambda name: name in HELD[::6]))
def test_code_of_a_shipped_layer_holds(name, tmp_path):
    assert "results of the code" in verified(written(name, tmp_path), ROOT / "generated" / name)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code of layer norm, with its certificate."""
    folder = tmp_path_factory.mktemp("code")
    for name in (RUNTIME, "layer_norm"):
        shutil.copytree(ROOT / "generated" / name, folder / name)
    written("layer_norm", folder)
    return folder


MISTAKES = {
    "a sign": ("layer_norm/numpy_kernels.py", "np.subtract(dx, part_2", "np.add(dx, part_2"),
    "a factor left out": ("layer_norm/numpy_kernels.py", "mean_g_xhat_unscaled * rstd", "mean_g_xhat_unscaled * 1"),
    "another memory": ("layer_norm/numpy_kernels.py", "dy, x_centred, out=buffers[0]", "dy, x_centred, out=x_centred"),
    "second order": ("layer_norm/numpy_second_order.py", "np.subtract(", "np.add("),
    "the runtime": (f"{RUNTIME}/numpy/rows.py", "weights.dot(block)", "weights.dot(block) * 2"),
    "a file that breaks": ("layer_norm/numpy_kernels.py", "shape[-1]", "shape[-3]"),
}


@pytest.mark.parametrize("name", sample(list(MISTAKES), ["a sign"]))
def test_a_mistake_in_code_is_refused_though_its_hash_is_right(name, code):
    file, before, after = MISTAKES[name]
    text = (code / file).read_text()
    assert before in text
    try:
        (code / file).write_text(text.replace(before, after, 1))
        assert "REFUSED: " in (said := verified(code / "layer_norm.json", code / "layer_norm"))
        assert "is not the text that the certificate is of" in said
        changed: dict[str, Any] = json.loads((code / "layer_norm.json").read_text())
        own = file.removeprefix("layer_norm/") if file.startswith("layer") else f"../{file}"
        assert own in changed["code"]
        changed["code"][own] = hashlib.sha256((code / file).read_bytes()).hexdigest()
        (code / "forged").mkdir(exist_ok=True)
        (code / "forged" / "layer_norm.json").write_text(json.dumps(changed))
        said = verified(code / "forged" / "layer_norm.json", code / "layer_norm")
        assert "REFUSED: " in said
        assert "the code" in said
    finally:
        (code / file).write_text(text)


@pytest.mark.ci
def test_a_certificate_of_no_code_and_a_hash_of_another_place_are_refused(code, tmp_path):
    document = json.loads((code / "layer_norm.json").read_text())
    for files, said in (({}, "is of no code"), ({"../../etc/passwd": "0" * 64}, "its hashes of code")):
        (tmp_path / "layer_norm.json").write_text(json.dumps(document | {"code": files}))
        assert said in verified(tmp_path / "layer_norm.json", code / "layer_norm")


@needs_gxx
def test_the_certificate_names_the_text_of_every_language(code):
    files = json.loads((code / "layer_norm.json").read_text())["code"]
    assert {"layer.h", "numpy_backend.py", "numpy_kernels.py", "numpy_second_order.py"} <= files.keys()
    assert f"../{RUNTIME}/numpy/rows.py" in files
