"""Every layer under the checks of PyTorch, and mistakes that they find."""

import importlib
import json
import os
import subprocess
import sys

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
from tests.requirements import needs_gxx, needs_torch
from tests.shipped import NAMES, shipped
from tests.tiers import sample

torch = pytest.importorskip("torch")
pytestmark = needs_torch
CHECKS = len(CLAIMS) + 6
DIRECTIONS = ("forward", "backward")
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
def with_kernels(request, inductor):
    """The module of a layer."""
    return importlib.import_module(f"generated.{request.param}.torch_backend")


@pytest.fixture
def backend(request, monkeypatch, inductor):
    """The same, computed by operations of PyTorch: its kernels are not compiled here."""
    module = importlib.import_module(f"generated.{request.param}.torch_backend")
    compile_nothing([module], monkeypatch.setattr)
    return module


def evidence(made, module):
    return in_framework(checkable(made.plan, InTorch(made.definition, module)))


def failed(name, module):
    return (each.what for each in evidence(shipped(name), module) if not each.passed)


@needs_gxx
@pytest.mark.parametrize(
    ("with_kernels", "name"), sample([(name, name) for name in NAMES], (), FEW), indirect=["with_kernels"]
)
def test_every_layer_passes(with_kernels, name):
    found = [*evidence(shipped(name), with_kernels)]
    assert [(each.what, each.detail) for each in found if not each.passed] == []
    assert {each.kind for each in found} == {CONTRACTS, KIND}
    of_framework = [each for each in found if each.kind == KIND]
    if shipped(name).definition.layout is None:
        assert len([each for each in of_framework if each.claimed]) == CHECKS


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
    # Nor has it kernels here, whose bits it were to have.
    assert sum(each.kind == KIND for each in found) == CHECKS - 1 - len(SECOND)


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
    function = layer.decomposed
    monkeypatch.setattr(layer, "decomposed", lambda x, *rest: function(_OneMore.apply(x), *rest))
    made = shipped("rms_norm")
    layer = checkable(made.plan, InTorch(made.definition, backend))
    found = check_contracts(layer, 0, ["float64"], lambda case: None, lambda text: None)
    assert "a zero cotangent gives exactly zero" in {each.what for each in found if not each.passed}


class _OneMore(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, dy):
        return dy + 1


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("with_kernels", ["rms_norm"], indirect=True)
def test_what_the_operator_says_of_its_results_is_held_against_them(with_kernels, monkeypatch):
    layer = layer_of(with_kernels)
    room = layer.room
    monkeypatch.setattr(layer, "room", lambda values: room(values).repeat(2, 1))
    assert "torch.library.opcheck of forward" in failed("rms_norm", with_kernels)


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
        [sys.executable, "-m", "lngen", "check", str(file), "--backend", "torch", "--shape", "3,5", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CXX": "no-such-compiler", "COLUMNS": "160"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = json.loads(done.stdout)
    assert any("hessian" in each["what"] for each in report["evidence"])
    assert [each["what"] for each in report["evidence"] if not each["claimed"]]
    assert "not run: Inductor finds no C++ compiler" in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("name", ["ada_layer_norm", "alibi_softmax", "batch_norm", "group_norm", "rotary"])
def test_layers_of_named_axes_hold_on_rows(name):
    """Rows lie along an axis, parts are joined, and entries come before rows; where no axis is there, none is said."""
    found = [*evidence(shipped(name), importlib.import_module(f"generated.{name}.torch_backend"))]
    assert [(each.what, each.detail) for each in found if not each.passed] == []
    silent = [each.what for each in found if not each.claimed]
    wanted = {"group_norm": ["zero rows"], "alibi_softmax": [f"torch.library.opcheck of {d}" for d in DIRECTIONS]}
    assert silent == [*wanted.get(name, []), "torch.export of the module, saved, loaded, with more rows"]
