"""Bounds of exponentials in a program: those that are at most 1, and sums that contain one equal to 1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

import sympy
from sympy import Add, Expr, Mul

from lngen.algebra.extremes import LOWEST, arguments_of_larger, differences
from lngen.algebra.symbols import D, Expm1, FeatureSum, Mean, Reduction, RowMax, StopGradient, TypedSymbol, Where


def never_positive(values: Iterable[tuple[TypedSymbol, Expr]], known: Collection[Expr] = ()) -> frozenset[Expr]:
    """Return the values and exponents of a program that are 0 at most for every row, with those `known` before.

    A difference with an extreme is (`lngen.algebra.extremes.differences`). The logarithm of a sum of exponentials is
    never negative where the sum holds exp(0), that of the largest exponent (`Exponentials.least`). So a row less its
    largest entry and less that logarithm is 0 at most, and so is the entry of it at a place, which is 0 where the row
    has none. Sums, means, selects and positive multiples follow.

    >>> from lngen.algebra.symbols import PLACE, RowScalarSymbol, RowSymbol
    >>> x, e, p = RowSymbol("x"), RowSymbol("e"), RowSymbol("p")
    >>> i, m, z, t = RowScalarSymbol("i", integer=True), *map(RowScalarSymbol, "mzt")
    >>> for total in FeatureSum(e), Mean(e):
    ...     lines = [(m, RowMax(x)), (e, sympy.exp(x - m)), (z, total), (p, x - m - sympy.log(z))]
    ...     lines += [(t, FeatureSum(Where(sympy.Eq(PLACE, i), p, 0)))]
    ...     print([symbol for symbol, _ in lines if symbol in never_positive(lines)])
    [p, t]
    []
    """
    return _never_positive(tuple(values), frozenset(known))


@lru_cache(maxsize=1_000)
def _never_positive(values: tuple[tuple[TypedSymbol, Expr], ...], known: frozenset[Expr]) -> frozenset[Expr]:
    # Each end of a program's growth asks for the same.
    return _Signs({s: e.args[0] if isinstance(e, StopGradient) else e for s, e in values}, known).found()


class _Signs:
    """The values of a program that are 0 at most, and what is known to be 0 at least."""

    def __init__(self, values: Mapping[TypedSymbol, Expr], known: Collection[Expr]) -> None:
        self._exponentials = Exponentials(values, (D,))
        self._pairs = sorted(differences(values.items(), everywhere=True), key=sympy.default_sort_key)
        self._sums = {s: e for s, e in values.items() if isinstance(e, Add)}
        self._signed: dict[Expr, Expr] = {}
        self.never_positive = {*self._pairs, *known}

    def found(self) -> frozenset[Expr]:
        """Return the values and exponents that are 0 at most."""
        values = self._exponentials.values if self.never_positive else {}
        for symbol, value in values.items():
            self.never_positive |= {e for f in value.atoms(sympy.exp, Expm1) for e in f.args if self._is_negative(e)}
            if self._is_negative(value):
                self.never_positive |= {symbol, value}
            elif self._told(value).is_nonnegative and not value.is_nonnegative:
                self._signed[symbol] = self._stand_in(value, nonnegative=True)
        return frozenset(self.never_positive)

    def _is_negative(self, e: Expr) -> bool:
        """Test whether an expression is 0 at most by more than what SymPy knows itself."""
        return bool(self._told(e).is_nonpositive and not e.is_nonpositive)

    def _stand_in(self, e: Expr, **sign: bool) -> Expr:
        # One for each expression: two that are 0 at most may differ by any number.
        return self._signed.setdefault(e, sympy.Dummy(real=True, **sign))

    def _told(self, e: Expr) -> Expr:
        """Return an expression with symbols in the place of parts whose sign is known, which tell SymPy that sign."""
        if e in self._signed:
            return self._signed[e]
        if e in self.never_positive:
            return self._stand_in(e, nonpositive=True)
        if isinstance(e, sympy.log):
            least = self._exponentials.least(e.args[0])
            is_above = least and all((factor - 1).is_nonnegative for factor in least)
            return self._stand_in(e, nonnegative=True) if is_above else e
        if isinstance(e, Add):
            times, total = e.primitive()
            return times * Add(*map(self._told, Add.make_args(self._without_differences(total))))
        if isinstance(e, Mul):
            return Mul(*map(self._told, e.args))
        if isinstance(e, (Reduction, Where)):
            parts = [self._told(part) for part in e.args[-2:]]
            if all(part.is_nonpositive for part in parts):
                return self._stand_in(e, nonpositive=True)
        return e

    def _without_differences(self, total: Expr) -> Expr:
        """Return a sum with its differences in one piece each, those by the name of a sum among them."""
        total = total.xreplace({s: e for s, e in self._sums.items() if s not in self.never_positive})
        for difference in self._pairs:
            if {*Add.make_args(difference)} <= {*Add.make_args(total)}:
                total += self._stand_in(difference, nonpositive=True) - difference
        return total


class Exponentials:
    """The exponentials of a program whose `values` are known by their symbols, reductions among them.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, e, c = RowSymbol("x"), RowSymbol("e"), RowSymbol("c")
    >>> m, n, f, s = map(RowScalarSymbol, "mnfs")
    >>> values = {m: RowMax(x), n: Where(m > 0, m, 0), c: x - n, e: sympy.exp(c), f: sympy.exp(-n), s: FeatureSum(e)}
    >>> known = Exponentials(values, [])
    >>> known.is_bounded(sympy.exp(c)), known.is_bounded(sympy.exp(x))
    (True, False)
    >>> known.least(s + f/2), known.least(s)
    ((1/2, 1), ())
    """

    def __init__(self, values: Mapping[TypedSymbol, Expr], constants: Collection[Expr]) -> None:
        self.values = values
        self.constants = constants
        self.differences = differences(values.items())
        self.minus = {s: value for s, value in values.items() if isinstance(-value, TypedSymbol)}

    @cached_property
    def never_positive(self) -> frozenset[Expr]:
        """Values and exponents that are 0 at most, also those of a select where it lets them through."""
        return never_positive(self.values.items()) | self.differences

    def exponent(self, exponential: Expr) -> Expr:
        """The exponent as it is written, not by its name, nor by that of what is taken off it."""
        argument = exponential.args[0]
        return self.values.get(argument, argument).xreplace(self.minus)

    def is_bounded(self, exponential: Expr) -> bool:
        """Test whether an exponential is at most 1, also if a select lets it through where it is."""
        known = {exponential.args[0], self.exponent(exponential)}
        return not known.isdisjoint(self.never_positive)

    def is_largest(self, e: Expr) -> bool:
        """Test whether a value is the largest entry of a row, or of a row and further values."""
        value = self.values.get(e, e)
        return isinstance(value, RowMax) or bool(arguments_of_larger(value))

    def least(self, total: Expr) -> tuple[Expr, ...]:
        """Return the lower bounds of a sum whose largest exponential is exp(0): one of several factors.

        Empty if a select may leave out all exponentials.
        """
        written = self.values.get(total, total)
        written = _without_expm1(written if isinstance(written, Add) else total, self.values)
        terms = [list(self._holds(term)) for term in Add.make_args(written)]
        for _, _, shift in terms[0]:
            held = [(member, factor) for term in terms for member, factor, other in term if other == shift]
            members = list(self._members(shift))
            left_out = len(members) == 1 and self._is_masked(members[0])
            alike = all(any(other == shift for *_, other in term) for term in terms)
            if alike and not left_out and set(members) <= {member for member, _ in held}:
                return tuple(sorted({factor for _, factor in held}, key=sympy.default_sort_key))
        return ()

    def _is_masked(self, member: Expr) -> bool:
        inside = member.args[0] if isinstance(member, RowMax) else member
        return LOWEST in self.values.get(inside, inside).args

    def _members(self, shift: Expr) -> Iterator[Expr]:
        """Yield the values of which a number is the largest."""
        value = self.values.get(shift, shift)
        both = arguments_of_larger(value)
        if not both:
            yield value if isinstance(value, RowMax) else shift
        for part in both:
            yield from self._members(part)

    def _holds(self, term: Expr) -> Iterator[tuple[Expr, Expr, Expr]]:
        """Yield (member, factor, shift) for each exponential in a term: its exponent's member, its factor, and its
        shift.
        """
        known = [f for f in Mul.make_args(term) if f in self.constants or (f.is_number and f.is_positive)]
        rest = [f for f in Mul.make_args(term) if f not in known]
        if len(rest) != 1:
            return
        value = self.values.get(rest[0], rest[0])
        body = value.args[0] if isinstance(value, (FeatureSum, Mean, RowMax)) else None
        each = value if body is None else self.values.get(body, body)
        conditions = set()
        if body is not None and isinstance(each, Where) and sympy.S.Zero in each.args[1:]:
            conditions = {each.args[0]}
            (branch,) = (branch for branch in each.args[1:] if branch != 0)
            each = self.values.get(branch, branch)
        if not isinstance(each, sympy.exp):
            return
        factor = Mul(*known) / (D if isinstance(value, Mean) else 1)
        exponent = self.exponent(each)
        if isinstance(exponent, Where) and exponent.args[0] in conditions:
            exponent = next(self.values.get(branch, branch) for branch in exponent.args[1:] if branch != 0)
        for shift in sorted(exponent.free_symbols, key=str):
            for member in self._members(shift):
                if exponent + shift in self._counted(member, conditions, in_row=body is not None):
                    yield member, factor, shift

    def _counted(self, member: Expr, conditions: Collection[Expr], *, in_row: bool) -> tuple[Expr, ...]:
        """The exponents that a member is, or that it is the largest of under the conditions of a sum."""
        if not isinstance(member, RowMax):
            return () if in_row else (member,)
        inside = member.args[0]
        chosen = self.values.get(inside, inside)
        if not conditions:
            return (inside,) if in_row else ()
        return chosen.args[1:] if isinstance(chosen, Where) and chosen.args[0] in conditions else ()


def _without_expm1(total: Expr, values: Mapping[TypedSymbol, Expr]) -> Expr:
    """A sum with `1 + expm1(u)` as exp(u)."""
    found = [term for term in Add.make_args(total) if isinstance(values.get(term, term), Expm1)]
    if len(found) != 1 or sympy.S.One not in Add.make_args(total):
        return total
    return total - 1 - found[0] + sympy.exp(values.get(found[0], found[0]).args[0])
