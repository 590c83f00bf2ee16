"""Row programs evaluated as they stand: whole arrays, longdouble, no blocks, no buffers, nothing left out."""

from __future__ import annotations

import functools
import importlib
import math
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy

from lngen.algebra.symbols import (
    Expm1,
    FeatureSum,
    Log1p,
    Mean,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    Softplus,
    Where,
)
from lngen.emit import Notes, cpu
from lngen.emit.numpy import emit
from lngen.paths import RUNTIME
from lngen.pipeline.files.manifest import runtime_files
from lngen.plan.program import RowProgram
from tests.requirements import needs_gxx

WIDE = np.longdouble
HOST = ["numpy", pytest.param("cpu", marks=[pytest.mark.ci, needs_gxx])]
"""Backends on the processor, to parametrize a test by."""
_erf = np.vectorize(lambda u: WIDE(math.erf(u)), otypes=[WIDE])

_FUNCTIONS = {
    sympy.exp: np.exp,
    sympy.log: np.log,
    sympy.sin: np.sin,
    sympy.cos: np.cos,
    sympy.tanh: np.tanh,
    sympy.erf: _erf,
    sympy.Abs: np.abs,
    sympy.sign: np.sign,
    Sigmoid: lambda u: 1 / (1 + np.exp(-u)),
    Softplus: lambda u: np.logaddexp(u, WIDE(0)),
    Log1p: np.log1p,
    Expm1: np.expm1,
}

_COMPARISONS = {
    sympy.StrictGreaterThan: np.greater,
    sympy.GreaterThan: np.greater_equal,
    sympy.StrictLessThan: np.less,
    sympy.LessThan: np.less_equal,
    sympy.Equality: np.equal,
    sympy.Unequality: np.not_equal,
}

_REDUCTIONS = {
    Mean: "mean",
    FeatureSum: "sum",
    RowMax: "max",
    RowMin: "min",
}


def _reduce(operator: str, value: Any, features: int) -> Any:
    full = np.broadcast_to(value, np.broadcast_shapes(np.shape(value), (features,)))
    total = full.sum(-1, keepdims=full.ndim > 1, dtype=WIDE)
    if operator in ("max", "min"):
        return getattr(full, operator)(-1, keepdims=full.ndim > 1)
    return total / features if operator == "mean" else total


def walk(expression: Any, values: Mapping[str, Any], features: int) -> Any:
    """The value of an expression: rows are (N, D), row scalars (N, 1), Features (D,), Scalars 0-d."""
    inner = functools.partial(walk, values=values, features=features)
    if isinstance(expression, sympy.Symbol):
        return WIDE(features) if expression.name == "D" else values[expression.name]
    if expression.is_number:
        return WIDE(str(sympy.Float(expression.evalf(30), 30)))
    if isinstance(expression, sympy.Add):
        return functools.reduce(np.add, [inner(term) for term in expression.args])
    if isinstance(expression, sympy.Mul):
        return functools.reduce(np.multiply, [inner(factor) for factor in expression.args])
    if isinstance(expression, sympy.Pow):
        return np.power(inner(expression.base), inner(expression.exp))
    if isinstance(expression, Where):
        condition, chosen, otherwise = expression.args
        test = _COMPARISONS[type(condition)](*(inner(side) for side in condition.args))
        with np.errstate(all="ignore"):
            return np.where(test, inner(chosen), inner(otherwise))
    if type(expression) in _REDUCTIONS:
        return _reduce(_REDUCTIONS[type(expression)], inner(expression.args[0]), features)
    return _FUNCTIONS[type(expression)](inner(expression.args[0]))


def run(program: RowProgram, values: Mapping[str, Any], rows: int, features: int) -> dict[str, Any]:
    """Every value of a program by name, its results under their own names."""
    known = dict(values)

    def assign(assignments: Any) -> None:
        for assignment in assignments:
            known[assignment.symbol.name] = walk(assignment.expression, known, features)

    assign(program.prologue)
    for stage in program.stages:
        assign(stage.temps)
        for reduction in stage.reductions:
            body = np.broadcast_to(walk(reduction.body, known, features), (rows, features))
            known[reduction.symbol.name] = _reduce(reduction.operator, body, features)
        assign(stage.row_scalars)
    for stage in program.stages:
        for total in stage.rows_reductions:
            shape = (rows, 1) if isinstance(total.symbol, ScalarSymbol) else (rows, features)
            body = np.broadcast_to(walk(total.body, known, features), shape)
            known[total.symbol.name] = body.sum() if shape[1:] == (1,) and shape != (rows, features) else body.sum(0)
            if isinstance(total.symbol, ScalarSymbol):
                known[total.symbol.name] = body.sum()
    assign(program.epilogue)
    for store in program.results:
        value = known[store.symbol.name]
        if isinstance(store.symbol, RowSymbol):
            value = np.broadcast_to(value, (rows, features))
        elif isinstance(store.symbol, RowScalarSymbol):
            value = np.broadcast_to(value, (rows, 1))
        elif not isinstance(store.symbol, ScalarSymbol):
            value = np.broadcast_to(value, (features,))
        for name in store.names:
            known[name] = value
    return known


def module_of(files: Mapping[str, str], folder: Path, name: str) -> ModuleType:
    """The emitted package, imported from a folder of its own."""
    for place, texts in ((name, files), (RUNTIME, runtime_files())):
        for file, text in texts.items():
            path = folder / place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    parent = ModuleType(f"emitted_{uuid.uuid4().hex}")
    parent.__path__ = [str(folder)]
    sys.modules[parent.__name__] = parent
    importlib.invalidate_caches()
    return importlib.import_module(f"{parent.__name__}.{name}")


def notes_of(program: RowProgram) -> Notes:
    """Notes for a test."""
    return Notes(
        program.layer,
        "A layer of the tests.",
        ("emitted by a test",),
        {"forward": ("y = ...",), "backward": ("dx = ...",)},
    )


def load(forward: RowProgram, backward: RowProgram, folder: Path, backend: str = "numpy") -> ModuleType:
    """Emit, write, import."""
    programs, notes = (forward, backward), notes_of(forward)
    package = module_of({**emit(programs, notes), **cpu.emit(programs, notes)}, folder, forward.layer)
    return importlib.import_module(f"{package.__name__}.cpu_backend") if backend == "cpu" else package
