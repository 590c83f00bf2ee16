"""Emitted code beside a plain evaluation in the same float type.

Wherever an output is right its derivatives have to be, and never much less right than those that plain forward-mode
differentiation has in the same arithmetic (`plain`). An error is taken relative to the largest entry of the row that
a result belongs to; that of a sum over rows relative to its largest entry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mpmath
import numpy as np

from lngen.language.definition import Definition
from tests.fuzz.answers import OUTPUT, TANGENT, Point, Results, kind_of
from tests.fuzz.casts import before_cast
from tests.fuzz.failure import IMPRECISE, NOT_FINITE, WRONG, failure
from tests.fuzz.hyperdual import PLAIN_IS_RIGHT, ExactHyperdual, Hyperdual, Magnitudes, RoundingSizes
from tests.fuzz.plain import differentiated, in_rows
from tests.fuzz.points import MODERATE

TIMES_PLAIN = 16.0
ULPS = 64.0
NOISES, MORE_NOISES = 2, 16
"""Number of noisy plain evaluations, without and with more noise.

An error may be TIMES_PLAIN times that of the plain evaluation, and ULPS units of the numbers that it is made of. Plain
arithmetic is evaluated once without noise, NOISES times with random roundings and as often with the opposite ones, and
its largest error counts. Otherwise all roundings of a row of few entries may go well by luck, or none may occur since
the numbers are round. A rearranged formula, with its sums in another order and functions off by 4 ulp for plain's half,
stays within a few times that. TIMES_PLAIN leaves it half of a decimal digit more. ULPS is for a result whose plain
evaluation happens to round nowhere: a sum of some terms after functions of 4 ulp each. If the terms of a derivative
cancel, forward mode may be right by luck of its order, and reverse mode not. The unit is therefore that of the numbers
before they cancel. Shipped layers stay within a quarter of both.

No claim is made if plain evaluation has lost all but three digits, is unstable under noise, as near a switch, or
reduces a row with an infinite entry. Nor is one made about a row of numbers whose squares underflow, or with a value so
large that its products overflow (`hyperdual.SHARE_OF_RANGE`), or with a divisor below the normal numbers.
"""

# 1 + exp(-400) is not 1 to so many digits, and of two such numbers one is the smaller.
_DIGITS = 400
_FLOATS: Any = np.longdouble


@dataclass(frozen=True)
class Beside:
    """A definition, and what is right of it. `compared` counts the rows and sums about which something was claimed."""

    definition: Definition
    rows: Definition

    @classmethod
    def of(cls, text: str, definition: Definition) -> Beside:
        """The judge of a definition."""
        return cls(definition, in_rows(text))

    def plainly(self, point: Point, numbers: Hyperdual, **only: Any) -> Results:
        """Return the outputs and derivatives by plain differentiation."""
        return differentiated(self.definition, self.rows, point, numbers, **only)

    def judge(
        self,
        found: Results,
        point: Point,
        dtype: Any,
        key: str,
        truth: Results | None = None,
        **only: Any,
    ) -> int:
        """Raise Failure for the first result that is worse than it may be; how many rows and sums were compared.

        `point` holds numbers of `dtype`. The truth is a plain evaluation in long double, which has 2048 times the
        digits that a claim needs. What that finds is believed only if it stands at 400 digits, and beside MORE_NOISES.
        """
        numbers = Hyperdual(dtype)
        numbers.room = _room(point)
        plain = [self.plainly(point, numbers, **only)]

        def add_noise(seeds: range) -> None:
            noisy = (Hyperdual(dtype, seed, flipped) for seed in seeds for flipped in (False, True))
            plain.extend(self.plainly(point, noise, **only) for noise in noisy)

        add_noise(range(NOISES))
        sizes = self._sizes(point, **only)
        wide = self.plainly(point, Hyperdual(np.longdouble), **only) if truth is None else truth
        right = ~np.asarray(numbers.void)
        count, worst = self._worst(found, wide, plain, sizes, right, dtype)
        if worst is not None:
            add_noise(range(NOISES, MORE_NOISES))
            wide = self._exactly(point, wide, **only) if truth is None else truth
            count, worst = self._worst(found, wide, plain, sizes, right, dtype)
        if worst is not None:
            result, row, error, other = worst
            what = " ".join(result)
            note = f"{key}: {what}{'' if row is None else f', row {row}'}: off by {error:.3g} of the largest entry"
            outcome = NOT_FINITE if not np.isfinite(error) else WRONG if error > PLAIN_IS_RIGHT else IMPRECISE
            note += f"; plain {np.dtype(dtype).name} evaluation by {other:.3g}"
            value, wanted = found.get(result), wide.get(result)
            raise failure(
                outcome, f"{key}, {point.case.name}: {result[0]}", note, point.case, point.directions, value, wanted
            )
        return count

    def _sizes(self, point: Point, **only: Any) -> Results:
        """Return the sizes of the terms of the results, before anything cancels."""
        still = replace(point, directions=dict.fromkeys(point.directions, 0.0) or {self.definition.rows[0].name: 0.0})
        roundings = self.plainly(still, RoundingSizes(), tangents_only=True)
        outputs = {(OUTPUT, name): size for (what, name), size in roundings.items() if what == TANGENT}
        return self.plainly(point, Magnitudes(), **only) | outputs

    def _exactly(self, point: Point, otherwise: Results, **only: Any) -> Results:
        try:
            return self.plainly(point, ExactHyperdual(_DIGITS), **only)
        except ZeroDivisionError:  # a row at the edge of a domain, which a function that underflows hides in floats
            return {result: np.full_like(value, np.nan) for result, value in otherwise.items()}
        except (ArithmeticError, MemoryError, ValueError):  # an exponential of an exponential
            return otherwise

    def _worst(
        self, found: Results, truth: Results, plain: list[Results], sizes: Results, right: Any, dtype: Any
    ) -> tuple[int, tuple[tuple[str, str], int | None, float, float] | None]:
        """Return the number of comparisons, and (result, row, error, plain's error) of the first wrong result."""
        count = 0
        tiny = float(np.finfo(dtype).smallest_subnormal)
        unit = float(np.finfo(dtype).eps)
        smallest = float(np.sqrt(np.finfo(dtype).smallest_normal))
        for result, wanted in truth.items():
            if result not in found:
                return count, (result, None, np.inf, 0.0)
            kind = kind_of(self.definition, result)
            exact = as_floats(wanted)

            def largest(gap: Any, over_features: bool = kind.over_features) -> Any:
                return gap.max(-1) if over_features else gap

            with np.errstate(all="ignore"):
                scale = largest(np.abs(exact))
                value = before_cast(self.definition, result, found[result], exact)
                error = largest(_finite(np.abs(value.astype(_FLOATS) - exact)))
                others = largest(_finite(np.abs(np.stack([p[result].astype(_FLOATS) - exact for p in plain])))).max(0)
                claimed = (others <= PLAIN_IS_RIGHT * scale) & np.isfinite(scale)
                claimed &= (scale == 0) | (scale >= smallest)
                # A result may be of numbers that cancel; its own size says nothing of those.
                size = largest(np.abs(sizes[result]))
                size = np.where(size > scale, np.where(np.isinf(size), scale, size), scale)
                allowed = TIMES_PLAIN * others + ULPS * (unit * size + tiny)
            holds = right if kind.over_rows else np.all(right)
            bad = claimed & holds & ~(error <= allowed)
            count += int(np.sum(claimed & holds))
            if np.any(bad):
                row = int(np.argmax(bad)) if kind.over_rows else None
                at = row if row is not None else ()
                with np.errstate(all="ignore"):
                    relative, other = (float(gap[at] / scale[at]) for gap in (np.asarray(error), np.asarray(others)))
                return count, (result, row, relative, other)
            if result[0] == OUTPUT:
                right = right & claimed
        return count, None


def _room(point: Point) -> float:
    """Return the largest factor of a large row and a direction of its size: multiplication may be in another order."""
    largest = max(float(np.abs(value).max()) for value in point.case.inputs.values() if value is not None)
    return largest**2 if largest > MODERATE else 1.0


def _finite(gap: Any) -> Any:
    return np.where(np.isnan(gap), np.inf, gap)


def as_floats(values: Any) -> Any:
    """Floats or mpmath's numbers in long double."""
    array = np.asarray(values)
    if array.dtype != object:
        return array.astype(_FLOATS)
    with mpmath.workdps(_DIGITS):
        high = np.frompyfunc(float, 1, 1)(array)
        low = np.frompyfunc(lambda number, near: float(number - near) if abs(near) < np.inf else 0.0, 2, 1)(array, high)
        return np.asarray(high).astype(_FLOATS) + np.asarray(low).astype(_FLOATS)
