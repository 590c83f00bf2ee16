"""Whether a polynomial over generators is zero for every D, by the relations of its generators.

* A sum over rows is zero if what is summed is.
* With the sign of u, the three cases are looked at one by one: u > 0, u < 0, and u = 0, where u is solved for.
* Powers of one base that differ by whole numbers are brought together: `p*u**(-3/2) + q*u**(-1/2)` is zero if
  `p + q*u` is, u written out. Other powers of a base are independent of these, so each group has to vanish.

What is left has to be empty. An equality is claimed wherever both sides are defined: where a base that stands in a
denominator is zero, nothing is. A select that keeps its denominator from that has been looked at before, case by case.
"""

from __future__ import annotations

from lngen.prove.generators import (
    INDICATORS,
    ONE,
    Exponent,
    Generator,
    Monomial,
    Polynomial,
    add,
    add_term,
    inverse,
    places,
    plus,
)
from lngen.prove.row_algebra import RowAlgebra


def vanishes(p: Polynomial, algebra: RowAlgebra) -> bool:
    """Whether p is zero. False says only that it is not seen to be. Raises TooLargeError.

    >>> from lngen.expressions.symbols import Axes
    >>> from lngen.prove.budget import Budget
    >>> from lngen.prove.generators import minus
    >>> algebra = RowAlgebra(Budget())
    >>> x = algebra.symbol("x", Axes(True, True))
    >>> r = algebra.power(plus(algebra.mean(algebra.of.product(x, x)), ONE), -1)
    >>> y = algebra.of.product(x, algebra.of.product(r, x))
    >>> vanishes(plus(algebra.mean(y), minus(r, ONE)), algebra), vanishes(algebra.mean(y), algebra)
    (True, False)
    """
    if not p:
        return True
    known = algebra.of.known
    algebra.budget.spend(len(p))
    if any(known[place].kind == "rows" and exponent == 1 for m in p for place, exponent in m):
        return all(vanishes(body, algebra) for body in _summed(p, algebra))
    indicators = [place for place in places(p) if known[place].kind in INDICATORS]
    if indicators:
        return _vanishes_in_each_case(p, max(indicators), algebra)
    powers = [place for place in places(p) if known[place].kind == "power"]
    if powers:
        return all(vanishes(group, algebra) for group in _groups(p, max(powers), algebra))
    return False


def _vanishes_in_each_case(p: Polynomial, place: int, algebra: RowAlgebra) -> bool:
    g = algebra.of.known[place]
    if g.kind == "attains":
        cases, zero = [{place: 1}, {place: 0}], {place: 1}
    else:
        other, zero = algebra.of.opposite(place), {place: 0, algebra.of.opposite(place): 0}
        cases = [{place: 1, other: 0}, zero]
        if not g.one_sided:
            cases.append({place: 0, other: 1})
    for case in cases:
        left = _with_values(p, case, algebra)
        if not vanishes(left, algebra) and not (case == zero and _vanishes_where_zero(left, g, algebra)):
            return False
    return True


def _with_values(p: Polynomial, values: dict[int, int], algebra: RowAlgebra) -> Polynomial:
    """p with numbers for indicators, also in the bases of its powers and in its exponents."""
    result: Polynomial = {}
    for monomial, c in p.items():
        if not all(values.get(place, 1) for place, _ in monomial):
            continue
        kept: Monomial = ()
        changed = ONE
        for place, exponent in monomial:
            g = algebra.of.known[place]
            if place in values:
                continue
            if g.kind not in ("power", "exp") or not any(inner in values for inner in places(g.base)):
                kept += ((place, exponent),)
                continue
            inside = _with_values(g.base, values, algebra)
            whole = algebra.exponential(inside) if g.kind == "exp" else inside
            changed = algebra.of.product(changed, algebra.power(whole, exponent))
        add(result, algebra.of.product({kept: c}, changed))
    return result


def _vanishes_where_zero(p: Polynomial, g: Generator, algebra: RowAlgebra) -> bool:
    """Whether p is zero where what an indicator is of is zero."""
    u = g.base
    bases = (g.inside, frozenset((m, -c) for m, c in g.inside))
    exponents = {k for m in p for place, k in m if algebra.of.known[place].inside in bases}
    if any(k < 0 for k in exponents):
        return True  # A pole: that side is not defined here.
    for monomial, c in u.items():
        for place, exponent in monomial:
            rest = tuple(factor for factor in monomial if factor[0] != place)
            alone = exponent == 1 and sum(place in dict(m) for m in u) == 1
            if not alone or any(algebra.of.known[other].kind in INDICATORS for other, _ in (*rest, (place, 1))):
                continue
            others = {m: d for m, d in u.items() if m != monomial}
            replaced = _replaced(p, place, algebra.of.product({inverse(rest): -1 / c}, others), algebra)
            if replaced is not None and vanishes(replaced, algebra):
                return True
    return False


def _replaced(p: Polynomial, place: int, value: Polynomial, algebra: RowAlgebra) -> Polynomial | None:
    """p with a polynomial for a generator; None where that is divided by, or stands under a root."""
    result: Polynomial = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(place, 0)
        if exponent < 0 and not value:
            return {}  # A pole of one generator.
        if exponent < 0 or exponent % 1:
            return None
        rest: Polynomial = {tuple(factor for factor in monomial if factor[0] != place): c}
        add(result, algebra.of.product(rest, algebra.of.whole_power(value, int(exponent))))
    return result


def _groups(p: Polynomial, place: int, algebra: RowAlgebra) -> list[Polynomial]:
    """The coefficients of the powers of a generator, those that differ by whole numbers brought together."""
    base = algebra.of.known[place].base
    powers: dict[Exponent, dict[Exponent, Polynomial]] = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(place, 0)
        rest = tuple(factor for factor in monomial if factor[0] != place)
        add_term(powers.setdefault(exponent % 1, {}).setdefault(exponent, {}), rest, c)
    result = []
    for group in powers.values():
        total: Polynomial = {}
        lowest, highest = min(group), max(group)
        # Horner's scheme in the base.
        for above in range(int(highest - lowest), -1, -1):
            total = plus(algebra.of.product(total, base), group.get(lowest + above, {}))
        result.append(total)
    return result


def _summed(p: Polynomial, algebra: RowAlgebra) -> list[Polynomial]:
    """What has to vanish for p to, without its last sums over rows: what is summed, and the terms without a sum."""
    known = algebra.of.known
    groups: dict[Monomial | None, Polynomial] = {}
    for monomial, c in p.items():
        sums = [place for place, exponent in monomial if known[place].kind == "rows" and exponent == 1]
        if not sums:
            add_term(groups.setdefault(None, {}), monomial, c)
            continue
        rest = tuple(factor for factor in monomial if factor[0] != max(sums))
        # What varies over rows beside a sum over rows is of another row than what is summed.
        inside, outside = algebra.of.split(rest, lambda axes: axes.rows)
        body = algebra.of.product({known[max(sums)].body: c}, {inside: c / c})
        add(groups.setdefault(outside, {}), body)
    return list(groups.values())
