"""The metric, the report and the diagnosis."""

import json
from dataclasses import replace

import numpy as np
import pytest

import lngen
from lngen.checks.evidence import Evidence, Report, diagnose, difference, metric_error


def _evidence(kind="complex step", passed=True, error=1e-16, bound=1e-13, what="dx"):
    return Evidence(kind, what, (2, 3), "float64", error, bound, passed)


def test_the_metric_is_relative_to_the_largest_entry_but_at_least_one():
    assert metric_error([0.5], [0.25]) == 0.25
    assert metric_error([100.0, 0.0], [100.0, 1.0]) == 0.01
    assert metric_error(np.empty((0, 3)), np.empty((0, 3))) == 0


def test_nan_and_infinity_are_never_close_to_a_number():
    assert difference([np.nan, np.inf, np.nan], [1.0, 1.0, np.nan]).tolist() == [np.inf, np.inf, 0.0]


def test_a_report_without_evidence_does_not_pass():
    assert not Report("f", "numpy", 0, ()).passed
    assert Report("f", "numpy", 0, (_evidence(),)).passed
    assert not Report("f", "numpy", 0, (_evidence(), _evidence(passed=False))).passed


def test_report_outcome_of_code_that_was_not_run_is_not_passed():
    held, compiled = _evidence(), Report("f", "cuda", 0, (_evidence(),), not_run="no GPU")
    assert (compiled.outcome, compiled.passed) == ("not run", False)
    assert Report("f", "cuda", 0, (held, _evidence(passed=False)), not_run="no GPU").outcome == "failed"
    assert Report("f", "cuda", 0, ()).outcome == "not run"
    assert Report("f", "cuda", 0, (held,)).outcome == "passed"


def test_a_report_is_json():
    report = Report("f", "numpy", 3, (_evidence(), _evidence(passed=False, error=float("inf"), bound=None)))
    text = json.dumps(report.as_json(), allow_nan=False)
    assert json.loads(text)["evidence"][1]["error"] == "inf"


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda a: a.__setitem__(-1, 9.0), "last row"),
        (lambda a: a.__setitem__(0, 9.0), "first row"),
        (lambda a: a.__setitem__((slice(None), slice(-4, None)), 9.0), "last 4 columns"),
        (lambda a: a.__setitem__((slice(None), slice(5, None, 32)), 9.0), "5 modulo 32"),
        (lambda a: a.__iadd__(1.0), "wrong everywhere"),
    ],
)
def test_a_pattern_of_errors_names_its_cause(spoil, cause):
    right = np.random.default_rng(0).standard_normal((6, 96))
    wrong = right.copy()
    spoil(wrong)
    text = diagnose(wrong, right, "again: lngen check f")
    assert cause in text
    assert text.startswith("worst at row ")
    assert text.endswith("again: lngen check f")


def test_what_is_not_claimed_neither_passes_nor_fails():
    silent = replace(_evidence(error=None, bound=None), claimed=False)
    assert not Report("f", "numpy", 0, (silent,)).passed
    both = Report("f", "numpy", 0, (silent, _evidence()))
    assert both.passed
    assert both.unclaimed == (silent,)
    assert both.as_json()["evidence"][0]["claimed"] is False


@pytest.mark.ci
def test_a_report_of_a_layer_with_a_number_is_json():
    report = lngen.derive("def scaled(x: Row, s: Scalar = 1): return s*x").check("numpy", [(2, 3)], ["float64"])
    assert json.loads(json.dumps(report.as_json()))["passed"]
