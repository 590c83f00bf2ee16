"""Layer norm as it is usually written in NumPy, and any definition evaluated line by line.

Independent of what is emitted: the first two are written from the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.cpu.cases import Array
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D
from lngen.derivation.gradients import derive
from lngen.language.definition import Definition

EPS = 1e-5


class Textbook:
    """Every intermediate is an array of its own and is kept for backward."""

    def forward(self, x: Array, gamma: Array, beta: Array) -> tuple[Array, tuple[Array, ...]]:
        mean = np.mean(x, axis=-1, keepdims=True)
        centred = x - mean
        var = np.mean(centred**2, axis=-1, keepdims=True)
        std = np.sqrt(var + x.dtype.type(EPS))
        xhat = centred / std
        return gamma * xhat + beta, (x, gamma, mean, centred, var, std, xhat)

    def backward(self, saved: tuple[Array, ...], dy: Array) -> tuple[Array, Array, Array]:
        _, gamma, _, _, _, std, xhat = saved
        rows = tuple(range(dy.ndim - 1))
        g = gamma * dy
        mean_g = np.mean(g, axis=-1, keepdims=True)
        mean_g_xhat = np.mean(g * xhat, axis=-1, keepdims=True)
        return (g - mean_g - xhat * mean_g_xhat) / std, np.sum(dy * xhat, axis=rows), np.sum(dy, axis=rows)


class Minimal:
    """Layer norm that keeps only xhat and rstd."""

    def forward(self, x: Array, gamma: Array, beta: Array) -> tuple[Array, tuple[Array, ...]]:
        centred = x - np.mean(x, axis=-1, keepdims=True)
        rstd = 1 / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + x.dtype.type(EPS))
        xhat = centred * rstd
        return gamma * xhat + beta, (xhat, rstd, gamma)

    def backward(self, saved: tuple[Array, ...], dy: Array) -> tuple[Array, Array, Array]:
        xhat, rstd, gamma = saved
        rows = tuple(range(dy.ndim - 1))
        g = gamma * dy
        mean_g = np.mean(g, axis=-1, keepdims=True)
        mean_g_xhat = np.mean(g * xhat, axis=-1, keepdims=True)
        return rstd * (g - mean_g - xhat * mean_g_xhat), np.sum(dy * xhat, axis=rows), np.sum(dy, axis=rows)


class _WithErf(Arithmetic):
    """NumPy has no erf; SciPy's stands for it, so that it is not what a comparison measures."""

    def apply(self, name: str, *arguments: Any) -> Any:
        if name == "erf":
            from scipy.special import erf

            return erf(arguments[0])
        return super().apply(name, *arguments)


class Plain:
    """A definition as it is written, and its adjoint line by line: operations on whole arrays, nothing simplified."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.derivation = derive(definition)

    def forward(self, inputs: Mapping[str, Array]) -> tuple[list[Array], dict[Any, Any]]:
        written = self.derivation.written
        first = inputs[self.definition.rows[0].name]
        environment: dict[Any, Any] = {D: first.shape[-1]}
        for entry, symbol in zip(written.inputs, written.symbols, strict=True):
            value = inputs.get(entry.name)
            if value is None:
                environment[symbol] = first.dtype.type(float(entry.default or 0))
            elif entry.kind.over_rows:
                environment[symbol] = value.reshape(-1, first.shape[-1] if entry.kind.over_features else 1)
            else:
                environment[symbol] = value
        values = evaluate_equations(written.equations, environment, _WithErf(dtype=first.dtype))
        return [values[symbol] for symbol in written.outputs], values

    def backward(self, values: dict[Any, Any], dys: Sequence[Array]) -> list[Array]:
        adjoint = self.derivation.adjoint
        first = values[self.derivation.written.symbols[0]]
        given = dict(values)
        for symbol, dy in zip(adjoint.cotangents, dys, strict=True):
            given[symbol] = dy.reshape(len(first), -1)
        values = evaluate_equations(adjoint.equations, given, _WithErf(dtype=first.dtype))
        return [values[gradient] for _, gradient in adjoint.gradients]
