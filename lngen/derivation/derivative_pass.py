"""A pass of differentiation in either direction: row classes, names of derivatives, and how each step is told."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from sympy import Expr

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import AttainsFirst, RowMax, RowMin, TypedSymbol, symbol_like
from lngen.derivation.rules.row_classes import row_classes
from lngen.derivation.trail import Trail
from lngen.derivation.vjp import Contribution, summed


class DerivativePass:
    """A pass over a forward, which collects the derivative of each value and sends it on.

    `words` say what that is of a value, `symbol_of` is its symbol, and `ends` are the values whose derivatives are the
    results of the pass. `equations` are the lines found so far.
    """

    words: str

    def __init__(
        self,
        forward: Forward,
        trail: Trail,
        candidates: Collection[TypedSymbol],
        ends: Collection[TypedSymbol],
        symbol_of: Callable[[TypedSymbol], TypedSymbol],
    ) -> None:
        """Prepare the row classes.

        Only `candidates` are tried as bases in a class that has some of them besides its root, whose rounding error is
        largest.
        """
        self.forward = forward
        self.trail = trail
        self.ends = ends
        self.symbol_of = symbol_of
        self.classes = tuple(
            replace(c, candidates=tuple(symbol for symbol in c.symbols[1:] if symbol in candidates))
            for c in row_classes(forward)
        )
        self.names = Names.of(forward)
        self.equations: list[Equation] = []
        self.wholes: dict[TypedSymbol, TypedSymbol] = {}

    def whole(self, symbol: TypedSymbol) -> TypedSymbol:
        """The symbol of a value's whole derivative, in the steps and, if it is emitted, in the code."""
        if symbol not in self.wholes:
            found = self.symbol_of(symbol)
            own = symbol in self.ends
            self.wholes[symbol] = found if own else symbol_like(self.names.fresh(found.name), symbol)
        return self.wholes[symbol]

    def tell(self, symbol: TypedSymbol, sent: Collection[Contribution]) -> Expr:
        """Tell what the derivative of a value is the sum of, and return the sum."""
        return self.trail.chain_rule(self.whole(symbol), tuple(sent), self.words.format(symbol.name))

    def called(self, symbol: TypedSymbol, sent: Collection[Contribution]) -> Expr:
        """Return the symbol of a derivative for later steps, which read `dvar` where lines read its expression."""
        total = summed(sent)
        if total == 0 or (isinstance(total, TypedSymbol) and type(total) is type(symbol)):
            return total
        self.tell(symbol, sent)
        return self.whole(symbol)

    def first(self, equation: Equation) -> Expr | None:
        """Return a name for the place at which a row attains its extreme.

        The place is a value of the forward: it is compared as it was computed.
        """
        reduction = equation.reduction
        if not isinstance(reduction, (RowMax, RowMin)):
            return None
        where = AttainsFirst(reduction.args[0], equation.symbol)
        symbol = symbol_like(self.names.fresh(f"first_{equation.symbol.name}"), where)
        self.equations.append(Equation(symbol, where))
        reason = f"1 at the first feature that attains {equation.symbol.name}, 0 elsewhere"
        self.trail.derived("subgradient", symbol, None, where, reason)
        return symbol
