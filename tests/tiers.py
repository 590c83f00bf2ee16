"""Tiers of tests: the default one is run by `make test`; `ci`, `matrix` and `exhaustive` are marks.

A test over many values has some in the default tier and the rest in another, and of what takes long only a few are in
`ci`. Each kind of evidence is then tested wherever lngen is, and each value where there is time.
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


ONE_IN = {
    "tests/test_every_backend.py::test_every_backend_computes_the_formulas": 5,
    "tests/test_integers_on_backends.py::test_kernels_compute_what_numpy_does": 5,
    "tests/test_integers_on_backends.py::test_kernels_of_a_gpu_compute_what_numpy_does": 2,
    "tests/test_named_axes.py::test_jvp_is_the_transpose_of_backward": 4,
    "tests/test_named_axes.py::test_results_are_those_of_the_layer_on_rows": 3,
    "tests/test_entry_points.py::test_all_else_works_without_an_extension": 3,
    "tests/test_attention.py::test_large_logits_are_right_in_all_directions": 4,
    "tests/test_attention.py::test_no_exponential_is_left_to_overflow": 5,
    "tests/test_conditions.py::test_it_passes_every_check": 3,
    "tests/test_constructs.py::test_on_numpy": 3,
    "tests/test_data.py::test_every_check_holds_on_numpy": 3,
    "tests/test_onnx_cases.py::test_the_cases_of_an_operator": 2,
    "tests/test_parts.py::test_values_gradients_and_second_order_are_those_of_pytorch": 3,
    "tests/test_shipped_layers.py::test_values_gradients_and_second_order_are_those_of_pytorch": 3,
    "tests/test_cli.py::test_nothing_is_wider_than_the_terminal_and_no_word_is_broken": 3,
    "tests/language/test_powers.py::test_layers_with_powers_pass_every_check": 4,
    "tests/pipeline/test_stages.py::test_every_shipped_layer_is_proved_and_is_what_is_committed": 3,
    "tests/pipeline/test_stages.py::test_nothing_that_sympy_left_unfinished_is_emitted": 5,
    "tests/pipeline/cache/test_values.py::test_every_plan_is_read_as_it_was_made": 5,
    "tests/derivation/simplify/test_derive.py::test_a_definition_of_many_lines_takes_work_that_grows_with_its_lines": 4,
    "tests/derivation/test_losses_and_gates.py::test_gradient_has_its_short_form_after_bounded_work": 3,
    "tests/derivation/test_rule_names.py::test_rules_with_their_names_taken_derive_the_same_layer": 4,
    "tests/prove/test_exact.py::test_every_gradient_is_proved": 4,
    "tests/prove/test_every_size.py::test_every_statement_of_every_layer_is_exact": 4,
    "tests/prove/test_programs.py::test_a_fault_in_a_line_of_a_pass_is_refused": 3,
    "tests/prove/test_programs.py::test_programs_of_a_layer_are_the_derivation": 5,
    "tests/prove/test_soundness.py::test_a_rule_that_is_not_sound_is_seen": 3,
    "tests/plan/test_derivatives.py::test_nothing_is_saved_for_them": 5,
    "tests/report/test_losses.py::test_what_loses_its_digits_is_open": 4,
    "tests/report/test_steps.py::test_no_word_of_the_house_is_printed_without_a_meaning": 5,
    "tests/check/test_runner.py::test_every_definition_passes": 3,
    "tests/check/test_second_order.py::test_what_is_emitted_passes": 4,
    "tests/check/test_mutants.py::test_no_mutant_survives": 3,
    "tests/check/test_cpu.py::test_every_shipped_layer_passes": 3,
    "tests/check/test_cpu.py::test_the_rest_pass_what_is_of_the_first_order": 3,
    "tests/check/test_cuda.py::test_float64": 2,
    "tests/check/test_emitted.py::test_check_emitted_with_a_mistake_in_parts_of_rows_fails": 2,
    "tests/check/test_emitted.py::test_check_emitted_with_code_for_parts_of_rows_checks_it": 2,
    "tests/check/test_in_torch.py::test_every_layer_passes": 3,
    "tests/check/test_in_jax.py::test_every_layer_passes": 3,
    "tests/check/test_kernel_mutants.py::test_each_is_caught_by_the_values_or_the_checker_of_the_emulator": 3,
    "tests/check/test_thresholds.py::test_cuda_layouts_with_a_mistake_in_one_are_caught": 3,
    "tests/check/test_thresholds.py::test_compiled_thresholds_with_a_mistake_on_one_side_are_caught": 3,
    "tests/check/test_thresholds.py::test_layers_hold_on_both_sides_of_each_threshold": 4,
    "tests/check/field/test_processor.py::test_every_layer_is_equal_wherever_its_rows_lie": 3,
    "tests/check/field/test_processor.py::test_mistakes_in_loops_are_seen": 2,
    "tests/emit/test_cuda_compile.py::test_what_is_shipped_compiles": 3,
    "tests/emit/test_cuda_compile.py::test_no_spill_and_no_double": 3,
    "tests/emit/test_cuda_few_rows.py::test_launches": 3,
    "tests/emit/test_cuda_long_rows.py::test_kernels_of_long_rows_compile": 4,
    "tests/emit/test_cuda_clusters.py::test_a_planted_fault_is_seen": 2,
    "tests/runtime/native/test_samples.py::test_every_sample_has_the_bits_of_its_own_call": 3,
    "tests/runtime/native/test_simd.py::test_functions_of_doubles_at_many_points": 4,
    "tests/runtime/native/test_simd.py::test_functions_are_off_by_less_than_two_units_in_the_last_place": 4,
    "tests/runtime/torch/test_gpu_axes.py::test_values_and_gradients_are_those_of_the_processor": 4,
    "tests/runtime/torch/test_operator_samples.py::test_values_and_gradients_of_the_samples": 3,
    "tests/runtime/jax/test_jax.py::test_every_derivative_has_samples_and_samples_of_samples": 4,
    "tests/runtime/jax/test_gpu.py::test_samples_are_one_call_with_the_bits_of_many": 3,
    "tests/extensions/inspection/test_kernels.py::test_no_kernel_spills": 3,
    "tests/extensions/page/test_browser.py::test_a_picture_at_each_width": 3,
    "tests/extensions/page/test_browser.py::test_it_has_no_other_colours": 4,
    "tests/extensions/page/test_browser.py::test_it_is_legible": 5,
    "tests/extensions/page/test_copies.py::test_python_computes_the_emitted_gradients": 4,
    "tests/extensions/page/test_fit.py::test_every_formula_is_drawn_and_nothing_is_wider_than_a_phone": 3,
    "tests/extensions/page/test_in_use.py::TestPanel::test_it_computes_what_numpy_does": 3,
    "tests/extensions/page/test_page.py::test_it_is_one_file_whose_links_and_names_lead_somewhere": 5,
    "tests/extensions/simt/test_below.py::test_one_sweep_gives_what_two_give": 3,
    "tests/extensions/simt/test_emitted.py::test_regimes_are_right_and_have_no_finding": 4,
    "tests/extensions/simt/test_emitted.py::test_rows_of_whole_warps_are_right_and_have_no_finding": 3,
    "tests/extensions/simt/test_emitted.py::test_shipped_layers_of_any_size": 4,
    "tests/extensions/simt/test_few_rows.py::test_results": 5,
    "tests/extensions/simt/test_field.py::test_kernels_are_equal_at_every_class_of_shapes": 3,
    "tests/extensions/simt/test_field.py::test_kernels_are_equal_to_their_programs": 3,
}
"""Tests whose cases take minutes together: one in so many stays in the tier `ci`, the rest are in `exhaustive`."""


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


def stays_in_ci(test: str, place: int) -> bool:
    """Test whether a case stays in the tier `ci`, by the id of its test and its place among the cases there.

    >>> test = "tests/check/test_runner.py::test_every_definition_passes"
    >>> [place for place in range(7) if stays_in_ci(test, place)]
    [0, 3, 6]
    """
    return place % ONE_IN.get(test, 1) == 0


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
