"""Decision whether a polynomial over generators is zero for every D, by the relations of its generators.

* A sum over rows is zero if its terms are.
* An indicator of the sign of u is decided in three cases, without those that other facts exclude: u > 0, u < 0, and
  u = 0, for which u is solved.
* Powers of one base that differ by whole numbers are brought together: `p*u**(-3/2) + q*u**(-1/2)` is zero if
  `p + q*u` is, u written out. Other powers of a base are independent of these, so each group has to vanish. A cosine is
  a root of `1 - sin**2`.

The rest has to be empty. An equality is claimed wherever both sides are defined: where one of them divides by u,
whatever a select chooses, u is not zero.
"""

from __future__ import annotations

from contextlib import suppress

from sympy import QQ

from lngen.prove.facts import Facts
from lngen.prove.generators import (
    INDICATORS,
    Exponent,
    Monomial,
    Polynomial,
    UndefinedError,
    add,
    add_term,
    places,
    plus,
)
from lngen.prove.row_algebra import RowAlgebra


def vanishes(p: Polynomial, algebra: RowAlgebra, facts: Facts | None = None) -> bool:
    """Test whether p is zero, in the case that facts describe; False means only that no proof was found.

    Raises TooLargeError.

    >>> from lngen.algebra.symbols import Axes
    >>> from lngen.algebra.budget import Budget
    >>> from lngen.prove.generators import ONE, minus
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
    facts = facts or Facts(algebra)
    algebra.budget.spend(len(p))
    if any(known[place].kind == "rows" and exponent == 1 for m in p for place, exponent in m):
        # The summed polynomial is of every row, and the facts are of one.
        return all(vanishes(body, algebra, facts.of_each_row()) for body in _summed(p, algebra))
    indicators = [place for place in places(p) if known[place].kind in INDICATORS]
    if indicators:
        return _vanishes_in_each_case(p, max(indicators), algebra, facts)
    roots = [place for place in places(p) if known[place].kind in ("power", "cosine")]
    # The groups are multiplied by a base: by one that is zero in this case, nothing would be said.
    if roots and all(vanishes(group, algebra) for group in _groups(p, max(roots), algebra)):
        return True
    return any(_vanishes_where_zero(p, u, algebra, facts) for u in facts.zero)


def _vanishes_in_each_case(p: Polynomial, place: int, algebra: RowAlgebra, facts: Facts) -> bool:
    """Test whether p is zero in each case of the indicator at a place.

    A case is the values of indicators, and the sign of what they are of, None where it is not known.
    """
    g = algebra.of.known[place]
    cases: list[tuple[dict[int, int], int | None]]
    if g.kind == "attains":
        cases = [({place: 1}, 0), ({place: 0}, None)]
    else:
        above, below = sorted((place, algebra.of.opposite(place)))  # "positive" is made first
        cases = [({above: 1, below: 0}, 1), ({above: 0, below: 0}, 0), ({above: 0, below: 1}, -1)]
    possible = facts.signs(g.base)
    if g.one_sided:
        possible.discard(-1)
    return all(
        vanishes(_with_values(p, values, algebra), algebra, facts if sign is None else facts.with_sign(g.base, sign))
        for values, sign in cases
        if sign is None or sign in possible
    )


def _with_values(p: Polynomial, values: dict[int, int], algebra: RowAlgebra) -> Polynomial:
    """Replace indicators in p by numbers, also inside its functions."""
    left = {m: c for m, c in p.items() if all(values.get(place, 1) for place, _ in m)}
    return algebra.replaced(left, {place: {(): QQ(value)} if value else {} for place, value in values.items()})


def _vanishes_where_zero(p: Polynomial, u: Polynomial, algebra: RowAlgebra, facts: Facts) -> bool:
    """Test whether p is zero wherever u is zero."""
    for values, others in facts.solved(u):
        with suppress(UndefinedError):
            if others.impossible or vanishes(algebra.replaced(p, values), algebra, others):
                return True
    return False


def _groups(p: Polynomial, place: int, algebra: RowAlgebra) -> list[Polynomial]:
    """Return the coefficients of the powers of a generator, with powers that differ by whole numbers brought
    together.
    """
    g = algebra.of.known[place]
    # A cosine to the power 2 is the polynomial, a root to the power 1.
    period, base = (2, g.square) if g.kind == "cosine" else (1, g.base)
    powers: dict[Exponent, dict[Exponent, Polynomial]] = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(place, 0)
        rest = tuple(factor for factor in monomial if factor[0] != place)
        add_term(powers.setdefault(exponent % period, {}).setdefault(exponent, {}), rest, c)
    result = []
    for group in powers.values():
        total: Polynomial = {}
        lowest, highest = min(group), max(group)
        # Horner's scheme in the base.
        for above in range(int(highest - lowest), -1, -period):
            total = plus(algebra.of.product(total, base), group.get(lowest + above, {}))
        result.append(total)
    return result


def _summed(p: Polynomial, algebra: RowAlgebra) -> list[Polynomial]:
    """Return the polynomials that have to vanish for p to vanish, without its last sums over rows.

    They are the summed polynomials, and the terms without a sum.
    """
    known = algebra.of.known
    groups: dict[Monomial | None, Polynomial] = {}
    for monomial, c in p.items():
        sums = [place for place, exponent in monomial if known[place].kind == "rows" and exponent == 1]
        if not sums:
            add_term(groups.setdefault(None, {}), monomial, c)
            continue
        rest = tuple(factor for factor in monomial if factor[0] != max(sums))
        # A factor that varies over rows, beside a sum over rows, is of another row than the summed terms.
        inside, outside = algebra.of.split(rest, lambda axes: axes.rows)
        body = algebra.of.product({known[max(sums)].body: c}, {inside: c / c})
        add(groups.setdefault(outside, {}), body)
    return list(groups.values())
