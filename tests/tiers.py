"""Tiers of tests: the default one, by `make test`; `ci`, besides, by `.ci/run`; the others by `make nightly`.

A test over many values has some in the default tier and the rest in another. Each kind of evidence is then tested
wherever lngen is, and each value where there is time. What leaves CI is named here, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

from tests.requirements import NO_GXX, NO_JAX, NO_NVRTC, NO_PYCUDA, NO_TORCH, NO_TRITON

NIGHTLY = ("matrix", "exhaustive")
"""The marks of what `make nightly` runs; `make gpu` runs `matrix` too."""

TIERS = ("ci", *NIGHTLY)
"""The marks of the tiers that `make test` leaves out."""

AFTER_THE_CORE = (
    *("extensions/", "fuzz/", "benchmarks/", "tools/", "runtime/torch/"),
    *("checks/test_in_torch.py", "emit/test_jax_backend.py", "emit/test_torch_decomposition.py"),
)
"""Folders and files whose tests are in the tier `ci`, for they take a newcomer's time; but for representatives."""

COMPILES = (NO_GXX, NO_PYCUDA, NO_NVRTC, NO_TORCH, NO_JAX, NO_TRITON)
"""Needs of a test that compiles, or imports a framework: it is in the tier `ci`, but for representatives."""

REPRESENTATIVES = {
    "the proofs of shipped layers, and what is committed": [
        f"tests/pipeline/test_stages.py::test_every_shipped_layer_is_proved_and_is_what_is_committed[{name}]"
        for name in ("layer_norm", "rms_norm", "softmax")
    ],
    "difference quotients": ["tests/prove/test_quotients.py::test_every_gradient_agrees[layer_norm]"],
    "fifty digits, and a second derivation": ["tests/prove/test_digits.py::test_all_evidence_holds[layer_norm]"],
    "every kind of evidence of emitted NumPy": [
        "tests/checks/test_runner.py::test_every_definition_passes[layer_norm]"
    ],
    "kernels for the processor": [
        "tests/test_every_backend.py::test_every_backend_computes_the_formulas"
        "[cpu-cross_entropy-jvp-directions-f32-3x1025]"
    ],
    "jvp and double backward": ["tests/checks/test_second_order.py::test_what_is_emitted_passes[layer_norm]"],
    "every function": ["tests/emit/test_every_function.py::test_numpy[softplus-float32]"],
    "planted mistakes, NumPy": ["tests/checks/test_mutants.py::test_no_mutant_survives[rms_norm]"],
    "planted mistakes, kernels": [
        "tests/checks/test_kernel_mutants.py::test_each_is_caught_by_the_values_or_the_checker_of_the_emulator"
        "[`beta` from the column before]"
    ],
    "planted mistakes, proofs": [
        "tests/prove/test_quotients.py::test_every_planted_fault_is_refuted[mean term dropped]"
    ],
    "kernels on the emulator, under its checker": [
        "tests/extensions/simt/test_emitted.py::test_the_checker_has_no_finding[layer_norm-f16-sizes0]"
    ],
    "kernels as they are compiled for a GPU": [
        "tests/emit/test_cuda_compile.py::test_what_is_shipped_compiles[layer_norm-sm_90-33-dtypes1]"
    ],
    "random definitions": ["tests/fuzz/test_fuzz.py::test_a_random_definition_is_right_or_refused[6]"],
    "drift": ["tests/test_drift.py::test_a_changed_byte_under_generated_fails_until_it_is_derived_again"],
    "nothing stale": ["tests/pipeline/cache/test_results.py::test_a_changed_byte_of_a_rule_is_derived_with"],
    "README": ["tests/test_readme.py::test_links_lead_somewhere[README.md]"],
    "the command line": ["tests/test_cli.py::TestCheck::test_the_table_shows_every_kind_with_errors_and_bounds"],
}
"""Tests that stay in the default tier, by the kind of evidence that they are a sample of."""


LAYERS = {
    *("layer_norm", "add_layer_norm", "modulated_layer_norm", "rms_norm_gated", "layer_norm_gelu", "dynamic_tanh"),
    *("cross_entropy", "label_cross_entropy", "softmax", "masked_norm", "power_norm", "gated_residual"),
    *("statistics_out", "range_of_normalized", "group_norm", "rotary", "dropout_add_layer_norm"),
    *("interleaved", "thirds"),
}
"""Layers that have every construct between them: kinds of inputs and of outputs, sums of every kind, extremes, wide
rows, integers, named axes, parts and random numbers.
"""

OF_LAYERS = {
    "tests/pipeline/test_stages.py::test_every_shipped_layer_is_proved_and_is_what_is_committed",
    "tests/pipeline/test_stages.py::test_nothing_that_sympy_left_unfinished_is_emitted",
    "tests/prove/test_programs.py::test_programs_of_a_layer_are_the_derivation",
    "tests/plan/test_derivatives.py::test_nothing_is_saved_for_them",
    "tests/report/test_steps.py::test_no_word_of_the_house_is_printed_without_a_meaning",
    "tests/extensions/inspection/test_kernels.py::test_no_kernel_spills",
    "tests/extensions/page/test_page.py::test_it_is_one_file_whose_links_and_names_lead_somewhere",
}
"""Tests that ask the same of each layer: CI asks it of `LAYERS`, nightly of the others."""

CHOSEN = {
    # Parts of each kind, samples, rows with gaps, and a row of two axes.
    "tests/test_named_axes.py::test_results_are_those_of_the_layer_on_rows": {
        *("group_norm", "rotary", "interleaved", "thirds", "batch_norm", "by_picture", "ada_layer_norm_zero"),
    },
    # A type each; the arithmetic of integers is in all of them.
    "tests/test_integers_on_backends.py::test_kernels_compute_what_numpy_does": {"float64-every"},
    # Each type and size of a logit; what is between the exponential and its sum differs.
    "tests/test_attention.py::test_large_logits_are_right_in_all_directions": {
        *("additive_mask-float16-1000.0", "contrastive-float32-90.0", "masked_sink-float32-10000.0"),
        *("kl_divergence-float32-10000.0", "soft_cap-float16-1000.0", "z_loss-float32-90.0", "gates-float32-90.0"),
    },
    "tests/test_attention.py::test_no_exponential_is_left_to_overflow": {"masked_sink", "kl_divergence"},
    # Each place that a kernel keeps a row in, and that it sums in.
    "tests/checks/test_thresholds.py::test_cuda_layouts_with_a_mistake_in_one_are_caught": {
        *("a row of a few warps without the last", "sums in the workspace not begun at 0")
    },
    "tests/checks/test_thresholds.py::test_compiled_thresholds_with_a_mistake_on_one_side_are_caught": {
        *("the last entry not written", "a set of lanes twice in sums", "one piece twice"),
        *("rows that are added up together dropped", "sums over rows of one chunk"),
    },
    # What the checker sees, what the values do, and what both do.
    "tests/checks/test_kernel_mutants.py::test_each_is_caught_by_the_values_or_the_checker_of_the_emulator": {
        *("a row one entry too long", "a copied row used before its copy arrives")
    },
    "tests/emit/test_cuda_compile.py::test_what_is_shipped_compiles": {
        *("layer_norm-sm_90-33-dtypes1", "cross_entropy-sm_90-4096-dtypes5", "l2_norm-sm_100-64-dtypes6")
    },
    "tests/runtime/native/test_simd.py::test_functions_of_doubles_at_many_points": {"exp", "erf"},
    "tests/runtime/native/test_simd.py::test_functions_are_off_by_less_than_two_units_in_the_last_place": {"native"},
    # A way of memory each: rows that are read once, copied, widened, read again, and shared by blocks.
    "tests/extensions/simt/test_emitted.py::test_regimes_are_right_and_have_no_finding": {
        *("D=512 SHARED=2048", "D=4000 THREADS_PER_ROW=128 SHARED=232448"),
        "BLOCKS_PER_ROW=2 THREADS_PER_ROW=128 D=2000 ROOM=25 SHARED=16384",
    },
    # Sums of moments, of exponentials, and a wide row.
    "tests/checks/test_thresholds.py::test_layers_hold_on_both_sides_of_each_threshold": {
        *("layer_norm", "softmax", "power_norm")
    },
    # Rows, channels and labels.
    "tests/runtime/torch/test_operator_samples.py::test_values_and_gradients_of_the_samples": {
        *("nn.functional.layer_norm", "nn.functional.group_norm", "nn.functional.cross_entropy", "softmax")
    },
    "tests/checks/test_cpu.py::test_no_mistake_survives": {"gated_residual"},
    "tests/checks/test_in_torch.py::test_every_layer_passes": {"layer_norm"},
    # None of them at all: what an extension needs of another is in its own tests.
    "tests/test_entry_points.py::test_all_else_works_without_an_extension": {"all"},
    "tests/runtime/torch/test_ranks.py::test_processes_together_compute_what_one_does": {"2"},
    # Named axes; the others are rows, which the checker of the emulator sees elsewhere.
    "tests/tools/test_gpu_run.py::test_a_job_reads_and_writes_its_arrays_and_no_more": {"group_norm"},
    # A sum, a power and a select; the others are these in turn.
    "tests/derivation/test_gradients.py::test_a_definition_of_many_lines_takes_work_that_grows_with_its_lines": {
        *("squares", "selects")
    },
    "tests/extensions/page/test_browser.py::test_it_is_legible": {"layer_norm_gelu"},
    # ---- no case: what they show in half a minute each is shown in less by the tests named
    # test_regimes_are_right_and_have_no_finding runs them.
    "tests/extensions/simt/test_emitted.py::test_every_regime_is_there": set(),
    # Forty modules, of which each is compiled.
    "tests/extensions/simt/test_process.py::test_many_modules_in_one_process": set(),
    # test_a_job_reads_and_writes_its_arrays_and_no_more, test_every_stage_runs_and_is_recorded
    "tests/tools/test_gpu_run.py::test_what_is_compiled_ahead_is_what_is_timed": set(),
    # test_contracts_and_hard_inputs of tests/checks/test_cuda.py
    "tests/checks/test_cuda.py::test_float64": set(),
    "tests/checks/test_cuda.py::test_other_definitions": set(),
    # test_cuda_is_compiled has the case of a compiler.
    "tests/test_cli.py::TestCheck::test_where_kernels_are_neither_run_nor_compiled": set(),
    # A mistake in the backend of the guide is refused by the same checks.
    "tests/test_add_a_backend.py::test_one_that_raises_or_ends_the_process_has_failed": set(),
    "tests/test_add_a_backend.py::test_what_it_computes_is_checked": set(),
    "tests/runtime/native/test_aarch64.py::test_all_directions": {"cross_entropy-float64"},
    "tests/test_random_frameworks.py::test_derivatives_of_the_second_order_have_the_numbers_of_the_call": {"in_torch"},
    # ---- one of each kind, by what a case costs; the others have the same kind of value
    # Constants under a root, in a power, in a sum, of integers and of random numbers; the text is printed by one rule.
    "tests/checks/field/test_numpy_text.py::test_a_constant_that_stays_at_its_default_is_seen": {
        *("layer_norm", "focal_loss", "label_cross_entropy", "batch_norm", "dropout_add_layer_norm", "power_norm"),
    },
    # A norm, an extreme, a kink, several outputs and a gate; conformance has the others on every backend.
    "tests/checks/test_second_order.py::test_what_is_emitted_passes": {
        *("layer_norm", "softmax", "range_of_normalized", "rectified", "add_rms_norm", "gated_rms_norm"),
        *("layer_norm_gelu", "mean_abs_norm", "cross_entropy", "power_norm"),
    },
    "tests/test_cli.py::test_nothing_is_wider_than_the_terminal_and_no_word_is_broken": {
        *("derive layer_norm", "show layer_norm", "stability layer_norm", "device", "derive broken.py"),
        *("check layer_norm --backend numpy --shape 3,8 --dtype f32", "derive no_such_layer", "check --help"),
    },
    "tests/emit/test_cuda_compile.py::test_rows_go_by_sixteen_bytes_where_they_can": {"f32-8192", "bf16-256"},
    "tests/emit/test_cuda_compile.py::test_what_functions_give_has_room": {"layer_norm_gelu-f32-8192"},
    "tests/derivation/rules/test_stability.py::test_steps_of_forms_are_proved": {
        "1 - tanh(x)",
        "p = exp(x)/sum(exp(x)); sum(p*log(p))",
        "m = mean(x); s = rsqrt(mean(x**2) - m**2 + 1); (x - m)*s",
        "sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2",
    },
    "tests/extensions/simt/test_context_switch.py::test_the_runtime_is_compiled_for_aarch64": {"fibre", "warp"},
    "tests/extensions/simt/test_below.py::test_one_sweep_gives_what_two_give": {
        "softmax-bf16-a tail",
        "weighted-f64-one entry",
    },
    "tests/extensions/simt/test_below.py::test_mistakes_in_one_sweep_are_seen": {
        "a larger entry without its factor",
        "0 for the largest of nothing",
    },
    "tests/extensions/simt/test_emitted.py::test_a_scalar_of_a_few_long_rows_has_a_gradient": {"9217"},
    "tests/runtime/native/test_simd.py::test_powers": {"native"},
    "tests/runtime/native/test_simd.py::test_fused_rounds_once": {"native", "x86-64-v3"},
    "tests/emit/test_every_function.py::test_cuda": {"float16", "float64"},
    "tests/extensions/page/test_fit.py::test_every_formula_is_drawn_and_nothing_is_wider_than_a_phone": {
        "modulated_layer_norm"
    },
    "tests/extensions/page/test_browser.py::test_it_is_accessible": {"logsumexp"},
    "tests/test_casts_compiled.py::test_compiled_casts_of_every_16_bit_value_are_those_of_ml_dtypes": {"f16", "bf16"},
    "tests/test_batch_invariance.py::test_a_row_has_the_same_bits_alone_and_among_others": {
        *("numpy", "cpu-layer_norm-float16", "cpu-label_cross_entropy-float32", "cuda-layer_norm-float32"),
    },
    "tests/prove/test_quotients.py::test_every_gradient_agrees": {
        *("statistics_out", "masked_exponentials", "unbiased", "fourth_power", "sign_and_abs", "feature_sum"),
        *("clipped", "range_of_normalized", "constant_zero", "digits_in_names"),
    },
    "tests/fuzz/test_fuzz.py::test_a_definition_that_once_failed": {
        *("extreme_that_is_scaled_by_a_row", "sum_over_rows_of_terms_that_cancel", "integer_of_a_row_saved"),
        *("cuda_function_of_the_call_alone", "row_of_equal_entries_under_a_function"),
    },
    "tests/test_named_axes.py::test_jvp_is_the_transpose_of_backward": {
        *("group_norm", "rotary", "interleaved", "packed_swiglu"),
    },
    "tests/test_named_axes.py::test_weights_that_are_constant_in_runs_serve_every_direction": {"float64"},
    "tests/prove/test_soundness.py::test_a_rule_that_is_not_sound_is_seen": {
        *("the sign of a modulus", "a pole that a select hides", "a pole of another row"),
        *("a pole of any function of u", "a quotient by what may be zero", "a rewrite that divides"),
        *("attained under any scale", "a symbolic exponent"),
    },
    "tests/checks/test_runner.py::test_every_definition_passes": {
        *("cross_entropy", "masked_norm", "naive_variance", "unbiased", "dynamic_tanh", "power_norm"),
    },
    # Those of layer_norm and rms_norm are on the page of mistakes, which is made anew.
    "tests/checks/test_mutants.py::test_no_mutant_survives": set(),
    "tests/test_shipped_layers.py::test_values_gradients_and_second_order_are_those_of_pytorch": {
        *("group_norm", "rotary", "label_cross_entropy", "interleaved"),
    },
    "tests/test_own_build.py::test_objects_of_two_layers_link_and_those_of_one_name_do_not": {"cpp"},
    "tests/extensions/simt/test_field.py::test_mistakes_in_loops_are_seen": {
        "the last bit of a constant",
    },
    "tests/extensions/simt/test_field.py::test_kernels_are_equal_at_every_class_of_shapes": {"70-2"},
    "tests/test_integers_on_backends.py::test_kernels_of_a_gpu_compute_what_numpy_does": {"labels-float32-int64"},
    "tests/derivation/test_rule_names.py::test_rules_with_their_names_taken_derive_the_same_layer": {"log_partition"},
    "tests/checks/test_in_jax.py::test_every_layer_passes": {"cross_entropy"},
    "tests/emit/test_cpu_backend.py::test_any_memory": {"numpy"},
    "tests/emit/test_cpu_backend.py::test_threads_change_no_bit": {"layer_norm", "range_of_normalized"},
    "tests/test_add_a_backend.py::test_the_guide_is_followed": {"rms_norm"},
    "tests/test_add_a_backend.py::test_what_is_wrong_in_it_is_refused": {"kinds1"},
    "tests/runtime/torch/test_results.py::test_a_norm_trains_and_keeps_the_state_of_the_module": {"dtype0"},
    "tests/runtime/native/test_simd.py::test_functions_at_their_limits": {"native"},
    "tests/derivation/test_second_order.py::test_a_chain_ends_after_bounded_work_and_holds": {"norms"},
    "tests/derivation/test_losses_and_gates.py::test_derivation_of_a_loss_takes_bounded_work": {
        *("grpo", "clamped_swiglu", "piecewise"),
    },
    "tests/prove/test_every_size.py::test_every_statement_of_every_layer_is_exact": {
        *("layer_norm", "masked_norm", "cross_entropy", "softmax", "power_norm"),
    },
    "tests/runtime/torch/test_torch.py::test_a_call_that_is_compiled_may_be_the_first": {"True"},
    "tests/checks/field/test_processor.py::test_mistakes_in_loops_are_seen": {"a sum by run", "a lane of a sum"},
    "tests/runtime/native/test_places.py::test_rows_have_the_same_bits_wherever_they_lie": {"float32"},
    "tests/emit/test_cuda_long_rows.py::test_long_rows_have_the_values_of_numpy": {"12287-"},
    "tests/emit/test_cuda_long_rows.py::test_kernels_of_long_rows_compile": {
        *("layer_norm-sm_80-bf16-128256-0", "softmax-sm_110-f32-12287-0"),
    },
    "tests/test_casts_compiled.py::test_cuda_casts_of_every_16_bit_value_are_those_of_ml_dtypes": {"f16", "f32"},
    "tests/test_casts_compiled.py::test_false_roundings_are_seen": {"by way of float32", "not saturated"},
    "tests/runtime/cuda/test_shapes.py::test_layouts_of_demands_that_no_layer_makes_are_sound": {"40"},
    "tests/checks/test_mutants.py::test_no_mutant_survives_in_compiled_code": {"correction of the mean left out"},
    "tests/extensions/test_dask.py::test_processes_together_compute_what_one_does": {"2"},
    "tests/emit/test_cuda_clusters.py::test_a_planted_fault_is_seen": {"no barrier of the cluster"},
    "tests/test_many_optional.py::test_gradients_are_right_whichever_are_left_out": {
        *("400-20-float32", "400-20-float64", "5-12-float32"),
    },
    # ---- one of each kind since twenty more layers are shipped; planted mistakes are found by one claim after another
    "tests/checks/callables/test_adapters.py::test_each_wrong_function_is_found_by_the_claim_about_its_fault": {
        *("PackedCotangent", "OverInput", "AnyOrder", "Silent", "FixedEps", "wide_result"),
    },
    "tests/checks/field/test_numpy_text.py::test_text_computes_its_programs": {
        *("cross_entropy", "group_norm", "layer_norm", "power_norm", "rotary", "dropout_add_layer_norm"),
    },
    "tests/checks/field/test_processor.py::test_every_layer_is_equal_wherever_its_rows_lie": {"rotary"},
    "tests/checks/test_in_torch.py::test_layers_of_named_axes_hold_on_rows": {"group_norm"},
    "tests/checks/test_in_triton.py::test_a_planted_mistake_is_found": {"a gradient without its kernel"},
    "tests/emit/triton/test_kernels.py::test_results_whole_rows_and_tiles_are_those_of_numpy": {
        *("layer_norm", "cross_entropy", "label_cross_entropy", "group_norm", "masked_norm", "power_norm"),
        *("dropout_add_layer_norm", "interleaved"),
    },
    "tests/extensions/simt/test_field.py::test_kernels_are_equal_to_their_programs": {"cross_entropy", "rotary"},
    "tests/prove/test_digits.py::test_digits_are_relative_at_any_scale": {"1e-120*", "1e60*"},
    "tests/runtime/torch/test_gpu.py::test_a_compiled_program_that_launches_computes_what_a_call_does": {
        *("layer_norm", "group_norm"),
    },
    "tests/runtime/torch/test_gpu.py::test_inputs_and_cotangents_may_lie_in_any_order": {"group_norm"},
    "tests/runtime/torch/test_gpu.py::test_a_call_is_compiled_once_for_any_number_of_rows": {"target1"},
    # A norm with and without a mean, and one with an offset.
    "tests/runtime/torch/test_models.py::test_replace_in_a_model_of_transformers_keeps_all_but_the_computation": {
        *("BERT", "Llama", "Gemma 3"),
    },
    "tests/test_add_a_backend.py::test_what_is_no_backend_is_one_sentence": {"Backend"},
    "tests/prove/test_digits.py::test_all_evidence_holds": {
        *("sine", "log_probability", "feature_maximum", "layer_norm", "rms_norm"),
    },
}
"""Parts of the names of cases that CI runs, of tests whose cases take minutes together; nightly runs all."""


def tier_of(marks: Iterable[str]) -> str:
    """The tier of a test with these marks. Raises ValueError if they are those of two.

    >>> tier_of(["cuda"]), tier_of(["ci", "cuda"])
    ('default', 'ci')
    """
    found = sorted({*marks} & {*TIERS})
    if len(found) > 1:
        raise ValueError(f"a test is in one tier, and this one is in {' and '.join(found)}")
    return found[0] if found else "default"


def is_after_the_core(test: str, needs: Iterable[str] = ()) -> bool:
    """Test whether a test, by its id, is in the tier `ci` for the place that it is in, or for what it needs.

    >>> is_after_the_core("tests/tools/test_verify.py::test_a"), is_after_the_core("tests/plan/test_plan.py::test_b")
    (True, False)
    """
    places = tuple(f"tests/{place}" for place in AFTER_THE_CORE)
    is_later = test.startswith(places) or not {*COMPILES}.isdisjoint(needs)
    return is_later and not any(test in names for names in REPRESENTATIVES.values())


def is_left_out(path: str) -> bool:
    """Test whether a file, by its place in the checkout, has no test in the default tier.

    >>> is_left_out("tests/tools/test_verify.py"), is_left_out("tests/fuzz/test_fuzz.py")
    (True, False)
    """
    representatives = {test.partition("::")[0] for tests in REPRESENTATIVES.values() for test in tests}
    return path not in representatives and is_after_the_core(path)


def stays_in_ci(test: str) -> bool:
    """Test whether a case of the tier `ci`, by its id, is one of those that are chosen for it.

    >>> test = "tests/plan/test_derivatives.py::test_nothing_is_saved_for_them"
    >>> stays_in_ci(f"{test}[layer_norm-layer_norm]"), stays_in_ci(f"{test}[l2_norm-l2_norm]")
    (True, False)
    """
    name, _, case = test.removesuffix("]").partition("[")
    wanted = LAYERS if name in OF_LAYERS else CHOSEN.get(name)
    return wanted is None or not wanted.isdisjoint((case, *case.split("-"), case.partition("-")[2]))


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
