"""Mistakes that are planted into lngen one by one, and the tests that see them.

Each is planted into a copy of the checkout, and each of its families has to fail there. Where a line has gone, plant
the mistake in what takes its place; a mistake that no family sees is a hole in the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shipped import ROOT

pytestmark = pytest.mark.exhaustive

CONFORMANCE = "tests/test_every_backend.py"


@dataclass(frozen=True)
class Mistake:
    """One text in the place of another, which stands in a file once, and families of tests of which each fails.

    A family is what pytest is given, words of `-k` after a space.
    """

    file: str
    old: str
    new: str
    families: tuple[str, ...]


MISTAKES = {
    "the sign of the third term of a sum": Mistake(
        "lngen/emit/numpy/operations.py",
        '        for sign, term in each:\n            result = self.apply("add" if sign > 0',
        "        for place, (sign, term) in enumerate(each):\n"
        '            result = self.apply("add" if (sign > 0) == (place != 1)',
        (
            f"{CONFORMANCE}::test_sums_over_rows_of_several_blocks",
            "tests/checks/test_second_order.py::test_what_is_emitted_passes",
        ),
    ),
    "the sum of a block over that of its chunk": Mistake(
        "lngen/runtime/numpy/blocks.py",
        "total[chunk, ...] += made[slot]",
        "total[chunk, ...] = made[slot]",
        (f"{CONFORMANCE}::test_sums_over_rows_of_several_blocks", "tests/runtime/numpy/test_blocks.py"),
    ),
    "the stride between rows": Mistake(
        "lngen/runtime/native/long.py",
        "for stride in array.strides[:rows]",
        "for stride in array.strides[1 : rows + 1]",
        ("tests/runtime/native/test_places.py",),
    ),
    "one half of shared memory for all reductions": Mistake(
        "lngen/runtime/cuda/reductions.cuh",
        "      turn ^= 1;\n",
        "",
        ("tests/extensions/simt/test_emitted.py::test_the_checker_has_no_finding layer_norm",),
    ),
    "twice the default of a Constant": Mistake(
        "lngen/emit/signatures.py",
        "literal(float(each.default))",
        "literal(float(2 * each.default))",
        (f"{CONFORMANCE}::test_constants_have_their_defaults",),
    ),
    "the mask of a row of one entry": Mistake(
        "lngen/runtime/native/host_rows.h",
        "  if (column < D) body(column, First{D - column});",
        "  if (column < D) body(column, First{D > 1 ? D - column : 0});",
        (f"{CONFORMANCE} cpu and 1x1",),
    ),
    "the derivative of a function": Mistake(
        "lngen/language/__init__.py",
        "derivative=lambda f, u: 1 / (1 + u**2),",
        "derivative=lambda f, u: 1 / (1 + 2 * u**2),",
        ("tests/emit/test_every_function.py::test_numpy atan",),
    ),
    "the derivative of an extreme without D": Mistake(
        "lngen/derivation/differential.py",
        "return cls(body, Mean, D, AttainsFirst",
        "return cls(body, Mean, D / D, AttainsFirst",
        (
            f"{CONFORMANCE}::test_the_formulas_are_differences_at_60_digits range_of_normalized",
            "tests/prove/test_quotients.py::test_extremes_selects_and_what_no_gradient_flows_through",
            "tests/derivation/test_vjp.py",
        ),
    ),
    "a gradient with a graph by a kernel without one": Mistake(
        "lngen/runtime/torch/layers.py",
        "if is_recorded(tensors) or not are_alone(tensors):",
        "if not are_alone(tensors):",
        ("tests/runtime/torch/test_calls.py::test_a_gradient_with_a_graph_is_that_of_the_operators",),
    ),
    "one monomial taken for zero": Mistake(
        "lngen/prove/vanishing.py",
        "    p = _with_roots_joined(p, algebra)\n    if not p:",
        "    p = _with_roots_joined(p, algebra)\n    if len(p) < 2:",
        ("tests/prove/test_row_algebra.py::test_identities",),
    ),
    "a kept result whatever the sources are": Mistake(
        "lngen/pipeline/cache/results.py",
        "key([what, repr(anywhere), fingerprint])",
        "key([what, repr(anywhere)])",
        ("tests/pipeline/cache/test_results.py",),
    ),
    "a failed check that exits with 0": Mistake(
        "lngen/cli/check.py",
        'return 1 if "failed" in outcomes',
        'return 0 if "failed" in outcomes',
        ("tests/test_cli.py::TestCheck",),
    ),
    "`<=` read as `<`": Mistake(
        "lngen/language/parsing/expressions.py",
        'ast.LtE: "<="',
        'ast.LtE: "<"',
        ("tests/language/oracle/test_evaluate.py::test_comparisons",),
    ),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, whose tests keep their derivations apart."""
    copy = tmp_path_factory.mktemp("planted") / "lngen"
    left = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "build", "dist")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left)
    return copy


def status(checkout: Path, family: str) -> int:
    """The exit status of pytest for a family of tests in the copy."""
    tests, _, words = family.partition(" ")
    options = ["-q", "-x", "-n", "0", "-m", "", "-p", "no:cacheprovider", *(["-k", words] if words else [])]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "LNGEN_CACHE": str(checkout.parent / "cache")}
    command = [sys.executable, "-m", "pytest", *options, tests]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False).returncode


@pytest.mark.parametrize("family", sorted({family for each in MISTAKES.values() for family in each.families}))
def test_a_family_passes_without_a_mistake(checkout: Path, family: str) -> None:
    assert status(checkout, family) == pytest.ExitCode.OK


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_seen(checkout: Path, name: str) -> None:
    mistake = MISTAKES[name]
    path = checkout / mistake.file
    text = path.read_text(encoding="utf-8")
    assert text.count(mistake.old) == 1, "its line has gone: plant it in what takes its place"
    path.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")
    try:
        assert {family: status(checkout, family) for family in mistake.families} == dict.fromkeys(
            mistake.families, pytest.ExitCode.TESTS_FAILED
        )
    finally:
        path.write_text(text, encoding="utf-8")
