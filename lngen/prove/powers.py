"""Powers of polynomials over generators, and their signs, from which functions and reductions are built."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import gcd, lcm
from typing import Any

import sympy
from sympy import QQ

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.symbols import NOTHING, Axes
from lngen.prove.generators import (
    INDICATORS,
    ONE,
    Exponent,
    Generator,
    Generators,
    Items,
    Monomial,
    Polynomial,
    UndefinedError,
    add_term,
    in_order,
    inverse,
    minus,
    places,
    plus,
    scaled,
    single,
)
from lngen.prove.rewrites import Rewrites

LONGEST_FACTORED = 10**12
"""The largest number whose primes are looked for."""

_ZERO: Polynomial = {}


class Powers:
    """Generators and the relations between them; powers of polynomials, and their signs."""

    def __init__(self, budget: Budget, minimum_features: int = 1) -> None:
        self.budget = budget
        self.minimum_features = minimum_features
        self.of = Generators(budget)
        self.features = self.symbol("D", NOTHING, positive=True)
        self._rewrites = Rewrites(self.of)
        self._not_negative: list[Polynomial] = []

    def symbol(self, name: str, axes: Axes, positive: bool = False, nonnegative: bool = False) -> Polynomial:
        """An input, or a value that is not looked into."""
        make = Generator("symbol", axes, positive, positive or nonnegative)
        return single(self.of.place(("symbol", name, make.positive, make.nonnegative), lambda: make))

    def claim_not_negative(self, p: Polynomial) -> None:
        """Note a polynomial that is not negative by its form, which multiplying out hides: a mean of squares."""
        if len(p) > 1:
            for form in (p, self.reduced(p)):
                claimed = self._primitive(form, signed=False)[2] if form else form
                if len(claimed) > 1 and claimed not in self._not_negative:
                    self._not_negative.append(claimed)

    def factors(self, p: Polynomial) -> Iterator[Items]:
        """Yield candidates of which one is zero where p is: its generators, and the remaining sum, as signs take it.

        A quotient yields nothing: a select may keep it from its pole, and it need not be zero where its numerator is.
        """
        p = self.reduced(p)
        _, factor, primitive = self._primitive(p, signed=True) if p else (0, (), p)
        if self.of.has_pole(factor):
            return
        for place, _ in factor:
            g = self.of.known[place]
            yield g.inside if g.kind == "power" else frozenset(single(place).items())
        if len(primitive) > 1:
            yield frozenset(primitive.items())

    # ---- powers

    def power(self, p: Polynomial, exponent: Exponent) -> Polynomial:
        """A power; the generator of a base to a power below 1."""
        whole = exponent.denominator == 1
        p = p if whole and exponent > 0 else self.reduced(p)
        if not p:
            if exponent > 0:
                return {}
            raise UndefinedError
        if len(p) == 1:
            ((monomial, coefficient),) = p.items()
            return self._power_of_term(coefficient, monomial, exponent)
        if whole and exponent > 0:
            return self.of.whole_power(p, int(exponent))
        content, factor, primitive = self._primitive(p, signed=whole)
        outside = self._power_of_term(content, factor, exponent)
        above = max(exponent.numerator // exponent.denominator, 0)
        rooted = self.of.product(outside, single(self._base(primitive), exponent - above))
        return self.of.product(rooted, self.of.whole_power(primitive, above))

    def _base(self, primitive: Polynomial) -> int:
        sign = self.sign_by_form(primitive)
        axes = self.axes(primitive)
        make = Generator("power", axes, sign == 1, sign is not None, frozenset(primitive.items()))
        return self.of.place(("power", make.inside), lambda: make)

    def _power_of_term(self, coefficient: Any, monomial: Monomial, exponent: Exponent) -> Polynomial:
        """A term to a power: `4*x**2` to the power 1/2 is `2*x*sign(x)`. An indicator to a positive one is itself."""
        known = self.of.known
        indicators = tuple(factor for factor in monomial if known[factor[0]].kind in INDICATORS)
        outside: Polynomial = ONE
        if indicators:
            monomial = tuple(factor for factor in monomial if factor not in indicators)
            outside = {indicators: QQ(1)} if exponent > 0 else single(self._base({indicators: QQ(1)}), exponent)
        if exponent.denominator == 1:
            raised = {inverse(monomial, exponent): coefficient ** int(exponent)}
            return self.of.product(outside, raised)
        sign = QQ(1) if coefficient > 0 else QQ(-1)
        outside = self.of.product(outside, self._number_power(abs(coefficient), exponent))
        odd = []
        for place, k in monomial:
            g = known[place]
            if g.nonnegative or k.denominator > 1:  # what has a root is not negative
                factor = single(place, k * exponent)
            elif k % 2:
                odd.append((place, k))
                continue
            elif (k * exponent).denominator > 1:
                factor = single(self._base({((place, 2),): QQ(1)}), k * exponent / 2)
            else:
                factor = single(place, k * exponent)
                if (k * exponent) % 2:
                    factor = self.of.product(factor, self.sign_of(single(place)))
            outside = self.of.product(outside, factor)
        if len(odd) == 1 and sign > 0:
            return self.of.product(outside, single(odd[0][0], odd[0][1] * exponent))
        if not odd and sign > 0:
            return outside
        return self.of.product(outside, single(self._base({tuple(odd): sign}), exponent))

    def _number_power(self, number: Any, exponent: Exponent) -> Polynomial:
        result: Polynomial = ONE
        for part, sign in ((number.numerator, 1), (number.denominator, -1)):
            if part > LONGEST_FACTORED:
                raise TooLargeError("a root of a number too long to factor")
            for prime, k in sympy.factorint(int(part)).items():
                result = self.of.product(result, self._prime(int(prime), sign * int(k) * exponent))
        return result

    def _prime(self, prime: int, exponent: Exponent) -> Polynomial:
        place = self.of.place(("prime", prime), lambda: Generator("prime", NOTHING, True, True))
        return self.of.product(ONE, single(place, exponent))

    def _primitive(
        self, p: Polynomial, *, signed: bool, outside: Any = lambda axes: True
    ) -> tuple[Any, Monomial, Polynomial]:
        """Split p into a number, a monomial and a primitive polynomial, whose product is p.

        With `signed` a factor of any sign may be taken out, and the leading coefficient is positive; otherwise only
        positive factors are. The rest may take another step: for 1 - 1/(1 + e) it is 1 + e, less 1.
        """
        content, factor, primitive = self._divided(p, signed, outside)
        whole = self.reduced(primitive) if self._has_whole_powers(primitive) else primitive
        if whole == primitive or not whole:
            return content, factor, primitive
        number, more, primitive = self._primitive(whole, signed=signed, outside=outside)
        product = self.of.product_of(factor, more)
        assert product is not None
        return content * number * product[0], product[1], primitive

    def _has_whole_powers(self, p: Polynomial) -> bool:
        return any(k >= 1 and self.of.known[place].kind == "power" for m in p for place, k in m)

    def _divided(self, p: Polynomial, signed: bool, outside: Any) -> tuple[Any, Monomial, Polynomial]:
        known = self.of.known
        content = QQ(gcd(*(int(c.numerator) for c in p.values())), lcm(*(int(c.denominator) for c in p.values())))
        if signed and p[in_order(p)[0]] < 0:
            content = -content
        powers = [dict(m) for m in p]

        def least(place: int) -> Exponent:
            # A pole that some terms have is none of the others: taken out, it would erase what a select chooses there.
            found = [m.get(place, 0) for m in powers]
            return 0 if min(found) < 0 <= max(found) and not known[place].positive else min(found)

        shared = {
            place: least(place)
            for place in sorted(set(places(p)))
            if known[place].kind not in INDICATORS and (signed or known[place].positive) and outside(known[place].axes)
        }
        factor = tuple((place, k) for place, k in shared.items() if k)
        divided = inverse(factor)
        primitive: Polynomial = {}
        for m, c in p.items():
            found = self.of.product_of(m, divided)
            assert found is not None
            add_term(primitive, found[1], c / content * found[0])
        return content, factor, primitive

    # ---- signs

    def sign_by_form(self, p: Polynomial) -> int | None:
        """1 if positive by its form, 0 if not negative, None if that is not seen."""
        found = 1 if self._is_above_zero_for_every_d(p) else self.of.sign(p)
        if found is None and self._not_negative:
            signs = (self.of.sign(_beyond(p, claim)) for claim in self._not_negative)
            return max((sign for sign in signs if sign is not None), default=None)
        return found

    def _is_above_zero_for_every_d(self, p: Polynomial) -> bool:
        """Test whether p is a*D - b and positive for every D that the definition takes."""
        ((d, _),) = self.features.items()
        return p.keys() <= {d, ()} and p.get(d, 0) > 0 and p[d] * self.minimum_features + p.get((), 0) > 0

    def modulus(self, p: Polynomial) -> Polynomial:
        """|p|."""
        found = self.of.product(p, self.sign_of(p))
        self.claim_not_negative(found)
        return found

    def sign_of(self, p: Polynomial) -> Polynomial:
        """sign(p)."""
        positive, negative = self.signs(p)
        return minus(positive, negative)

    def signs(self, p: Polynomial) -> tuple[Polynomial, Polynomial]:
        """The indicators of p > 0 and p < 0."""
        p = self.reduced(p)
        if not p:
            return _ZERO, _ZERO
        content, factor, primitive = self._primitive(p, signed=True)
        result = (ONE, _ZERO) if content > 0 else (_ZERO, ONE)
        parts = [] if primitive == ONE else [self._signs_of_sum(primitive)]
        parts += [self._signs_of_power(place, k) for place, k in factor]
        for above, below in parts:
            product = self.of.product
            result = (
                plus(product(result[0], above), product(result[1], below)),
                plus(product(result[0], below), product(result[1], above)),
            )
        return result

    def _signs_of_power(self, place: int, exponent: Exponent) -> tuple[Polynomial, Polynomial]:
        g = self.of.known[place]
        if g.positive:
            return ONE, _ZERO
        found = self.signs(g.base) if g.kind == "power" else self._pair(single(place), g.nonnegative)
        if exponent.denominator % 2 == 0:
            return found[0], _ZERO
        return (plus(*found), _ZERO) if exponent.numerator % 2 == 0 else found

    def _signs_of_sum(self, p: Polynomial) -> tuple[Polynomial, Polynomial]:
        if len(p) == 1:
            # A monomial of indicators.
            return p, _ZERO
        sign, opposite = self.sign_by_form(p), self.sign_by_form(scaled(p, QQ(-1)))
        if sign == 1:
            return ONE, _ZERO
        if opposite == 1:
            return _ZERO, ONE
        found = self._pair(p, sign is not None)
        return (_ZERO, found[1]) if opposite is not None else found

    def _pair(self, p: Polynomial, nonnegative: bool) -> tuple[Polynomial, Polynomial]:
        inside = frozenset(p.items())
        known: Any = {"axes": self.axes(p), "nonnegative": True, "inside": inside, "one_sided": nonnegative}
        positive, negative = (
            single(self.of.place((kind, nonnegative, inside), partial(Generator, kind, **known)))
            for kind in ("positive", "negative")
        )
        return positive, _ZERO if nonnegative else negative

    def axes(self, p: Polynomial) -> Axes:
        """The axes that a polynomial varies over."""
        found = NOTHING
        for monomial in p:
            found = found.join(self.of.axes(monomial))
        return found

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with every relation used as a rewrite until none applies."""
        return self._rewrites.reduced(p)


def _beyond(p: Polynomial, claim: Polynomial) -> Polynomial:
    """Subtract from p the largest multiple of a claim that is not negative."""
    first = next(iter(claim))
    share = p.get(first, QQ(0)) / claim[first]
    return minus(p, scaled(claim, share)) if share > 0 else p
