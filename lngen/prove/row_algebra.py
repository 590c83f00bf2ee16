"""Row expressions in one form, for every D at once: polynomials over generators.

* A mean and a sum over rows are linear: each is a sum of generators, the mean of one product of values that vary over
  features. All else is taken out. A sum over rows stands outside of a mean, and `FeatureSum` is `D*Mean`.
* A power `u**e` of a sum is the generator u to the power e, the number and the monomial that its terms share taken out.
  An exponential of a sum is a product, one generator to a monomial. A logarithm takes factors out.
* The sign of u is two indicators, `[u > 0]` and `[u < 0]`. So `Abs(u)` is `u*([u > 0] - [u < 0])`, at 0 as well, and a
  select is `[c]*a + (1 - [c])*b`: what is not chosen cancels by its form, whatever its value is.
* The first feature that attains an extreme m of u is an indicator A with `A*(u - m) = 0` and `Mean(A) = 1/D`.

Inside a mean, and inside what a generator is made of, the relations are used as rewrites: `u*u**(-1/2)` becomes
`u**(1/2)` where u stands by its leading term. That is complete for one relation, and not for two that share a
generator; `lngen.prove.vanishing` decides what stands outside.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import Any

import sympy
from sympy import QQ

from lngen.expressions.symbols import NOTHING, Axes
from lngen.prove.budget import Budget, TooLargeError
from lngen.prove.generators import (
    INDICATORS,
    ONE,
    Exponent,
    Generator,
    Generators,
    Monomial,
    Polynomial,
    add,
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

_FACTORED = 10**12
_ZERO: Polynomial = {}
_OTHER = {"max": "min", "min": "max"}


class UndefinedError(Exception):
    """What an expression divides by is zero, whatever the values of its symbols."""


class RowAlgebra:
    """Generators, the relations between them, and the forms of reductions and functions."""

    def __init__(self, budget: Budget, minimum_features: int = 1) -> None:
        self.budget = budget
        self._minimum = minimum_features
        self.of = Generators(budget)
        self.features = self.symbol("D", NOTHING, positive=True)
        self._rewrites = Rewrites(self.of)
        self._not_negative: list[Polynomial] = []

    def symbol(self, name: str, axes: Axes, positive: bool = False, nonnegative: bool = False) -> Polynomial:
        """An input, or a value that is not looked into."""
        make = Generator("symbol", axes, positive, positive or nonnegative)
        return single(self.of.place(("symbol", name), lambda: make))

    def claim_not_negative(self, p: Polynomial) -> None:
        """Note what is not negative by its form, which multiplying out hides: a mean of squares."""
        if len(p) > 1:
            claimed = self._primitive(p, signed=False)[2]
            if claimed not in self._not_negative:
                self._not_negative.append(claimed)

    # ---- reductions

    def mean(self, body: Polynomial) -> Polynomial:
        """The mean over features, term by term."""
        result: Polynomial = {}
        for monomial, coefficient in body.items():
            outer, inner = self.of.split(monomial, lambda axes: axes.features)
            term = {outer: coefficient}
            for varying, c in self.reduced({inner: QQ(1)}).items():
                more, left = self.of.split(varying, lambda axes: axes.features)
                add(result, self.of.product(self.of.product(term, {more: c}), self._mean_of(left)))
        return result

    def _mean_of(self, monomial: Monomial) -> Polynomial:
        if not monomial:
            return ONE
        known = self.of.known
        if len(monomial) == 1 and known[monomial[0][0]].attained:
            return self.power(self.features, -1)
        summed = [factor for factor in monomial if known[factor[0]].kind == "rows"]
        others = tuple(factor for factor in monomial if factor not in summed)
        if len(summed) == 1 and summed[0][1] == 1 and not self.of.axes(others).rows:
            inside = self.of.product({others: QQ(1)}, {known[summed[0][0]].body: QQ(1)})
            return self.sum_rows(self.mean(inside))
        axes = Axes(self.of.axes(monomial).rows, False)
        positive, nonnegative = self.of.positive(monomial), self.of.nonnegative(monomial)
        make = Generator("mean", axes, positive, positive or nonnegative, body=monomial)
        return single(self.of.place(("mean", monomial), lambda: make))

    def sum_rows(self, body: Polynomial) -> Polynomial:
        """The sum over rows, term by term; what rows share is taken out."""
        result: Polynomial = {}
        for monomial, coefficient in body.items():
            outer, inner = self.of.split(monomial, lambda axes: axes.rows)
            known: Any = {"kind": "rows", "axes": Axes(False, self.of.axes(inner).features), "body": inner}
            place = self.of.place(("rows", inner), partial(Generator, **known))
            add(result, self.of.product({outer: coefficient}, single(place)))
        return result

    def extreme(self, kind: str, body: Polynomial) -> Polynomial:
        """The largest or smallest entry of a row: what features share is added or, if positive, multiplied later."""
        body = self.reduced(body)
        shared = {m: c for m, c in body.items() if not self.of.axes(m).features}
        varying = minus(body, shared)
        if not varying:
            return shared
        content, factor, primitive = self._primitive(varying, signed=False, outside=lambda a: not a.features)
        if primitive[in_order(primitive)[0]] < 0:
            content, primitive, kind = -content, scaled(primitive, QQ(-1)), _OTHER[kind]
        found = self._extreme_inside(kind, primitive) or self._extreme_of(kind, primitive)
        self.claim_not_negative(scaled(minus(found, primitive), QQ(1 if kind == "max" else -1)))
        return plus(shared, self.of.product({factor: content}, found))

    def _extreme_of(self, kind: str, body: Polynomial) -> Polynomial:
        axes = Axes(any(self.of.axes(m).rows for m in body), False)
        sign = self.sign_by_form(body)
        make = Generator("extreme", axes, sign == 1, sign is not None, inside=frozenset(body.items()))
        return single(self.of.place((kind, make.inside), lambda: make))

    def _extreme_inside(self, kind: str, body: Polynomial) -> Polynomial | None:
        """The extreme of what rises or falls with something, by the extreme of that.

        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> inside = algebra.exponential(algebra.extreme("max", x))
        >>> algebra.extreme("max", algebra.exponential(x)) == inside
        True
        """
        monomial = next(iter(body))
        known = self.of.known
        if len(body) > 1 or not all(known[place].axes.features for place, _ in monomial):
            return None
        if all(known[place].kind == "exp" for place, _ in monomial):
            exponents = (scaled(known[place].base, QQ(k.numerator, k.denominator)) for place, k in monomial)
            return self.exponential(self.extreme(kind, plus(*exponents)))
        if len(monomial) > 1:
            return None
        ((place, exponent),) = monomial
        g, inner = known[place], single(place)
        if exponent == 1:
            if g.kind == "log" and self.sign_by_form(g.base) == 1:
                return self.logarithm(self.extreme(kind, g.base))
            return self.normal(self.extreme(kind, g.base)) if g.kind == "normal" else None
        if not g.nonnegative and exponent.denominator == 1:
            if exponent % 2 and exponent < 0:
                return None
            if exponent % 2 == 0:
                inner = self.modulus(inner)
        elif not g.nonnegative and exponent.denominator % 2:
            return None
        return self.power(self.extreme(kind if exponent > 0 else _OTHER[kind], inner), exponent)

    def attains(self, body: Polynomial, extreme: Polynomial) -> Polynomial:
        """1 at the first feature at which the body is what is said to be its extreme, 0 elsewhere."""
        ahead = minus(self.reduced(body), self.reduced(extreme))
        if ahead:  # of a row of equal entries the first is the first
            ahead = self._primitive(ahead, signed=False)[2]
            ahead = scaled(ahead, QQ(1 if ahead[in_order(ahead)[0]] > 0 else -1))
        there = any(not minus(extreme, self.extreme(kind, body)) for kind in ("max", "min"))
        axes = Axes(any(self.of.axes(m).rows for m in ahead), True)
        inside = frozenset(ahead.items())
        make = Generator("attains", axes, nonnegative=True, inside=inside, attained=there)
        return single(self.of.place(("attains", make.inside, there), lambda: make))

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
        known = self.of.known
        flags = tuple(factor for factor in monomial if known[factor[0]].kind in INDICATORS)
        outside: Polynomial = ONE
        if flags:
            monomial = tuple(factor for factor in monomial if factor not in flags)
            outside = {flags: QQ(1)} if exponent > 0 else single(self._base({flags: QQ(1)}), exponent)
        if exponent.denominator == 1:
            raised = {inverse(monomial, exponent): coefficient ** int(exponent)}
            return self.of.product(outside, raised)
        sign = QQ(1) if coefficient > 0 else QQ(-1)
        outside = self.of.product(outside, self._number_power(abs(coefficient), exponent))
        odd = []
        for place, k in monomial:
            g = known[place]
            if g.nonnegative or (k.denominator > 1):
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
            if part > _FACTORED:
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
        """A number, a monomial and a polynomial with no more of either to be taken out, whose product is p.

        With `signed` a factor of any sign may be taken out, and the leading coefficient is positive; else only what
        is positive. What is left may take another step: of 1 - 1/(1 + e) it is 1 + e, less 1.
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
        shared = {
            place: min(m.get(place, 0) for m in powers)
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

    # ---- functions

    def exponential(self, p: Polynomial) -> Polynomial:
        """exp of a sum, as a product."""
        result: Polynomial = ONE
        for monomial, coefficient in self.reduced(p).items():
            result = self.of.product(result, self._exponential_of(monomial, coefficient))
        return result

    def _exponential_of(self, monomial: Monomial, coefficient: Any) -> Polynomial:
        exponent = sympy.Rational(int(coefficient.numerator), int(coefficient.denominator))
        if len(monomial) == 1 and monomial[0][1] == 1 and self.of.known[monomial[0][0]].kind == "log":
            argument = self.of.known[monomial[0][0]].base
            if self.sign_by_form(argument) == 1 or exponent % 2 == 0:
                return self.power(argument, rational(exponent))
            if exponent.is_Integer:
                return self.of.product(self.power(argument, rational(exponent)), self.sign_of(argument))
        make = Generator("exp", self.of.axes(monomial), True, True, frozenset({(monomial, QQ(1))}))
        return single(self.of.place(("exp", monomial), lambda: make), rational(exponent))

    def logarithm(self, p: Polynomial) -> Polynomial:
        """log of the absolute value: that of a product is a sum."""
        p = self.reduced(p)
        if not p:
            raise UndefinedError
        content, factor, primitive = self._primitive(p, signed=True)
        result: Polynomial = {} if self._is_sign(primitive) else self._log_of(primitive)
        for part, sign in ((abs(content).numerator, 1), (content.denominator, -1)):
            if part > _FACTORED:
                raise TooLargeError("a logarithm of a number too long to factor")
            for prime, k in sympy.factorint(int(part)).items():
                result = plus(result, scaled(self._log_of(self._prime(int(prime), 1), prime), QQ(sign * int(k))))
        for place, exponent in factor:
            g = self.of.known[place]
            if g.kind == "exp":
                inner = g.base
            elif g.kind == "power":
                inner = self._log_of(g.base)
            else:
                inner = self._log_of(single(place))
            result = plus(result, scaled(inner, QQ(exponent.numerator, exponent.denominator)))
        return result

    def _is_sign(self, p: Polynomial) -> bool:
        """Whether it is made of indicators, and is 1 or -1 wherever it is not 0."""
        if not all(self.of.known[place].kind in INDICATORS for place in places(p)):
            return False
        square = self.of.product(p, p)
        return self.of.product(square, square) == square

    def _log_of(self, p: Polynomial, prime: int = 0) -> Polynomial:
        sign = self.sign_by_form(minus(p, ONE))
        make = Generator("log", self.axes(p), sign == 1, sign is not None, frozenset(p.items()))
        return single(self.of.place(("log", prime, make.inside), lambda: make))

    def function(self, name: str, p: Polynomial, parity: int = 0, positive: bool = False) -> Polynomial:
        """A function that nothing is known of but that it is odd (-1) or even (1)."""
        p = self.reduced(p)
        sign = QQ(1)
        if parity and p and p[in_order(p)[0]] < 0:
            p, sign = scaled(p, QQ(-1)), QQ(parity)
        kind = "normal" if name == "Phi" else "function"
        make = Generator(kind, self.axes(p), positive, positive, frozenset(p.items()))
        return scaled(single(self.of.place((name, make.inside), lambda: make)), sign)

    def cosine(self, p: Polynomial) -> Polynomial:
        """The cosine, whose square is 1 - sin**2.

        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> cos, sin = algebra.cosine(x), algebra.function("sin", x, -1)
        >>> algebra.reduced(plus(algebra.power(cos, 2), algebra.power(sin, 2))) == ONE
        True
        """
        p = self.reduced(p)
        sine = self.function("sin", p, -1)
        square = minus(ONE, self.of.product(sine, sine))
        p = scaled(p, QQ(-1)) if p and p[in_order(p)[0]] < 0 else p
        make = Generator("cosine", self.axes(p), inside=frozenset(p.items()), squared=frozenset(square.items()))
        return single(self.of.place(("cos", make.inside), lambda: make))

    def normal(self, p: Polynomial) -> Polynomial:
        """Phi of the standard normal distribution: Phi(-u) is 1 - Phi(u), and Phi(0) is 1/2."""
        p = self.reduced(p)
        if not p:
            return scaled(ONE, QQ(1, 2))
        if p[in_order(p)[0]] < 0:
            return minus(ONE, self.function("Phi", scaled(p, QQ(-1)), positive=True))
        return self.function("Phi", p, positive=True)

    # ---- signs

    def sign_by_form(self, p: Polynomial) -> int | None:
        """1 if positive by its form, 0 if not negative, None if that is not seen."""
        found = 1 if self._is_above_zero_for_every_d(p) else self.of.sign(p)
        if found is None and self._not_negative:
            signs = (self.of.sign(_beyond(p, claim)) for claim in self._not_negative)
            return max((sign for sign in signs if sign is not None), default=None)
        return found

    def _is_above_zero_for_every_d(self, p: Polynomial) -> bool:
        """Whether p is a*D - b, positive from the smallest D on that the definition takes."""
        ((d, _),) = self.features.items()
        return p.keys() <= {d, ()} and p.get(d, 0) > 0 and p[d] * self._minimum + p.get((), 0) > 0

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
        """What a polynomial varies over."""
        found = NOTHING
        for monomial in p:
            found = found.join(self.of.axes(monomial))
        return found

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with every relation used as a rewrite until none applies."""
        return self._rewrites.reduced(p)


def _beyond(p: Polynomial, claim: Polynomial) -> Polynomial:
    """p less as much of what is not negative as there is in it."""
    first = next(iter(claim))
    share = p.get(first, QQ(0)) / claim[first]
    return minus(p, scaled(claim, share)) if share > 0 else p


def rational(number: Any) -> Exponent:
    """A rational number of SymPy as an exponent."""
    return int(number) if number.is_Integer else Fraction(int(number.p), int(number.q))
