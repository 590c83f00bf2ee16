"""Each test is in one tier, and each kind of evidence has a representative in the default one."""

import ast
import os
import re
import subprocess
import sys

import pytest

from tests.shipped import ROOT
from tests.tiers import AFTER_THE_CORE, ONE_IN, REPRESENTATIVES, TIERS, is_after_the_core, sample, stays_in_ci, tier_of


@pytest.mark.ci
def test_each_kind_of_evidence_is_in_the_default_tier():
    wanted = [name for names in REPRESENTATIVES.values() for name in names]
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider", *wanted]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert sorted(wanted) == sorted(line for line in result.stdout.splitlines() if "::" in line)


def test_what_is_after_the_core_is_there_and_leaves_its_representatives():
    assert all((ROOT / "tests" / folder).is_dir() for folder in AFTER_THE_CORE)
    named = [name for names in REPRESENTATIVES.values() for name in names]
    of_folders = [name for name in named if name.startswith(tuple(f"tests/{folder}/" for folder in AFTER_THE_CORE))]
    assert of_folders
    assert not any(map(is_after_the_core, named))
    assert all(is_after_the_core(f"{name} and more") for name in of_folders)


def test_each_test_of_which_ci_runs_a_sample_is_there_and_has_cases():
    for test in ONE_IN:
        path, *names = test.split("::")
        found = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for name in names:
            (found,) = (node for node in found.body if getattr(node, "name", None) == name)
        assert any("parametrize" in ast.unparse(each) for each in found.decorator_list), test


def test_the_first_case_of_a_sample_stays_and_the_number_is_one_that_leaves_some():
    assert all(stays_in_ci(test, 0) and not stays_in_ci(test, 1) for test in ONE_IN)
    assert all(stays_in_ci("tests/test_tiers.py::test_of_two", place) for place in range(3))


def test_two_tiers_are_refused():
    assert [tier_of([tier]) for tier in TIERS] == list(TIERS)
    with pytest.raises(ValueError, match="this one is in ci and matrix"):
        tier_of(["matrix", "cuda", "ci"])


def test_a_sample_leaves_the_rest_to_ci_and_takes_no_stranger():
    first, second, third = sample([1, 2, pytest.param(3, marks=pytest.mark.matrix)], [1])
    assert first == 1
    assert [[mark.name for mark in value.marks] for value in (second, third)] == [["ci"], ["matrix"]]
    for values in (([4],), ([1], [4])):
        with pytest.raises(ValueError, match=r"\[4\] are not among the values"):
            sample([1, 2], *values)


def test_what_is_too_much_for_ci_is_in_the_tier_beyond():
    first, *others = sample([1, 2, (3, 4)], [1], lambda value: value == 2)
    assert first == 1
    assert [(value.values, *(mark.name for mark in value.marks)) for value in others] == [
        ((2,), "ci"),
        ((3, 4), "exhaustive"),
    ]


def test_the_makefile_runs_each_tier():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    configured = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"{" and ".join(f"not {tier}" for tier in TIERS)}"' in configured
    assert "-m 'not matrix and not exhaustive'" in text
    for tier in ("matrix", "exhaustive"):
        assert f"$(PYTEST) -m {tier}\n" in text


def test_continuous_integration_runs_what_make_check_does():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (checked,) = re.findall(r"^check: (.*) ##", text, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    run = {word for line in re.findall(r"^make (.*)", script, re.MULTILINE) for word in line.split()}
    assert run >= {*checked.split(), "environment", "pycuda"}
    (installed,) = re.findall(r"^EXTRAS := (.*)", text, re.MULTILINE)
    assert {*installed.split()} >= {"test", "dev", "docs", "browser", "frameworks"}


@pytest.mark.ci
def test_all_tests_are_found_without_a_framework():
    """Tests that import a framework are left out, and a newcomer's tests need neither PyTorch nor JAX."""
    names = ("torch", "jax", "pycuda", "matplotlib", "playwright")
    program = f"import sys\nsys.modules |= dict.fromkeys({names})\nimport pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "--collect-only", "-q", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if name != "LNGEN_CI"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
