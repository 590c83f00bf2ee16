"""Every elementwise function of the language, value and gradient, on every backend and in every type, at the edges.

The functions stand in one layer, which takes by row which of them it is: so a backend compiles once for a type. Its
expressions are those that the derivation of each function alone ends with.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest
import sympy
from sympy import Expr, S

from lngen.algebra.symbols import RowScalarSymbol, RowSymbol, Where
from lngen.checks.complex_step import gradient
from lngen.checks.layer import Case
from lngen.checks.on_device import OnDevice, device
from lngen.derivation.gradients import derive
from lngen.emit import Notes, cuda, numpy
from lngen.language import FUNCTIONS, KIND_NAMES
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import evaluate, mp_numbers
from lngen.language.parsing import parse
from lngen.paths import RUNTIME
from lngen.pipeline.files.manifest import runtime_files
from lngen.plan.planner import plan
from lngen.plan.program import Assignment, RowArgument, RowProgram, Stage, Store
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

DIGITS = 60
ELEMENTWISE = [name for name, entry in FUNCTIONS.items() if entry.role not in ("reduction", "place", "draw")]
DTYPES = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]

x, z, y, dy, dx, dz = (RowSymbol(name) for name in ("x", "z", "y", "dy", "dx", "dz"))
k, dk = RowScalarSymbol("k"), RowScalarSymbol("dk")


def _call(name: str) -> str:
    entry = FUNCTIONS[name]
    arguments = ("x", "z", "1")[: entry.arity]
    return "where(x < z, x, z)" if entry.role == "select" else f"{name}({', '.join(arguments)})"


@functools.cache
def definition(name: str) -> Definition:
    """y = name(x), or of x and z."""
    arguments = "x: Row, z: Row" if FUNCTIONS[name].arity > 1 else "x: Row"
    imports = ", ".join([*KIND_NAMES, *FUNCTIONS])
    return parse(f"from lngen.language import {imports}\n\n\ndef f({arguments}):\n    return {_call(name)}\n")


def _inlined(program: RowProgram, result: str) -> Expr:
    """Return a result of a program without reductions, as an expression in the program's arguments."""
    lines = [*program.prologue, *(line for stage in program.stages for line in (*stage.temps, *stage.row_scalars))]
    store = next((store for store in program.results if result in store.names), None)
    expression: Expr = store.symbol if store else S.Zero
    for line in reversed(lines):
        expression = expression.subs({line.symbol: line.expression})
    by_name = {symbol.name: symbol for symbol in (x, z, y, dy)}
    return expression.xreplace({symbol: by_name[symbol.name] for symbol in expression.free_symbols})


@functools.cache
def layer() -> tuple[RowProgram, RowProgram]:
    """y = the k-th function of x and z, and its gradient."""
    value: Expr = S.Zero
    slopes: dict[str, Expr] = {"x": S.Zero, "z": S.Zero}
    for number, name in reversed(list(enumerate(ELEMENTWISE))):
        made = plan(derive(definition(name)))
        result = _inlined(made.forward, "y")
        value = Where(k <= number, result, value)
        for argument, slope in slopes.items():
            own = _inlined(made.backward, f"d{argument}").xreplace({y: result})
            slopes[argument] = Where(k <= number, own, slope)
    inputs = (x, z, k)
    forward = RowProgram(
        layer="every_function",
        direction="forward",
        minimum_features=1,
        rows=tuple(RowArgument(symbol.name, symbol, "input") for symbol in inputs),
        parameters=(),
        prologue=(),
        stages=(Stage(temps=(Assignment(y, value, 1),), stores=(Store(("y",), y),)),),
        epilogue=(),
        saved=(),
        results=(Store(("y",), y),),
        optional=(),
    )
    stores = tuple(Store((symbol.name,), symbol) for symbol in (dx, dz, dk))
    backward = RowProgram(
        layer="every_function",
        direction="backward",
        minimum_features=1,
        rows=(
            *(RowArgument(symbol.name, symbol, "saved input") for symbol in inputs),
            RowArgument("dy", dy, "cotangent"),
        ),
        parameters=(),
        prologue=(),
        stages=(
            Stage(
                temps=(Assignment(dx, slopes["x"], 2), Assignment(dz, slopes["z"], 3)),
                row_scalars=(Assignment(dk, S.Zero, 4),),
                stores=stores,
            ),
        ),
        epilogue=(),
        saved=(),
        results=stores,
        optional=(),
    )
    return forward, backward


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the emitted layer beside its runtime, where it can be imported from."""
    folder, parent = tmp_path_factory.mktemp("emitted"), "tests_every_function"
    notes = Notes("every_function", "Every function by its number.", inputs=tuple(row.name for row in layer()[0].rows))
    for place, texts in (
        ("every_function", numpy.emit(layer(), notes) | cuda.emit(layer(), notes)),
        (RUNTIME, runtime_files()),
    ):
        for file, text in texts.items():
            path = folder / place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    sys.modules[parent] = ModuleType(parent)
    sys.modules[parent].__path__ = [str(folder)]
    return f"{parent}.every_function"


def points(dtype: Any) -> np.ndarray:
    """Return the arguments at which every function is tested: hard points, and the limits of the type."""
    limits = ml_dtypes.finfo(dtype)
    ends = [float(limits.smallest_subnormal), float(limits.tiny), float(limits.eps), float(limits.max) / 4]
    hard = sorted({point for entry in FUNCTIONS.values() for point in entry.hard_points})
    random = np.random.default_rng(1).normal(size=40) * 3
    values = [0.0, -0.0, *ends, *(-e for e in ends), np.inf, -np.inf, np.nan, *hard, *random]
    with np.errstate(over="ignore"):
        return np.array(values).astype(dtype)


def _sign(u: Any) -> int:
    return (u > 0) - (u < 0)


def _logistic(u: Any) -> Any:
    return 1 / (1 + mpmath.exp(-u))


def _normal(u: Any) -> Any:
    return mpmath.erfc(-u / mpmath.sqrt(2)) / 2 if abs(u) < 1e6 else mpmath.mpf(u > 0)


DERIVATIVES: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "sqrt": lambda u, v: (1 / (2 * mpmath.sqrt(u)), 0),
    "rsqrt": lambda u, v: (-1 / (2 * u * mpmath.sqrt(u)), 0),
    "exp": lambda u, v: (mpmath.exp(u), 0),
    "log": lambda u, v: (1 / u if u > 0 else mpmath.nan, 0),
    "log1p": lambda u, v: (1 / (1 + u) if u > -1 else mpmath.nan, 0),
    "expm1": lambda u, v: (mpmath.exp(u), 0),
    "sin": lambda u, v: (mpmath.cos(u), 0),
    "cos": lambda u, v: (-mpmath.sin(u), 0),
    "asin": lambda u, v: (1 / mpmath.sqrt(1 - u * u) if abs(u) < 1 else mpmath.nan, 0),
    "acos": lambda u, v: (-1 / mpmath.sqrt(1 - u * u) if abs(u) < 1 else mpmath.nan, 0),
    "atan": lambda u, v: (1 / (1 + u * u), 0),
    "tanh": lambda u, v: (mpmath.sech(u) ** 2, 0),
    "sigmoid": lambda u, v: (_logistic(u) * _logistic(-u), 0),
    "softplus": lambda u, v: (_logistic(u), 0),
    "relu": lambda u, v: (int(u > 0), 0),
    "silu": lambda u, v: (_logistic(u) * (1 + u * _logistic(-u)), 0),
    "gelu": lambda u, v: (_normal(u) + u * mpmath.npdf(u), 0),
    "erf": lambda u, v: (2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-u * u), 0),
    "abs": lambda u, v: (_sign(u), 0),
    "sign": lambda u, v: (0, 0),
    "maximum": lambda u, v: (int(u > v), int(not u > v)),
    "minimum": lambda u, v: (int(u < v), int(not u < v)),
    "clip": lambda u, v: (int(v < u < 1), int(not v >= 1 and not u > v)),
    "where": lambda u, v: (int(u < v), int(not u < v)),
    "stop_gradient": lambda u, v: (0, 0),
}
"""The derivatives that `docs/language.md` states, with its ties; written down for these tests alone."""


def _derivatives(name: str, u: Any, v: Any) -> tuple[Any, Any]:
    """The two partial derivatives in mpmath; NaN outside the domain and at its edge."""
    try:
        with mpmath.workdps(DIGITS):
            return tuple(+mpmath.mpf(value) for value in DERIVATIVES[name](u, v))  # type: ignore[return-value]
    except (ZeroDivisionError, ValueError, TypeError, OverflowError):
        return mpmath.nan, mpmath.nan


def _pairs(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """x and z: every point beside itself (a tie), beside zero and beside another."""
    u = points(dtype)
    return np.concatenate([u, u, u]), np.concatenate([u, np.zeros_like(u), np.roll(u, 7)])


def _close(found: Any, wanted: Any, dtype: Any) -> bool:
    """Right to sixteen roundings of the compute type and one of the storage type, in units of 1 or of the result."""
    limits = ml_dtypes.finfo(dtype)
    if mpmath.isnan(wanted):
        return True
    if mpmath.isinf(wanted) or abs(wanted) > float(limits.max):
        return not np.isfinite(found) or abs(found) == float(limits.max)
    compute = float(np.finfo(np.float64 if dtype is np.float64 else np.float32).eps)
    reach = (16 * compute + float(limits.eps)) * max(1, abs(wanted))
    return bool(np.isfinite(found)) and abs(mpmath.mpf(found) - wanted) <= reach


def _faults(name: str, dtype: Any, run: Callable[..., tuple[Any, Any]]) -> Iterator[str]:
    u, v = _pairs(dtype)
    rows = np.full(1, ELEMENTWISE.index(name)).astype(dtype)
    with np.errstate(all="ignore"):
        value, gradients = run(u[None], v[None], rows)
    given = {"x": u.astype(np.float64)[None], "z": v.astype(np.float64)[None]}
    wanted = evaluate(definition(name), {e.name: given[e.name] for e in definition(name).inputs}, mp_numbers(DIGITS))[
        "y"
    ][0]
    for at, (a, b) in enumerate(zip(u.astype(np.float64), v.astype(np.float64), strict=True)):
        found = [float(array[0, at]) for array in (value, gradients.dx, gradients.dz)]
        where = f"{name} of {a!r}" + (f", {b!r}" if FUNCTIONS[name].arity > 1 else "")
        if not np.isfinite(a) or not np.isfinite(b):
            # What there is has to be the limit or NaN, never another number.
            if np.isfinite(found[0]) and np.isfinite(float(wanted[at])) and not _close(found[0], wanted[at], dtype):
                yield f"{where}: {found[0]!r}, not {mpmath.nstr(wanted[at], 17)}"
            continue
        exact = [wanted[at], *_derivatives(name, mpmath.mpf(a), mpmath.mpf(b))]
        for what, one, other in zip(("value", "dx", "dz"), found, exact, strict=True):
            if not _close(one, other, dtype):
                yield f"{what} of {where}: {one!r}, not {mpmath.nstr(other, 17)}"


def _run(module: Any) -> Callable[..., tuple[Any, Any]]:
    def run(u: Any, v: Any, rows: Any) -> tuple[Any, Any]:
        result, saved = module.forward(u, v, rows)
        return result, module.backward(saved, np.ones_like(result))

    return run


@pytest.mark.parametrize("dtype", sample(DTYPES, DTYPES[2:]), ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_numpy(name: str, dtype: Any, package: str) -> None:
    assert list(_faults(name, dtype, _run(importlib.import_module(f"{package}.numpy_backend")))) == []


@pytest.mark.cuda
@needs_pycuda
@pytest.mark.parametrize("dtype", sample(DTYPES, ()), ids=lambda dtype: np.dtype(dtype).name)
def test_cuda(dtype: Any, package: str) -> None:
    with device():
        run = _run(OnDevice(importlib.import_module(f"{package}.cuda_backend")))
        assert [fault for name in ELEMENTWISE for fault in _faults(name, dtype, run)] == []


if not has_gpu():
    test_cuda = needs_gxx(test_cuda)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_the_complex_step_of_the_evaluator(name: str) -> None:
    """The same derivatives from the oracle, so that the two references of the checks are one."""
    u, v = (array[np.isfinite(array)] for array in _pairs(np.float64))
    size = min(len(u), len(v))
    given = {"x": u[:size, None], "z": v[:size, None]}  # a row for each, for what is NaN stays in its row
    inputs = {entry.name: given[entry.name] for entry in definition(name).inputs}
    with np.errstate(all="ignore"):
        found = gradient(definition(name), Case("edges", size, 1, inputs, {"y": np.ones((size, 1))}))
    for at in range(size):
        exact = _derivatives(name, mpmath.mpf(u[at]), mpmath.mpf(v[at]))
        for argument, wanted in zip(inputs, exact, strict=False):
            assert _close(float(found[argument][at, 0]), wanted, np.float64), (argument, u[at], v[at])


def test_the_layer_has_every_function() -> None:
    value = layer()[0].stages[0].temps[0].expression
    assert len(value.atoms(sympy.core.relational.Relational)) >= len(ELEMENTWISE)
    assert set(DERIVATIVES) == set(ELEMENTWISE)
