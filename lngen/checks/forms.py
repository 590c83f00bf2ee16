"""Numbers with a bound of their rounding error: the arithmetic of a running error analysis.

An `AffineForm` is an exact value and a bound for the error of the computed one. Errors of row scalars are kept *by
name*, with their first-order coefficient, since they come back. A mean that is off by e shifts the centred row by -e,
the mean of that row measures -e, and subtracting it cancels e. An interval would add the three up. All other errors go
into one bound, `own`. (Affine arithmetic: de Figueiredo & Stolfi, Numer. Algorithms 37, 2004; running error bounds:
Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3.)

Rounding errors are taken at their worst, or, with `independent`, as independent and of mean zero, as they are on data
without pattern (Higham & Mary, SIAM J. Sci. Comput. 41, 2019). A sum of n errors is then no larger than 7 times the
root of the sum of their squares, except once in 2e10 times (Hoeffding). Up to 49 terms the worst case is smaller and is
taken.

Second-order terms are not dropped: a product adds the product of both radii, and a function the largest second
derivative within the radius. The values themselves, which only scale the bounds, are float64. This is the only
neglected error, about 1e-16 of a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]

_CONFIDENCE = 7.0  # 2*exp(-7**2/2) is 5e-11


@dataclass(frozen=True)
class FloatFormat:
    """A floating-point format: unit roundoff, smallest subnormal number, largest finite number."""

    name: str
    unit: float
    smallest: float
    largest: float


FORMATS = {
    "float16": FloatFormat("float16", 2.0**-11, 2.0**-24, 65504.0),
    "bfloat16": FloatFormat("bfloat16", 2.0**-8, 2.0**-133, (2 - 2.0**-7) * 2.0**127),
    "float32": FloatFormat("float32", 2.0**-24, 2.0**-149, (2 - 2.0**-23) * 2.0**127),
    "float64": FloatFormat("float64", 2.0**-53, 2.0**-1074, float(np.finfo(np.float64).max)),
}
"""The formats that a bound can be given for, by the name of the dtype."""


@dataclass(frozen=True)
class AffineForm:
    """An exact value, a bound of its own error, and coefficients of the errors it shares with others, by
    name.

    `spread` is known for sums of independent errors: the deviation that their sum behaves like, which a
    further sum adds up in squares; elsewhere the bound stands for it. Arrays are 2-d and broadcast: (rows
    or 1, D or 1).
    """

    value: Real
    own: Real
    shared: Mapping[str, Real] = field(default_factory=dict)
    spread: Real | None = None


def exact(value: Any) -> AffineForm:
    """A value without error."""
    array = np.asarray(value, np.float64)
    return AffineForm(array, np.zeros_like(array))


class Rounding:
    """Arithmetic on forms in one format. `limits` bound the named errors: arrays (rows, 1)."""

    def __init__(self, arithmetic: FloatFormat, independent: bool = False) -> None:
        self.format = arithmetic
        self.independent = independent
        self.limits: dict[str, Real] = {}
        self.spreads: dict[str, Real] = {}

    def radius(self, form: AffineForm) -> Real:
        """Return the largest difference between the computed value and the exact value."""
        total = form.own
        for name in sorted(form.shared):
            total = total + np.abs(form.shared[name]) * self.limits[name]
        # Zero times an error that has no bound: of the difference of two infinities, say.
        return np.where(np.isnan(total), np.inf, total)

    def name(self, name: str, form: AffineForm) -> AffineForm:
        """Give a row scalar's own error a name, so that later uses of it share the error."""
        while name in self.limits:  # computed anew in backward: the same value, but not the same roundings
            name += "'"
        self.limits[name] = form.own
        if form.spread is not None:
            self.spreads[name] = form.spread
        return AffineForm(form.value, np.zeros_like(form.own), {**form.shared, name: np.ones_like(form.own)})

    def rounded(self, form: AffineForm, roundings: float = 1, scale: Real | None = None) -> AffineForm:
        """The form after `roundings` relative rounding errors of its result, or of `scale` where that is
        given.
        """
        if roundings == 0:
            return form
        size = np.abs(form.value) + self.radius(form) if scale is None else scale
        # (1 + u)^n - 1 <= n u / (1 - n u), the usual gamma_n.
        relative = roundings * self.format.unit / (1 - min(0.5, roundings * self.format.unit))
        added = relative * size + roundings * self.format.smallest
        spread = None if form.spread is None else form.spread + added
        return self._checked(AffineForm(form.value, form.own + added, form.shared, spread))

    def stored(self, form: AffineForm, storage: FloatFormat) -> AffineForm:
        """The form after one rounding to a storage format; no claim is made where that may overflow."""
        size = np.abs(form.value) + self.radius(form)
        own = form.own + storage.unit * size + storage.smallest
        # A result within half a unit of the largest number rounds to it, but not every cast is that careful.
        return AffineForm(form.value, np.where(size > storage.largest, np.inf, own), form.shared)

    def add(self, forms: Sequence[AffineForm]) -> AffineForm:
        """Add terms in any order.

        Two terms add one rounding of the result, and n terms add n - 1 roundings of the sum of their magnitudes.
        """
        if len(forms) == 1:
            return forms[0]
        total = AffineForm(_sum([form.value for form in forms]), _sum([form.own for form in forms]), _joined(forms))
        if len(forms) == 2:
            return self.rounded(total)
        return self.rounded(total, len(forms) - 1, _sum([np.abs(form.value) + self.radius(form) for form in forms]))

    def multiply(self, a: AffineForm, b: AffineForm, roundings: float = 1) -> AffineForm:
        """A product; `roundings=0` where one factor is a power of two."""
        shared = {
            name: a.shared.get(name, 0.0) * b.value + b.shared.get(name, 0.0) * a.value
            for name in sorted({*a.shared, *b.shared})
        }
        with np.errstate(invalid="ignore", over="ignore"):
            own = np.abs(a.value) * b.own + np.abs(b.value) * a.own + self.radius(a) * self.radius(b)
            product = a.value * b.value
        return self.rounded(self._checked(AffineForm(product, own, shared)), roundings)

    def partly_below(self, product: AffineForm, factors: Sequence[AffineForm]) -> AffineForm:
        """A product of three factors or more, some of which may fall below the normal numbers when they are multiplied.

        Each but the last multiplication is then off by at most the smallest number, times the factors that follow: no
        more than all those above 1.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            sizes = [np.abs(form.value) + self.radius(form) for form in factors]
            least, most = (
                reduce(np.multiply, [limit(size, 1.0) for size in sizes]) for limit in (np.minimum, np.maximum)
            )
            is_below = (least > 0) & (least < self.format.smallest / self.format.unit)
            added = np.where(is_below, (len(factors) - 2) * self.format.smallest * most, 0.0)
        return AffineForm(product.value, product.own + added, product.shared, product.spread)

    def apply(self, form: AffineForm, value: Real, slope: Real, curvature: Real, roundings: float) -> AffineForm:
        """A function of one argument: its value, its slope, and a bound of |f''| within the radius."""
        radius = self.radius(form)
        with np.errstate(invalid="ignore", over="ignore"):
            # Without an error there is nothing for an infinite curvature to act on.
            remainder = np.where(radius > 0, 0.5 * curvature * radius**2, 0.0)
            own = np.where(form.own > 0, np.abs(slope) * form.own, 0.0) + remainder
            shared = {name: slope * factor for name, factor in form.shared.items()}
        return self.rounded(self._checked(AffineForm(np.asarray(value), own, shared)), roundings)

    def mean(self, form: AffineForm, depths: Real) -> AffineForm:
        """The mean over the feature axis; see `sum`."""
        width = depths.size
        total = self.sum(form, depths)
        shared = {name: factor / width for name, factor in total.shared.items()}
        spread = None if total.spread is None else total.spread / width
        divided = AffineForm(total.value / width, total.own / width, shared, spread)
        return self.rounded(divided, 2)  # the division by D, perhaps as a product with the rounded 1/D

    def sum(self, form: AffineForm, depths: Real) -> AffineForm:
        """The sum over the feature axis; `depths` says of each term how many additions it goes through."""
        full = self._widened(form, depths.size)
        value = full.value.sum(-1, keepdims=True)
        shared = {name: factor.sum(-1, keepdims=True) for name, factor in full.shared.items()}
        radius = self.radius(full)
        deepest = float(depths.max(initial=0.0))
        additions = ((np.abs(full.value) + radius) * depths).sum(-1, keepdims=True)
        worst = full.own.sum(-1, keepdims=True) + self.format.unit * additions
        if not self.independent:
            return self._checked(AffineForm(value, worst, shared))
        partial = np.minimum(additions, _root_of_partial_sums(full.value, radius, deepest))
        spread = np.hypot(np.sqrt((full.own**2).sum(-1, keepdims=True)), self.format.unit * partial)
        return self._checked(AffineForm(value, np.minimum(worst, _CONFIDENCE * spread), shared, spread))

    def extreme(self, form: AffineForm, width: int, largest: bool) -> AffineForm:
        """Return the maximum or minimum over the feature axis.

        It moves by no more than the entry that moves most, among those that rounding may bring to the front.
        """
        full = self._widened(form, width)
        radius, towards = self.radius(full), full.value if largest else -full.value
        # Not that of a large negative number which stands for what is masked.
        contends = ~(towards + radius < (towards - radius).max(-1, keepdims=True))
        value = full.value.max(-1, keepdims=True) if largest else full.value.min(-1, keepdims=True)
        return AffineForm(value, np.where(contends, radius, 0.0).max(-1, keepdims=True))

    def sum_rows(self, form: AffineForm, rows: int) -> AffineForm:
        """The sum over all rows, in order, however the rows are cut into blocks.

        Every partial sum of consecutive rows is the difference of two prefix sums, so each of at most
        `rows` additions rounds a number no larger than the range of the prefix sums; that is far below the
        sum of magnitudes for terms of either sign.
        """
        width = np.broadcast_shapes(form.value.shape, (1, 1))[1]
        radius = np.broadcast_to(self.radius(form), (rows, width))
        value = np.broadcast_to(form.value, (rows, width))
        prefix = np.concatenate([np.zeros((1, width)), np.cumsum(value, 0)])
        size = prefix.max(0, keepdims=True) - prefix.min(0, keepdims=True) + radius.sum(0, keepdims=True)
        worst = radius.sum(0, keepdims=True) + rows * self.format.unit * size
        if self.independent:
            deviation = np.broadcast_to(self._spread_of(form), (rows, width))
            rounding = self.format.unit * np.sqrt(rows) * size
            spread = np.hypot(np.sqrt((deviation**2).sum(0, keepdims=True)), rounding)
            worst = np.minimum(worst, _CONFIDENCE * spread)
        return self._checked(AffineForm(value.sum(0, keepdims=True), worst))

    def _spread_of(self, form: AffineForm) -> Real:
        """Return the typical size of a form's error: the spread of a named sum if known, else its bound."""
        (name,) = form.shared if len(form.shared) == 1 else (None,)
        if name in self.spreads and not form.own.any() and np.all(form.shared[name] == 1):
            return self.spreads[name]
        return self.radius(form)

    def choose(
        self, gap: AffineForm, chosen: AffineForm, otherwise: AffineForm, holds: NDArray[np.bool_]
    ) -> AffineForm:
        """A select. Where rounding may turn the condition over, the two branches' distance is part of the
        error.
        """
        undecided = np.abs(gap.value) <= self.radius(gap)
        decided = AffineForm(
            np.where(holds, chosen.value, otherwise.value),
            np.where(holds, chosen.own, otherwise.own),
            {
                name: np.where(holds, chosen.shared.get(name, 0.0), otherwise.shared.get(name, 0.0))
                for name in sorted({*chosen.shared, *otherwise.shared})
            },
        )
        # A condition without error is decided, ties included.
        undecided &= self.radius(gap) > 0
        distance = np.abs(chosen.value - otherwise.value) + self.radius(chosen) + self.radius(otherwise)
        return AffineForm(decided.value, decided.own + np.where(undecided, distance, 0.0), decided.shared)

    def _widened(self, form: AffineForm, width: int) -> AffineForm:
        shape = (form.value.shape[0], width)
        return AffineForm(
            np.broadcast_to(form.value, np.broadcast_shapes(form.value.shape, shape)),
            np.broadcast_to(form.own, np.broadcast_shapes(form.own.shape, shape)),
            {name: np.broadcast_to(f, np.broadcast_shapes(np.shape(f), shape)) for name, f in form.shared.items()},
        )

    def _checked(self, form: AffineForm) -> AffineForm:
        """Drop claims about values beyond the largest number, and about results of such values."""
        size = np.abs(form.value) + self.radius(form)
        lost = ~(size <= self.format.largest)
        if not lost.any():
            return form
        shape = lost.shape
        return AffineForm(
            np.where(np.isfinite(np.broadcast_to(form.value, shape)), form.value, 0.0),
            np.where(lost, np.inf, np.broadcast_to(form.own, shape)),
            {name: np.where(lost, 0.0, factor) for name, factor in form.shared.items()},
            None if form.spread is None else np.where(lost, np.inf, form.spread),
        )


class EachStep(Rounding):
    """Arithmetic of a layer that is composed of operations: each rounds to `storage`, sums are kept in `wide`."""

    def __init__(self, storage: FloatFormat, wide: FloatFormat) -> None:
        super().__init__(storage)
        self.narrow, self.wide = storage, wide

    def sum(self, form: AffineForm, depths: Real) -> AffineForm:
        """The sum over the feature axis."""
        return self._kept_wide(super().sum, form, depths)

    def sum_rows(self, form: AffineForm, rows: int) -> AffineForm:
        """The sum over all rows."""
        return self._kept_wide(super().sum_rows, form, rows)

    def _kept_wide(self, add_up: Callable[..., AffineForm], *terms: Any) -> AffineForm:
        self.format = self.wide
        try:
            total = add_up(*terms)
        finally:
            self.format = self.narrow
        return self.rounded(total)


def _root_of_partial_sums(values: Real, radius: Real, deepest: float) -> Real:
    """The root of the sum of squares of all partial sums, were every running sum `deepest` long.

    How the terms fall to the running sums differs between machines; for terms without pattern their sizes
    do not.
    """
    count = values.shape[-1]
    length = max(1, min(count, int(deepest)))
    padded = np.zeros((*values.shape[:-1], -(-count // length) * length))
    padded[..., :count] = values
    running = padded.reshape(*values.shape[:-1], -1, length)
    within = (np.cumsum(running, -1) ** 2).sum((-1, -2))
    across = (np.cumsum(running.sum(-1), -1) ** 2).sum(-1)
    slack = np.sqrt(count) * radius.sum(-1)
    return np.asarray((np.sqrt(within + across) + slack)[..., None])


def _sum(arrays: Sequence[Real]) -> Real:
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total


def _joined(forms: Sequence[AffineForm]) -> dict[str, Real]:
    names = sorted({name for form in forms for name in form.shared})
    return {name: _sum([form.shared[name] for form in forms if name in form.shared]) for name in names}
