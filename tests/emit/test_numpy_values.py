"""Emitted NumPy against the same program evaluated plainly in longdouble, for every set of arguments left out.

Other backends, and other layers, are in tests/test_every_backend.py.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.algebra.symbols import FeatureSymbol, RowSymbol, ScalarSymbol
from lngen.plan.program import RowProgram
from tests import programs
from tests.emit.cuda_programs import HEADS, SINK
from tests.emit.reference import WIDE, load, run
from tests.requirements import needs_gxx

PAIRS = {
    "centred": (programs.CENTRED_FORWARD, programs.CENTRED_BACKWARD),
    "tanh": (programs.TANH_FORWARD, programs.TANH_BACKWARD),
    "residual": (programs.RESIDUAL_FORWARD, programs.RESIDUAL_BACKWARD),
    "heads": HEADS,
    "sink": SINK,
}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleType]:
    folder: Path = tmp_path_factory.mktemp("emitted")
    return {name: load(*pair, folder) for name, pair in PAIRS.items()}


def arguments(forward: RowProgram, rows: int, features: int, dtype: Any, seed: int = 0) -> dict[str, Any]:
    """Random arguments for every input that has a gradient, by name."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {}
    for row in forward.rows:
        shapes[row.name] = (rows, features) if isinstance(row.symbol, RowSymbol) else (rows,)
    for parameter in forward.parameters:
        if parameter.kind != "Constant":
            shapes[parameter.name] = (features,) if isinstance(parameter.symbol, FeatureSymbol) else ()
    return {
        name: np.asarray(rng.uniform(0.2, 1.7, shape) * rng.choice([-1, 1], shape), dtype)
        for name, shape in shapes.items()
    }


def expected(
    pair: tuple[RowProgram, RowProgram],
    given: dict[str, Any],
    cotangents: dict[str, Any],
    rows: int,
    features: int,
) -> dict[str, Any]:
    """All results of both directions; what is None has its neutral value, a None cotangent is zero."""
    forward, backward = pair
    neutral = {name: WIDE(value.numerator) / WIDE(value.denominator) for name, value in forward.optional}
    values: dict[str, Any] = {}
    for row in forward.rows:
        value = given[row.name]
        full = neutral[row.name] if value is None else np.asarray(value, WIDE)
        values[row.symbol.name] = full[:, None] if np.ndim(full) == 1 else full
    for parameter in forward.parameters:
        if parameter.kind == "Constant":
            assert parameter.default is not None
            values[parameter.symbol.name] = WIDE(float(parameter.default))
        else:
            value = given[parameter.name]
            values[parameter.symbol.name] = neutral[parameter.name] if value is None else np.asarray(value, WIDE)
    known = run(forward, values, rows, features)
    again = dict(values)
    for symbol in forward.saved:
        again[symbol.name] = known[symbol.name]
    for row in backward.rows:
        if row.origin == "cotangent":
            value = cotangents[row.name]
            full = WIDE(0) if value is None else np.asarray(value, WIDE)
            again[row.symbol.name] = full[:, None] if np.ndim(full) == 1 else full
        else:
            again[row.symbol.name] = known[row.name]
    return known | run(backward, again, rows, features)


def call(
    module: ModuleType,
    pair: tuple[RowProgram, RowProgram],
    given: dict[str, Any],
    cotangents: dict[str, Any],
    **more: Any,
) -> dict[str, Any]:
    """The emitted results by name."""
    forward, _ = pair
    y, saved = module.forward(**given, **more)
    names = [name for store in forward.results for name in store.names]
    results = dict(zip(names, y if len(names) > 1 else (y,), strict=True))
    gradients = module.backward(saved, **cotangents, **more)
    return results | gradients._asdict()


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    return [chosen for size in range(len(names) + 1) for chosen in itertools.combinations(names, size)]


def cotangents_of(pair: tuple[RowProgram, RowProgram], rows: int, features: int, dtype: Any) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        f"d{name}": np.asarray(
            rng.standard_normal((rows, features) if isinstance(store.symbol, RowSymbol) else (rows,)), dtype
        )
        for store in pair[0].results
        for name in store.names
    }


def compare(results: dict[str, Any], wanted: dict[str, Any], tolerance: float) -> None:
    for name, value in results.items():
        if value is None:
            continue
        reference = np.asarray(wanted[name], WIDE).reshape(np.shape(value))
        error = np.abs(value.astype(WIDE) - reference).max(initial=0) / max(1, np.abs(reference).max(initial=0))
        assert error < tolerance, (name, error)


@pytest.mark.parametrize("few", [None, 0], ids=["fast path", "in blocks"])
@pytest.mark.parametrize("name", PAIRS)
def test_every_set_of_arguments(
    name: str, few: int | None, modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    if few is not None:
        package = modules[name].__name__
        monkeypatch.setattr(sys.modules[f"{package}.numpy_backend"]._directions.rows, "FAST_PATH_BYTES", few)
    assert_right_for(subsets, PAIRS[name], modules[name])


@pytest.mark.exhaustive
@needs_gxx
def test_every_set_of_many_arguments_of_kernels(tmp_path: Path) -> None:
    assert_right_for(subsets, SINK, load(*SINK, tmp_path, "cpu"))


def assert_right_for(
    sets: Callable[[list[str]], list[tuple[str, ...]]], pair: tuple[RowProgram, RowProgram], module: ModuleType
) -> None:
    """The results are right with each of these sets of arguments left out, and of cotangents."""
    # The programs have a few dozen operations and sums of 35 terms: 1e-13 is 450 roundings of float64.
    rows, features = 5, 7
    every = arguments(pair[0], rows, features, np.float64)
    cotangents = cotangents_of(pair, rows, features, np.float64)
    absent_cotangents = [some for some in sets(list(cotangents)) if len(some) < len(cotangents)]
    for absent in sets([given for given, _ in pair[0].optional]):
        for no_cotangent in absent_cotangents:
            given = {key: None if key in absent else value for key, value in every.items()}
            dys = {key: None if key in no_cotangent else value for key, value in cotangents.items()}
            results = call(module, pair, given, dys)
            for key in every:
                if f"d{key}" in results:
                    assert (results[f"d{key}"] is None) == (key in absent)
            compare(results, expected(pair, given, dys, rows, features), 1e-13)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("features", [1, 2, 33, 1025])
@pytest.mark.parametrize("rows", [0, 1, 37])
def test_shapes(name: str, rows: int, features: int, modules: dict[str, ModuleType]) -> None:
    pair = PAIRS[name]
    given = arguments(pair[0], rows, features, np.float64)
    dys = cotangents_of(pair, rows, features, np.float64)
    results = call(modules[name], pair, given, dys)
    compare(results, expected(pair, given, dys, rows, features), 1e-12)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("dtype", "tolerance"), [("f4", 2e-5), ("f2", 1e-2), ("g", 1e-13), (">f8", 1e-12)])
def test_types(name: str, dtype: str, tolerance: float, modules: dict[str, ModuleType]) -> None:
    pair, rows, features = PAIRS[name], 5, 33
    given = arguments(pair[0], rows, features, dtype)
    dys = cotangents_of(pair, rows, features, dtype)
    results = call(modules[name], pair, given, dys)
    assert {value.dtype for value in results.values()} == {np.dtype(dtype)}
    compare(results, expected(pair, given, dys, rows, features), tolerance)


def test_reference_is_a_gradient(modules: dict[str, ModuleType]) -> None:
    """Central differences of the emitted forward, so that the programs themselves are right."""
    for name in ("centred", "tanh", "residual"):
        pair, rows, features, step = PAIRS[name], 3, 5, WIDE(1e-6)
        given = arguments(pair[0], rows, features, WIDE)
        dys = cotangents_of(pair, rows, features, WIDE)
        results = call(modules[name], pair, given, dys)
        names = [output for store in pair[0].results for output in store.names]

        def loss(arrays: dict[str, Any], name: str = name, dys: Any = dys, names: Any = names) -> Any:
            y, _ = modules[name].forward(**arrays)
            outputs = y if len(names) > 1 else (y,)
            return sum((output * dys[f"d{key}"]).sum() for key, output in zip(names, outputs, strict=True))

        for key, array in given.items():
            for place in np.ndindex(array.shape):
                moved = []
                for sign in (1, -1):
                    other = array.copy()
                    other[place] += sign * step
                    moved.append(loss({**given, key: other}))
                difference = (moved[0] - moved[1]) / (2 * step)
                assert abs(difference - results[f"d{key}"][place]) < 1e-9


def test_scalars_are_zero_d(modules: dict[str, ModuleType]) -> None:
    given = arguments(programs.TANH_FORWARD, 3, 4, np.float32)
    given["alpha"] = 0.5
    y, saved = modules["tanh"].forward(**given)
    gradients = modules["tanh"].backward(saved, y)
    assert y.dtype == np.float32
    assert isinstance(gradients.dalpha, np.ndarray)
    assert gradients.dalpha.shape == ()
    assert gradients.dalpha.dtype == np.float64
    assert isinstance(programs.alpha, ScalarSymbol)
