"""Whether a polynomial over generators is zero for every D, by the relations of its generators.

They are taken one by one, the last made first, since what a generator is of holds only earlier ones.

* Powers of one base that differ by whole numbers are brought together: `p*u**(-3/2) + q*u**(-1/2)` is zero if
  `p + q*u` is, u written out. Other powers of a base are independent of these, so each group has to vanish.
* With the sign of u, the three cases are looked at one by one: u > 0, u < 0, and u = 0, where u is solved for.
* A sum over rows is zero if what is summed is.

What is left has to be empty. Nothing is divided by what may be zero: what is taken out is a power of a base that stood
in a denominator or under a root, and where that is zero an equality is not claimed, since a side of it is not defined.
"""

from __future__ import annotations

from typing import Any

from sympy import QQ

from lngen.prove.generators import Exponent, Generator, Monomial, Polynomial, add_term, inverse, places, plus, scaled
from lngen.prove.row_algebra import RowAlgebra

_TAKEN = ("power", "positive", "negative", "attains")


def vanishes(p: Polynomial, algebra: RowAlgebra) -> bool:
    """Whether p is zero. False says only that it is not seen to be. Raises TooLargeError."""
    if not p:
        return True
    if any(algebra.of.known[place].kind == "rows" and k == 1 for m in p for place, k in m):
        return all(vanishes(body, algebra) for body in _summed(p, algebra))
    taken = [place for place in places(p) if algebra.of.known[place].kind in _TAKEN]
    if not taken:
        return False
    place = max(taken)
    g = algebra.of.known[place]
    if g.kind == "power":
        return all(vanishes(group, algebra) for group in _groups(p, place, g.base, algebra))
    cases = [{place: 1}, {place: 0}]
    if g.kind != "attains":
        other = algebra.of.opposite(place)
        cases = [{place: 1, other: 0}, {place: 0, other: 1}, {place: 0, other: 0}]
    # The case in which what stands inside is zero.
    zero = cases[0] if g.kind == "attains" else cases[2]
    for case in cases:
        left = _with_values(p, case)
        if not vanishes(left, algebra) and not (case is zero and _vanishes_where(left, g, algebra)):
            return False
    return True


def _groups(p: Polynomial, place: int, base: Polynomial, algebra: RowAlgebra) -> list[Polynomial]:
    powers: dict[Exponent, dict[Exponent, Polynomial]] = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(place, 0)
        rest = tuple(factor for factor in monomial if factor[0] != place)
        add_term(powers.setdefault(exponent % 1, {}).setdefault(exponent, {}), rest, c)
    result = []
    for group in powers.values():
        total: Polynomial = {}
        lowest, highest = min(group), max(group)
        for step in range(int(highest - lowest), -1, -1):
            # Horner's scheme in the base.
            total = plus(algebra.of.product(total, base), group.get(lowest + step, {}))
        result.append(total)
    return result


def _with_values(p: Polynomial, values: dict[int, int]) -> Polynomial:
    result: Polynomial = {}
    for monomial, c in p.items():
        if all(values.get(place, 1) for place, _ in monomial):
            add_term(result, tuple(factor for factor in monomial if factor[0] not in values), c)
    return result


def _vanishes_where(p: Polynomial, g: Generator, algebra: RowAlgebra) -> bool:
    """Whether p is zero where what an indicator is of is zero."""
    u = g.base
    for monomial, c in u.items():
        for place, exponent in monomial:
            solved = exponent == 1 and sum(place in dict(m) for m in u) == 1
            rest = tuple(factor for factor in monomial if factor[0] != place)
            if not solved or any(algebra.of.known[other].kind in _TAKEN[1:] for other, _ in rest):
                continue
            value = algebra.of.product(
                {inverse(rest): -1 / c}, {m: d for m, d in u.items() if m != monomial}
            )
            replaced = _replaced(p, place, value, algebra)
            if replaced is not None:
                return vanishes(replaced, algebra)
    return False


def _replaced(p: Polynomial, place: int, value: Polynomial, algebra: RowAlgebra) -> Polynomial | None:
    """p with a polynomial for a generator; None where that is divided by, or under a root."""
    result: Polynomial = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(place, 0)
        if exponent < 0 and not value:
            continue  # A pole: not defined here, so nothing is claimed.
        if exponent < 0 or exponent % 1:
            return None
        rest: Polynomial = {tuple(factor for factor in monomial if factor[0] != place): c}
        result = plus(result, algebra.of.product(rest, algebra.of.whole_power(value, int(exponent))))
    return result


def _summed(p: Polynomial, algebra: RowAlgebra) -> list[Polynomial]:
    """What has to vanish for p to, without sums over rows: what is summed, and the terms without a sum."""
    known = algebra.of.known
    groups: dict[Any, Polynomial] = {}
    for monomial, c in p.items():
        sums = [place for place, exponent in monomial if known[place].kind == "rows" and exponent == 1]
        if not sums:
            add_term(groups.setdefault(None, {}), monomial, c)
            continue
        rest = tuple(factor for factor in monomial if factor[0] != max(sums))
        outside, _ = _parts(rest, algebra)
        body = algebra.of.product({known[max(sums)].body: c}, {tuple(f for f in rest if f not in outside): QQ(1)})
        groups[outside] = plus(groups.get(outside, {}), body)
    return list(groups.values())


def _parts(monomial: Monomial, algebra: RowAlgebra) -> tuple[Monomial, Monomial]:
    rows = tuple(factor for factor in monomial if algebra.of.known[factor[0]].axes.rows)
    return rows, tuple(factor for factor in monomial if factor not in rows)


__all__ = ["scaled", "vanishes"]
