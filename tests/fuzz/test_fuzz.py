"""Random definitions: each is right or refused with a reason. `make fuzz N=2000` tries more, and larger ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.pipeline.stages import Derived
from tests.fuzz import judge as judging
from tests.fuzz.campaign import Campaign
from tests.fuzz.failure import BY_NAME, HANG, IMPRECISE, NO_POINT, RANGE, REFUSED, RIGHT, TRACEBACK, WRONG
from tests.fuzz.generate import SMALL, definition_text
from tests.fuzz.judge import judge
from tests.fuzz.minimise import minimise
from tests.requirements import gxx, has_gpu, has_pycuda
from tests.tiers import sample

DEFINITIONS = 200
SEED = 1
REGRESSIONS = {
    name: text
    for name, _, text in (
        part.partition("\n")
        for part in (Path(__file__).parent / "regressions.txt").read_text(encoding="utf-8").split("\n# ")[1:]
    )
}
"""Definitions that once failed, by the names of their cases. With `range` a value leaves that of its type, though plain
evaluation of the definition does not: with the digits of the type and wider exponents the formula is right.
"""
IN_CI = [name for name in REGRESSIONS if ", long" not in name][::8]

CAN_RUN_CUDA = has_pycuda() and (has_gpu() or gxx() is not None)


@pytest.mark.parametrize("number", sample(range(DEFINITIONS), (6,), range(0, 60, 6)))
def test_a_random_definition_is_right_or_refused(number: int, tmp_path: Path) -> None:
    campaign = Campaign(SEED, tmp_path, SMALL, CAN_RUN_CUDA)
    verdict = campaign.judged(number)
    text = definition_text(SEED, number, SMALL)
    assert not verdict.failed, f"{text}\n{verdict.outcome}: {verdict.key}\n{verdict.detail}"


@pytest.mark.parametrize("name", sample(REGRESSIONS, [*REGRESSIONS][1:2], IN_CI))
def test_a_definition_that_once_failed(name: str) -> None:
    verdict = judge(REGRESSIONS[name], cuda=CAN_RUN_CUDA and name.startswith("cuda_"), proved=True)
    known = (RIGHT, RANGE) if name.endswith(", range") else (RIGHT,)
    assert verdict.outcome in known, f"{verdict.outcome}: {verdict.key}\n{verdict.detail}"


# --- the judge and its tools --------------------------------------------------------------------------------


CENTRED = """
from lngen.language import Constant, Feature, Row, mean, sqrt


def centred(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu)**2)
    y = gamma*(x - mu)/sqrt(var + eps)
    return y
"""


PLANTED = [
    ("np.subtract(g, mean_g", "np.subtract(g, 0*mean_g", "numpy, formula right: gradient"),
    ("np.subtract(dx, part_2", "np.add(dx, part_2", "numpy, formula right: gradient"),
    ("_rows.number(features, dtype)", "_rows.number(features + 1e-6, dtype)", "numpy, formula right: output"),
    ("np.subtract, x_dot, mean_x_dot", "np.subtract, x_dot, 0*mean_x_dot", "a small point: tangent"),
    ("mean_g_xhat * 3.0", "mean_g_xhat * 2.0", "a small point: second gradient"),
    ("np.multiply, dg, gamma", "np.multiply, 0*dg, gamma", "a small point: second gradient of the cotangent"),
    # A factor that underflows in float32 where the product it stands in does not.
    ("np.multiply(dx, rstd", "np.multiply(dx * rstd**8, rstd**-7.0", "float32 beside plain, large: gradient"),
    # No residual of the mean, in blocks alone: the row is as good as plain evaluation has it.
    (
        "far_from = _rows.number(2.0",
        "far_from = _rows.number(1e9 if np.size(dtype.type(0)) * len(values[0]) > 1 else 2.0",
        "a row alone has other bits: output",
    ),
    ("np.sqrt(var + eps)", "np.sqrt(var + eps * max(call[2], 1))", "threads change bits: output"),
    (
        " _rows.sum_rows(part, rstd)",
        " _rows.sum_rows(part, rstd) if part.size < 4096 else 0.0",
        "a sum over rows is not that of its rows: gradient",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "key"), sample(PLANTED, PLANTED[::4]))
def test_a_planted_error_is_found(right: str, wrong: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = judging.module_from_files

    def planted(files: Mapping[str, str], name: str) -> ModuleType:
        file = "numpy_backend.py"
        return run({**files, file: files[file].replace(right, wrong, 1)}, name)

    monkeypatch.setattr(judging, "module_from_files", planted)
    verdict = judge(CENTRED)
    assert verdict.failed
    assert verdict.key.endswith(key), verdict.title


def test_what_leaves_the_range_is_told_from_what_loses_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    power = "def layer(x: Row): return erf(exp(x))"  # 1 - 2*exp(x)**2 is infinite where exp(-exp(x)**2) is 0
    assert judge(power).outcome == RANGE
    run = judging.module_from_files

    def cancels(files: Mapping[str, str], name: str) -> ModuleType:
        text = files["numpy_backend.py"].replace("np.sqrt(var + eps)", "np.sqrt(var + (1e4 + eps) - 1e4)")
        return run({**files, "numpy_backend.py": text}, name)

    monkeypatch.setattr(judging, "module_from_files", cancels)
    assert judge(CENTRED).outcome in (WRONG, IMPRECISE)


def test_what_is_refused_for_its_names_alone_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    derive = judging.derived

    def refuses(definition: Definition, **options: Any) -> Derived:
        if "rows" in [entry.name for entry in definition.inputs]:
            raise LngenError("'rows' is taken")
        return derive(definition, **options)

    monkeypatch.setattr(judging, "derived", refuses)
    assert judge("def f(rows: Row): return rows / (mean(rows**2) + 1)").outcome == BY_NAME
    assert judge("def f(x: Row): return x / (mean(x**2) + 1)").outcome == RIGHT


def test_what_the_language_does_not_derive_is_refused() -> None:
    verdict = judge("def f(x: Row): return x/(D - D)")
    assert (verdict.outcome, verdict.failed) == (REFUSED, False)
    assert "this has to be other than zero" in verdict.detail


def test_what_is_no_number_once_it_is_simplified_is_refused() -> None:
    verdict = judge("def f(x: Row):\n    z = x - x\n    return mean(z)/z")
    assert verdict.outcome == REFUSED
    assert "'y' is infinite or not a real number, whatever the inputs" in verdict.detail
    compared = judge("def f(x: Row):\n    u = (x - 3 - x)**0.25\n    v = log(u)\n    return maximum(v, x)")
    assert (compared.outcome, compared.failed) == (REFUSED, False)


def test_a_definition_that_is_no_number_anywhere_has_no_point() -> None:
    assert judge("def f(x: Row): return log(-x**2 - 1)").outcome == NO_POINT


def test_a_hang_is_found() -> None:
    assert judge(CENTRED, seconds=0.01).outcome == HANG


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
    campaign.run(range(2))
    verdicts = campaign.verdicts()
    assert list(verdicts) == [0, 1]
    assert verdicts[0] == first
    assert verdicts[1]["outcome"] == TRACEBACK


@pytest.mark.exhaustive
def test_a_journal_is_shared_by_processes(tmp_path: Path) -> None:
    campaign = Campaign(SEED, tmp_path, SMALL, cuda=False)
    campaign.run_shared(range(3), 2)
    assert sorted(campaign.verdicts()) == [0, 1, 2]
    assert {entry["outcome"] for entry in campaign.verdicts().values()} <= {RIGHT, REFUSED, NO_POINT}
