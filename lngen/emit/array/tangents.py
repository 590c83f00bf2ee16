"""The lines of a program that is linear in tangents, each for the inputs that move.

An input that does not move has no tangent, and no line of it is run: a product with a zero would make NaN of an
infinite entry, such as a masked logit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import sympy
from sympy import Add, Expr

from lngen.algebra.symbols import Reduction, TypedSymbol, Where, derivative
from lngen.emit.array.dialects import Dialect
from lngen.emit.array.lines import ArrayAxes, ArrayText, TextLine
from lngen.errors import LngenError
from lngen.plan.program import RowProgram

Moving = tuple[str, ...]
"""Tangents that a value depends on, in the order of the arguments."""


class TangentText(ArrayText):
    """The lines of a program that is linear in its tangents, which are the arguments of these names."""

    def __init__(
        self, program: RowProgram, to: Dialect, layout: ArrayAxes, optional: Collection[str], tangents: Collection[str]
    ) -> None:
        super().__init__(program, to, layout, optional)
        self.order = list(tangents)
        self.moved: dict[TypedSymbol, Moving] = {s: (s.name,) for s in self.has if s.name in self.order}
        for line in program.lines():
            if moving := self._moving(line.body):
                self.moved[line.symbol] = moving

    def lines(self) -> list[TextLine]:
        """Return the lines that no tangent changes, then zeros to add to, then the lines of tangents."""
        lines = [*self.program.lines()]
        found = [TextLine(text) for line in lines if line.symbol not in self.moved for text in self.texts(line)]
        starts: list[str] = []
        later: list[TextLine] = []
        results = {store.symbol for store in self.program.results}
        for line in lines:
            if line.symbol in self.moved:
                parts = self.parts(line.body)
                added = len(parts) > 1 or line.symbol in results
                starts += [self.names[line.symbol]] * added
                last = later[-1].wanted if later else ()
                for wanted, body in sorted(parts.items(), key=lambda part: part[0] != last):
                    sign = "+=" if added else "="
                    text = f"{self.names[line.symbol]} {sign} {self.value(line, body)}  # {self.source(line)}"
                    later.append(TextLine(text, wanted))
        return [*found, *(TextLine(f"{name} = 0") for name in starts), *later]

    def parts(self, body: Expr) -> dict[Moving, Expr]:
        """Return the terms of a linear expression by the tangents that they depend on.

        A term keeps its factors, unless its tangents move apart, or it selects between multiples of them: the transpose
        of a select multiplies zeros by what is not selected, which may be infinite.
        """
        groups: dict[Moving, list[Expr]] = {}
        for term in Add.make_args(body):
            for each in [term] if self._is_whole(term) else self._by_symbol(term):
                groups.setdefault(self._moving(each), []).append(each)
        if len(groups) == 1 and all(map(self._is_whole, Add.make_args(body))):
            return dict.fromkeys(groups, body)
        return {moving: Add(*terms) for moving, terms in groups.items()}

    def _moving(self, e: Expr) -> Moving:
        found = {name for symbol in e.free_symbols for name in self.moved.get(symbol, ())}
        return tuple(name for name in self.order if name in found)

    def _tangents(self, e: Expr) -> list[TypedSymbol]:
        return sorted((s for s in e.free_symbols if s in self.moved), key=lambda s: s.name)

    def _is_whole(self, term: Expr) -> bool:
        apart = len({self.moved[symbol] for symbol in self._tangents(term)}) > 1
        selects = (each for each in term.atoms(Where) if self._moving(each))
        return not apart and all(map(self._is_plain, selects))

    def _is_plain(self, select: Expr) -> bool:
        """Test whether a select is between numbers of times of tangents."""
        return all(
            derivative(branch, symbol).is_number for branch in select.args[1:] for symbol in self._tangents(branch)
        )

    def _by_symbol(self, term: Expr) -> Iterator[Expr]:
        for symbol in self._tangents(term):
            if any(symbol in each.free_symbols for each in term.atoms(Reduction)):
                raise LngenError(f"{term} has a reduction of {symbol} beside another tangent")
            factor = derivative(term, symbol)
            if factor != sympy.S.Zero:
                yield factor * symbol
