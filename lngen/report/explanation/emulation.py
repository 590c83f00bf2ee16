"""The formulas of a plan evaluated on rows, in the arithmetic of emitted code and to many digits.

Emitted code reads and writes its storage type, computes in a wider one, and adds and multiplies in the order of
`lngen.emit.expressions`. Each operation is rounded on its own here. A function is taken to many digits and rounded
once, and a sum adds neighbours in pairs: so a result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from sympy import Expr, Integer

from lngen.algebra.numeric import Arithmetic, Environment, Walk, evaluate_expression
from lngen.algebra.symbols import D, FeatureSymbol, RowScalarSymbol, TypedSymbol, axes, is_row
from lngen.emit.expressions import factors_in_order, power_chain, terms_in_order
from lngen.language.oracle import multiprecision
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram, RowsReduction

DIGITS = 100
"""Decimal digits of the reference: the squares of the largest float32 and of 1 stand in one sum."""

FEATURES = 8
"""D of what is measured, where a definition allows so few."""

MOST_FEATURES = 64
"""Features of the longest row that is measured: the work of a Jacobian grows with their third power."""

_FUNCTION_DIGITS = 25
_MPMATH = multiprecision.Functions(mpmath.mp)

Array = Any


class Rounded(Arithmetic):
    """A float type in which every operation rounds, in the order of emitted code.

    >>> float(Rounded(np.float32).power(np.float32(3), Integer(-1)))
    0.3333333432674408
    """

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype=dtype)

    def apply(self, name: str, *arguments: Any) -> Any:
        """A function, rounded once."""
        with mpmath.workdps(_FUNCTION_DIGITS):
            return self._each(getattr(_MPMATH, name), *arguments)

    def add(self, e: Expr, walk: Walk) -> Any:
        """The terms in the order of emitted code."""
        (sign, first), *rest = terms_in_order(e)
        total = walk(first) if sign > 0 else -walk(first)
        for sign, term in rest:
            total = total + walk(term) if sign > 0 else total - walk(term)
        return total

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The factors in the order of emitted code."""
        coefficient, numerator, denominator = factors_in_order(e)
        value = self.dtype.type(1)
        for factor in numerator:
            value = value * walk(factor)
        for factor in denominator:
            value = value / walk(factor)
        return value if coefficient == 1 else value * self.number(coefficient)

    def power(self, base: Any, exponent: Expr) -> Any:
        """A whole power by multiplication, a root by the root."""
        if exponent.is_negative:
            return self.dtype.type(1) / self.power(base, -exponent)
        if exponent.is_Integer:
            value = base
            for times_base in power_chain(int(exponent)):
                value = value * base if times_base else value * value
            return value
        if exponent.q == 2:
            root = np.sqrt(base)
            return root if exponent.p == 1 else self.power(root, exponent * 2)
        with mpmath.workdps(_FUNCTION_DIGITS):
            power = mpmath.mpf(exponent.p) / exponent.q
            return self._each(lambda u: multiprecision.real(mpmath.mp, mpmath.power)(u, power), base)

    def raised(self, base: Any, exponent: Any) -> Any:
        """A power, rounded once."""
        with mpmath.workdps(_FUNCTION_DIGITS):
            return self._each(_MPMATH.raised, base, exponent)

    def total(self, values: Any, keep: bool) -> Any:
        """The sum of neighbours, of pairs of them, and so on."""
        while values.shape[-1] > 1:
            pairs = values[..., 0:-1:2] + values[..., 1::2]
            values = np.concatenate([pairs, values[..., -1:]], axis=-1) if values.shape[-1] % 2 else pairs
        return values if keep else values[..., 0]

    def _each(self, function: Any, *arguments: Any) -> Any:
        def one(*values: float) -> float:
            return float(function(*map(mpmath.mpf, values)))

        found = np.frompyfunc(one, len(arguments), 1)(*(np.asarray(a, np.float64) for a in arguments))
        return np.asarray(found, np.float64).astype(self.dtype)


@dataclass(frozen=True)
class EmulatedRows:
    """Inputs of a plan and cotangents of its outputs by symbol, as float64: rows (n, D), row scalars (n, 1).

    Every array has the same n. `constants` are the hyper-parameters among them, which have no storage type.
    """

    values: Mapping[TypedSymbol, Array]
    features: int
    constants: frozenset[TypedSymbol] = frozenset()

    def stored(self, dtype: Any) -> EmulatedRows:
        """The same in a storage type."""
        with np.errstate(all="ignore"):
            stored = {s: v if s in self.constants else v.astype(dtype).astype(float) for s, v in self.values.items()}
        return replace(self, values=stored)


@dataclass(frozen=True)
class Evaluated:
    """Every value of forward and backward by name, and the results among them."""

    values: Mapping[TypedSymbol, Array]
    outputs: Mapping[str, Array]
    gradients: Mapping[str, Array]


def exactly(plan: Plan, rows: EmulatedRows, digits: int = DIGITS) -> Evaluated:
    """The formulas of a plan to many digits."""
    with mpmath.workdps(digits):
        given = {s: np.frompyfunc(mpmath.mpf, 1, 1)(v) for s, v in rows.values.items()}
        return _evaluated(plan, given, rows.features, Arithmetic(digits), lambda v: v)


def in_type(plan: Plan, rows: EmulatedRows, storage: Any) -> Evaluated:
    """The formulas of a plan as emitted code computes them for rows of a type, which `rows` have to be numbers of."""
    computing = np.float64 if plan.forward.is_wide or np.dtype(storage).itemsize > 4 else np.float32

    def stored(value: Array) -> Array:
        return np.asarray(value).astype(storage).astype(computing)

    with np.errstate(all="ignore"):
        given = {s: np.asarray(v).astype(computing) for s, v in rows.values.items()}
        return _evaluated(plan, given, rows.features, Rounded(computing), stored)


def _evaluated(plan: Plan, given: Mapping[Any, Array], features: int, arithmetic: Arithmetic, stored: Any) -> Evaluated:
    # A number of the type: 1/D is rounded as it is.
    given = {**given, D: arithmetic.number(Integer(features))}
    forward = _run(plan.forward, dict(given), arithmetic)
    per_row = [store for store in plan.forward.results if axes(store.symbol).rows]
    outputs = {store.names[0]: stored(forward[store.symbol]) for store in per_row}
    read: Environment = {**given, **{symbol: forward[symbol] for symbol in plan.forward.saved}}
    for row in plan.backward.rows:
        if row.origin == "saved output":
            read[row.symbol] = outputs[row.name]
    backward = _run(plan.backward, read, arithmetic)
    gradients = {
        name: stored(backward[store.symbol])
        for store in plan.backward.results
        for name in store.names
        if axes(store.symbol).rows
    }
    return Evaluated({**backward, **forward}, outputs, gradients)


def _run(program: RowProgram, given: Environment, arithmetic: Arithmetic) -> Environment:
    """All values of a program but those that are summed over rows, each in the shape of its kind."""
    values = dict(given)
    count = max(len(given[row.symbol]) for row in program.rows)
    late = {q.symbol for stage in program.stages for q in stage.rows_reductions}
    for line in program.lines():
        if isinstance(line, RowsReduction) or line.expression.free_symbols & late:
            late.add(line.symbol)
            continue
        value = evaluate_expression(line.expression, values, arithmetic)
        varies = axes(line.symbol)
        features = (int(given[D]),) if varies.features else (1,) if varies.rows else ()
        values[line.symbol] = np.broadcast_to(value, (*((count,) if varies.rows else ()), *features))
    return values


def spread(count: int, seed: int) -> list[float]:
    """Values between -1 and 1 with no pattern, multiples of 2**-10.

    >>> spread(3, 0)
    [0.236328125, -0.5283203125, 0.7080078125]
    """
    golden = Fraction(6180339887498949, 10**16)
    return [round((2 * ((seed * count + i + 1) * golden % 1) - 1) * 1024) / 1024 for i in range(count)]


def are_few(features: int) -> bool:
    """Test whether rows of so many features are measured.

    >>> are_few(8), are_few(901)
    (True, False)
    """
    return features <= MOST_FEATURES


def features_of(plan: Plan, least: int = FEATURES) -> int:
    """The number of features of a row that is measured: as few as told, or as the definition needs."""
    return max(least, plan.forward.minimum_features)


def ordinary(plan: Plan, features: int, count: int = 1) -> EmulatedRows:
    """A row with nothing special about it, `count` times, with parameters and cotangents."""
    values: dict[TypedSymbol, Array] = {}
    arguments = [*plan.forward.rows, *(row for row in plan.backward.rows if row.origin == "cotangent")]
    data = {entry.name for entry in plan.derivation.definition.inputs if entry.kind.is_data}
    for number, row in enumerate(arguments, 1):
        size = features if is_row(row.symbol) else 1
        value = np.array(spread(size, number))
        if isinstance(row.symbol, RowScalarSymbol) or row.name in data:
            value = (value + 2) / 4
        values[row.symbol] = np.tile(value, (count, 1))
    for number, random in enumerate(plan.forward.random, len(arguments) + 1):
        values[random.symbol] = np.tile((np.array(spread(features, number)) + 1) / 2, (count, 1))
    parameters = (*plan.forward.parameters, *plan.backward.parameters)
    for number, parameter in enumerate(parameters, 20):
        if parameter.kind == "Constant":
            # Each emulated row stands by itself.
            default = parameter.default if isinstance(parameter.default, Fraction) else Fraction(1)
            values[parameter.symbol] = np.asarray(float(default))
        elif isinstance(parameter.symbol, FeatureSymbol):
            values.setdefault(parameter.symbol, 1 + np.array(spread(features, number)) / 2)
        else:
            values.setdefault(parameter.symbol, np.asarray(1 + spread(1, number)[0] / 2))
    return EmulatedRows(values, features, frozenset(p.symbol for p in parameters if p.kind == "Constant"))
