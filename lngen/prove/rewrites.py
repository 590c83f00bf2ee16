"""The relations of generators as rewrites of a leading term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import QQ

from lngen.algebra.budget import TooLargeError
from lngen.prove.generators import (
    INDICATORS,
    Exponent,
    Generator,
    Generators,
    Monomial,
    Polynomial,
    add_term,
    in_order,
    minus,
    scaled,
    single,
)

_MOST_TERMS = 3000


@dataclass(frozen=True)
class _GeneratorRewrite:
    """Rewrite of `generator * leading` to a polynomial of smaller monomials.

    For a root it applies where the exponent is negative.
    """

    leading: Monomial
    varying: Monomial
    coefficient: Any
    rest: Polynomial


class Rewrites:
    """Monomials brought to a form in which no relation applies any more."""

    def __init__(self, generators: Generators) -> None:
        self.of = generators
        self._rewrites: dict[int, _GeneratorRewrite | None] = {}
        self._steps: dict[Monomial, Polynomial | None] = {}
        self._reduced: dict[Monomial, Polynomial] = {}

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with every relation used as a rewrite until none applies."""
        result: Polynomial = {}
        for monomial, coefficient in p.items():
            for m, c in self._normal(monomial).items():
                add_term(result, m, c * coefficient)
        return result

    def _normal(self, monomial: Monomial) -> Polynomial:
        if monomial not in self._reduced:
            result: Polynomial = {}
            pending: Polynomial = {monomial: QQ(1)}
            while pending:
                m, c = pending.popitem()
                rewritten = self._rewritten(m)
                if rewritten is None:
                    add_term(result, m, c)
                    continue
                self.of.budget.spend(len(rewritten))
                if len(pending) > _MOST_TERMS:
                    raise TooLargeError("too many terms")
                for other, d in rewritten.items():
                    add_term(pending, other, c * d)
            self._reduced[monomial] = result
        return self._reduced[monomial]

    def _rewritten(self, monomial: Monomial) -> Polynomial | None:
        if monomial not in self._steps:
            changes = (self._step(monomial, place, k) for place, k in reversed(monomial))
            self._steps[monomial] = next((change for change in changes if change is not None), None)
        return self._steps[monomial]

    def _step(self, monomial: Monomial, place: int, exponent: Exponent) -> Polynomial | None:
        g = self.of.known[place]
        if g.kind == "power" and exponent >= 1:
            lower = self.of.product({monomial: QQ(1)}, single(place, -1))
            return self.of.product(lower, g.base)
        if g.kind == "cosine" and exponent >= 2:
            return self.of.product(self.of.product({monomial: QQ(1)}, single(place, -2)), g.square)
        if g.kind in ("positive", "negative") and self._is_zero_there(monomial, g):
            return {}
        applies = g.kind in ("negative", "attains") or (g.kind == "power" and exponent < 0)
        rule = self._rewrite(place) if applies else None
        if rule is None or not rule.leading:
            return None
        powers = dict(monomial)
        if all(powers.get(other, 0) >= k for other, k in rule.varying):
            return self._by_leading_term(monomial, place, g, rule)
        return None

    def _is_zero_there(self, monomial: Monomial, g: Generator) -> bool:
        """Test whether an indicator's argument is zero where an extreme is attained: A*[m > u] is 0."""
        same = (g.inside, frozenset((m, -c) for m, c in g.inside))
        return any(
            self.of.known[other].kind == "attains" and self.of.known[other].inside in same for other, _ in monomial
        )

    def _by_leading_term(
        self, monomial: Monomial, place: int, g: Generator, rule: _GeneratorRewrite
    ) -> Polynomial | None:
        # monomial = g * leading * quotient
        divided = self.of.divided(monomial, rule.leading)
        if divided is None:
            return None
        quotient = {divided: 1 / rule.coefficient}
        if g.kind == "power":
            return minus(self.of.product(quotient, single(place)), self.of.product(quotient, rule.rest))
        if g.kind == "attains":
            return scaled(self.of.product(quotient, rule.rest), QQ(-1))
        without = tuple(factor for factor in divided if factor[0] != place)
        if self.of.has_pole(without):
            # The indicator may be what keeps it from the pole: [u < 0]*u/u is 0 at u = 0, and 1 - [u > 0] is 1.
            return None
        # [u < 0]*leading = u - u*[u > 0] - [u < 0]*rest
        u = g.base
        above = single(self.of.opposite(place))
        rest = minus(u, self.of.product(u, above))
        outside = self.of.product({without: 1 / rule.coefficient}, rest)
        return minus(outside, self.of.product(quotient, rule.rest))

    def _rewrite(self, place: int) -> _GeneratorRewrite | None:
        if place not in self._rewrites:
            self._rewrites[place] = self._rewrite_of(self.of.known[place])
        return self._rewrites[place]

    def _rewrite_of(self, g: Generator) -> _GeneratorRewrite | None:
        """The relation solved for its leading term; None where that has no single coefficient to divide by."""
        groups: dict[Monomial, list[Monomial]] = {}
        for m in g.inside:
            varying = self.of.split(m[0], lambda axes: axes.features)[1] if g.axes.features else m[0]
            groups.setdefault(varying, []).append(m[0])
        varying = in_order(groups)[0] if groups else ()
        if len(groups.get(varying, ())) != 1:
            return None
        (leading,) = groups[varying]
        outer = [place for place, _ in leading if (place, dict(leading)[place]) not in varying]
        # An indicator beside a power of what has it is what keeps the power from its pole.
        outer += [place for place, _ in varying] if g.kind == "power" else []
        if any(self.of.known[place].kind in INDICATORS for place in outer) or any(k < 0 for _, k in varying):
            return None
        base = g.base
        rest = {m: c for m, c in base.items() if m != leading}
        return _GeneratorRewrite(leading, varying, base[leading], rest)
