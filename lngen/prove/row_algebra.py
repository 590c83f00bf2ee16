"""Row expressions in one form, for every D at once: polynomials over generators.

* A mean and a sum over rows are linear: each is a sum of generators, the mean of one product of values that vary over
  features. All other factors are taken out. A sum over rows stands outside of a mean, and `FeatureSum` is `D*Mean`.
* A power `u**e` of a sum is the generator u to the power e, with the common number and monomial of its terms taken out.
  An exponential of a sum is a product, one generator to a monomial. A logarithm takes factors out.
* The sign of u is two indicators, `[u > 0]` and `[u < 0]`. So `Abs(u)` is `u*([u > 0] - [u < 0])`, at 0 as well, and a
  select is `[c]*a + (1 - [c])*b`: the branch not chosen cancels by its form, whatever its value is.
* The first feature that attains an extreme m of u is an indicator A with `A*(u - m) = 0` and `Mean(A) = 1/D`. So is the
  feature at a place i, but its mean is 0 where the row has no such place.

Inside a mean, and inside a generator, the relations are used as rewrites: `u*u**(-1/2)` becomes `u**(1/2)`, where u is
recognized by its leading term. This is complete for one relation, and not for two that share a generator.
`lngen.prove.vanishing` decides outside of means and generators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import sympy
from sympy import QQ

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.symbols import NOTHING, Axes
from lngen.prove.generators import (
    FUNCTIONS,
    INDICATORS,
    ONE,
    Exponent,
    Generator,
    Monomial,
    Polynomial,
    UndefinedError,
    add,
    in_order,
    inverse,
    minus,
    places,
    plus,
    scaled,
    single,
)
from lngen.prove.powers import LONGEST_FACTORED, Powers

_OTHER = {"max": "min", "min": "max"}


class RowAlgebra(Powers):
    """The forms of reductions and functions."""

    def __init__(self, budget: Budget, minimum_features: int = 1) -> None:
        super().__init__(budget, minimum_features)
        self._means: dict[Monomial, Polynomial] = {}

    # ---- reductions

    def mean(self, body: Polynomial) -> Polynomial:
        """The mean over features, term by term.

        >>> from lngen.algebra.budget import Budget
        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> m = algebra.extreme("max", x)
        >>> first = algebra.attains(x, m)
        >>> found = algebra.mean(algebra.of.product(first, algebra.exponential(x)))
        >>> found == algebra.of.product(algebra.exponential(m), algebra.power(algebra.features, -1))
        True
        """
        result: Polynomial = {}
        for monomial, coefficient in body.items():
            outer, inner = self.of.split(monomial, lambda axes: axes.features)
            if inner not in self._means:
                # Equalities of one derivation ask for the same few products a thousand times.
                self._means[inner] = self._mean_of_product(inner)
            add(result, self.of.product({outer: coefficient}, self._means[inner]))
        return result

    def _mean_of_product(self, inner: Monomial) -> Polynomial:
        result: Polynomial = {}
        for varying, c in self.reduced(self._chosen(inner)).items():
            more, left = self.of.split(varying, lambda axes: axes.features)
            add(result, self.of.product({more: c}, self._mean_of(left)))
        return result

    def _mean_of(self, monomial: Monomial) -> Polynomial:
        if not monomial:
            return ONE
        known = self.of.known
        if len(monomial) == 1 and known[monomial[0][0]].attained:
            return self.power(self.features, -1)
        if len(monomial) == 1 and known[monomial[0][0]].found:
            return self.of.product(dict(known[monomial[0][0]].found), self.power(self.features, -1))
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
        """Return the sum over rows, term by term; factors that rows share are taken out."""
        result: Polynomial = {}
        for monomial, coefficient in body.items():
            outer, inner = self.of.split(monomial, lambda axes: axes.rows)
            known: Any = {"kind": "rows", "axes": Axes(False, self.of.axes(inner).features), "body": inner}
            place = self.of.place(("rows", inner), partial(Generator, **known))
            add(result, self.of.product({outer: coefficient}, single(place)))
        return result

    def extreme(self, kind: str, body: Polynomial) -> Polynomial:
        """Return the largest or smallest entry of a row; a part that features share is added or, if positive,
        multiplied later.
        """
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
        opposite = self.of.known_as((_OTHER[kind], make.inside))
        found = single(self.of.place((kind, make.inside), lambda: make))
        if opposite is not None:
            ahead = minus(found, single(opposite))
            self.claim_not_negative(scaled(ahead, QQ(1 if kind == "max" else -1)))
        return found

    def _extreme_inside(self, kind: str, body: Polynomial) -> Polynomial | None:
        """Return the extreme of a monotonic function of a row, by the extreme of the row.

        >>> from lngen.algebra.budget import Budget
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
        """Return the indicator of the first feature at which the body attains its given extreme."""
        ahead = minus(self.reduced(body), self.reduced(extreme))
        if ahead:  # of a row of equal entries the first is the first
            ahead = self._primitive(ahead, signed=False)[2]
            ahead = _without_sign(ahead)[0]
        there = any(not minus(extreme, self.extreme(kind, body)) for kind in ("max", "min"))
        axes = Axes(any(self.of.axes(m).rows for m in ahead), True)
        inside = frozenset(ahead.items())
        make = Generator("attains", axes, nonnegative=True, inside=inside, attained=there)
        return single(self.of.place(("attains", make.inside, there), lambda: make))

    def is_place(self, index: Polynomial, i: Polynomial) -> Polynomial:
        """Return the indicator of the feature whose place is an integer i; the row has it for i from 0 to D - 1.

        >>> from lngen.algebra.budget import Budget
        >>> algebra = RowAlgebra(Budget())
        >>> index = algebra.symbol("index", Axes(False, True), nonnegative=True)
        >>> x, i = algebra.symbol("x", Axes(True, True)), algebra.symbol("i", Axes(True, False))
        >>> there = algebra.is_place(index, i)
        >>> of_index, of_i = (algebra.mean(algebra.of.product(there, algebra.exponential(u))) for u in (index, i))
        >>> of_index == of_i, algebra.mean(there) == algebra.power(algebra.features, -1)
        (True, False)
        """
        inside = frozenset(minus(index, i).items())
        below, above = self.signs(i)[1], self.signs(minus(self.features, i))[0]
        found = frozenset(self.of.product(minus(ONE, below), above).items())
        axes = Axes(self.axes(i).rows, True)
        make = Generator("attains", axes, nonnegative=True, inside=inside, found=found)
        return single(self.of.place(("place", inside), lambda: make))

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
        """Return the logarithm of the absolute value; that of a product is a sum."""
        p = self.reduced(p)
        if not p:
            raise UndefinedError
        content, factor, primitive = self._primitive(p, signed=True)
        result: Polynomial = {} if self._is_sign(primitive) else self._log_of(primitive)
        for part, sign in ((abs(content).numerator, 1), (content.denominator, -1)):
            if part > LONGEST_FACTORED:
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
        """Test whether a polynomial is made of indicators, and is 1 or -1 wherever it is not 0."""
        if not all(self.of.known[place].kind in INDICATORS for place in places(p)):
            return False
        square = self.of.product(p, p)
        return self.of.product(square, square) == square

    def _log_of(self, p: Polynomial, prime: int = 0) -> Polynomial:
        sign = self.sign_by_form(minus(p, ONE))
        make = Generator("log", self.axes(p), sign == 1, sign is not None, frozenset(p.items()))
        return single(self.of.place(("log", prime, make.inside), lambda: make))

    def constant(self, name: str) -> Polynomial:
        """A positive number that nothing else is known of: pi."""
        return single(self.of.place(("constant", name), lambda: Generator("constant", NOTHING, True, True)))

    def odd(self, kind: str, p: Polynomial) -> Polynomial:
        """Return a sine, an arc sine or an arc tangent: a function that is odd."""
        p = self.reduced(p)
        if not p:
            return {}
        inside, sign = _without_sign(p)
        make = Generator(kind, self.axes(p), inside=frozenset(inside.items()))
        return scaled(single(self.of.place((kind, make.inside), lambda: make)), sign)

    def cosine(self, p: Polynomial) -> Polynomial:
        """The cosine, which is even, and whose square is 1 - sin**2.

        >>> from lngen.algebra.budget import Budget
        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> cos, sin = algebra.cosine(x), algebra.odd("sine", x)
        >>> algebra.reduced(plus(algebra.power(cos, 2), algebra.power(sin, 2))) == ONE
        True
        """
        p = self.reduced(p)
        if not p:
            return ONE
        inside, _ = _without_sign(p)
        sine = self.odd("sine", inside)
        square = frozenset(minus(ONE, self.of.product(sine, sine)).items())
        make = Generator("cosine", self.axes(p), inside=frozenset(inside.items()), squared=square)
        return single(self.of.place(("cos", make.inside), lambda: make))

    def normal(self, p: Polynomial) -> Polynomial:
        """Phi of the standard normal distribution: Phi(-u) is 1 - Phi(u), and Phi(0) is 1/2."""
        p = self.reduced(p)
        if not p:
            return scaled(ONE, QQ(1, 2))
        inside, sign = _without_sign(p)
        make = Generator("normal", self.axes(p), True, True, frozenset(inside.items()))
        found = single(self.of.place(("Phi", make.inside), lambda: make))
        return found if sign > 0 else minus(ONE, found)

    # ---- values for generators

    def solved(self, u: Polynomial) -> Iterator[tuple[int, Polynomial]]:
        """Yield each generator whose value follows from u = 0, and the value; only positive factors of u are divided
        by.
        """
        for monomial, c in u.items():
            for place, exponent in monomial:
                rest = tuple(factor for factor in monomial if factor[0] != place)
                alone = exponent == 1 and sum(place in dict(m) for m in u) == 1
                if alone and self.of.positive(rest) and self.of.known[place].kind not in INDICATORS:
                    others = {m: d for m, d in u.items() if m != monomial}
                    yield place, self.of.product({inverse(rest): -1 / c}, others)

    def replaced(self, p: Polynomial, values: Mapping[int, Polynomial]) -> Polynomial:
        """Replace generators in p by polynomials, also inside its functions, but not inside means.

        Raises UndefinedError for a division by a polynomial that becomes zero.
        """
        of = self.of
        result: Polynomial = {}
        for monomial, c in p.items():
            kept: Monomial = ()
            changed = ONE
            for place, exponent in monomial:
                if place in values:
                    factor = self.power(values[place], exponent)
                elif of.known[place].kind in FUNCTIONS and not of.within(place).isdisjoint(values):
                    factor = self.made_again(place, exponent, lambda base: self.replaced(base, values))
                else:
                    kept += ((place, exponent),)
                    continue
                changed = of.product(changed, factor)
            add(result, of.product({kept: c}, changed))
        return result

    def _chosen(self, monomial: Monomial) -> Polynomial:
        """A product with the functions beside an indicator as they are where that is 1.

        Beside the indicator of where u attains m, functions of u are taken at m; beside [u > 0] that itself is 1 in
        them.
        """
        known = self.of.known
        within = [self.of.within(place) for place, _ in monomial if known[place].kind in FUNCTIONS]
        for flag, _ in monomial if within else ():
            g = known[flag]
            said: list[dict[int, Polynomial]] = []
            if g.kind == "attains":
                said = [{place: value} for place, value in self.solved(g.base) if known[place].axes.features]
            elif g.kind in INDICATORS:
                said = [{flag: ONE, self.of.opposite(flag): {}}]
            for values in said:
                if any(not inner.isdisjoint(values) for inner in within):
                    kept = single(flag) if flag in values else ONE
                    rest = {tuple(factor for factor in monomial if factor[0] != flag): QQ(1)}
                    beside = rest if flag in values else {monomial: QQ(1)}
                    return self.of.product(kept, self.replaced(beside, values))
        return {monomial: QQ(1)}

    def made_again(self, place: int, exponent: Exponent, change: Callable[[Polynomial], Polynomial]) -> Polynomial:
        """Rebuild a power of a function after a change of its argument; raises UndefinedError for a division by 0."""
        g = self.of.known[place]
        inside = change(g.base)
        if g.kind == "power":
            return self.power(inside, exponent)
        if g.kind == "exp":
            return self.exponential(scaled(inside, QQ(exponent.numerator, exponent.denominator)))
        made = {"log": self.logarithm, "normal": self.normal, "cosine": self.cosine}
        return self.power(made.get(g.kind, partial(self.odd, g.kind))(inside), exponent)


def _without_sign(p: Polynomial) -> tuple[Polynomial, Any]:
    """p or -p, its first coefficient positive, and the sign."""
    sign = QQ(1 if p[in_order(p)[0]] > 0 else -1)
    return scaled(p, sign), sign


def rational(number: Any) -> Exponent:
    """A rational number of SymPy as an exponent."""
    return int(number) if number.is_Integer else Fraction(int(number.p), int(number.q))


__all__ = ["RowAlgebra", "rational"]
