"""Selects as a library may differentiate them: with all of a branch that has no derivative where it is not chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

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


def with_whole_branches(
    lines: Sequence[Line], moving: Collection[TypedSymbol], results: Collection[TypedSymbol]
) -> list[Line]:
    """Write the lines that a branch reads out in it, and leave out what no line reads then.

    A line for itself, such as a root at 0, multiplies the zero that comes from a select by an infinite derivative.
    """
    bodies: dict[TypedSymbol, Expr] = {}

    def whole(select: Expr, stops: Collection[TypedSymbol]) -> Expr:
        condition, *branches = select.args
        known = {symbol: body for symbol, body in bodies.items() if symbol not in stops}
        own = [_decided(branch.xreplace(known), condition, place) for place, branch in enumerate(branches, 1)]
        return Where(condition, *own)

    written = []
    for line in lines:
        body = line.body.replace(lambda e: isinstance(e, Where), partial(whole, stops=line.stops))
        written.append(line.with_body(body) if body != line.body else line)
        if isinstance(line, Assignment) and line.symbol in moving and not line.stops:
            of_inputs = body.xreplace(bodies)
            if not all(derivative(of_inputs, s).is_number for s in of_inputs.free_symbols if s in moving):
                bodies[line.symbol] = of_inputs
    found: list[Line] = []
    read = {*results}
    for line in reversed(written):
        if line.symbol in read:
            found.insert(0, line)
            read |= line.body.free_symbols
    return found


def _decided(branch: Expr, condition: Expr, place: int) -> Expr:
    """A branch whose own selects by the same condition are what they choose there."""
    decided: Expr = branch.replace(lambda e: isinstance(e, Where) and e.args[0] == condition, lambda e: e.args[place])
    return decided
