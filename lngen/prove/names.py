"""Equations as definitions of names, opened on demand.

Two expressions are first compared with names as unknowns. If that fails, the name that was given last is replaced by
its definition, and so on down to the inputs. A step rests on the names that were opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import sympy
from sympy import QQ, Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from lngen.algebra.budget import TooLargeError
from lngen.algebra.equations import Equation
from lngen.algebra.fold import Fold
from lngen.algebra.normal import Phi, in_elementary
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    AttainsFirst,
    Complement,
    D,
    FeatureSum,
    Mean,
    Power,
    Reduction,
    RowMax,
    RowMin,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    is_integer,
    of_number,
)
from lngen.prove.facts import Poles
from lngen.prove.generators import ONE, Items, Polynomial, minus, plus, scaled
from lngen.prove.refutation import Refuter
from lngen.prove.row_algebra import RowAlgebra, rational

_ODD = {"sin": "sine", "asin": "arc sine", "atan": "arc tangent"}
_FUNCTIONS = (*ENTRY_OF, sympy.Abs, sympy.sign, Power)


class Meanings:
    """Map from names to their definitions; a name without one is a free variable."""

    def __init__(self, algebra: RowAlgebra) -> None:
        self.algebra = algebra
        self.meaning: dict[TypedSymbol, Expr] = {}
        self._place: dict[TypedSymbol, int] = {}
        self._late: set[TypedSymbol] = set()
        self._own: dict[Expr, frozenset[TypedSymbol]] = {}
        self._forget()

    def _forget(self) -> None:
        """Start without forms, signs and values of expressions."""
        self._memo: dict[tuple[Expr, frozenset[TypedSymbol]], Polynomial] = {}
        self._reach: dict[Expr, frozenset[TypedSymbol]] = {}
        self._read: set[Symbol] = set()
        self._signs: dict[Expr, int | None] = {}
        self._refuter = Refuter(self.meaning, self._reached, self.sign, self.algebra.minimum_features)

    def branch(self) -> Meanings:
        """Return the same names, to which more may be given apart; what was found of them stays known.

        >>> from lngen.algebra.symbols import RowSymbol
        >>> from lngen.algebra.budget import Budget
        >>> x, y, z = map(RowSymbol, "xyz")
        >>> names = Meanings(RowAlgebra(Budget()))
        >>> names.give([Equation(y, x + 1)])
        >>> one = names.branch()
        >>> one.give([Equation(z, x)])
        >>> names.given, sorted(one.given, key=str)
        (frozenset({y}), [y, z])
        """
        other = Meanings(self.algebra)
        other.meaning.update(self.meaning)
        other._place, other._late, other._memo = self._place.copy(), self._late.copy(), self._memo.copy()
        other._reach, other._read, other._signs = self._reach.copy(), self._read.copy(), self._signs.copy()
        other._own = self._own
        self._refuter.share(other._refuter)
        return other

    def give(self, equations: Iterable[Equation]) -> None:
        """Note the definitions of symbols, each after those that it uses; the first definition of a symbol stays.

        Raises TypeError for a symbol that varies over fewer axes than its definition.
        """
        for equation in equations:
            symbol, meaning = equation.symbol, equation.expression
            if symbol in self.meaning or symbol in meaning.free_symbols:
                continue
            wide, narrow = axes(meaning), axes(symbol)
            if wide.rows > narrow.rows or wide.features > narrow.features:
                raise TypeError(f"{symbol} varies over less than what it stands for")
            if symbol in self._read:
                # What was found has it as an unknown.
                self._forget()
            self.meaning[symbol] = meaning
            self._place[symbol] = len(self._place)
            # A name that stands inside of a function goes last: opened, the function would have to be taken apart.
            for function in meaning.atoms(*_FUNCTIONS):
                self._late |= {symbol, *function.free_symbols}

    @property
    def given(self) -> frozenset[TypedSymbol]:
        """The symbols that stand for something."""
        return frozenset(self.meaning)

    def called(self, symbol: TypedSymbol) -> TypedSymbol | None:
        """The name that is spelled as this symbol is and varies over the same, if one was given."""
        return next((s for s in self.meaning if s.name == symbol.name and axes(s) == axes(symbol)), None)

    def next(
        self, expressions: Iterable[Expr], opened: frozenset[TypedSymbol], together: bool
    ) -> frozenset[TypedSymbol]:
        """Return the names to open next among those in expressions: the last one given, or all of them.

        Names inside functions come last.
        """
        seen = {symbol for e in expressions for symbol in self._seen(e, opened)} & self.meaning.keys()
        ready = seen - self._late
        if ready and together:
            return frozenset(ready)
        return frozenset(sorted(ready or seen, key=self._place.__getitem__)[-1:])

    def in_order(self, symbols: Iterable[TypedSymbol]) -> tuple[TypedSymbol, ...]:
        """Names, in the order in which they were given."""
        return tuple(sorted(symbols, key=self._place.__getitem__))

    def _seen(self, e: Expr, opened: frozenset[TypedSymbol]) -> set[TypedSymbol]:
        pending, found = list(self._symbols(e)), set()
        while pending:
            symbol = pending.pop()
            if symbol not in found:
                found.add(symbol)
                pending += self._symbols(self.meaning[symbol]) if symbol in opened else ()
        return found - opened

    def _symbols(self, e: Expr) -> frozenset[TypedSymbol]:
        if e not in self._own:
            self._own[e] = frozenset(e.free_symbols)
        return self._own[e]

    def _reached(self, e: Expr) -> frozenset[TypedSymbol]:
        if e not in self._reach:
            own = self._symbols(e)
            self._read |= own - self.meaning.keys()
            inner = (self._reached(self.meaning[name]) for name in own & self.meaning.keys())
            self._reach[e] = own.union(*inner)
        return self._reach[e]

    def form(self, e: Expr, opened: frozenset[TypedSymbol] = frozenset()) -> Polynomial:
        """Return the form of an expression with some names replaced by their definitions."""
        key = e, opened & self._reached(e)
        if key not in self._memo:
            self.algebra.budget.spend(1)
            self._memo[key] = _Forms(self, key[1]).of_head(e)
        return self._memo[key]

    def differ_at_random_points(self, left: Expr, right: Expr, opened: frozenset[TypedSymbol]) -> bool:
        """Test whether two expressions differ at a point, with some names replaced by their definitions."""
        return self._refuter.differ_at_random_points(left, right, opened)

    def differ_at_whole_numbers(self, left: Expr, right: Expr, opened: frozenset[TypedSymbol]) -> bool:
        """Test whether two expressions differ at one of some points of small whole numbers, zeros and ties."""
        return self._refuter.differ_at_whole_numbers(left, right, opened)

    def poles(self, expressions: Iterable[Expr], opened: frozenset[TypedSymbol]) -> Poles:
        """Return divisors and arguments of logarithms, whatever a select chooses: where one is zero, nothing is
        claimed.

        >>> from lngen.algebra.symbols import RowSymbol
        >>> from lngen.algebra.budget import Budget
        >>> x, z = RowSymbol("x"), RowSymbol("z")
        >>> names = Meanings(RowAlgebra(Budget()))
        >>> len(names.poles([Mean(1 / x)], frozenset()).anywhere)
        1
        >>> names.poles([Mean(Where(z > 0, 1 / x, 0))], frozenset())
        Poles(anywhere=frozenset(), every_row=frozenset())
        """
        anywhere: set[Items] = set()
        every_row: set[Items] = set()
        seen: set[tuple[Expr, bool]] = set()
        pending = [(e, False) for e in expressions]
        while pending:
            e, summed = pending.pop()
            if (e, summed) in seen:
                continue
            seen.add((e, summed))
            if (isinstance(e, (Pow, Power)) and e.exp.is_negative) or isinstance(e, sympy.log):
                for factor in self.algebra.factors(self.form(e.args[0], opened)):
                    anywhere.add(factor)
                    if summed or not self.algebra.axes(dict(factor)).rows:
                        every_row.add(factor)
            inner = e.args[:1] if isinstance(e, Where) else (self.meaning[e],) if e in opened else e.args
            pending += [(part, summed or isinstance(e, SumRows)) for part in inner]
        return Poles(frozenset(anywhere), frozenset(every_row))

    def powers_defined(self, expressions: Iterable[Expr], opened: frozenset[TypedSymbol]) -> Polynomial:
        """Return 0 at a feature where a base is 0 under an exponent below 0, and 1 elsewhere.

        They are those of powers such as a**(p - 1), whatever a select chooses.
        """
        found, pending = ONE, list(expressions)
        while pending:
            e = pending.pop()
            if isinstance(e, Power) and e.exp.as_coeff_Add()[0] < 0:
                away, (_, below) = (self.algebra.signs(self.form(part, opened)) for part in e.args)
                pole = self.algebra.of.product(below, minus(ONE, plus(*away)))
                found = self.algebra.of.product(found, minus(ONE, pole))
            if not isinstance(e, (Reduction, SumRows)):
                pending += e.args[:1] if isinstance(e, Where) else (self.meaning[e],) if e in opened else e.args
        return found

    def sign(self, e: Expr) -> int | None:
        """Return 1 if an expression is positive by its form, 0 if it is not negative, None if neither is visible."""
        if e not in self._signs:
            self._signs[e] = self._sign_of(e)
        return self._signs[e]

    def _sign_of(self, e: Expr) -> int | None:
        if isinstance(e, Symbol):
            if e in self.meaning:
                return self.sign(self.meaning[e])
            return 1 if e.is_positive else 0 if e.is_nonnegative else None
        if e.is_Rational or isinstance(e, sympy.NumberSymbol):
            return 1 if e > 0 else 0 if e == 0 else None
        if isinstance(e, sympy.Abs):
            return 1 if self.sign(e.args[0]) else 0
        if isinstance(e, Pow) and e.exp.is_Rational:
            if e.exp.is_even or e.exp.q % 2 == 0:
                return 1 if self.sign(e.base) == 1 or (e.exp < 0 and e.exp.q % 2 == 0) else 0
            return self.sign(e.base)
        if isinstance(e, (Add, Mul, Mean, FeatureSum, RowMax, RowMin)):
            signs = [self.sign(argument) for argument in e.args]
            known = [sign for sign in signs if sign is not None]
            if len(known) < len(signs):
                return None
            return max(known) if isinstance(e, Add) else min(known)
        if isinstance(e, Power):
            return self.sign(e.base)
        entry = ENTRY_OF.get(type(e))
        return 1 if entry is not None and entry.positive else None


class _Forms(Fold[Polynomial]):
    """The walk to polynomials, with the names that are `opened` replaced by their definitions."""

    cannot, refusal = "no algebra for", TooLargeError

    def __init__(self, meanings: Meanings, opened: frozenset[TypedSymbol]) -> None:
        self.meanings, self.opened, self.algebra = meanings, opened, meanings.algebra

    def of(self, e: Expr) -> Polynomial:
        """The form of an expression, which all walks of the same meanings share."""
        return self.meanings.form(e, self.opened)

    def symbol(self, e: TypedSymbol) -> Polynomial:
        if e in self.opened:
            return self.of(self.meanings.meaning[e])
        if e == D:
            return self.algebra.features
        # Of a name that stands for something, what its symbol claims is not taken on trust.
        sign = self.meanings.sign(e)
        return self.algebra.symbol(f"{type(e).__name__} {e.name}", axes(e), sign == 1, sign is not None)

    def number(self, e: Expr) -> Polynomial:
        if e.is_Rational:
            return scaled(ONE, QQ(int(e.p), int(e.q)))
        if isinstance(e, sympy.NumberSymbol):
            return self.algebra.exponential(ONE) if e == sympy.E else self.algebra.constant(str(e))
        return self.other(e)

    def add(self, e: Add) -> Polynomial:
        return plus(*map(self.of, e.args))

    def multiply(self, e: Mul) -> Polynomial:
        return reduce(self.algebra.of.product, sorted(map(self.of, e.args), key=len), ONE)

    def reduction(self, e: Reduction) -> Polynomial:
        algebra, inner = self.algebra, self.of(e.args[0])
        if isinstance(e, (RowMax, RowMin)):
            return algebra.extreme("max" if isinstance(e, RowMax) else "min", inner)
        result = algebra.mean(inner)
        if self.meanings.sign(e) is not None:
            algebra.claim_not_negative(result)
        return result if isinstance(e, Mean) else algebra.of.product(algebra.features, result)

    def sum_rows(self, e: SumRows) -> Polynomial:
        return self.algebra.sum_rows(self.of(e.args[0]))

    def attains_first(self, e: AttainsFirst) -> Polynomial:
        return self.algebra.attains(*map(self.of, e.args))

    def stop_gradient(self, e: StopGradient) -> Polynomial:
        return self.of(e.args[0])

    def complement(self, e: Complement) -> Polynomial:
        return minus(ONE, self.of(e.args[0]))

    def where(self, e: Where) -> Polynomial:
        condition, (chosen, otherwise) = self.of_head(e.args[0]), map(self.of, e.args[1:])
        return plus(self.algebra.of.product(condition, minus(chosen, otherwise)), otherwise)

    def truth(self, e: BooleanAtom) -> Polynomial:
        return ONE if e == sympy.true else {}

    def power(self, e: Pow) -> Polynomial:
        base, exponent = e.base, e.exp
        algebra = self.algebra
        if isinstance(e, Power):
            return self._raised(base, exponent)
        if not exponent.is_Rational:
            inner = self.of(base)
            if algebra.sign_by_form(inner) != 1:
                # (-1)**D is no exponential of a logarithm.
                raise TooLargeError("the base of a power is not known to be positive, and the exponent is not a number")
            return algebra.exponential(algebra.of.product(self.of(exponent), algebra.logarithm(inner)))
        if isinstance(base, Pow) and base.exp.is_even and not exponent.is_Integer:
            # The root of a square is what was squared, but for the sign.
            inner, power = self.of(base.base), base.exp * exponent
            result = algebra.power(inner, rational(power))
            return (
                algebra.of.product(result, algebra.sign_of(inner))
                if power.is_odd
                else (result if power.is_even else algebra.power(self.of(base), rational(exponent)))
            )
        inner = self.of(base)
        if exponent.is_even:
            result = algebra.power(inner, rational(exponent))
            if len(inner) > 1:
                algebra.claim_not_negative(result)
            return result
        return algebra.power(inner, rational(exponent))

    def _raised(self, base: Expr, exponent: Expr) -> Polynomial:
        """A power, the whole part of its exponent apart: a**(p - 1)*a is a**p.

        Where a is 0, a**p is 0, and 1 if p is 0 too. Of a base of either sign no logarithm is known: what stands for
        its power has the whole part alone in common with it.
        """
        algebra, inner = self.algebra, self.of(base)
        whole, rest = exponent.as_coeff_Add()
        sign = algebra.sign_by_form(inner)
        if sign is None and exponent.is_integer:
            raise TooLargeError(
                "the base of a power may be negative, and the exponent is a whole number that is not given"
            )
        if sign is None:
            said = f"{sorted(algebra.reduced(inner).items())} to the {sorted(self.of(rest).items())}"
            grown = algebra.symbol(said, axes(Power(base, rest)))
        else:
            grown = algebra.exponential(algebra.of.product(self.of(rest), self._logarithm(base)))
        grown = algebra.of.product(algebra.power(inner, rational(whole)), grown) if whole else grown
        if sign != 1:
            # The square of a size has no sign in its form.
            away, _ = algebra.signs(algebra.of.product(inner, inner))
            nothing = minus(ONE, algebra.signs(self.of(exponent))[0])
            grown = plus(algebra.of.product(away, minus(grown, nothing)), nothing)
        return grown

    def relation(self, e: Relational) -> Polynomial:
        if e.rel_op in ("==", "!=") and e.args[0] == PLACE and is_integer(e.args[1]) and not axes(e.args[1]).features:
            there = self.algebra.is_place(*map(self.of, e.args))
            return there if e.rel_op == "==" else minus(ONE, there)
        above, below = self.algebra.signs(minus(*map(self.of, e.args)))
        match e.rel_op:
            case ">":
                return above
            case "<":
                return below
            case ">=":
                return minus(ONE, below)
            case "<=":
                return minus(ONE, above)
            case "==":
                return minus(ONE, plus(above, below))
        return plus(above, below)

    def _logarithm(self, e: Expr) -> Polynomial:
        """log of the absolute value, powers taken out before they are multiplied out: log(u**2) is 2*log(|u|)."""
        if isinstance(e, sympy.Abs):
            return self._logarithm(e.args[0])
        if isinstance(e, Pow) and e.exp.is_Rational:
            return scaled(self._logarithm(e.base), QQ(int(e.exp.p), int(e.exp.q)))
        if isinstance(e, Mul):
            return plus(*map(self._logarithm, e.args))
        return self.algebra.logarithm(self.of(e))

    def function(self, e: Expr) -> Polynomial:
        algebra, inner = self.algebra, self.of(e.args[0])
        if isinstance(e, sympy.exp):
            return algebra.exponential(inner)
        if isinstance(e, sympy.log):
            return self._logarithm(e.args[0])
        if isinstance(e, sympy.Abs):
            return algebra.modulus(inner)
        if isinstance(e, sympy.sign):
            return algebra.sign_of(inner)
        if isinstance(e, sympy.erf):
            root = self.of(sympy.sqrt(2))
            return minus(scaled(algebra.normal(algebra.of.product(root, inner)), QQ(2)), ONE)
        entry = ENTRY_OF[type(e)]
        name = entry.name
        if name in ("tanh", "sigmoid"):
            twice = 2 if name == "tanh" else 1
            share = algebra.power(plus(ONE, algebra.exponential(scaled(inner, QQ(twice)))), -1)
            return minus(ONE, scaled(share, QQ(twice)))
        if name in _ODD:
            return algebra.odd(_ODD[name], inner)
        if name == "acos":
            return minus(scaled(self.of(sympy.pi), QQ(1, 2)), algebra.odd("arc sine", inner))
        if entry.written is not None:
            return self.of(of_number(name, e.args[0]))
        return algebra.cosine(inner) if name == "cos" else self.other(e)

    def normal(self, e: Expr) -> Polynomial:
        return self.algebra.normal(self.of(e.args[0])) if isinstance(e, Phi) else self.of(in_elementary(e))


__all__ = ["Meanings"]
