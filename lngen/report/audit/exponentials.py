"""Bounds of exponentials in a program: those that are at most 1, and sums that contain one equal to 1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import sympy
from sympy import Add, Expr, Mul

from lngen.algebra.extremes import arguments_of_larger, never_positive
from lngen.algebra.symbols import D, Expm1, FeatureSum, Mean, RowMax, TypedSymbol, Where
from lngen.derivation.simplify.shifts import LOWEST


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
        self.minus = {s: value for s, value in values.items() if isinstance(-value, TypedSymbol)}
        self.never_positive = never_positive(values.items())

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
