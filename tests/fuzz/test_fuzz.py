"""Random definitions: each is right or refused with a reason. `make fuzz N=2000` tries more, and larger ones."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lngen.definition import parse
from tests.fuzz import judge as judging
from tests.fuzz import oracle
from tests.fuzz.campaign import Campaign
from tests.fuzz.generate import FULL, SMALL, definition_text
from tests.fuzz.judge import HANG, IMPRECISE, NO_POINT, REFUSED, RIGHT, TRACEBACK, WRONG, judge
from tests.fuzz.minimise import minimise
from tests.requirements import gxx, has_gpu, has_pycuda
from tests.tiers import sample

DEFINITIONS = 60
SEED = 1
REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.py"))

CAN_RUN_CUDA = has_pycuda() and (has_gpu() or gxx() is not None)


@pytest.mark.parametrize("number", sample(range(DEFINITIONS), range(0, DEFINITIONS, 10)))
def test_a_random_definition_is_right_or_refused(number: int, tmp_path: Path) -> None:
    campaign = Campaign(SEED, tmp_path, SMALL, CAN_RUN_CUDA)
    verdict = campaign.judged(number)
    text = definition_text(SEED, number, SMALL)
    assert not verdict.failed, f"{text}\n{verdict.outcome}: {verdict.key}\n{verdict.detail}"


@pytest.mark.parametrize("path", sample(REGRESSIONS, REGRESSIONS[::4]), ids=lambda path: path.stem)
def test_a_definition_that_once_failed(path: Path) -> None:
    cuda = CAN_RUN_CUDA and path.stem.startswith("cuda_")
    verdict = judge(path.read_text(encoding="utf-8"), cuda=cuda, proved=True)
    assert verdict.outcome == RIGHT, f"{verdict.outcome}: {verdict.key}\n{verdict.detail}"


# --- the judge and its tools --------------------------------------------------------------------------------


CENTRED = """
from lngen.language import Constant, Feature, Row, mean, sqrt


def centred(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu)**2)
    y = gamma*(x - mu)/sqrt(var + eps)
    return y
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("np.subtract(g, mean_g", "np.subtract(g, 0*mean_g"),
        ("np.subtract(dx, part_3", "np.add(dx, part_3"),
        ("D = np.asarray(features, dtype)", "D = np.asarray(features + 1e-6, dtype)"),
    ],
)
def test_a_planted_error_is_wrong(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_module = judging.module_from_text

    def planted(text: str, name: str) -> ModuleType:
        assert right in text
        return compile_module(text.replace(right, wrong), name)

    monkeypatch.setattr(judging, "module_from_text", planted)
    assert judge(CENTRED).outcome in (WRONG, IMPRECISE)


def test_what_the_language_does_not_derive_is_refused() -> None:
    verdict = judge("def f(x: Row): return x/(D - D)")
    assert (verdict.outcome, verdict.failed) == (REFUSED, False)
    assert "this has to be other than zero" in verdict.detail


def test_what_is_no_number_once_it_is_simplified_is_refused() -> None:
    verdict = judge("def f(x: Row):\n    z = x - x\n    return mean(z)/z")
    assert verdict.outcome == REFUSED
    assert "'y' is infinite or not a real number, whatever the inputs" in verdict.detail


def test_a_definition_that_ties_everywhere_has_no_point() -> None:
    assert judge("def f(x: Row): return maximum(3*x - x, 2*x + 1e-9)").outcome == NO_POINT


def test_a_tie_that_stays_one_is_no_switch() -> None:
    assert judge("def f(x: Row): return maximum(x, x)*max(relu(x) - relu(x))").outcome == RIGHT


def test_a_hang_is_found() -> None:
    assert judge(CENTRED, seconds=0.01).outcome == HANG


def test_the_oracle_knows_stop_gradient() -> None:
    definition = parse("def f(x: Row): return x*stop_gradient(x)")
    found = oracle.exact(definition, {"x": np.array([[3.0, 0.5]])}, {"y": np.array([[1.0, 2.0]])})
    assert [float(value) for value in found.gradients["x"][0]] == [3.0, 1.0]


def test_the_oracle_refuses_a_point_near_a_switch() -> None:
    definition = parse("def f(x: Row): return relu(x)")
    with pytest.raises(oracle.Unfit, match="switch"):
        oracle.exact(definition, {"x": np.array([[1.0, 1e-7]])}, {"y": np.array([[1.0, 1.0]])})


@pytest.mark.parametrize(
    ("body", "fit"),
    [("sqrt(x - mean(x))", False), ("sqrt(abs(x - mean(x)))", True), ("sqrt(mean((x - mean(x))**2))", True)],
)
def test_the_oracle_refuses_the_edge_of_a_domain(body: str, fit: bool) -> None:
    definition = parse(f"def f(x: Row): return {body} * x")
    point = {"x": np.array([[1.5]])}, {"y": np.array([[1.0]])}
    if fit:
        assert oracle.exact(definition, *point).gradients["x"] == 0
    else:
        with pytest.raises(oracle.Unfit, match="edge"):
            oracle.exact(definition, *point)


def test_definitions_are_made_by_seed_and_number() -> None:
    texts = [definition_text(0, number, FULL) for number in range(40)]
    assert texts == [definition_text(0, number, FULL) for number in range(40)]
    assert len(set(texts)) == 40


def test_a_failing_definition_is_made_small() -> None:
    small = minimise("""
from lngen.language import Feature, Row, exp, mean, tanh


def layer(x: Row, z: Row, w: Feature = 1):
    a = mean(x * w) + 2
    b = tanh(exp(z * a) * 3) - x
    return b, a
""", lambda candidate: "exp(" in candidate)  # fmt: skip
    assert small == "from lngen.language import Row, exp\n\n\ndef layer(z: Row):\n    return exp(z)\n"


def test_a_journal_is_gone_on_with(tmp_path: Path) -> None:
    campaign = Campaign(SEED, tmp_path, SMALL, cuda=False)
    campaign.run(range(1))
    first = campaign.verdicts()[0]
    with campaign.journal.open("a") as file:
        file.write('{"number": 1}\n')  # begun, and the process ended
    campaign.run(range(3))
    verdicts = campaign.verdicts()
    assert list(verdicts) == [0, 1, 2]
    assert verdicts[0] == first
    assert verdicts[1]["outcome"] == TRACEBACK


@pytest.mark.ci
def test_a_journal_is_shared_by_processes(tmp_path: Path) -> None:
    campaign = Campaign(SEED, tmp_path, SMALL, cuda=False)
    campaign.run_shared(range(3), 2)
    assert sorted(campaign.verdicts()) == [0, 1, 2]
    assert {entry["outcome"] for entry in campaign.verdicts().values()} <= {RIGHT, REFUSED, NO_POINT}
