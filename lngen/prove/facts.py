"""Signs that are known in one case of a proof: in the branch `x > 1`, that x is positive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lngen.prove.generators import Polynomial, minus, scaled
from lngen.prove.powers import Powers

_CHAIN = 2
"""How many facts are put together to find a sign: `x > z` and `z > 0` make two."""


@dataclass(frozen=True)
class Facts:
    """Polynomials that are positive, or zero, in a case."""

    algebra: Powers
    positive: tuple[Polynomial, ...] = ()
    zero: tuple[Polynomial, ...] = ()

    def with_sign(self, p: Polynomial, sign: int) -> Facts:
        """These, and the sign of p."""
        if sign == 0:
            return Facts(self.algebra, self.positive, (*self.zero, p))
        return Facts(self.algebra, (*self.positive, scaled(p, sign)), self.zero)

    def without(self, p: Polynomial) -> Facts:
        """These less that p is zero."""
        return Facts(self.algebra, self.positive, tuple(q for q in self.zero if q is not p))

    def signs(self, p: Polynomial) -> set[int]:
        """The signs that p may have: 1, 0 and -1, less those that the facts exclude.

        >>> from lngen.expressions.symbols import Axes
        >>> from lngen.prove.budget import Budget
        >>> from lngen.prove.generators import ONE
        >>> from lngen.prove.row_algebra import RowAlgebra
        >>> algebra = RowAlgebra(Budget())
        >>> x = algebra.symbol("x", Axes(True, True))
        >>> above_one = Facts(algebra).with_sign(minus(x, ONE), 1)
        >>> above_one.signs(x), sorted(above_one.signs(minus(x, scaled(ONE, 2))))
        ({1}, [-1, 0, 1])
        """
        above, below = self._sign(p, _CHAIN), self._sign(scaled(p, -1), _CHAIN)
        possible = {1, 0, -1}
        if above is not None:
            possible -= {-1, 0} if above else {-1}
        if below is not None:
            possible -= {1, 0} if below else {1}
        return possible

    def _sign(self, p: Polynomial, chain: int) -> int | None:
        """1 for what is positive, 0 for what is not negative, None where neither is seen."""
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
