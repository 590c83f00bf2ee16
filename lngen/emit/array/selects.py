"""Selects as a library may differentiate them: with all of a branch that has no derivative where it is not chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from sympy import Expr

from lngen.algebra.symbols import TypedSymbol, Where, derivative
from lngen.plan.program import Assignment, FeatureReduction, Line


def moving_from(lines: Sequence[Line], moved: Collection[TypedSymbol]) -> set[TypedSymbol]:
    """Return the symbols that have derivatives by those `moved`; a shift has none, and none is by what a line stops."""
    found = {*moved}
    for line in lines:
        is_shift = isinstance(line, FeatureReduction) and line.shift
        if line.body.free_symbols & found - {*line.stops} and not is_shift:
            found.add(line.symbol)
    return found


Path = tuple[tuple[Expr, int], ...]
"""Conditions of selects, from the outermost in, each with the place of the branch that it chooses."""


@dataclass
class WholeBranches:
    """Lines in which a branch reads copies of lines, whose values nothing depends on where it is not chosen.

    A line for itself, such as a root at 0, multiplies the zero that comes from a select by an infinite derivative. A
    copy for each path of selects has lines grow with their number, where a branch written out would double with each.
    `paths` has that of each copy. Those `moving` have derivatives.
    """

    moving: Collection[TypedSymbol]
    paths: dict[TypedSymbol, Path] = field(default_factory=dict)
    _written: list[Line] = field(default_factory=list)
    _copies: dict[tuple[TypedSymbol, Path], TypedSymbol] = field(default_factory=dict)
    _curved: dict[TypedSymbol, Assignment] = field(default_factory=dict)

    def lines(self, given: Sequence[Line], results: Collection[TypedSymbol]) -> list[Line]:
        """Return the lines with copies before the line that reads them, and without those that none reads then."""
        for line in given:
            body = self._guarded(line.body, (), line.stops)
            self._written.append(line.with_body(body) if body != line.body else line)
            if isinstance(line, Assignment) and line.symbol in self.moving and not line.stops and self._is_curved(line):
                self._curved[line.symbol] = line
        found: list[Line] = []
        read = {*results}
        for line in reversed(self._written):
            if line.symbol in read:
                found.insert(0, line)
                read |= line.body.free_symbols
                read = read.union(*(condition.free_symbols for condition, _ in self.paths.get(line.symbol, ())))
        return found

    def _is_curved(self, line: Assignment) -> bool:
        """Test whether a derivative of a line by an input is no number, by itself or by a line that it reads."""
        read = line.body.free_symbols
        derivatives = [derivative(line.body, symbol) for symbol in read if symbol in self.moving]
        return any(symbol in self._curved for symbol in read) or not all(each.is_number for each in derivatives)

    def _guarded(self, e: Expr, path: Path, stops: Collection[TypedSymbol]) -> Expr:
        """Write what an expression reads along a path; conditions have no derivative, and stay."""
        if isinstance(e, Where):
            condition, *branches = e.args
            for known, place in path:
                if known == condition:
                    return self._guarded(branches[place], path, stops)
            ways = [self._guarded(each, (*path, (condition, place)), stops) for place, each in enumerate(branches)]
            return Where(condition, *ways)
        if path and e in self._curved and e not in stops:
            return self._copy(e, path)
        if not e.args or not (path or e.has(Where)):
            return e
        made: Expr = e.func(*[self._guarded(each, path, stops) if isinstance(each, Expr) else each for each in e.args])
        return made

    def _copy(self, symbol: TypedSymbol, path: Path) -> TypedSymbol:
        if (symbol, path) not in self._copies:
            line = self._curved[symbol]
            body = self._guarded(line.body, path, ())
            number = sum(of is symbol for of, _ in self._copies) + 1
            copy = self._copies[symbol, path] = type(symbol)(f"{symbol.name}_{number}")
            self.paths[copy] = path
            self._written.append(replace(line, symbol=copy, expression=body))
        return self._copies[symbol, path]
