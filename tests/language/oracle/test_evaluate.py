"""The oracle against mpmath: values, ties, number types, and the complex step."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.language import FUNCTIONS
from lngen.language.definition import Definition
from lngen.language.oracle import multiprecision
from lngen.language.oracle.evaluate import COMPLEX128, FLOAT64, LONGDOUBLE, Numbers, evaluate, mp_numbers
from lngen.language.parsing import load, parse
from tests.shipped import DEFINITIONS
from tests.tiers import sample

UNARY = [e.name for e in FUNCTIONS.values() if e.arity == 1 and e.role not in ("reduction", "draw")]
STEP = 1e-30

mp = mpmath.MPContext()
mp.dps = 60

# Written from their definitions, on purpose in another form than the evaluator's.
REFERENCE: dict[str, Callable[[Any], Any]] = {
    "sqrt": mp.sqrt,
    "rsqrt": lambda u: u ** (-mp.mpf(1) / 2),
    "exp": mp.exp,
    "log": mp.log,
    "log1p": lambda u: _wide(lambda: mp.log(1 + u)),
    "expm1": lambda u: _wide(lambda: mp.exp(u) - 1),
    "sin": mp.sin,
    "cos": mp.cos,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "tanh": lambda u: _wide(lambda: mp.sinh(u) / mp.cosh(u)),
    "sigmoid": lambda u: 1 / (1 + mp.exp(-u)),
    "softplus": lambda u: mp.log1p(mp.exp(u)),
    "relu": lambda u: max(u, mp.zero),
    "silu": lambda u: u / (1 + mp.exp(-u)),
    "gelu": lambda u: _wide(lambda: u * mp.ncdf(u)),
    "erf": mp.erf,
    "abs": abs,
    "sign": mp.sign,
    "stop_gradient": lambda u: u,
}


def _wide(function: Callable[[], Any]) -> Any:
    with mp.workdps(700):  # 1 + 1e-300 needs 300 digits
        return function()


def points(name: str) -> list[float]:
    """Random points in the middle of the domain, and the hard ones."""
    rng = np.random.default_rng(sum(map(ord, name)))
    positive = name in ("sqrt", "rsqrt", "log", "log1p")
    least, most = (-0.99, 0.99) if FUNCTIONS[name].highest else (0.1 if positive else -3, 3)
    return [*rng.uniform(least, most, 20).tolist(), *FUNCTIONS[name].hard_points]


def unary(name: str, values: list[Any], numbers: Numbers) -> Any:
    return evaluate(parse(f"def f(x: Row): return {name}(x)"), {"x": values}, numbers)["y"]


def ulps(found: Any, exact: Any, digits: int = 53, smallest: Any = 5e-324) -> float:
    """The error in units of the last place of the exact value."""
    if exact == 0:
        return float(abs(mp.mpf(float(found))) / smallest)
    unit = max(mp.ldexp(1, int(mp.floor(mp.log(abs(exact), 2))) + 1 - digits), mp.mpf(smallest))
    top, bottom = found.as_integer_ratio()
    return float(abs(mp.mpf(int(top)) / int(bottom) - exact) / unit)


# --- functions -------------------------------------------------------------------------------------


LONG = (LONGDOUBLE, np.finfo(np.longdouble).nmant + 1, mp.mpf("1e-4930"), 16)


@pytest.mark.parametrize(("numbers", "digits", "smallest", "most"), [(FLOAT64, 53, 5e-324, 4), LONG], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_a_function_in_floats(name: str, numbers: Numbers, digits: int, smallest: Any, most: float) -> None:
    """Off by a few units: sigmoid, silu and gelu are three roundings from their parts."""
    where = points(name)
    for at, found in zip(where, unary(name, where, numbers), strict=True):
        assert ulps(found, REFERENCE[name](mp.mpf(at)), digits, smallest) <= most, at


@pytest.mark.parametrize("name", UNARY)
def test_a_function_in_multiprecision(name: str) -> None:
    where = points(name)
    for at, found in zip(where, unary(name, where, mp_numbers(50)), strict=True):
        exact = REFERENCE[name](mp.mpf(at))
        assert abs(found - exact) <= abs(exact) * mp.mpf(10) ** -48, at


@pytest.mark.parametrize("name", UNARY)
def test_the_complex_step_of_a_function(name: str) -> None:
    where = points(name)
    results = unary(name, [complex(at, STEP) for at in where], COMPLEX128)
    assert np.array_equal(results.real, unary(name, where, FLOAT64))
    for at, found in zip(where, results.imag / STEP, strict=True):
        slope = _slope(name, at)
        if name in ("silu", "gelu") and -10 < at < -0.1:
            # Near the lowest point two terms of the size of f(u)/u cancel.
            assert abs(mp.mpf(float(found)) - slope) <= 2.0**-50 * max(abs(slope), REFERENCE[name](at) / at), at
        elif abs(slope) > 1e-270 and abs(slope) < 1e300:
            assert ulps(found, slope) <= 8, at
        else:  # the step itself has left the range
            assert abs(found) < 1e-260 or abs(slope) >= 1e300, at


def _slope(name: str, at: float) -> Any:
    """The derivative at 60 digits; at a kink, the one of the language."""
    if name == "stop_gradient":
        return mp.zero
    if name in ("abs", "relu", "sign"):
        return {"abs": mp.sign(at), "relu": mp.mpf(at > 0), "sign": mp.zero}[name]
    # A step that is small beside the argument, and digits enough for the difference.
    with mp.workdps(900):
        h = mp.mpf(10) ** -(350 if abs(at) < 1e-200 else 100)
        u = mp.mpf(at)
        return (REFERENCE[name](u + h) - REFERENCE[name](u - h)) / (2 * h)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("at", [-1e4, 1e4, -1e308, 1e308])
def test_far_out_nothing_turns_into_nan(name: str, at: float) -> None:
    if not FUNCTIONS[name].holds(at):
        assert np.isnan(unary(name, [at], FLOAT64)).all()
        return
    result = unary(name, [complex(at, STEP)], COMPLEX128)
    assert not np.isnan(result.real).any()
    assert not np.isnan(result.imag).any()


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_function_of_a_number_of_any_size_ends(name: str, sign: int) -> None:
    # exp(exp(1e30)) is such a number, and to reduce it by pi or log(2) would take as many digits.
    functions = multiprecision.Functions(mpmath.mp)
    value = getattr(functions, name)(sign * mpmath.ldexp(1, 2**5000))
    bounded = {"tanh": sign, "erf": sign, "sigmoid": (1 + sign) / 2, "sign": sign}
    if name in bounded:
        assert value == bounded[name]
    elif name in ("sin", "cos"):
        assert mpmath.isnan(value)


@pytest.mark.parametrize("name", UNARY)
def test_nan_stays_nan(name: str) -> None:
    for numbers in (FLOAT64, mp_numbers(30)):
        assert unary(name, [math.nan], numbers)[0] != 0
        assert np.isnan(float(unary(name, [math.nan], numbers)[0]))


# --- ties and selects ------------------------------------------------------------------------------

ALL_TYPES = [FLOAT64, LONGDOUBLE, COMPLEX128, mp_numbers(30)]


def derivative(definition: Definition, inputs: dict[str, Any], name: str, index: Any) -> Any:
    """d(sum of y)/d(inputs[name][index]) by the complex step."""
    stepped = {key: np.array(value, complex) for key, value in inputs.items()}
    stepped[name][index] += 1j * STEP
    return evaluate(definition, stepped, COMPLEX128)["y"].imag.sum() / STEP


@pytest.mark.parametrize("function", ["maximum", "minimum"])
def test_a_tie_of_two_goes_to_the_second(function: str) -> None:
    definition = parse(f"def f(a: Row, b: Row): return {function}(a, b)")
    inputs = {"a": [0.0, 1.0, 2.0], "b": [0.0, 2.0, 1.0]}
    slopes = [derivative(definition, inputs, "a", i) for i in range(3)]
    assert slopes == ([0, 0, 1] if function == "maximum" else [0, 1, 0])
    assert [derivative(definition, inputs, "b", i) for i in range(3)] == [1 - s for s in slopes]


@pytest.mark.parametrize("text", ["maximum(x, 0)", "relu(x)"])
def test_the_kink_at_zero_has_slope_zero(text: str) -> None:
    assert derivative(parse(f"def f(x: Row): return {text}"), {"x": [0.0]}, "x", 0) == 0


@pytest.mark.parametrize("function", ["max", "min"])
def test_a_tie_in_a_row_goes_to_the_first(function: str) -> None:
    definition = parse(f"def f(x: Row): return {function}(x)")
    x = [[1.0, 3.0, 3.0, 1.0]]
    slopes = [derivative(definition, {"x": x}, "x", (0, i)) for i in range(4)]
    assert slopes == ([0, 1, 0, 0] if function == "max" else [1, 0, 0, 0])


def test_a_square_near_zero_is_not_negative_for_the_complex_step() -> None:
    definition = parse("def f(x: Row): return where(x**2 >= 0, 3*x, 0) + abs(x*x)")
    assert derivative(definition, {"x": [0.0]}, "x", 0) == 3


@pytest.mark.parametrize("numbers", ALL_TYPES, ids=repr)
def test_where_is_a_select(numbers: Numbers) -> None:
    definition = parse("def f(x: Row): return where(x == 0, 1, 1 / x)")
    assert [float(v) for v in np.real(evaluate(definition, {"x": [0, 2, -4]}, numbers)["y"])] == [1, 0.5, -0.25]


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("numbers", ALL_TYPES, ids=repr)
def test_comparisons(sign: str, numbers: Numbers) -> None:
    definition = parse(f"def f(x: Row): return where(x {sign} 1, 1 + 0*x, 0)")
    found = evaluate(definition, {"x": [0, 1, 2]}, numbers)["y"]
    assert [bool(value) for value in found] == [eval(f"{value} {sign} 1") for value in (0, 1, 2)]


@pytest.mark.parametrize("numbers", ALL_TYPES, ids=repr)
def test_joined_conditions(numbers: Numbers) -> None:
    """Values at ties, beyond the numbers, and where no comparison but `!=` holds."""
    x, m = (each.ravel() for each in np.meshgrid(*[[-2, -1, -0.0, 0, 1, np.inf, -np.inf, np.nan]] * 2))
    for condition in ("(x > 0) & ~(m == 0) | (x < -1)", "~(x <= m) & (m != 0)", "~((x < m) | ~(m >= 0))"):
        definition = parse(f"def f(x: Row, m: Row): return where({condition}, 2, x - x + m - m)")
        with np.errstate(invalid="ignore"):
            wanted = np.where(eval(condition), 2, x - x + m - m)
        found = np.real(evaluate(definition, {"x": x, "m": m}, numbers)["y"]).astype(float)
        assert np.array_equal(found, wanted, equal_nan=True)


def test_stop_gradient_is_the_identity_without_a_slope() -> None:
    definition = parse("def f(x: Row): return x * stop_gradient(x)")
    assert evaluate(definition, {"x": [3.0]})["y"] == [9]
    assert derivative(definition, {"x": [3.0]}, "x", 0) == 3


@pytest.mark.parametrize("numbers", ALL_TYPES, ids=repr)
def test_extremes_in_every_type(numbers: Numbers) -> None:
    definition = parse("def f(x: Row, b: Row): return max(x) + 2*min(x) + 4*maximum(x, b) + 8*minimum(x, b)")
    found = evaluate(definition, {"x": [[1, 2, 0]], "b": [[0, 1, 0]]}, numbers)["y"]
    assert [float(v) for v in np.real(found[0])] == [6, 18, 2]


@pytest.mark.parametrize("numbers", [FLOAT64, mp_numbers(30)], ids=repr)
def test_extremes_of_nan_are_nan(numbers: Numbers) -> None:
    for text in ("max(x)", "min(x)", "maximum(x, 0)", "maximum(0, x)", "minimum(x, 0)", "minimum(0, x)"):
        found = evaluate(parse(f"def f(x: Row): return x * 0 + {text}"), {"x": [math.nan]}, numbers)["y"]
        assert np.isnan(float(found[0])), text


# --- shapes and inputs -----------------------------------------------------------------------------

EVERYTHING = parse(
    "def f(x: Row, s: RowScalar = 2, gamma: Feature = 3, a: Scalar = 5, eps: Constant = 0.5):\n"
    "    m = mean(gamma)\n"
    "    u = s * gamma\n"
    "    t = sum(x) * s\n"
    "    y = x * u + a * m + eps + t\n"
    "    return t, y\n"
)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (0, 4), (2, 1)])
def test_shapes_and_order(shape: tuple[int, ...]) -> None:
    x = np.arange(math.prod(shape), dtype=float).reshape(shape)
    found = evaluate(EVERYTHING, {"x": x})
    assert list(found) == ["t", "y"]
    assert found["t"].shape == shape[:-1]
    assert np.array_equal(found["y"], x * 6 + 15 + 0.5 + 2 * x.sum(-1, keepdims=True))
    every = evaluate(EVERYTHING, {"x": x}, all_values=True)
    assert list(every) == ["m", "u", "t", "y"]
    assert [value.shape for value in every.values()] == [(), shape, shape[:-1], shape]


@pytest.mark.parametrize("numbers", ALL_TYPES, ids=repr)
def test_every_kind_of_input_in_every_type(numbers: Numbers) -> None:
    x, s, gamma = np.array([[1, 2], [3, 4], [5, 6]]), np.array([1, 0, 2]), np.array([1, 3])
    found = evaluate(EVERYTHING, {"x": x, "s": s, "gamma": gamma, "a": 1, "eps": None}, numbers)
    t = x.sum(-1) * s
    y = x * s[:, None] * gamma + 2 + 0.5 + t[:, None]
    assert np.array_equal(np.real(found["t"]).astype(float), t)
    assert np.array_equal(np.real(found["y"]).astype(float), y)


def test_inputs_are_not_written_to_and_not_returned() -> None:
    x = np.arange(4.0)
    x.flags.writeable = False
    found = evaluate(parse("def f(x: Row): return stop_gradient(x)"), {"x": x})["y"]
    assert not np.shares_memory(found, x)
    assert found.flags.writeable


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"x": [1.0], "z": 1}, "f has no input 'z'; it has x, s, gamma, a, eps."),
        ({}, "f needs its input 'x': pass an array of shape (..., D)."),
        ({"x": None}, "f needs its input 'x': pass an array of shape (..., D)."),
        ({"x": 1.0}, "'x' is a number; pass an array of shape (..., D)."),
        ({"x": [[]]}, "'x' has D = 0, and f needs D >= 1."),
        ({"x": [1.0], "gamma": 1}, "'gamma' has shape (); a Feature has (1,) beside rows of shape (1,)."),
        ({"x": [1.0], "s": [1.0]}, "'s' has shape (1,); a RowScalar has () beside rows of shape (1,)."),
        ({"x": ["a"]}, "'x' is not an array of FLOAT64 numbers"),
        ({"x": [1j]}, "'x' is not an array of FLOAT64 numbers: complex values. Pass real numbers."),
        ({"x": [None]}, "'x' is not an array of FLOAT64 numbers"),
        ({"x": ["1"]}, "'x' is not an array of FLOAT64 numbers: text or dates. Pass real numbers."),
    ],
)
def test_wrong_inputs_get_one_message(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(LngenError) as caught:
        evaluate(EVERYTHING, inputs)
    assert str(caught.value).startswith(message)


# --- number types ----------------------------------------------------------------------------------


def test_multiprecision_takes_finite_numbers_of_any_type() -> None:
    x = [Fraction(1, 3), 2, 0.5, np.float32(0.1), np.longdouble(3), mpmath.mpf(7)]
    found = evaluate(parse("def f(x: Row): return x * 1"), {"x": x}, mp_numbers(30))["y"]
    assert [float(value) for value in found] == [1 / 3, 2, 0.5, float(np.float32(0.1)), 3, 7]
    with pytest.raises(LngenError, match=r"not a mp_numbers\(30\) number"):
        evaluate(parse("def f(x: Row): return x * 1"), {"x": np.array([np.inf], np.longdouble)}, mp_numbers(30))


def test_float64_sums_in_extended_precision() -> None:
    x = np.full((1, 4096), 0.1)
    x[0, 0] = 1e4
    exact = Fraction(10000) + 4095 * Fraction(0.1)
    assert evaluate(parse("def f(x: Row): return sum(x)"), {"x": x})["y"] == float(exact)
    assert evaluate(parse("def f(x: Row): return mean(x)"), {"x": x})["y"] == float(exact / 4096)


def test_longdouble_constants_are_not_rounded_to_float64() -> None:
    found = evaluate(parse("def f(x: Row): return x + 1e-5 - 1e-5 + 0.1"), {"x": [0.0]}, LONGDOUBLE)["y"][0]
    assert found == np.longdouble("0.1")
    if np.finfo(np.longdouble).nmant > 52:
        assert found != np.longdouble(0.1)


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_number_types_agree_on_every_definition(path: Path) -> None:
    definition = load(path)
    inputs = _random_inputs(definition, rows=3, features=5)
    exact = evaluate(definition, inputs, mp_numbers(40), all_values=True)
    bounds = [(FLOAT64, 1e-14), (LONGDOUBLE, 1e-14), (COMPLEX128, 1e-14)]
    for numbers, bound in bounds:
        found = evaluate(definition, inputs, numbers, all_values=True)
        for name in exact:
            error = np.abs(np.real(found[name]).astype(float) - exact[name].astype(float)).max()
            assert error <= bound * max(1.0, np.abs(exact[name].astype(float)).max()), (numbers, name)


def _random_inputs(definition: Definition, rows: int, features: int) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    shapes = {"Row": (rows, features), "RowScalar": (rows,), "Feature": (features,), "Scalar": ()}
    return {
        entry.name: np.asarray(rng.standard_normal(shapes[entry.kind.value]).astype(np.float16).astype(float))
        for entry in definition.differentiable
    }
