"""Repositories for the kernels hub: what they import, what their layers compute, and that they are replaced whole."""

import ast
import json
import os
import sys

import pytest

from lngen.cli import export
from lngen.errors import LngenError
from lngen.pipeline.files import hub
from lngen.pipeline.stages import planned
from tests.processes import run_alone
from tests.requirements import needs_torch, needs_triton
from tests.shipped import shipped

NAMES = ("rms_norm", "layer_norm", "group_norm", "rotary")

LOAD = """
import os, sys
{interpreted}
from importlib.util import module_from_spec, spec_from_file_location

import torch

spec = spec_from_file_location("norms_1", {folder!r} + "/__init__.py")
norms = sys.modules["norms_1"] = module_from_spec(spec)
spec.loader.exec_module(norms)
x = torch.randn(4, 16, requires_grad=True)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "Fast-norms"
    export.run([shipped(name).definition for name in NAMES], folder)
    return folder / "build" / "torch-universal" / "fast_norms"


def test_files_import_pytorch_triton_and_each_other(package):
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    assert found - {*sys.stdlib_module_names} == {"torch", "triton"}


def test_what_describes_it(package):
    known = json.loads((package.parent / "metadata.json").read_text(encoding="utf-8"))
    assert (known["name"], known["version"], known["python-depends"]) == ("fast-norms", 1, [])
    assert known["id"].startswith("fast_norms_")
    readme = (package.parents[2] / "README.md").read_text(encoding="utf-8")
    assert "dx = rstd*(g - xhat*mean(g*xhat))" in readme
    assert all((package / name / "derivation.md").is_file() for name in NAMES)


@needs_torch
def test_layers_are_modules_without_a_constructor_or_members_and_compute(package):
    run_alone(
        LOAD.format(folder=str(package), interpreted="")
        + """
plain = {name for name in dir(torch.nn.Module)} | {"has_backward", "can_torch_compile"}
for each in vars(norms.layers).values():
    if isinstance(each, type):
        assert each.__init__ is torch.nn.Module.__init__ and {*dir(each)} <= plain
own = torch.nn.LayerNorm(16)
y = norms.layers.LayerNorm.forward(own, x)
assert torch.allclose(y, own(x), atol=1e-6)
y.sum().backward()
assert own.weight.grad.shape == (16,)
of = torch.nn.GroupNorm(2, 4)
rows = torch.randn(3, 4, 5)
assert torch.allclose(norms.layers.GroupNorm.forward(of, rows), of(rows), atol=1e-5)
own = torch.nn.LayerNorm((4, 16))
try:
    norms.layers.LayerNorm.forward(own, x)
except ValueError as error:
    assert "normalized_shape" in str(error)
else:
    raise AssertionError("rows of two axes are taken for those of one")
"""
    )


@needs_triton
def test_kernels_are_launched_by_its_own_runtime(package):
    run_alone(
        LOAD.format(folder=str(package), interpreted="os.environ['TRITON_INTERPRET'] = '1'")
        + """
gpu = sys.modules["norms_1._runtime.torch.gpu"]
gpu.DEVICES, launched, launch = ("cpu",), [], gpu.launch
gpu.launch = lambda kernel, *given: (launched.append(kernel.fn.__name__), launch(kernel, *given))
gamma = torch.randn(16)
y = norms.rms_norm(x, gamma)
y.sum().backward()
assert launched == ["rms_norm_forward", "rms_norm_backward", "rms_norm_backward_totals"]
assert torch.allclose(y, torch.nn.functional.rms_norm(x, (16,), gamma, 1e-5), atol=1e-6)
assert "lngen" not in sys.modules
"""
    )


def test_a_second_export_replaces_the_build_and_keeps_what_else_is_there(package, tmp_path):
    folder = tmp_path / "norms"
    plan = planned(shipped("rms_norm").definition, proved=False)
    hub.export([plan], folder)
    (folder / "LICENSE").write_text("mine")
    (folder / hub.VARIANT / "norms" / "strange.py").write_text("")
    hub.export([plan], folder)
    assert sorted(os.listdir(folder)) == ["LICENSE", "README.md", "build"]
    assert not (folder / hub.VARIANT / "norms" / "strange.py").exists()


def test_a_folder_whose_name_is_no_package_is_refused(tmp_path):
    with pytest.raises(LngenError, match="letters, digits and dashes"):
        hub.export([], tmp_path / "1 norm")
