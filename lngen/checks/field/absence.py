"""Arguments that a call of a layer is without, and the neutral values that a program takes in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

import sympy

from lngen.algebra.symbols import Reduction, TypedSymbol
from lngen.checks.field.residues import first_convergent, rounded
from lngen.checks.field.values import wide
from lngen.plan.program import RowProgram
from lngen.prove.programs import equations_of
from lngen.runtime.protocol.directions import DirectionProtocol, Entry, LayerProtocol

_MOST = 8


@dataclass(frozen=True)
class Absence:
    """Arguments left out: `inputs` of forward, and inputs and outputs that later directions have nothing of.

    Those are the names of `derivatives`: tangents of inputs, and cotangents of outputs.
    """

    inputs: frozenset[str] = frozenset()
    derivatives: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The end of a sentence about a call."""
        names = sorted(self.inputs | self.derivatives)
        return f", without {' and '.join(names)}" if names else ""

    def has(self, each: Entry) -> bool:
        """Test whether an argument is left out."""
        name = each.name if each.owner is None else each.owner.name
        may_be = each.may_be_none or each.follows is not None
        return may_be and (name in self.inputs or (each.owner is not None and name in self.derivatives))

    def has_result(self, each: Entry) -> bool:
        """Test whether a result is not there: that of an argument that is left out."""
        owner = each.owner
        if owner is None:
            return False
        return owner.name in self.inputs if owner.owner is None else self.has(owner)


NOTHING = Absence()


def absences(optional: Sequence[str], layer: LayerProtocol) -> Iterator[Absence]:
    """Yield what calls may be without, of a layer with optional inputs."""
    every = (each for count in range(1, len(optional) + 1) for each in combinations(optional, count))
    absent = [frozenset(each) for each in islice(every, _MOST)]
    yield from (Absence(each) for each in absent)
    moved = [layer.inputs[place].name for place in layer.differentiable]
    outputs = [each.name for each in layer.outputs]
    if len(moved) > 1 and len(outputs) > 1:
        yield from (Absence(derivatives=frozenset(pair)) for pair in product(moved, outputs))
    for names in (moved, outputs):
        yield from (Absence(derivatives=frozenset({name})) for name in names if len(names) > 1)
        alone = [frozenset(names) - {name} for name in names if len(names) > 2]
        yield from (Absence(each, without) for without in alone for each in (frozenset(), *absent[: len(optional)]))


def is_call(takes: DirectionProtocol, arguments: Mapping[str, Any]) -> bool:
    """Test whether there is a call of these arguments: one with a cotangent or a tangent, if it takes any."""
    groups = (takes.cotangents, takes.tangents)
    return all(any(arguments[each.symbol] is not None for each in group) for group in groups if group)


def has_folded(program: RowProgram, absence: Absence) -> bool:
    """Test whether a text has a number of neutral values that its program lacks: 1 for exp(0), or 2*pi for s*pi.

    Of a neutral value such as 0.3333333333333333, whose float is that of 1/3, a text may have three times as much. The
    float of that is not 1.
    """
    absent = [each for each in (*program.rows, *program.parameters) if each.name in absence.inputs]  # type: ignore[attr-defined]
    neutral = program.neutral()
    known = {each.symbol: sympy.Rational(neutral[each.name]) for each in absent}  # type: ignore[attr-defined]
    if any(first_convergent(rounded(value)) != Fraction(value) for value in known.values()):
        return True
    for equation in equations_of(program):
        expression = equation.expression
        parts = [e for e in sympy.preorder_traversal(expression) if not _is_rational_in(e)]
        if any(e.free_symbols and e.free_symbols <= known.keys() for e in parts):
            return True
        replaced = expression.xreplace(known)
        if not _rounded_in(replaced) <= _rounded_in(expression):
            return True
        if replaced.is_Rational:
            known[equation.symbol] = replaced
    return False


def _rounded_in(expression: sympy.Basic) -> set[sympy.Basic]:
    """Return the numbers that the text of an expression rounds: those that are no fraction."""
    found = set()
    for e in sympy.preorder_traversal(expression):
        if isinstance(e, (sympy.Add, sympy.Mul)):
            found.add(e.func(*[each for each in e.args if each.is_number]))
        elif e.is_number:
            found.add(e)
    return {each for each in found if not each.is_Rational}


def _is_rational_in(e: sympy.Basic) -> bool:
    """Test whether an expression is a sum, a product, a whole power or a reduction, or has no arguments."""
    is_power = isinstance(e, sympy.Pow) and e.exp.is_Integer
    return e.is_Atom or is_power or isinstance(e, (sympy.Add, sympy.Mul, Reduction))


def given_values(
    program: RowProgram, by_name: Mapping[str, Any], number: Callable[[sympy.Rational], Any]
) -> dict[TypedSymbol, Any]:
    """Return the values of a program's rows and parameters, with the neutral `number` for one that is left out."""
    neutral = program.neutral()
    given: dict[TypedSymbol, Any] = {}
    for argument in (*program.rows, *program.parameters):
        symbol, name = argument.symbol, argument.name  # type: ignore[attr-defined]
        value = by_name.get(symbol.name)
        given[symbol] = number(sympy.Rational(neutral[name])) if value is None else wide(symbol, value)
    return given
