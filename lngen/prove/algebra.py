"""Decision whether an expression in explicit symbols is identically zero, without sampling.

Every root, reciprocal and function becomes an algebraic *generator*, with its defining relation: for `s = (var +
eps)**(-1/2)` it is `s**2*(var + eps) = 1`. The rest is a polynomial. It is reduced by the relations, outermost first,
and has to vanish. `abs`, `sign` and `where` are split: it has to vanish for every combination of signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, product
from math import comb, lcm, prod
from typing import Any

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational
from sympy.polys.rings import PolyElement, PolyRing

from lngen.expressions.normal import NormalDensity, Phi, in_elementary
from lngen.expressions.symbols import StopGradient, Where, heads_that
from lngen.prove.budget import Budget, TooLargeError, UndefinedError

_POSITIVE = (sympy.NumberSymbol, *heads_that(lambda entry: entry.positive))
_REGIONS = 256
_TERMS = 4_000
_PARTS = 4
# Limits for factoring an expression to find its sign: terms, and the degree. A layer has four terms, and degree one.
_SHORT = 12
_LOW_DEGREE = 24
_WORK_OF_A_QUESTION = 100


class Algebra:
    """Generators for every part that is not a polynomial, in order of nesting, and their relations.

    >>> x, eps = Symbol("x", real=True), Symbol("eps", positive=True)
    >>> r = (x**2 + eps)**sympy.Rational(-1, 2)
    >>> algebra = Algebra()
    >>> algebra.vanishes(r.diff(x) + x*r**3), algebra.vanishes(r.diff(x) - x*r**3)
    (True, False)
    >>> algebra.vanishes(sympy.Abs(x) - x*sympy.sign(x))
    True
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        # Never a number twice: a root that takes another's place would share its name with the next one.
        self._numbers = count()
        # generator -> (q, base): generator**q * base = 1
        self._inverse: dict[Symbol, tuple[int, Expr]] = {}
        self._roots: dict[Expr, Symbol] = {}
        # a root of lower order -> the power of the one of higher order that took its place
        self._replaced: dict[Symbol, Expr] = {}
        self._opaque: dict[Expr, Symbol] = {}
        self._signs: dict[Symbol, Expr] = {}
        # generator -> u, for a generator that is exp(u): what its logarithm is
        self._logarithm: dict[Symbol, Expr] = {}
        self._memo: dict[Expr, Expr] = {}
        self._claims: list[Expr] = []
        self._not_negative: set[Expr] = set()

    def vanishes(self, difference: Expr) -> bool:
        """Test whether an expression in explicit symbols is identically zero; raises TooLargeError and
        UndefinedError.
        """
        generic = self.convert(difference).xreplace(self._replaced)
        if generic == 0:
            return True
        signs = [sign for sign in self._signs if sign in self._reachable(generic)]
        if 2 ** len(signs) > _REGIONS:
            raise TooLargeError("too many sign regions")
        self._budget.spend(_WORK_OF_A_QUESTION)
        return all(
            self._is_zero(generic, dict(zip(signs, choice, strict=True)))
            for choice in product((sympy.S.One, sympy.S.NegativeOne), repeat=len(signs))
        )

    def normal(self, e: Expr) -> Expr:
        """An expression in generators, multiplied out: equal expressions of one shape become identical."""
        return self._expanded(self.convert(e).xreplace(self._replaced))

    def claim_not_negative(self, e: Expr) -> None:
        """Note an expression that cannot be negative by its form, a mean of squares: so other forms cannot."""
        if not e.is_number:
            self._claims.append(e)

    # ---- into generators

    def convert(self, e: Expr) -> Expr:
        """The expression as a polynomial in symbols and generators (not multiplied out)."""
        if e not in self._memo:
            self._memo[e] = self._convert(e)
        return self._memo[e]

    def _convert(self, e: Expr) -> Expr:
        if isinstance(e, Symbol) or e.is_Rational:
            return e
        if isinstance(e, (Add, Mul)):
            return e.func(*(self.convert(argument) for argument in e.args))
        if isinstance(e, Pow) and e.exp.is_number:
            whole, rest = e.exp.as_coeff_Add()
            # exp(log(u)*cos(4)) is u**cos(4) to SymPy.
            power = self._generator(Pow(e.base, rest)) if rest else sympy.S.One
            return power * self._power(self.normal(e.base), whole, bool(e.base.is_positive))
        if isinstance(e, StopGradient):
            return self.convert(e.args[0])
        if isinstance(e, (NormalDensity, Phi)):
            return self.convert(in_elementary(e))
        if isinstance(e, sympy.Abs):
            inside = self.convert(e.args[0])
            return self._sign(inside) * inside
        if isinstance(e, sympy.sign):
            return self._sign(self.convert(e.args[0]))
        if isinstance(e, Where):
            sign = self._condition(e.args[0])
            chosen, otherwise = self.convert(e.args[1]), self.convert(e.args[2])
            return (1 + sign) / 2 * chosen + (1 - sign) / 2 * otherwise
        if isinstance(e, sympy.exp):
            return self._exponential(self.normal(e.args[0]))
        if isinstance(e, sympy.log):
            return self._log(self.normal(e.args[0]))
        if isinstance(e, (sympy.NumberSymbol, sympy.Function)):
            arguments = [self.normal(argument) for argument in e.args]
            return self._generator(e.func(*arguments) if arguments else e)
        raise TypeError(f"no algebra for {type(e).__name__}")

    def _expanded(self, e: Expr) -> Expr:
        terms = _terms(e)
        if terms > _TERMS:
            raise TooLargeError("too many terms")
        self._budget.spend(10 * terms)
        return sympy.expand(e)

    def _new(self, stem: str, positive: bool) -> Symbol:
        return Symbol(f"{stem}<{next(self._numbers)}>", **({"positive": True} if positive else {"real": True}))

    def _generator(self, e: Expr) -> Symbol:
        if e not in self._opaque:
            positive = isinstance(e, _POSITIVE)
            self._opaque[e] = self._new("f", positive)
        return self._opaque[e]

    def _power(self, base: Expr, exponent: Expr, positive: bool) -> Expr:
        if base == 0 and exponent < 0:
            raise UndefinedError
        if exponent.is_Integer and (exponent > 0 or base.is_Rational):
            return base**exponent
        if base.is_Rational:
            # Roots of 2, 3 and 6 are not independent; those of primes are.
            primes = sympy.factorrat(base).items()
            return Mul(*(self._root(sympy.Integer(n), k * exponent, positive=True) for n, k in primes))
        # One generator for bases that differ by a number or by an exponential.
        content, primitive = base.primitive()
        outside = self._power(content, exponent, positive=True) if content != 1 else sympy.S.One
        for exponential, power in self._common_exponentials(primitive).items():
            if (power * exponent).is_Integer:
                outside *= exponential ** (power * exponent)
                primitive = self._expanded(primitive / exponential**power)
        return outside if primitive == 1 else outside * self._root(primitive, exponent, positive)

    def _root(self, base: Expr, exponent: Expr, positive: bool) -> Expr:
        q = int(exponent.q)
        if base.is_Integer and q == 1:
            return base**exponent
        known = self._roots.get(base)
        order = q if known is None else lcm(q, self._inverse[known][0])
        if known is None or order != self._inverse[known][0]:
            # An even root is of something positive; what a reciprocal is of may have any sign.
            root = self._new("r", order % 2 == 0 or positive)
            if known is None:
                self._inverse[root] = order, base
            else:
                self._replace(known, root, order)
            known = self._roots[base] = root
        # base**(p/q) = known**(-order*p/q), made a polynomial by whole powers of the base
        power = -order * exponent
        whole = 0
        while power < 0:
            power += order
            whole += 1
        return known**power * base**whole

    def _replace(self, old: Symbol, root: Symbol, order: int) -> None:
        """Write a root as the power of one of higher order that it is, wherever it stands."""
        change = {old: root ** (order // self._inverse[old][0])}
        for values in (self._replaced, self._signs, self._logarithm, self._memo):
            values.update({key: value.xreplace(change) for key, value in values.items()})
        self._replaced.update(change)
        # The new one stands where the old one stood: generators go in order of nesting.
        self._inverse = {
            root if known == old else known: (order if known == old else q, base.xreplace(change))
            for known, (q, base) in self._inverse.items()
        }
        self._roots = {base.xreplace(change): known for base, known in self._roots.items()}
        self._opaque = {e.xreplace(change): known for e, known in self._opaque.items()}
        self._not_negative = {e.xreplace(change) for e in self._not_negative}

    def _exponential(self, exponent: Expr) -> Expr:
        factors = []
        for term in Add.make_args(exponent):
            coefficient, monomial = term.as_coeff_Mul()
            # A where halves; one generator serves whole and half exponents alike.
            parts = lcm(_PARTS, int(coefficient.q))
            generator = self._generator(sympy.exp(monomial / parts))
            self._logarithm[generator] = monomial / parts
            self._root(generator, sympy.S.NegativeOne, positive=True)
            factors.append(generator ** (coefficient * parts))
        return Mul(*factors)

    def _log(self, inside: Expr) -> Expr:
        """The logarithm, exponentials taken out: `log(exp(-m)*(exp(a) + exp(b)))` is `log(exp(a) + exp(b)) - m`."""
        outside = sympy.S.Zero
        for exponential, power in self._common_exponentials(inside).items():
            outside += power * self._logarithm[exponential]
            inside = self._expanded(inside / exponential**power)
        return outside if inside == 1 else outside + self._generator(sympy.log(inside))

    def _common_exponentials(self, e: Expr) -> dict[Symbol, Expr]:
        """The power of each exponential that all terms of a sum share, also a negative one."""
        terms = [term.as_powers_dict() for term in Add.make_args(e)]
        shared = {}
        for generator in self._logarithm:
            power = min(term.get(generator, sympy.S.Zero) for term in terms)
            if power != 0:
                shared[generator] = power
        return shared

    def _sign(self, inside: Expr) -> Expr:
        """The sign of an expression, positive factors taken out; a new unknown the first time it is met."""
        if isinstance(inside, Mul):
            return Mul(*(self._sign(factor) for factor in inside.args))
        if isinstance(inside, Pow) and inside.exp.is_Integer:
            return self._sign(inside.base) if inside.exp.is_odd else sympy.S.One
        while self._claims:
            self._not_negative.add(self.normal(self._claims.pop()).primitive()[1])
        rest, outer = sympy.S.One, sympy.S.One
        expanded = self._expanded(inside)
        short = len(Add.make_args(expanded)) <= _SHORT and _degree(expanded) <= _LOW_DEGREE
        for factor in Mul.make_args(_factored(expanded) if short else sympy.factor_terms(expanded)):
            base, power = factor.as_base_exp()
            if factor.is_Number:
                outer *= sympy.sign(factor)
            elif not factor.is_positive and not power.is_even:
                rest *= base if power.is_odd else factor
        rest = self._expanded(rest)
        if rest == 1 or outer == 0:
            return outer
        for sign, known in self._signs.items():
            if self._expanded(known - rest) == 0:
                return outer * sign
            if self._expanded(known + rest) == 0:
                return -outer * sign
        if rest.primitive()[1] in self._not_negative:
            return outer
        sign = self._new("s", positive=False)
        self._signs[sign] = rest
        return outer * sign

    def _condition(self, condition: Any) -> Expr:
        assert isinstance(condition, Relational)
        left, right = condition.args
        if (left - right).is_nonnegative:
            # The open region is all of it; where both are equal is a boundary.
            sign: Expr = sympy.S.One
        else:
            sign = self._sign(self.convert(left) - self.convert(right))
        if sign == 0:
            return sympy.S.One if condition.rel_op in ("==", ">=", "<=") else sympy.S.NegativeOne
        if isinstance(condition, (sympy.StrictGreaterThan, sympy.GreaterThan)):
            return sign
        if isinstance(condition, (sympy.StrictLessThan, sympy.LessThan)):
            return -sign
        # Equality holds on no open region.
        return sympy.S.NegativeOne if isinstance(condition, sympy.Equality) else sympy.S.One

    # ---- reduction

    def _reachable(self, e: Expr) -> set[Expr]:
        """The symbols of a converted expression and of the relations of its generators."""
        found: set[Expr] = set()
        pending = list(e.free_symbols)
        while pending:
            symbol = pending.pop()
            if symbol not in found:
                found.add(symbol)
                pending += self._inverse[symbol][1].free_symbols if symbol in self._inverse else ()
                pending += [self._roots[symbol]] if symbol in self._logarithm else ()
        return found

    def _without_negative_powers(self, e: Expr) -> Expr:
        """Reciprocals of exponentials as the generators they have: in this form alone is it a polynomial."""
        return e.replace(
            lambda part: isinstance(part, Pow) and part.exp.is_negative,
            lambda part: self._roots[part.base] ** (-part.exp),
        )

    def _is_zero(self, e: Expr, region: dict[Symbol, Expr]) -> bool:
        e = self._without_negative_powers(e.xreplace(region))
        reachable = self._reachable(e) - region.keys()
        bases = {
            g: (q, self._without_negative_powers(b.xreplace(region)))
            for g, (q, b) in self._inverse.items()
            if g in reachable
        }
        symbols = sorted(reachable, key=lambda symbol: str(symbol.name))
        if not symbols:
            return bool(e == 0)
        ring = PolyRing(symbols, sympy.QQ, sympy.lex)
        pending = [self._in_ring(e, ring)]
        # A generator's base holds only generators that were made before it, so the last one made goes first.
        for generator in reversed(bases):
            q, base = bases[generator]
            relation = q, self._in_ring(base, ring)
            pending = [part for p in pending if p for part in self._without(p, ring, generator, *relation)]
        return not any(pending)

    def _times(self, a: PolyElement, b: PolyElement) -> PolyElement:
        self._budget.spend(len(a) * len(b))
        return a * b

    def _product(self, factors: Iterable[PolyElement], ring: PolyRing) -> PolyElement:
        total = ring.one
        for factor in factors:
            total = self._times(total, factor)
        return total

    def _in_ring(self, e: Expr, ring: PolyRing) -> PolyElement:
        self._budget.spend(1)
        if isinstance(e, Symbol):
            return ring.gens[ring.symbols.index(e)]
        if e.is_Rational:
            return ring(sympy.QQ(e.p, e.q))
        if isinstance(e, Add):
            return sum((self._in_ring(argument, ring) for argument in e.args), ring.zero)
        if isinstance(e, Mul):
            return self._product((self._in_ring(argument, ring) for argument in e.args), ring)
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
            # Before there is a list of so many factors.
            self._budget.spend(int(e.exp))
            return self._product([self._in_ring(e.base, ring)] * int(e.exp), ring)
        raise TypeError(f"not a polynomial: {e}")

    def _without(
        self, p: PolyElement, ring: PolyRing, generator: Symbol, q: int, base: PolyElement
    ) -> list[PolyElement]:
        """Polynomials without `generator` that all vanish exactly where p does, given generator**q * base = 1.

        p is sorted by the power of the generator. Powers that differ by a multiple of q are brought together by the
        relation, everything multiplied by a power of the base, which is not zero; the q groups are independent.
        """
        index = ring.symbols.index(generator)
        groups: dict[int, dict[Any, Any]] = {}
        for monomial, coefficient in p.terms():
            rest = (*monomial[:index], 0, *monomial[index + 1 :])
            groups.setdefault(monomial[index], {})[rest] = coefficient
        result = []
        for remainder in range(q):
            members = {n // q: ring.from_dict(group) for n, group in groups.items() if n % q == remainder}
            total = ring.zero
            # Horner's scheme in the base.
            for whole in range(max(members, default=-1) + 1):
                total = self._times(total, base) if whole else total
                total = total + members.get(whole, ring.zero)
            result.append(total)
        return result


def _terms(e: Expr) -> int:
    """Return an upper bound for the number of terms of an expression, multiplied out.

    >>> from sympy.abc import a, b, c
    >>> _terms((a + b)*(a + b + c)), _terms((a + b)**3)
    (6, 4)
    """
    if isinstance(e, Add):
        return sum(map(_terms, e.args))
    if isinstance(e, Mul):
        return prod(map(_terms, e.args))
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 1:
        terms = _terms(e.base)
        return comb(terms + int(e.exp) - 1, int(e.exp))
    return 1


def _degree(e: Expr) -> Expr:
    """The highest degree of a term of a sum of quotients that is multiplied out, denominators counted too."""
    return max(Add(*map(abs, term.as_powers_dict().values())) for term in Add.make_args(e))


def _factored(polynomial: Expr) -> Expr:
    """Write a polynomial, or one over monomials, as a product.

    A polynomial that is linear in a symbol has only the factors that both coefficients share. Nearly all polynomials
    here are linear in one, and SymPy's search for factors, which draws random points, takes minutes for a few of them.

    >>> from sympy.abc import a, x, y
    >>> _factored(a**2*x - a*y), _factored(x**2 - y**2)
    (a*(a*x - y), (x - y)*(x + y))
    """
    numerator, denominator = sympy.fraction(sympy.together(polynomial))
    for symbol in sorted(numerator.free_symbols, key=str):
        parts = sympy.Poly(numerator, symbol)
        if parts.degree() == 1:
            slope, rest = parts.all_coeffs()
            if rest == 0:
                return symbol * _factored(slope / denominator)
            shared = sympy.gcd(slope, rest)
            return (
                polynomial if shared.is_number else _factored(shared / denominator) * sympy.cancel(numerator / shared)
            )
    return sympy.factor(polynomial)
