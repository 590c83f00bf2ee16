"""Every layer under the checks of PyTorch, and mistakes that they find."""

import importlib
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import lngen
from lngen.checks.contracts import KIND as CONTRACTS
from lngen.checks.contracts import check_contracts
from lngen.checks.derived import checkable
from lngen.checks.frameworks import CLAIMS, KIND, in_framework
from lngen.checks.in_torch import InTorch
from lngen.language.parsing import parse
from lngen.pipeline.files.manifest import write
from lngen.pipeline.stages import derived
from tests.hosts import compile_nothing, layer_of
from tests.requirements import gxx, needs_gxx, needs_torch
from tests.shipped import NAMES, shipped
from tests.tiers import sample

pytestmark = needs_torch
CHECKS = len(CLAIMS) + 6
SECOND = [claim for claim in (*CLAIMS, *InTorch.own) if claim.every_direction]

# A norm, several outputs, a class for each row; the others are in the tier exhaustive.
FEW = [(name, name) for name in ("layer_norm", "add_rms_norm", "cross_entropy")]


@pytest.fixture(scope="module")
def inductor(tmp_path_factory):
    """A folder of its own for what Inductor makes: nothing that was made before is taken."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        yield


@pytest.fixture
def backend(request, monkeypatch, inductor):
    """The module of a layer, computed by NumPy: its kernels are not compiled here."""
    module = importlib.import_module(f"generated.{request.param}.torch_backend")
    compile_nothing([module], monkeypatch.setattr)
    return module


def evidence(made, module):
    return in_framework(checkable(made.plan, InTorch(made.definition, module)))


def failed(name, module):
    return (each.what for each in evidence(shipped(name), module) if not each.passed)


@pytest.mark.parametrize(("backend", "name"), sample([(name, name) for name in NAMES], (), FEW), indirect=["backend"])
def test_every_layer_passes(backend, name):
    found = [*evidence(shipped(name), backend)]
    assert [(each.what, each.detail) for each in found if not each.passed] == []
    assert {each.kind for each in found} == {CONTRACTS, KIND}
    assert len([each for each in found if each.claimed and each.kind == KIND]) == CHECKS - (gxx() is None)


@pytest.mark.ci
def test_what_is_stopped_has_no_differences_of_derivatives(tmp_path, inductor):
    definition = parse(
        "from lngen.language import Row, mean, stop_gradient\ndef f(x: Row): return x**2 - stop_gradient(mean(x))"
    )
    made = derived(definition, proved=False)
    write(made.emission, tmp_path)
    module = lngen.load(tmp_path / "f", backend="torch")
    compile_nothing([module], setattr)
    found = [*evidence(made, module)]
    assert [each.detail for each in found if not each.passed] == []
    assert sum(each.kind == KIND for each in found) == CHECKS - len(SECOND)


@pytest.mark.ci
@pytest.mark.parametrize("backend", ["rms_norm"], indirect=True)
def test_a_mistake_in_the_decomposition_is_found(backend, monkeypatch):
    layer = layer_of(backend)
    function = layer.decomposed
    monkeypatch.setattr(layer, "decomposed", lambda x, *rest: function(x, *rest) + x.detach() * 0.01 * x)
    found = failed("rms_norm", backend)
    assert any(what.startswith("second derivatives") or what.startswith("gradcheck of second") for what in found)


@pytest.mark.parametrize("backend", ["rms_norm"], indirect=True)
def test_a_contract_that_does_not_hold_is_found(backend, monkeypatch):
    layer = layer_of(backend)
    planted = SimpleNamespace(**vars(layer.numpy))
    planted.backward = lambda *args, **options: tuple(each + 1 for each in layer.numpy.backward(*args, **options))
    monkeypatch.setattr(layer.host, "module", planted)
    made = shipped("rms_norm")
    layer = checkable(made.plan, InTorch(made.definition, backend))
    found = check_contracts(layer, 0, ["float64"], lambda case: None, lambda text: None)
    assert "a zero cotangent gives exactly zero" in {each.what for each in found if not each.passed}


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("backend", ["rms_norm"], indirect=True)
def test_what_the_operator_says_of_its_results_is_held_against_them(backend, monkeypatch):
    layer = layer_of(backend)
    planted = SimpleNamespace(**{**vars(layer.numpy), "forward": _twice(layer)})
    monkeypatch.setattr(layer.host, "module", planted)
    found = failed("rms_norm", backend)
    assert {"torch.library.opcheck of forward", "torch.compile by Inductor, as one graph"} <= {*found}


def _twice(layer):
    def forward(*args, **keywords):
        y, saved = layer.numpy.forward(*args, **keywords)
        return np.concatenate([y, y]), saved

    return forward


@pytest.mark.ci
@pytest.mark.parametrize("backend", ["softmax"], indirect=True)
def test_a_program_for_one_number_of_rows_is_found(backend, monkeypatch):
    layer = layer_of(backend)
    made = layer.decomposed
    monkeypatch.setattr(layer, "decomposed", lambda x: [*map(int, x.shape)] and made(x))
    assert "torch.export of the module, saved, loaded, with more rows" in failed("softmax", backend)


@pytest.mark.ci
def test_the_command_checks_a_layer_of_ones_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from lngen.language import Feature, Row, mean\n"
        "def mine(x: Row, gamma: Feature = 1): return gamma*x/(1 + mean(x**2))"
    )
    done = subprocess.run(
        [sys.executable, "-m", "lngen", "check", str(file), "--backend", "torch"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CXX": "no-such-compiler", "COLUMNS": "160"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "hessian" in done.stdout
    assert "no claim on 1" in done.stdout
    assert "not run: Inductor finds no C++ compiler" in done.stdout
