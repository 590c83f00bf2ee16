"""Agreement of two sides of an equation at random points, in 50-digit arithmetic."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, product
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.derivation.derivation import Derivation, Direction
from lngen.language.syntax import Kind
from lngen.prove.printed import PrintedEquality

DIGITS = 50
"""Decimal digits of the numeric evidence."""

REQUIRED = 40
"""Digits to which two sides of an equation have to agree.

They are fifty less the loss of a few hundred operations and of the cancellation in a gradient; a wrong formula agrees
to none.
"""

MOST_FEATURES = 1000
"""The longest rows that evidence is computed for: a definition that needs more, by a factor `D - 100000`, has none."""

_ROWS = 2
_FEW_DIGITS = 20
_DRAWS = 8
_MOST_OF_DIGITS = 0.9
_MORE_DIGITS = (2, 8)
"""Times as many digits as `DIGITS`, where most of them differ: `1 + exp(-250)` is 1 in 100 digits."""

_TURNS = 8
_OPEN = (sympy.Derivative, sympy.Subs)
_AGAIN = 4
_SIZES = 13
_FEATURES = 400


Sides = Iterable[tuple[Any, Any, Any]]
"""Pairs of values that have to be equal, each after a key."""

SidesAt = Callable[[int, Environment, Arithmetic], Sides]
"""The pairs for a D at a point, in an arithmetic."""


def digits_of_claims(derivation: Derivation, claims: Sequence[PrintedEquality]) -> list[int | None]:
    """Return the digits to which both sides of each claim agree, the worst over several D.

    The digits are None if the right side is not finite at any D: a pole that a later form guards may be in an earlier
    form. They are 0 for a side without a meaning, such as a derivative that was not taken.
    """
    worst: dict[int, int] = {}
    for _, place, agreed in at_every_size(derivation, 0, partial(_claims_at, derivation, claims)):
        worst[place] = min(agreed, worst.get(place, DIGITS))
    return [worst.get(place) for place in range(len(claims))]


def at_every_size(
    derivation: Derivation, seed: int, sides: SidesAt, most: int | None = None
) -> list[tuple[int, Any, int]]:
    """Compare two sides at a seeded point for each D of the evidence: D, the key of a pair, its equal digits.

    `most` limits the number of sizes, the smallest first.
    """
    every = sizes(derivation)[:most]
    with mpmath.workdps(DIGITS):
        return [found for features in every for found in at_size(derivation, features, seed + features, sides)]


def at_size(derivation: Derivation, features: int, seed: int, sides: SidesAt) -> Iterator[tuple[int, Any, int]]:
    """Yield what `at_every_size` has for one D."""
    point = random_point(derivation, features, seed)
    meaningless = partial(rests_on_rounding, derivation, point)
    for key, agreed in compared(partial(sides, features, point), meaningless):
        yield features, key, agreed


def sizes(derivation: Derivation) -> tuple[int, ...]:
    """Each D from the smallest that the definition takes to 12 more; fewer where rows are long."""
    smallest = derivation.definition.minimum_features
    total = accumulate(range(smallest, smallest + _SIZES))
    return tuple(features for features, all_ in enumerate(total, smallest) if features == smallest or all_ <= _FEATURES)


def _claims_at(
    derivation: Derivation,
    claims: Sequence[PrintedEquality],
    features: int,
    written: Environment,
    arithmetic: Arithmetic,
) -> Sides:
    written = evaluate_equations(derivation.written.equations, written, arithmetic)
    told = _values_told(derivation, features, written, arithmetic)
    for place, claim in enumerate(claims):
        values = {**written, **told[claim.part]}
        if claim.left.has(*_OPEN) or claim.right.has(*_OPEN):
            yield place, mpmath.nan, mpmath.nan
            continue
        right = evaluate_expression(claim.right, written if claim.written else values, arithmetic)
        if is_finite(right):
            yield place, evaluate_expression(claim.left, values, arithmetic), right


def _values_told(
    derivation: Derivation, features: int, written: Environment, arithmetic: Arithmetic
) -> dict[Direction, Environment]:
    """Return the values at a point of all names in the steps of each direction."""
    given = evaluate_equations(derivation.forward.equations, written, arithmetic)
    told: dict[Direction, Environment] = {}
    for direction, derivative in derivation.derivatives().items():
        generator = random.Random(features)
        moved = {symbol: drawn(symbol, features, generator, -1, 1) for symbol in derivative.arguments}
        before = told["backward"] if direction == "backward_backward" else given
        values = evaluate_equations(derivative.equations, {**before, **given, **moved}, arithmetic)
        for step in derivative.steps:
            if step.target not in values:
                values[step.target] = evaluate_expression(step.after, values, arithmetic)
        told[direction] = values
    return {"forward": told["backward"], **told}


def second_derivation(derivation: Derivation) -> list[tuple[str, int, tuple[int, ...]]]:
    """Return the digits to which each gradient agrees with the unsimplified adjoint, and every D that was compared.

    A D is skipped if the definition has no value there or divides by rounding alone, or if the unsimplified form is
    0/0. An example is the root of a variance at D = 1. If every D is skipped, other points are tried.
    """
    worst = {gradient.name: DIGITS for _, gradient in derivation.gradients}
    found: dict[str, list[int]] = {name: [] for name in worst}
    every = sizes(derivation)
    with mpmath.workdps(DIGITS):
        tried = ((features, turn) for turn in range(_TURNS) for features in (every[:_AGAIN] if turn else every))
        for features, turn in tried:
            if turn and all(found.values()):
                break
            seed = 100 + features + 1000 * turn
            for _, name, agreed in at_size(derivation, features, seed, partial(_gradients_at, derivation)):
                found[name].append(features)
                worst[name] = min(agreed, worst[name])
    return [(name, agreed, tuple(found[name])) for name, agreed in worst.items()]


def _gradients_at(derivation: Derivation, features: int, written: Environment, arithmetic: Arithmetic) -> Sides:
    if not all(is_finite(written[output]) for output in derivation.written.outputs):
        return
    written = evaluate_equations(derivation.written.equations, written, arithmetic)
    adjoint = evaluate_equations(derivation.adjoint.equations, written, arithmetic)
    forward = evaluate_equations(derivation.forward.equations, written, arithmetic)
    short = evaluate_equations(derivation.backward, forward, arithmetic)
    for (_, gradient), (_, unsimplified) in zip(derivation.gradients, derivation.adjoint.gradients, strict=True):
        if is_finite(adjoint[unsimplified]):
            yield gradient.name, adjoint[unsimplified], short[gradient]


def compared(
    sides: Callable[[Arithmetic], Sides], meaningless: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Any, int]]:
    """Yield the digits to which two values agree, for each pair computed in a given arithmetic.

    If most digits differ, both sides are computed again with more digits. The two sides may cancel; their scale is then
    that of their terms, estimated from the rounding error, and their difference has to vanish with the digits.
    Nothing is compared if the values are rounding alone.

    >>> from mpmath import mpf
    >>> def sides(_):
    ...     yield "zero", (mpf(1) / 3 + mpf(1) / 7) - mpf(1) / 3 - mpf(1) / 7, mpf(0)
    ...     yield "a small fault", mpf(10) ** -60 / 3, mpf(10) ** -60 / 7
    >>> with mpmath.workdps(50):
    ...     dict(compared(sides))
    {'zero': 50, 'a small fault': 0}
    """
    found = {key: (a, b) for key, a, b in sides(Arithmetic(DIGITS))}
    agreed = {key: agreement(*pair, DIGITS) for key, pair in found.items()}
    digits = DIGITS
    for times in _MORE_DIGITS:
        few = [key for key, equal in agreed.items() if equal < _MOST_OF_DIGITS * DIGITS]
        if not few:
            break
        if digits == DIGITS and meaningless():
            return
        with mpmath.workdps(times * DIGITS):
            more = {key: (a, b) for key, a, b in sides(Arithmetic(times * DIGITS))}
            for key in (key for key in few if key in more):
                rounding = max(map(_apart, found[key], more[key]))
                scale = rounding * mpmath.mpf(10) ** digits
                beside = agreement(*more[key], DIGITS, least=scale)
                if beside >= REQUIRED:
                    beside = agreement(*more[key], times * DIGITS, least=scale) // times
                agreed[key] = max(agreed[key], agreement(*more[key], DIGITS), beside)
        found, digits = found | more, times * DIGITS
    yield from agreed.items()


def rests_on_rounding(derivation: Derivation, point: Environment) -> bool:
    """Test whether some part of the definition has no right digit, because it divides by rounding alone."""
    parts = {part for q in derivation.written.equations for part in sympy.preorder_traversal(q.expression)}
    return _right_digits(derivation, point, (part for part in parts if isinstance(part, sympy.Expr))) == 0


def _right_digits(derivation: Derivation, values: Environment, parts: Iterable[Expr]) -> int:
    """Return the number of digits that all parts share with their values in twice as many digits."""
    digits, parts = mpmath.mp.dps, tuple(parts)
    found = [evaluate_expression(part, values, Arithmetic(digits)) for part in parts]
    with mpmath.workdps(2 * digits):
        arithmetic = Arithmetic(2 * digits)
        more = evaluate_equations(derivation.written.equations, values, arithmetic)
        right = (evaluate_expression(part, more, arithmetic) for part in parts)
        return min(agreement(one, other, digits, least=1) for one, other in zip(found, right, strict=True))


def is_finite(value: Any) -> bool:
    """Test whether all entries of a value are finite."""
    return all(mpmath.isfinite(entry) for entry in np.asarray(value, dtype=object).flat)


# Ranges of random inputs: a logarithm or a root may need positive ones, ones above 1, or negative ones.
_RANGES = ((-1, 1), (0, 1), (1, 2), (-1, 0), (-2, -1))


def random_point(derivation: Derivation, features: int, seed: int) -> Environment:
    """Seeded mpmath values for every input, every cotangent and every value of the definition.

    Inputs lie in [-1, 1] or, where an output is not finite there, or has lost its digits as `exp(exp(1/x**9))` has near
    0, in [0, 1], [1, 2], [-1, 0] or [-2, -1].
    """
    best: tuple[int, Environment] | None = None
    for low, high in _RANGES:
        point = input_point(derivation, features, random.Random(seed), low, high)
        values = evaluate_equations(derivation.written.equations, point, Arithmetic(mpmath.mp.dps))
        kept = _digits_kept(derivation, values)
        if best is None or kept > best[0]:
            best = kept, values
        if kept >= _MOST_OF_DIGITS * mpmath.mp.dps:
            break
    assert best is not None
    return best[1]


def _digits_kept(derivation: Derivation, values: Environment) -> int:
    """Return the number of digits that the outputs share with their values in twice as many digits.

    It is -1 if an output is not finite. It is 0 if only a value that a comparison drops is not finite:
    `minimum(sqrt(u), u)` is u below 0, and has no derivative there.
    """
    kept = _digits_of_outputs(derivation, values)
    finite = all(is_finite(values[equation.symbol]) for equation in derivation.written.equations)
    return kept if finite else min(0, kept)


def _digits_of_outputs(derivation: Derivation, values: Environment) -> int:
    outputs = derivation.written.outputs
    return _right_digits(derivation, values, outputs) if all(is_finite(values[output]) for output in outputs) else -1


def has_values(derivation: Derivation) -> bool:
    """Test whether the definition has meaningful values at one or more of the points of the evidence.

    The outputs are finite, real, and not made of rounding alone. With rows too long to evaluate, the answer is yes.
    """
    if derivation.definition.minimum_features > MOST_FEATURES:
        return True
    with mpmath.workdps(_FEW_DIGITS):
        # D = 2 comes first: a statistic of one feature alone is often no value.
        smallest = derivation.definition.minimum_features
        tried = dict.fromkeys(max(features, smallest) for features in (2, 1, 3, 5, 8))
        # A mask of places may leave no entry in one of the rows of nearly every point.
        drawn_for = product(range(_DRAWS), tried)
        points = (random_point(derivation, features, seed=features + 10 * draw) for draw, features in drawn_for)
        return any(_digits_of_outputs(derivation, point) > 0 for point in points)


def uniform(generator: random.Random, low: int, high: int) -> Any:
    """A number in [low, high] of twelve decimals."""
    return mpmath.mpf(generator.randint(low * 10**12, high * 10**12)) / 10**12


def shape_of(symbol: TypedSymbol, features: int) -> tuple[int, ...]:
    """The shape in which evidence has a symbol's values: two rows, a row scalar one value wide."""
    varies = axes(symbol)
    width: tuple[int, ...] = (features,) if varies.features else (1,) if varies.rows else ()
    return (_ROWS, *width) if varies.rows else width


def drawn(symbol: TypedSymbol, features: int, generator: random.Random, low: int, high: int) -> Any:
    """Values for a symbol: an array of its shape, or a number."""
    return _drawn(symbol, features, generator, partial(uniform, generator, low, high))


def direction(symbol: TypedSymbol, features: int) -> Any:
    """Values in [-1, 1] along which a symbol is moved, seeded by its name: no two symbols have the same."""
    return drawn(symbol, features, random.Random(f"{symbol.name} {features}"), -1, 1)


def chosen(symbol: TypedSymbol, features: int, generator: random.Random, numbers: Sequence[str]) -> Any:
    """Values for a symbol, each one of some numbers."""
    return _drawn(symbol, features, generator, partial(generator.choice, numbers))


def _drawn(symbol: TypedSymbol, features: int, generator: random.Random, draw: Callable[[], Any]) -> Any:
    shape = shape_of(symbol, features)
    # Of integers some are places of the row and some are none.
    draw = partial(generator.randint, -2, features + 1) if symbol.is_integer else draw
    flat = [mpmath.mpf(draw()) for _ in range(int(np.prod(shape)))]
    return np.array(flat, dtype=object).reshape(shape) if shape else flat[0]


def input_point(derivation: Derivation, features: int, generator: random.Random, low: int, high: int) -> Environment:
    """Values for every input and every cotangent, those of inputs in a range; Constants are small and positive."""
    point: Environment = {D: mpmath.mpf(features)}
    for entry, symbol in zip(derivation.definition.inputs, derivation.forward.symbols, strict=True):
        if entry.kind is Kind.CONSTANT:
            # A small positive number, as an epsilon is, but large enough to be seen in every digit.
            point[symbol] = mpmath.mpf(generator.randint(10**11, 10**12)) / 10**12
        else:
            point[symbol] = drawn(symbol, features, generator, low, high)
    for cotangent in derivation.adjoint.cotangents:
        point[cotangent] = drawn(cotangent, features, generator, -1, 1)
    return point


def agreement(a: Any, b: Any, digits: int, least: Any = 0) -> int:
    """Decimal digits to which two values agree, relative to the largest entry of both, and to `least` if that is more.

    >>> agreement(mpmath.mpf(3), mpmath.mpf(3), 50), agreement(mpmath.mpf(1), mpmath.mpf(2), 50)
    (50, 0)
    >>> agreement(mpmath.mpf("1e-60"), mpmath.mpf("-7e-60"), 50), agreement(mpmath.mpf("1e-60"), 0, 50, least=1)
    (0, 50)
    """
    scale = max([least, *(abs(value) for side in (a, b) for value in np.asarray(side, dtype=object).flat)])
    error = _apart(a, b)
    if error == 0:
        return digits
    if not mpmath.isfinite(error) or not mpmath.isfinite(scale):
        return 0
    return max(0, min(digits, int(-mpmath.log10(error / scale))))


def _apart(a: Any, b: Any) -> Any:
    """The largest difference of two entries."""
    left, right = np.broadcast_arrays(np.asarray(a, dtype=object), np.asarray(b, dtype=object))
    return max((abs(p - q) for p, q in zip(left.flat, right.flat, strict=True)), default=mpmath.mpf(0))
