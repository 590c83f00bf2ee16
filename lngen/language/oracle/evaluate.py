"""Oracle: a definition evaluated as it stands, over any number type.

`evaluate` walks the definition's tree, one NumPy operation for each node, and shares nothing with differentiation,
planning or emission.

>>> from lngen.language.parsing import parse
>>> definition = parse("def f(x: Row, gamma: Feature = 1): return gamma * (x - mean(x)) ** 2")
>>> evaluate(definition, {"x": [[1.0, 2.0, 6.0]]})
{'y': array([[4., 1., 9.]])}

The complex step gives a derivative to the last digit: here that of y[0, 0] by x[0, 0], 2*(x - mu)*(1 - 1/D).

>>> step = evaluate(definition, {"x": [[1 + 1e-30j, 2.0, 6.0]]}, COMPLEX128)
>>> round(float(step["y"][0, 0].imag / 1e-30), 15)
-2.666666666666667
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from lngen.errors import LngenError
from lngen.language.definition import Definition, Input
from lngen.language.oracle.arithmetic import ARITHMETIC, COMPARISONS, COMPLEX128, FLOAT64, LONGDOUBLE, Array, Numbers
from lngen.language.oracle.multiprecision import mp_numbers
from lngen.language.oracle.random import drawn_from
from lngen.language.syntax import (
    Binary,
    Call,
    Compare,
    Connective,
    Expression,
    FeatureCount,
    Kind,
    Name,
    Negate,
    Number,
    Pi,
    holds_integers,
    is_integer,
)
from lngen.runtime.protocol.casts import TARGETS

__all__ = ["COMPLEX128", "FLOAT64", "LONGDOUBLE", "Numbers", "evaluate", "mp_numbers", "rounded"]

_LARGEST_INTEGER = 2**31 - 1

# Of truth values 0 and 1, and of an open one between them.
_CONNECTIVES: Mapping[str, Callable[..., Array]] = {"&": np.minimum, "|": np.maximum, "~": lambda holds: 1 - holds}


def evaluate(
    definition: Definition,
    inputs: Mapping[str, Any],
    numbers: Numbers = FLOAT64,
    all_values: bool = False,
) -> dict[str, Array]:
    """Return the outputs of a definition, by name and in order; with `all_values` those of every statement.

    `inputs` has a value by name: a Row of shape (..., D), a RowScalar (...,), a Feature (D,), a Scalar or a Constant of
    shape (). A missing one, or None, takes its default. Results have these shapes too. Each operation rounds as
    `numbers` does; an undefined value is NaN. Inputs are not written to.

    Random numbers are made (`lngen.language.oracle.random`), unless `inputs` has some.

    An output that is cast is rounded to its type, if the numbers are floats. Its derivatives are those of
    `definition.straight_through`.

    Raises LngenError for an input that is unknown, missing, of a wrong shape or not of numbers, and for D below
    `definition.minimum_features`.
    """
    shape = _row_shape(definition, inputs)
    with np.errstate(all="ignore"):
        given = partial(_input, definition, shape=shape, numbers=numbers)
        values = {entry.name: given(entry, inputs.get(entry.name)) for entry in definition.passed}
        for entry in definition.inputs:
            if entry.draws:
                own = inputs.get(entry.name)
                values[entry.name] = given(entry, drawn_from(entry.draws, values, shape) if own is None else own)
        walk = _Evaluation(numbers, shape[-1], values)
        for statement in definition.statements:
            is_whole = holds_integers(statement.expression)
            values[statement.name] = (walk.integer if is_whole else walk.value)(statement.expression)
        named = [entry for entry in definition.statements if all_values or entry.name in definition.outputs]
        order = [entry.name for entry in named] if all_values else list(definition.outputs)
        kinds, targets = {entry.name: entry.kind for entry in named}, dict(definition.casts)
        values |= {entry.name: numbers.array(values[entry.name]) for entry in named if holds_integers(entry.expression)}
        found = {name: _result(values[name], kinds[name], shape, numbers) for name in order}
        return {name: rounded(value, targets[name]) if name in targets else value for name, value in found.items()}


def rounded(values: Array, target: str) -> Array:
    """Return floats rounded to a type of outputs, in their own type; other numbers go straight through.

    >>> rounded(np.array([17.0, 19.0, -500.0]), "float8_e4m3fn")
    array([  16.,   20., -448.])
    """
    if values.dtype.kind != "f":
        return values
    _, lowest, highest, digits, least = TARGETS[target]
    with np.errstate(all="ignore"):
        inside = np.clip(values, lowest, highest)
        if not digits:
            return np.where(np.isnan(inside), values.dtype.type(0), np.rint(inside))
        # The distance of two neighbours of the type is a power of two.
        step = np.ldexp(values.dtype.type(1), np.maximum(np.frexp(inside)[1] - 1, least) - (digits - 1))
        return np.rint(inside / step) * step


def _row_shape(definition: Definition, inputs: Mapping[str, Any]) -> tuple[int, ...]:
    known = [entry.name for entry in definition.inputs]
    for name in inputs:
        if name not in known:
            others = ", ".join(map(definition.public, known))
            raise LngenError(f"{definition.name} has no input {name!r}; it has {others}.")
    leading = definition.rows[0].name
    if inputs.get(leading) is None:
        raise LngenError(f"{definition.name} needs its input {leading!r}: pass an array of shape (..., D).")
    shape: tuple[int, ...] = np.shape(inputs[leading])
    if not shape:
        raise LngenError(f"{leading!r} is a number; pass an array of shape (..., D).")
    smallest = definition.minimum_features
    if shape[-1] < smallest:
        raise LngenError(f"{leading!r} has D = {shape[-1]}, and {definition.name} needs D >= {smallest}.")
    return shape


def _stored_shape(kind: Kind, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which a kind is computed with: a row scalar keeps an axis of length 1, to broadcast."""
    if kind.over_rows:
        return shape if kind.over_features else (*shape[:-1], 1)
    return shape[-1:] if kind.over_features else ()


def _public_shape(kind: Kind, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:-1] if Kind.join(kind) is Kind.ROW_SCALAR else _stored_shape(kind, shape)


def _input(definition: Definition, entry: Input, value: Any, shape: tuple[int, ...], numbers: Numbers) -> Array:
    name, stored = definition.public(entry.name), _stored_shape(entry.kind, shape)
    if value is None:
        if entry.default is None:
            raise LngenError(f"the input {name!r} is missing and has no default.")
        is_whole = entry.kind.is_integer
        number = integers(name, int(entry.default)) if is_whole else numbers.constant(entry.default)
        return np.broadcast_to(number, stored)
    expected = _public_shape(entry.kind, shape)
    if np.shape(value) != expected:
        raise LngenError(
            f"{name!r} has shape {np.shape(value)}; a {entry.kind.value} has {expected} beside rows of shape {shape}."
        )
    if entry.kind.is_integer:
        return integers(name, value).reshape(stored)
    try:
        return numbers.array(value).reshape(stored)
    except LngenError as error:
        raise LngenError(f"{name!r} is {error}") from None


def integers(name: str, value: Any) -> Array:
    """Integers of Python from an array of any type that holds them; those beyond 32 bits are the nearest of 32 bits.

    >>> integers("i", [2**40, -1.0]).tolist()
    [2147483647, -1]
    """
    given = np.asarray(value)
    given = given.real if given.dtype.kind == "c" else given
    made = np.empty(given.shape, object)
    for at, entry in np.ndenumerate(given):
        near = max(-_LARGEST_INTEGER - 1, min(_LARGEST_INTEGER, entry))
        if near != near or int(near) != near:
            raise LngenError(f"{name!r} has the value {entry}, which is no integer. Pass integers.")
        made[at] = int(near)
    return made


def _result(value: Array, kind: Kind, shape: tuple[int, ...], numbers: Numbers) -> Array:
    full = np.broadcast_to(value, _stored_shape(kind, shape)).reshape(_public_shape(kind, shape))
    return np.array(full)


@dataclass(frozen=True)
class _Evaluation:
    numbers: Numbers
    features: int
    values: Mapping[str, Array]

    def value(self, expression: Expression) -> Array:
        """The value of an expression, in the stored shape of its kind or one that broadcasts to it."""
        numbers = self.numbers
        match expression:
            case Number(value):
                return numbers.constant(value)
            case FeatureCount():
                return numbers.constant(Fraction(self.features))
            case Pi():
                return numbers.pi()
            case Name(name, integer=False):
                return self.values[name]
            case Name() | Call("index"):
                return numbers.array(self.integer(expression))
            case Negate() | Binary("+" | "-" | "*") if holds_integers(expression):
                return numbers.array(self.integer(expression))
            case Negate(operand):
                return numbers.negate(self.value(operand))
            case Binary("**", left, Number(exponent)):
                return numbers.power(self.value(left), exponent)
            case Binary("**", left, right):
                return numbers.raised(self.value(left), self.value(right))
            case Binary(sign, left, right):
                return numbers.combine(sign, self.value(left), self.value(right))
            case Compare(sign, left, right):
                if is_integer(left) and is_integer(right):
                    return np.asarray(COMPARISONS[sign](self.integer(left), self.integer(right)), bool)
                return numbers.truth(sign, self.value(left), self.value(right))
            case Connective(sign, operands):
                return _CONNECTIVES[sign](*map(self.value, operands))
            case Call(function, arguments):
                return self._call(function, arguments)

    def integer(self, expression: Expression) -> Array:
        """The value of an expression of integers, exact."""
        match expression:
            case Number(value):
                return np.array(int(value), object)
            case FeatureCount():
                return np.array(self.features, object)
            case Name(name):
                return self.values[name]
            case Negate(operand):
                return np.negative(self.integer(operand))
            case Binary(sign, left, right):
                return np.asarray(ARITHMETIC[sign](self.integer(left), self.integer(right)), object)
            case _:
                return np.array(range(self.features), object)

    def _call(self, function: str, arguments: tuple[Expression, ...]) -> Array:
        numbers = self.numbers
        if function == "pick":
            return self._entry(*arguments)
        operands = [self.value(argument) for argument in arguments]
        match function:
            case "where":
                return numbers.choose(*operands)
            case "maximum" | "minimum":
                return numbers.extreme(function, *operands)
            case "mean" | "sum" | "max" | "min":
                return self._reduction(function, operands[0], arguments[0].kind)
            case _:
                return numbers.function(function, operands[0])

    def _entry(self, row: Expression, place: Expression) -> Array:
        values, places = self.value(row), self.integer(place)
        if row.kind.over_rows or place.kind.over_rows:
            places = places if place.kind.over_rows else np.reshape(places, (1,) * max(values.ndim, 1))
            rows = np.broadcast_shapes(values.shape[:-1], places.shape[:-1])
            values, places = np.broadcast_to(values, (*rows, self.features)), np.broadcast_to(places, (*rows, 1))
        found = np.asarray((places >= 0) & (places < self.features), bool)
        entries = np.take_along_axis(values, np.atleast_1d(np.where(found, places, 0)).astype(np.intp), axis=-1)
        chosen = np.where(found, entries, self.numbers.constant(Fraction(0)))
        return chosen if row.kind.over_rows or place.kind.over_rows else chosen.reshape(())

    def _reduction(self, function: str, operand: Array, kind: Kind) -> Array:
        match function:
            case "mean":
                reduced = self.numbers.mean(operand)
            case "sum":
                reduced = self.numbers.sum(operand)
            case _:
                reduced = self.numbers.pick(function, operand)
        return reduced if kind.over_rows else reduced.reshape(())
