"""Signs that are known in one case of a proof: in the branch `x > 1`, that x is positive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from lngen.algebra.budget import Budget
from lngen.prove.generators import Items, Polynomial, UndefinedError, minus, scaled

_CHAIN = 2
"""Number of facts that are put together to find a sign: `x > z` and `z > 0` make two."""


class Signed(Protocol):
    """The part of an algebra that facts use."""

    budget: Budget

    def sign_by_form(self, p: Polynomial) -> int | None:
        """1 if positive by its form, 0 if not negative, None if that is not seen."""

    def solved(self, u: Polynomial) -> Iterator[tuple[int, Polynomial]]:
        """Yield each generator whose value follows from u = 0, and the value."""

    def replaced(self, p: Polynomial, values: Mapping[int, Polynomial]) -> Polynomial:
        """p with polynomials for generators. Raises UndefinedError."""


@dataclass(frozen=True)
class Poles:
    """The divisors of a statement, in forms that signs are taken of: `every_row` in each term of a sum over rows."""

    anywhere: frozenset[Items] = frozenset()
    every_row: frozenset[Items] = frozenset()


@dataclass(frozen=True)
class Facts:
    """Facts of a case: polynomials that are positive, or zero, and those that are not zero where the statement is
    defined.
    """

    algebra: Signed
    positive: tuple[Polynomial, ...] = ()
    zero: tuple[Polynomial, ...] = ()
    poles: Poles = Poles()

    def with_sign(self, p: Polynomial, sign: int) -> Facts:
        """Return these facts and the sign of p."""
        if sign == 0:
            return replace(self, zero=(*self.zero, p))
        return replace(self, positive=(*self.positive, scaled(p, sign)))

    def solved(self, p: Polynomial) -> Iterator[tuple[dict[int, Polynomial], Facts]]:
        """Solve p = 0 for each generator that it can be solved for, and put that into the other facts."""
        for place, value in self.algebra.solved(p):
            values = {place: value}
            with suppress(UndefinedError):
                positive, zero = (
                    tuple(self.algebra.replaced(fact, values) for fact in facts if fact is not p)
                    for facts in (self.positive, self.zero)
                )
                yield values, replace(self, positive=positive, zero=tuple(fact for fact in zero if fact))

    @property
    def impossible(self) -> bool:
        """Test whether a fact is false by its form, so that the case cannot occur."""
        sign = self.algebra.sign_by_form
        below = any(not fact or sign(scaled(fact, -1)) is not None for fact in self.positive)
        return below or any(1 in (sign(fact), sign(scaled(fact, -1))) for fact in self.zero)

    def of_each_row(self) -> Facts:
        """Keep the facts that hold in every row of a sum: the others are of one row."""
        return Facts(self.algebra, poles=Poles(self.poles.every_row, self.poles.every_row))

    def signs(self, p: Polynomial) -> set[int]:
        """Return the signs that p may have: 1, 0 and -1, without those that the facts exclude.

        >>> from lngen.algebra.symbols import Axes
        >>> from lngen.prove.generators import ONE
        >>> from lngen.prove.row_algebra import RowAlgebra
        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> above_one = Facts(algebra).with_sign(minus(x, ONE), 1)
        >>> above_one.signs(x), sorted(above_one.signs(minus(x, scaled(ONE, 2))))
        ({1}, [-1, 0, 1])
        """
        above, below = self._sign(p, _CHAIN), self._sign(scaled(p, -1), _CHAIN)
        for fact in self.zero:
            for values, _ in self.solved(fact):
                with suppress(UndefinedError):
                    there = self.algebra.replaced(p, values)
                    above = self._sign(there, 0) if above is None else above
                    below = self._sign(scaled(there, -1), 0) if below is None else below
        items = frozenset(p.items())
        negated = frozenset((m, -c) for m, c in p.items())
        possible = {1, -1} if {items, negated} & self.poles.anywhere else {1, 0, -1}
        if above is not None:
            possible -= {-1, 0} if above else {-1}
        if below is not None:
            possible -= {1, 0} if below else {1}
        return possible

    def _sign(self, p: Polynomial, chain: int) -> int | None:
        """Return 1 if p is positive, 0 if it is not negative, None if neither is known."""
        found = self.algebra.sign_by_form(p) if p else 0
        if found == 1 or not chain:
            return found
        for less, strict in self._less(p):
            sign = self._sign(less, chain - 1)
            if sign is not None and (sign or strict):
                return 1
            found = sign if found is None else found
        return found

    def _less(self, p: Polynomial) -> Iterator[tuple[Polynomial, bool]]:
        """p less a multiple of a fact that takes a term of p away, and whether that multiple is above zero."""
        self.algebra.budget.spend(len(self.positive) + len(self.zero))
        for facts, strict in ((self.positive, True), (self.zero, False)):
            for fact in facts:
                for share in {p[m] / c for m, c in fact.items() if m in p}:
                    if share > 0 or not strict:
                        yield minus(p, scaled(fact, share)), strict
