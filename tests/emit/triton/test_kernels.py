"""Triton kernels in the interpreter: all directions beside NumPy, and mistakes that this finds."""

import numpy as np
import pytest

from lngen.emit import triton
from lngen.language import FUNCTIONS
from lngen.report.heading import notes
from lngen.runtime.protocol.casts import TARGETS
from tests import derivatives, launched
from tests.requirements import needs_triton
from tests.tiers import LAYERS, sample

pytestmark = needs_triton

BOUNDS = {"float64": 1e-12, "float32": 2e-5, "float16": 3e-3}
"""Largest error of an entry, of the largest of its result; where NumPy in float32 has more, four times that."""

TEXTS = sorted(launched.TEXTS)
SHAPES = ((1, 1), (3, 7), (9, 64), (2, 1000))


def wrong(found, dtype):
    """The results whose error is too large."""
    allowed = {key: max(BOUNDS[dtype], 4 * narrow * (dtype != "float64")) for key, (_, narrow) in found.items()}
    return {key: error for key, (error, _) in found.items() if error > allowed[key]}


# ---- beside NumPy


@pytest.mark.parametrize("tile", [0, 4])
@pytest.mark.parametrize("name", sample(TEXTS, (), LAYERS))
def test_results_whole_rows_and_tiles_are_those_of_numpy(name, tile):
    assert wrong(launched.in_interpreter(launched.errors, name, 5, 11, "float64", frozenset(), tile), "float64") == {}


@pytest.mark.parametrize("name", sample(TEXTS, (), ("add_layer_norm", "group_norm", "masked_norm")))
def test_results_with_arguments_left_out_are_those_of_numpy(name):
    for left_out in launched.in_interpreter(launched.absences, name):
        found = launched.in_interpreter(launched.errors, name, 5, 11, "float64", left_out, 4)
        assert wrong(found, "float64") == {}, sorted(left_out)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize(("rows", "features"), [*SHAPES, (2, 4096), (2, 40000)])
@pytest.mark.parametrize("name", TEXTS)
def test_results_of_each_length_and_type_are_those_of_numpy(name, rows, features, dtype):
    least = derivatives.planned(launched.TEXTS[name]).forward.minimum_features
    found = launched.in_interpreter(launched.errors, name, rows, max(features, least), dtype)
    assert wrong(found, dtype) == {}


@pytest.mark.parametrize("function", [name for name, entry in FUNCTIONS.items() if entry.head and entry.arity == 1])
def test_a_function_alone_is_that_of_numpy(function):
    text = f"def f(x: Row): return {function}(x)"
    found = launched.in_interpreter(launched.errors, text, 3, 40)
    assert wrong(found, "float64") == {}


@pytest.mark.parametrize("tile", [0, 16])
def test_entries_outside_of_rows_with_a_large_mean_count_nothing(tile):
    for features in (1, 3, 17, 127, 1000):
        given = {"x": 1e4 + np.random.default_rng(features).normal(size=(3, features))}
        found = launched.in_interpreter(
            launched.errors, "layer_norm", 3, features, "float32", frozenset(), tile, (), given
        )
        assert wrong(found, "float32") == {}, features


# ---- memory, integers, casts


def test_the_bits_of_a_row_do_not_depend_on_the_rows_beside_it():
    for name in ("layer_norm", "label_cross_entropy", "rms_norm_gated"):
        for tile in (0, 4):
            assert launched.in_interpreter(launched.bits_alone, name, 11, "float32", tile) == []


@pytest.mark.parametrize(("features", "strides"), [(40, (2**31, 1)), (3, (1, 2**30))], ids=["rows", "entries"])
def test_what_lies_2_to_the_31_apart_is_found(features, strides):
    assert launched.in_interpreter(launched.far_apart, features, strides) == 0


LABELS = {"label": np.array([11, 2**32 + 2, -1, 2])}
"""Places of which a row of 8 has one."""

ENTRIES = [f"pick({body}, label)" for body in ("x", "tanh(x)", "w*x", "x - max(x)", "index()*x", "x*x_there")]
ENTRIES += ["pick(x, label + 1)", "pick(x, label - i)", "pick(x, 2)", "sum(where(index() == index(), x, 0))"]


@pytest.mark.parametrize("tile", [0, 4])
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_that_of_numpy_and_0_where_a_row_has_no_such_place(entry, tile):
    inputs = 'x: Row, x_there: Row, w: Feature, label: Int["..."], i: Int["..."]'
    text = f"def f({inputs}): return {entry} + 0*sum(w)*mean(x_there)*i*label"
    given = {**LABELS, "i": np.array([9, 0, 1, -1])}
    found = launched.in_interpreter(launched.errors, text, 4, 8, "float64", frozenset(), tile, (), given)
    assert wrong(found, "float64") == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [(r" & \(label >= 0\)", ""), (r" & \(label < D\)", ""), (r"label\*x_step", "(label + 1)*x_step")],
    ids=["before the row", "behind the row", "another entry"],
)
def test_an_entry_that_the_row_has_not_is_found(old, new):
    text = 'def f(x: Row, label: Int["..."]): return pick(x, label)'
    near = {"label": np.array([11, 9, -1, 2])}
    found = launched.in_interpreter(launched.errors, text, 4, 8, "float64", frozenset(), 0, ((old, new),), near)
    assert wrong(found, "float64") != {}


def test_a_loss_reads_the_entry_of_its_label_alone():
    """No entry of the row is compared with the label in forward, and each is in backward."""
    plan = derivatives.planned(launched.TEXTS["label_cross_entropy"])
    (text,) = triton.emit(plan.programs(), notes(plan, "numpy")).values()
    forward, backward = (part.partition("\n@")[0] for part in text.split("label_cross_entropy_")[1:3])
    assert ("d == label" in forward, "d == label" in backward) == (False, True)


def test_the_gradient_of_an_extreme_goes_to_the_first_entry_that_attains_it():
    given = {"x": np.resize([1.0, 3.0, 3.0, -2.0, 3.0, -2.0], (4, 11))}
    for tile in (0, 4):
        for text in ("def f(x: Row): return x*max(x)", "def f(x: Row): return x*min(x)"):
            found = launched.in_interpreter(launched.errors, text, 4, 11, "float64", frozenset(), tile, (), given)
            assert wrong(found, "float64") == {}


@pytest.mark.parametrize("tile", [0, 4])
@pytest.mark.parametrize("text", ["x*max(x)", "x*min(x)", "exp(x)/sum(exp(x))", "x*mean(x)"])
def test_a_row_with_nan_or_infinity_is_that_of_numpy(text, tile):
    x = np.resize([1.0, 3.0, -2.0, 0.5, 2.0], (4, 11))
    x[0, 2], x[1, 9], x[2, 5] = np.nan, -np.inf, np.inf
    found = launched.in_interpreter(
        launched.errors, f"def f(x: Row): return {text}", 4, 11, "float64", frozenset(), tile, (), {"x": x}
    )
    assert wrong(found, "float64") == {}


def test_random_numbers_have_the_bits_of_numpy():
    text = 'def f(x: Row, seed: Int[""]): return uniform(seed, 1) + 0*x'
    for tile in (0, 4):
        found = launched.in_interpreter(launched.errors, text, 6, 11, "float32", frozenset(), tile)
        assert found["forward y"] == (0, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_cast_rounds_once_to_nearest_even_and_saturates(target, dtype):
    special = [0.0, -0.0, 0.5, 1.5, -2.5, 127.5, 300.0, -300.0, 447.0, 465.0, 6e4, 1e30, np.inf, -np.inf, np.nan]
    near = [1 + 2.0**-4 + 2.0**-30, 2.0**-9, 2.0**-10, 1.5 * 2.0**-10, 2.0**-17, 1e-30, 1.9999, 3.4028235e38]
    given = {"x": np.resize([*special, *near, *np.random.default_rng(0).normal(size=41) * 2.0], (4, 16))}
    text = f'def f(x: Row): return cast(x, "{target}")'
    found = launched.in_interpreter(launched.errors, text, 4, 16, dtype, frozenset(), 0, (), given)
    assert found["forward y"][0] == 0


# ---- mistakes

MISTAKES = {
    "entries outside of the row counted": ("layer_norm", r"tl\.where\(inside, (x_shifted), 0\.0\)", r"\1"),
    "squares outside of the row counted": ("layer_norm", r"tl\.where\(inside, (x_shifted\*x_shifted), 0\.0\)", r"\1"),
    "a mean over one entry less": (
        "rms_norm",
        r"ms_sum, 1, keep_dims=True\)/length",
        "ms_sum, 1, keep_dims=True)/(length - 1)",
    ),
    "the last tile left out": ("rms_norm", r"range\(0, TILE if WHOLE else D, TILE\)", "range(0, D - TILE, TILE)"),
    "a tile twice": ("softmax", r"d = start \+ tl", "d = start//8*8 + tl"),
    "the last row left out": ("rms_norm", "there = row < rows", "there = row < rows - 1"),
    "rows as if they had no gaps": ("layer_norm", r"x_row = x_ptr \+ row\*x_stride", "x_row = x_ptr + row*D"),
    "entries as if they had no gaps": ("layer_norm", r"ddx_row \+ d\*ddx_step", "ddx_row + d"),
    "another stride of a weight": ("group_norm", r"g_index\*gamma_stride_g", "g_index*gamma_stride_c"),
    "an axis left out": ("group_norm", r"row % g_size", "row // g_size % g_size"),
    "a place in a channel for the channel": ("group_norm", r"d // rest_size", "d % rest_size"),
    "sums of the first programs alone": ("rms_norm", r"range\(0, programs, AT_ONCE\)", "range(0, AT_ONCE, AT_ONCE)"),
    "sums in memory not begun at 0": ("rms_norm", r"tl\.zeros\(\[1, TILE\], A\)", "tl.full([1, TILE], 1.0, A)"),
    "sums of another program": ("rms_norm", r"sums_ptr \+= program \* D", "sums_ptr += program * 0"),
    "sums one behind the other mixed up": ("layer_norm", r"sums_ptr \+ D \+ d", "sums_ptr + d"),
    "a sum over rows not stored": ("dynamic_tanh", r"tl\.sum\(dalpha\)", "tl.sum(dalpha)*0"),
    "rows counted that are not there": ("scaled_softmax", r"tl\.where\(there, (.*), 0\.0\)", r"\1 + 1"),
    "gamma forgotten": ("rms_norm", r"y = xhat\*gamma", "y = xhat"),
    "beta forgotten": ("layer_norm", r"y \+= beta", "y += 0"),
    "eps forgotten": ("rms_norm", r"ms \+ eps", "ms"),
    "eps outside of the root": ("rms_norm", r"tl\.rsqrt\(ms \+ eps\)", "1/(tl.sqrt(ms) + eps)"),
    "a mean term dropped": ("layer_norm", r"dx = \(g - mean_g - ", "dx = (g - "),
    "a mean term twice": ("layer_norm", r"dx = \(g - mean_g - ", "dx = (g - 2*mean_g - "),
    "the xhat term dropped": ("rms_norm", r"g - xhat\*mean_g_xhat", "g"),
    "another number saved": ("rms_norm", r"rstd_ptr \+ row, rstd", "rstd_ptr + row, 2*rstd"),
    "a sign of a tangent": ("rms_norm", r"y_dot \+=", "y_dot -="),
    "the value of a weight that is left out": ("rms_norm", "HAS_gamma else 1.0", "HAS_gamma else 0.0", "gamma"),
    "a tangent that is there taken as left out": (
        "layer_norm",
        r"if HAS_gamma_dot:\n(\s+y_dot)",
        r"if HAS_x_dot:\n\1",
        "x_dot",
    ),
    "a stream of random numbers": ("dropout_add_layer_norm", r"uniform\(seed, 0,", "uniform(seed, 1,"),
    "a row of random numbers": ("dropout_add_layer_norm", r"\(row & 0xFFFFFFFF\)", "(row & 0)"),
    "another entry picked": ("label_cross_entropy", r"d == label", "d == label + 1"),
    "the largest entry not taken off": ("softmax", r"finite_or_zero\((.*)\)  #", r"finite_or_zero(\1) - 1000  #"),
}


@pytest.mark.parametrize("mistake", sample(MISTAKES, (), [*MISTAKES][::4]))
def test_a_planted_mistake_is_found(mistake):
    name, old, new, *left_out = MISTAKES[mistake]
    for tile in (0, 4):
        changes = ((old, new),)
        found = launched.in_interpreter(launched.errors, name, 5, 11, "float64", frozenset(left_out), tile, changes)
        if wrong(found, "float64"):
            return
    pytest.fail(f"{mistake}: the results are those of NumPy")


# ---- the text


@pytest.mark.parametrize("name", sample(TEXTS, (), ("layer_norm", "add_rms_norm_fp8", "dropout_add_layer_norm")))
def test_the_file_imports_triton_alone_and_names_the_steps(name):
    plan = derivatives.planned(launched.TEXTS[name])
    (text,) = triton.emit(plan.programs(), notes(plan, "numpy")).values()
    imports = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    assert imports == ["import triton", "import triton.language as tl"]
    for line in plan.forward.lines():
        assert f"# step {line.step}" in text
