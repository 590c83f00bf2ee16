"""Tiers of tests: the default one is run by `make test`; `ci`, `matrix` and `exhaustive` are marks.

A test over many values has some in the default tier and the rest in another. Each kind of evidence is then tested
wherever lngen is, and each value where there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

TIERS = ("ci", "matrix", "exhaustive")
"""The marks of the tiers that `make test` leaves out."""

AFTER_THE_CORE = ("extensions", "fuzz", "benchmarks", "tools")
"""Folders whose tests are in the tier `ci`, for they take a newcomer's time; but for representatives."""

REPRESENTATIVES = {
    "the proofs of shipped layers, and what is committed": [
        f"tests/pipeline/test_stages.py::test_every_shipped_layer_is_proved_and_is_what_is_committed[{name}]"
        for name in ("layer_norm", "rms_norm", "softmax")
    ],
    "exact proof": ["tests/prove/test_exact.py::test_every_gradient_is_proved[layer_norm]"],
    "fifty digits, and a second derivation": ["tests/prove/test_digits.py::test_all_evidence_holds[layer_norm]"],
    "every kind of evidence of emitted NumPy": ["tests/check/test_runner.py::test_every_definition_passes[layer_norm]"],
    "jvp and double backward": ["tests/check/test_second_order.py::test_what_is_emitted_passes[layer_norm]"],
    "every function": [
        "tests/emit/test_every_function.py::test_numpy[softplus-float32]",
        "tests/emit/test_every_function.py::test_cuda[float64]",
    ],
    "planted mistakes, NumPy": ["tests/check/test_mutants.py::test_no_mutant_survives[rms_norm]"],
    "planted mistakes, kernels": [
        "tests/check/test_kernel_mutants.py::test_each_is_caught_by_the_values_or_the_checker_of_the_emulator"
        "[`beta` from the column before]"
    ],
    "planted mistakes, proofs": ["tests/prove/test_exact.py::test_every_planted_fault_is_refuted[mean term dropped]"],
    "kernels on the emulator, under its checker": [
        "tests/extensions/simt/test_emitted.py::test_the_checker_has_no_finding[layer_norm-macros0-f16-sizes0]"
    ],
    "kernels through PyCUDA": ["tests/check/test_cuda.py::test_a_large_offset_costs_no_digits[float32-10000.0-1e-06]"],
    "kernels as they are compiled for a GPU": [
        "tests/emit/test_cuda_compile.py::test_what_is_shipped_compiles[layer_norm-sm_90-0-dtypes1]"
    ],
    "random definitions": ["tests/fuzz/test_fuzz.py::test_a_random_definition_is_right_or_refused[0]"],
    "every hash seed": ["tests/test_drift.py::test_every_hash_seed_gives_the_bytes_that_are_committed"],
    "drift": ["tests/test_drift.py::test_a_changed_byte_under_generated_fails_until_it_is_derived_again"],
    "nothing stale": ["tests/pipeline/cache/test_results.py::test_a_changed_byte_of_a_rule_is_derived_with"],
    "README": ["tests/test_readme.py::test_links_lead_somewhere[README.md]"],
    "the command line": ["tests/test_cli.py::TestCheck::test_the_table_shows_every_kind_with_errors_and_bounds"],
}
"""Tests that stay in the default tier, by the kind of evidence that they are a sample of."""


def tier_of(marks: Iterable[str]) -> str:
    """The tier of a test with these marks. Raises ValueError if they are those of two.

    >>> tier_of(["cuda"]), tier_of(["ci", "cuda"])
    ('default', 'ci')
    """
    found = sorted({*marks} & {*TIERS})
    if len(found) > 1:
        raise ValueError(f"a test is in one tier, and this one is in {' and '.join(found)}")
    return found[0] if found else "default"


def is_after_the_core(test: str) -> bool:
    """Test whether a test, by its id, is in the tier `ci` for the folder that it is in.

    >>> is_after_the_core("tests/tools/test_verify.py::test_a"), is_after_the_core("tests/plan/test_plan.py::test_b")
    (True, False)
    """
    folder = test.removeprefix("tests/").partition("/")[0]
    return folder in AFTER_THE_CORE and not any(test in names for names in REPRESENTATIVES.values())


def sample(
    values: Iterable[Any],
    default: Collection[Any] | Callable[[Any], bool],
    ci: Collection[Any] | Callable[[Any], bool] | None = None,
) -> list[Any]:
    """Values to parametrize a test by: those of `default` in the default tier, the rest in `ci`.

    Where it is told which are in `ci`, the others are in `exhaustive`. Raises ValueError for what is in `default` or
    `ci` and not among the values.
    """
    values = list(values)
    in_default, in_ci = _chosen(default, values), _chosen(ci, values) if ci is not None else lambda value: True
    return [
        value if in_default(value) else _marked(value, pytest.mark.ci if in_ci(value) else pytest.mark.exhaustive)
        for value in values
    ]


def _chosen(chosen: Collection[Any] | Callable[[Any], bool], values: Collection[Any]) -> Callable[[Any], bool]:
    if callable(chosen):
        return chosen
    if strangers := [value for value in chosen if value not in values]:
        raise ValueError(f"{strangers} are not among the values")
    return [*chosen].__contains__


def _marked(value: Any, mark: pytest.MarkDecorator) -> Any:
    if isinstance(value, type(pytest.param())):  # a mark of its own says where it is
        return value
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=mark)
