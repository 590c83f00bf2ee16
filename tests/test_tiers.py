"""Each test is in one tier, and each kind of evidence has a representative in the default one."""

import os
import re
import subprocess
import sys

import pytest

from tests.shipped import NAMES, ROOT
from tests.tiers import TIERS, sample, tier_of

REPRESENTATIVES = {
    "the proofs of every shipped layer, and what is committed": [
        f"tests/pipeline/test_stages.py::test_every_shipped_layer_is_proved_and_is_what_is_committed[{name}]"
        for name in NAMES
    ],
    "exact proof": ["tests/prove/test_exact.py::test_every_gradient_is_proved[layer_norm]"],
    "fifty digits, and a second derivation": ["tests/prove/test_digits.py::test_all_evidence_holds[layer_norm]"],
    "every kind of evidence of emitted NumPy": ["tests/check/test_runner.py::test_every_definition_passes[layer_norm]"],
    "jvp and double backward": ["tests/check/test_second_order.py::test_what_is_emitted_passes[layer_norm]"],
    "every function": [
        "tests/emit/test_every_function.py::test_numpy[softplus-float32]",
        "tests/emit/test_every_function.py::test_cuda[float64]",
    ],
    "planted mistakes, NumPy": [
        "tests/check/test_mutants.py::test_no_mutant_survives[rms_norm]",
        "tests/check/test_mutants.py::test_the_page_is_up_to_date",
    ],
    "planted mistakes, kernels": [
        "tests/check/test_kernel_mutants.py::test_each_is_caught_by_the_values_or_the_checker_of_the_emulator"
        "[no barrier in a reduction]"
    ],
    "planted mistakes, proofs": ["tests/prove/test_exact.py::test_every_planted_fault_is_refuted[mean term dropped]"],
    "kernels on the emulator": [
        "tests/extensions/simt/test_emitted.py::test_shipped_layers_of_any_size[layer_norm-f32-37]"
    ],
    "kernels under the checker": [
        "tests/extensions/simt/test_emitted.py::test_the_checker_has_no_finding[layer_norm-macros0-f16-sizes0]"
    ],
    "kernels through PyCUDA": ["tests/check/test_cuda.py::test_contracts_and_hard_inputs[layer_norm-float32]"],
    "kernels as they are compiled for a GPU": [
        "tests/emit/test_cuda_compile.py::test_what_is_shipped_compiles[layer_norm-sm_90-0-dtypes1]"
    ],
    "random definitions": ["tests/fuzz/test_fuzz.py::test_a_random_definition_is_right_or_refused[0]"],
    "every hash seed": ["tests/test_drift.py::test_every_hash_seed_gives_the_bytes_that_are_committed"],
    "drift": ["tests/test_drift.py::test_a_changed_byte_under_generated_fails_until_it_is_derived_again"],
    "nothing stale": ["tests/pipeline/cache/test_results.py::test_a_changed_byte_of_a_rule_is_derived_with"],
    "README": ["tests/test_readme.py::test_every_block_runs_and_prints_what_is_said[README.md]"],
    "the command line": ["tests/test_cli.py::TestCheck::test_the_table_shows_every_kind_with_errors_and_bounds"],
}


def test_each_kind_of_evidence_is_in_the_default_tier():
    wanted = [name for names in REPRESENTATIVES.values() for name in names]
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:cacheprovider", *wanted]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert sorted(wanted) == sorted(line for line in result.stdout.splitlines() if "::" in line)


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
    names = ("torch", "jax", "dask", "mpi4py", "pycuda", "matplotlib", "playwright")
    program = f"import sys\nsys.modules |= dict.fromkeys({names})\nimport pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "--collect-only", "-q", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if name != "LNGEN_CI"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
