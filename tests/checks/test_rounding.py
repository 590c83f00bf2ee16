"""References that are rounded themselves: what is exactly 0 in emitted code passes, and what is off does not."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.checks import inputs
from lngen.checks.derived import checkable
from lngen.checks.rounding import outputs, rounding
from lngen.checks.runner import check
from lngen.language.parsing import parse

# Of one entry it is 0, and as written the rounding of two equal terms.
WEIGHTED = "def f(x: Row, w: Row): return x*(sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2)"


KINDS = ("forward vs oracle", "precision")
SHAPES = [(1, 1), (2, 1), (5, 1)]


def _failed(off_by: float) -> list[str]:
    layer = lngen.derive(WEIGHTED)
    module: Any = importlib.import_module(layer.load().__name__)

    def forward(*arguments: Any, **options: Any) -> Any:
        y, saved = module.forward(*arguments, **options)
        return y + off_by, saved

    emitted: Any = SimpleNamespace(forward=forward, backward=module.backward)
    report = check(checkable(layer.derived.plan, emitted), SHAPES, ["float64"], kinds=KINDS)
    return [item.kind for item in report.evidence if not item.passed]


@pytest.mark.ci
def test_check_result_that_is_nearer_to_the_truth_than_its_reference_passes() -> None:
    assert _failed(0.0) == []


@pytest.mark.ci
def test_check_fault_below_float64s_unit_beside_such_a_reference_fails() -> None:
    assert "forward vs oracle" in _failed(1e-17)


def test_rounding_where_a_comparison_comes_out_otherwise_is_one_unit_at_most() -> None:
    definition = parse("def f(x: Row): return where(x == 3*(x/3), 1, x)")
    case = inputs.ordinary(definition, 4, 64, 0)
    found = rounding(definition, case, lambda given: outputs(definition, given))
    assert found["y"] <= np.finfo(np.float64).eps
