"""An exact proof for D = 1, 2, 3, 4: the generated gradient minus `sympy.diff` of the definition is identically zero.

The definition is written out over explicit symbols `x0, x1, ...` and differentiated by SymPy; the generated equations are
written out over the same symbols. Both become polynomials: every root, reciprocal and function is an algebraic
*generator*, with the relation that defines it. For `s = (var + eps)**(-1/2)` the relation is `s**2*(var + eps) = 1`. The
difference is then reduced by the relations, outermost first, and has to vanish as a polynomial. No `simplify`, no
sampling.

`abs`, `sign` and `where` are split: the identity is shown for every combination of signs. A row's largest entry is either
a free symbol, where the derivation claims that nothing depends on it, or each entry in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational
from sympy.polys.rings import PolyElement, PolyRing

from lngen.derivation import Derivation, Proof
from lngen.symbolic import (
    AttainsFirst,
    D,
    FeatureSum,
    Mean,
    RowMax,
    RowMin,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    axes,
)
from lngen.translate import Equation

SIZES = (1, 2, 3, 4)

_REGIONS = 64
"""More sign combinations than this at one D are not tried; the proof then stops at the D before."""


def exact_proofs(derivation: Derivation) -> tuple[Proof, ...]:
    """One proof per gradient, for every D of SIZES that the definition allows.

    Rows do not meet in a definition, and a parameter's gradient is a sum over rows, so one row is enough.
    """
    proved: dict[str, list[int]] = {}
    failed: dict[str, int] = {}
    smallest = derivation.definition.minimum_features
    for features in range(smallest, smallest + len(SIZES)):
        for name, holds in _at(derivation, features):
            if holds is False:
                failed[name] = features
            elif holds:
                proved.setdefault(name, []).append(features)
    result = []
    for symbol, gradient in derivation.gradients:
        sizes = ", ".join(map(str, proved.get(gradient.name, [])))
        if gradient.name in failed:
            text = f"{gradient.name} differs from the derivative of the definition at D = {failed[gradient.name]}"
            result.append(Proof("exact", text, passed=False))
        elif sizes:
            text = f"{gradient.name} - d/d{symbol.name} of the definition is identically zero at D = {sizes}"
            result.append(Proof("exact", text, passed=True))
        else:
            text = f"{gradient.name}: too many sign regions for an exact proof"
            result.append(Proof("exact", text, passed=False))
    return tuple(result)


def _at(derivation: Derivation, features: int) -> Iterator[tuple[str, bool | None]]:
    world = _Explicit(features)
    for symbol in (*derivation.forward.symbols, *derivation.adjoint.cotangents):
        world.declare(symbol)
    written = world.copy()
    written.add(derivation.written.equations)
    generated = world.copy()
    generated.add(derivation.forward.equations)
    generated.add(derivation.backward)
    loss = Add(
        *(
            weight * value
            for output, cotangent in zip(derivation.written.outputs, derivation.adjoint.cotangents, strict=True)
            for weight, value in zip(world.entries(cotangent), written.entries(output), strict=True)
        )
    )
    regions = list(world.regions())
    for symbol, gradient in derivation.gradients:
        outcome: bool | None = True
        for region in regions:
            here = loss.xreplace(region)
            for entry, value in zip(world.entries(symbol), generated.entries(gradient), strict=True):
                outcome = outcome and vanishes(value.xreplace(region) - here.diff(entry))
        yield gradient.name, outcome


class _Explicit:
    """Equations written out over one row of explicit symbols."""

    def __init__(self, features: int) -> None:
        self.features = features
        self.values: dict[TypedSymbol, list[Expr]] = {}
        # Reductions to an extreme: the entries that compete, and the symbol for the largest (or smallest) of them.
        self.extremes: dict[tuple[Expr, ...], Symbol] = {}

    def copy(self) -> _Explicit:
        other = _Explicit(self.features)
        other.values = dict(self.values)
        other.extremes = self.extremes
        return other

    def declare(self, symbol: TypedSymbol) -> None:
        assumptions = {"positive": True} if symbol.is_positive else {"real": True}
        names = [f"{symbol.name}{j}" for j in range(self.features)] if axes(symbol).features else [symbol.name]
        self.values[symbol] = [Symbol(name, **assumptions) for name in names]

    def add(self, equations: Iterable[Equation]) -> None:
        for equation in equations:
            count = self.features if axes(equation.symbol).features else 1
            body = equation.reduction.args[0] if equation.reduction is not None else None
            if isinstance(equation.reduction, (RowMax, RowMin)) and body is not None:
                self.values[equation.symbol] = [self._extreme(equation, body)]
            else:
                self.values[equation.symbol] = [self.at(equation.expression, j) for j in range(count)]

    def _extreme(self, equation: Equation, body: Expr) -> Symbol:
        extreme = Symbol(f"extreme_{equation.symbol.name}", real=True)
        if equation.stopped:
            return extreme
        entries = tuple(sympy.expand(self.at(body, j)) for j in range(self.features))
        return self.extremes.setdefault(entries, extreme)

    def regions(self) -> Iterator[dict[Symbol, Expr]]:
        """For each choice of the feature that attains each extreme, what the symbols of the extremes stand for."""
        for choice in product(range(self.features), repeat=len(self.extremes)):
            region: dict[Symbol, Expr] = {}
            for (entries, extreme), first in zip(self.extremes.items(), choice, strict=True):
                region[extreme] = entries[first]
                region.update({self.attains(extreme, j): sympy.Integer(j == first) for j in range(self.features)})
            yield region

    @staticmethod
    def attains(extreme: Expr, j: int) -> Symbol:
        """The unknown that is 1 in the region where feature j is the first to attain the extreme, 0 elsewhere."""
        return Symbol(f"{extreme.name}_at_{j}", real=True)

    def entries(self, symbol: TypedSymbol) -> list[Expr]:
        """One entry a feature for a value that varies over features, otherwise one."""
        return self.values[symbol]

    def at(self, e: Expr, j: int) -> Expr:
        """The value of an expression at feature j."""
        if e == D:
            return sympy.Integer(self.features)
        if isinstance(e, TypedSymbol):
            entries = self.values[e]
            return entries[j] if len(entries) > 1 else entries[0]
        if not e.args:
            return e
        if isinstance(e, (Mean, FeatureSum)):
            total = Add(*(self.at(e.args[0], k) for k in range(self.features)))
            return total / self.features if isinstance(e, Mean) else total
        if isinstance(e, SumRows):
            return self.at(e.args[0], j)
        if isinstance(e, AttainsFirst):
            return self.attains(self.at(e.args[1], 0), j)
        return e.func(*(self.at(argument, j) for argument in e.args))


def vanishes(difference: Expr) -> bool | None:
    """Whether an expression in explicit symbols is identically zero; None if it has too many sign regions.

    >>> x, eps = Symbol("x", real=True), Symbol("eps", positive=True)
    >>> r = (x**2 + eps)**sympy.Rational(-1, 2)
    >>> vanishes(r.diff(x) + x*r**3), vanishes(r.diff(x) - x*r**3)
    (True, False)
    >>> vanishes(sympy.Abs(x).diff(x) - sympy.sign(x))
    True
    """
    algebra = _Algebra()
    generic = algebra.convert(difference)
    if 2 ** len(algebra.signs) > _REGIONS:
        return None
    for signs in product((sympy.S.One, sympy.S.NegativeOne), repeat=len(algebra.signs)):
        region = dict(zip(algebra.signs, signs, strict=True))
        if not algebra.is_zero(generic, region):
            return False
    return True


class _Algebra:
    """Generators for whatever is not a polynomial, in order of nesting, and their relations."""

    def __init__(self) -> None:
        # symbol -> (q, base): symbol**q * base = 1
        self.inverse: dict[Symbol, tuple[int, Expr]] = {}
        self.opaque: dict[Expr, Symbol] = {}
        self.signs: dict[Symbol, Expr] = {}
        self._roots: dict[Expr, Symbol] = {}
        self._count = 0
        self._memo: dict[Expr, Expr] = {}

    def _new(self, stem: str) -> Symbol:
        self._count += 1
        return Symbol(f"_{stem}{self._count}", positive=True)

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
        if isinstance(e, Pow) and e.exp.is_Rational:
            return self._power(sympy.expand(self.convert(e.base)), e.exp)
        if isinstance(e, StopGradient):
            return self.convert(e.args[0])
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
            return self._exponential(sympy.expand(self.convert(e.args[0])))
        if isinstance(e, sympy.NumberSymbol):
            return self._opaque(e)
        if isinstance(e, sympy.Function):
            return self._opaque(e.func(*(sympy.expand(self.convert(argument)) for argument in e.args)))
        raise TypeError(f"no algebra for {type(e).__name__}")

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        if exponent.is_Integer and exponent > 0:
            return base**exponent
        if base.is_Rational and exponent.is_Integer:
            return base**exponent
        q = int(exponent.q)
        known = self._roots.get(base)
        if known is None or self.inverse[known][0] % q:
            known = self._new("r")
            self._roots[base] = known
            self.inverse[known] = (q, base)
        order = self.inverse[known][0]
        # base**(p/q) = known**(-order*p/q), made a polynomial by whole powers of the base
        power = -order * exponent
        whole = 0
        while power < 0:
            power += order
            whole += 1
        return known**power * base**whole

    def _exponential(self, exponent: Expr) -> Expr:
        factors = []
        for term in Add.make_args(exponent):
            coefficient, monomial = term.as_coeff_Mul()
            generator = self._opaque(sympy.exp(monomial / coefficient.q))
            power = coefficient.p
            factors.append(generator**power if power > 0 else self._power(generator, sympy.Integer(power)))
        return Mul(*factors)

    def _opaque(self, e: Expr) -> Symbol:
        if e not in self.opaque:
            self.opaque[e] = self._new("f")
        return self.opaque[e]

    def _sign(self, inside: Expr) -> Expr:
        """The sign of an expression, positive factors taken out; a new unknown the first time it is met."""
        factored = sympy.factor_terms(sympy.expand(inside))
        rest, negative = sympy.S.One, sympy.S.One
        for factor in Mul.make_args(factored):
            if factor.is_Number:
                negative *= sympy.sign(factor)
            elif not factor.is_positive:
                rest *= factor
        rest = sympy.expand(rest)
        for sign, known in self.signs.items():
            if sympy.expand(known - rest) == 0:
                return negative * sign
            if sympy.expand(known + rest) == 0:
                return -negative * sign
        sign = self._new("s")
        self.signs[sign] = rest
        return negative * sign

    def _condition(self, condition: Any) -> Expr:
        assert isinstance(condition, Relational)
        left, right = condition.args
        if (left - right).is_nonnegative:
            # The open region is all of it; where both are equal is a boundary.
            sign: Expr = sympy.S.One
        else:
            sign = self._sign(self.convert(left) - self.convert(right))
        if isinstance(condition, (sympy.StrictGreaterThan, sympy.GreaterThan)):
            return sign
        if isinstance(condition, (sympy.StrictLessThan, sympy.LessThan)):
            return -sign
        # Equality holds on no open region.
        return sympy.S.NegativeOne if isinstance(condition, sympy.Equality) else sympy.S.One

    def is_zero(self, e: Expr, region: dict[Symbol, Expr]) -> bool:
        """Whether a converted expression vanishes by the relations, in one region of signs."""
        e = e.xreplace(region)
        bases = {g: (q, b.xreplace(region)) for g, (q, b) in self.inverse.items()}
        symbols = sorted(
            e.free_symbols | set(bases) | {s for _, b in bases.values() for s in b.free_symbols}, key=lambda s: s.name
        )
        if not symbols:
            return bool(e == 0)
        ring = PolyRing(symbols, sympy.QQ, sympy.lex)
        pending = [_in_ring(e, ring)]
        # A generator's base holds only generators that were made before it, so the last one made goes first.
        for generator in reversed(bases):
            q, base = bases[generator]
            pending = [part for p in pending for part in _without(p, ring, generator, q, _in_ring(base, ring))]
        return all(p == 0 for p in pending)


def _in_ring(e: Expr, ring: PolyRing) -> PolyElement:
    if isinstance(e, Symbol):
        return ring.gens[ring.symbols.index(e)]
    if e.is_Rational:
        return ring(sympy.QQ(e.p, e.q))
    if isinstance(e, Add):
        total = ring.zero
        for argument in e.args:
            total = total + _in_ring(argument, ring)
        return total
    if isinstance(e, Mul):
        total = ring.one
        for argument in e.args:
            total = total * _in_ring(argument, ring)
        return total
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
        return _in_ring(e.base, ring) ** int(e.exp)
    raise TypeError(f"not a polynomial: {e}")


def _without(p: PolyElement, ring: PolyRing, generator: Symbol, q: int, base: PolyElement) -> list[PolyElement]:
    """Polynomials without `generator` that all vanish exactly where p does, given generator**q * base = 1.

    p is sorted by the power of the generator. Powers that differ by a multiple of q are brought together by the relation,
    everything multiplied by a power of the base, which is not zero; the q groups are independent of each other.
    """
    index = ring.symbols.index(generator)
    groups: dict[int, PolyElement] = {}
    for monomial, coefficient in p.terms():
        power = monomial[index]
        rest = (*monomial[:index], 0, *monomial[index + 1 :])
        groups[power] = groups.get(power, ring.zero) + ring({rest: coefficient})
    result = []
    for remainder in range(q):
        members = {power // q: group for power, group in groups.items() if power % q == remainder}
        highest = max(members, default=0)
        total = ring.zero
        for whole, group in members.items():
            total = total + group * base ** (highest - whole)
        result.append(total)
    return result

