"""The bits that a stability rule saves, measured: both sides of its step in float32 beside 50 digits, on a
stated example.

The examples are short fixed sequences and need additions, multiplications, divisions and roots only, which
round the same way on every machine; so the whole bits that are reported are the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from sympy import Expr

from lngen.algebra.equations import Equation, leading_to, read_by
from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import D, TypedSymbol, axes, heads_that
from lngen.derivation.derivation import Derivation, Step

FEATURES = 64
"""D of the examples."""

_ROWS = 2
_DIGITS = 50
_PRECISION = 24
_ROUNDED_DIFFERENTLY = heads_that(lambda entry: entry.roundings)


@dataclass(frozen=True)
class Saving:
    """Bits of float32 (it has 24) that are right before and after a rewrite, in an example's worst entry."""

    before: int
    after: int
    example: str


def savings(derivation: Derivation) -> dict[int, Saving]:
    """The saving of each step whose rule has an example, by step number."""
    found = {}
    for step in derivation.steps:
        example = _EXAMPLES.get(step.rule)
        measured = None if example is None or step.before is None else _measure(step, derivation, *example)
        if measured is not None:
            found[step.number] = measured
    return found


def _spread(count: int, seed: int) -> list[float]:
    """Values between -1 and 1 with no pattern: multiples of the golden ratio, their whole part taken off."""
    golden = 0.6180339887498949
    return [2 * math.modf((seed * count + i + 1) * golden)[0] - 1 for i in range(count)]


def _offset(symbol: TypedSymbol, seed: int) -> Any:
    shape = _shape(symbol)
    return 1e4 + np.array(_spread(math.prod(shape), seed)).reshape(shape)


def _near_one(symbol: TypedSymbol, seed: int) -> Any:
    shape = _shape(symbol)
    return 1 - np.array([2.0**-10 * (2 + v) for v in _spread(math.prod(shape), seed)]).reshape(shape)


def _plain(symbol: TypedSymbol, seed: int) -> Any:
    shape = _shape(symbol)
    return 2 + np.array(_spread(math.prod(shape), seed)).reshape(shape)


_EXAMPLES: dict[str, tuple[Callable[[TypedSymbol, int], Any], bool, str]] = {
    "centred statistic": (_offset, True, f"a row of 10000 + u, |u| < 1, D = {FEATURES}"),
    "difference of squares": (_near_one, False, "values between 0.997 and 0.9991"),
}
"""Example of each rule: the values of its operands, whether they are inputs of the definition, and words for them."""


def _shape(symbol: TypedSymbol) -> tuple[int, ...]:
    varies = axes(symbol)
    if varies.rows:
        return (_ROWS, FEATURES if varies.features else 1)
    return (FEATURES,) if varies.features else (1,)


def _measure(
    step: Step,
    derivation: Derivation,
    values: Callable[[TypedSymbol, int], Any],
    from_inputs: bool,
    words: str,
) -> Saving | None:
    assert step.before is not None
    equations = derivation.forward.equations if from_inputs else ()
    made = {q.symbol for q in equations}
    subjects = set(derivation.forward.symbols) if from_inputs else _functions(derivation)
    needed = step.before.free_symbols | step.after.free_symbols | read_by(equations)
    free = needed - made - {D}
    if from_inputs and not free <= subjects:
        # It speaks of a value that the normal form no longer has.
        return None
    given: Environment = {D: FEATURES}
    for seed, symbol in enumerate(sorted(free, key=lambda s: s.name)):
        chosen = values if symbol in subjects and axes(symbol).rows else _plain
        given[symbol] = np.asarray(chosen(symbol, seed), dtype=np.float32)
    sides = [(side, leading_to(side.free_symbols, equations)) for side in (step.before, step.after)]
    if any(e.atoms(*_ROUNDED_DIFFERENTLY) for side, used in sides for e in (side, *(q.expression for q in used))):
        return None
    before, after = (_right_bits(side, used, given) for side, used in sides)
    return Saving(before, after, words)


def _functions(derivation: Derivation) -> set[TypedSymbol]:
    return {q.symbol for q in derivation.forward.equations if q.expression.is_Function}


def _right_bits(expression: Expr, equations: tuple[Equation, ...], given: Environment) -> int:
    """Whole bits that float32 gets right, in the worst entry."""
    with np.errstate(all="ignore"):
        arithmetic = Arithmetic(dtype=np.float32)
        rounded = evaluate_expression(expression, evaluate_equations(equations, given, arithmetic), arithmetic)
    with mpmath.workdps(_DIGITS):
        exact_arithmetic = Arithmetic(digits=_DIGITS)
        exactly = {s: v if s == D else _mpf(v) for s, v in given.items()}
        exact = evaluate_expression(
            expression, evaluate_equations(equations, exactly, exact_arithmetic), exact_arithmetic
        )
        if not np.isfinite(np.asarray(rounded, np.float64)).all():
            return 0
        pairs = zip(np.ravel(rounded), np.ravel(exact), strict=True)
        worst = max((abs(mpmath.mpf(float(a)) - b) / abs(b) for a, b in pairs if b != 0), default=mpmath.mpf(0))
        if worst == 0:
            return _PRECISION
        if not mpmath.isfinite(worst):
            return 0
        bits = int(mpmath.floor(-mpmath.log(worst, 2)))
    return max(0, min(_PRECISION, bits))


def _mpf(value: Any) -> Any:
    return np.frompyfunc(lambda v: mpmath.mpf(float(v)), 1, 1)(value)
