"""Entries of functions: a function of this file alone goes the whole way to checked code."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lngen.checks import Report, check
from lngen.checks.derived import checkable
from lngen.language.functions import TABLE, entry
from lngen.language.oracle import real_functions
from lngen.language.parsing import parse
from lngen.language.parsing.folding import fold
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, derived

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("forward vs oracle", "complex step", "tangents", "second order", "precision")

TEXT = """
from lngen.language import Constant, Feature, Row, mean, mish, sqrt

def f(x: Row, g: Feature = 1, eps: Constant = 1e-5):
    c = x - mean(x)
    return g*mish(c/sqrt(mean(c**2) + eps)) + mish(0.5)
"""


@pytest.fixture(scope="module", autouse=True)
def mish() -> Iterator[None]:
    """A function that lngen has not heard of."""

    @entry(
        "every real u",
        (-40.0, 0.0, 40.0),
        written=lambda f, u: u * f.tanh(f.softplus(u)),
        slope=lambda f, u: f.tanh(f.softplus(u)) + u * f.sigmoid(u) * (1 - f.tanh(f.softplus(u)) ** 2),
    )
    def mish(u: Any, /) -> Any:
        """u*tanh(softplus(u))."""

    yield
    TABLE.pop("mish")


@pytest.fixture(scope="module")
def layer(mish: None, tmp_path_factory: pytest.TempPathFactory) -> Derived:
    """A layer that uses it."""
    # What is kept between runs knows the functions by lngen's own files.
    with pytest.MonkeyPatch.context() as context:
        context.setenv("LNGEN_CACHE", str(tmp_path_factory.mktemp("cache")))
        return derived(parse(TEXT, "f.py"), backends=["numpy"])


def without_failures(report: Report) -> set[str]:
    """The kinds of evidence that there is."""
    assert [(e.kind, e.what, e.dtype, e.detail) for e in report.failures] == []
    return {e.kind for e in report.evidence}


def on_numpy(made: Derived, **options: Any) -> Report:
    return check(checkable(made.plan, module_from_files(made.files, "f")), [(3, 7), (2, 1)], **options)


@pytest.mark.ci
def test_on_numpy(layer: Derived) -> None:
    report = on_numpy(layer)
    assert {"exact proof", *KINDS} <= without_failures(report)
    # Every step is proved; none is left to digits.
    assert all("difference quotients" in e.what for e in report.evidence if e.kind == "50 digits")


@pytest.mark.ci
def test_a_wrong_slope_is_found(layer: Derived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, "mish", replace(TABLE["mish"], slope=lambda f, u: f.tanh(f.softplus(u))))
    assert on_numpy(layer, kinds=("complex step",)).failures


def test_of_numbers() -> None:
    exact = fold(parse("def f(x: Row): return x*mish(0.5)").statements[0].expression.right)  # type: ignore[union-attr]
    assert float(exact) == pytest.approx(float(real_functions.function("mish")(np.array(0.5))), rel=1e-15)


ONE_CALL = """
    from lngen.language.functions import entry

    @entry(
        "every real u", head="atan", bounded=True, exact=lambda f, u: f.mp.atan(u), numpy="np.arctan",
        real=lambda f, u: f.np.arctan(u), slope=lambda f, u: 1 / (1 + u*u), curvature=0.65, roundings=8, cuda="::atan",
    )
    def arctan(u):
        "The angle whose tangent is u."

    from lngen.checks import check
    from lngen.checks.derived import checkable
    from lngen.language.parsing import parse
    from lngen.pipeline.stages import derived
    from lngen.pipeline.files.loading import module_from_files

    made = derived(parse("def f(x: Row): return arctan(x - mean(x))*arctan(2)", "f.py"))
    report = check(checkable(made.plan, module_from_files(made.files, "f")), [(3, 7)])
    print([(e.kind, e.what, e.dtype, e.detail) for e in report.failures], len(report.evidence) > 50)
    print("np.arctan(" in made.text("numpy_backend.py"), "::atan(" in made.text("layer.h"))
    print("mathrm{arctan}" in made.text("derivation.md"))
"""


@pytest.mark.ci
def test_one_that_a_backend_computes_in_one_call(tmp_path: Path) -> None:
    """The test runs in a process of its own: such a function has to exist before the stages are imported."""
    env = os.environ | {"LNGEN_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", textwrap.dedent(ONE_CALL)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[] True\nTrue True\nTrue\n", "")
