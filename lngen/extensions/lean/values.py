"""The values of a derivation as Lean has them: given ones are fields of a structure, others definitions.

A value whose meaning is not exported, such as a select, is a field too. A theorem that does not open it holds whatever
it is; one that does is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from lngen.algebra.equations import Equation, read_by
from lngen.algebra.notation import Order
from lngen.algebra.symbols import PLACE, D, TypedSymbol, axes
from lngen.derivation.derivation import Derivation, Step
from lngen.extensions.lean.notation import FEATURE, ROW, UnsaidError, lean, lean_name
from lngen.prove.every_size import EverySize
from lngen.prove.names import Meanings
from lngen.report.formulas import reading_order


@dataclass(frozen=True)
class LeanValue:
    """A value: its term, or None where it is a field, with the reason if it has a meaning that is not exported."""

    symbol: TypedSymbol
    meaning: Expr | None = None
    term: str | None = None
    reason: str = ""

    @property
    def is_field(self) -> bool:
        """Test whether a value is given, not defined."""
        return self.term is None


class LeanValues:
    """The values of a derivation's forward and gradients by name, in an order in which each uses earlier ones."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.steps: Sequence[Step] = [step for step in derivation.steps if step.part in ("forward", "backward")]
        self.order: Order = reading_order(derivation)
        self.every = EverySize(derivation)
        self.names: Meanings = self.every.world("backward")
        self.values = {str(value.symbol.name): value for value in self._values()}

    @property
    def fields(self) -> list[LeanValue]:
        """The values that are given, and those whose meaning is not exported."""
        return [value for value in self.values.values() if value.is_field]

    @property
    def definitions(self) -> list[LeanValue]:
        """The values that are defined."""
        return [value for value in self.values.values() if not value.is_field]

    @cached_property
    def rows(self) -> str:
        """A name for the number of rows that no field has."""
        taken = {lean_name(value.symbol.name) for value in self.fields}
        return next(name for name in ("N", "R", "N_", "R_") if name not in taken)

    def sign(self, symbol: TypedSymbol) -> int | None:
        """1 if a value is positive, 0 if it is not negative, None if the prover knows neither."""
        return self.names.sign(symbol)

    def given_signs(self, expressions: Iterable[Expr]) -> list[LeanValue]:
        """The fields with a sign that the signs of expressions may rest on, in order."""
        reached = self.reached(expressions)
        return [value for value in self.fields if value.symbol.name in reached and self.sign(value.symbol) is not None]

    def reached(self, expressions: Iterable[Expr]) -> list[str]:
        """The names of the values that expressions are made of, in order."""
        reached: set[str] = set()
        pending = [s.name for e in expressions for s in e.free_symbols]
        while pending:
            name = pending.pop()
            if name in self.values and name not in reached:
                reached.add(name)
                value = self.values[name]
                if not value.is_field and value.meaning is not None:
                    pending += [symbol.name for symbol in value.meaning.free_symbols]
        return [name for name in self.values if name in reached]

    def binders(self, *expressions: Expr) -> str:
        """The indices that statements about expressions have, as binders."""
        varies = [axes(e) for e in expressions]
        found = [f" ({ROW} : Fin {self.rows})"] * any(v.rows for v in varies)
        return "".join([*found, *[f" ({FEATURE} : Fin D)"] * any(v.features for v in varies)])

    def type_of(self, symbol: TypedSymbol) -> str:
        """The type of a field."""
        varies = axes(symbol)
        return " → ".join([f"Fin {self.rows}"] * varies.rows + ["Fin D"] * varies.features + ["ℝ"])

    def _values(self) -> Iterator[LeanValue]:
        lines = list(self._lines())
        told = (step.read for step in self.steps)
        read = sorted(read_by(lines).union(*told), key=lambda symbol: str(symbol.name))
        defined = {D.name, PLACE.name, *(line.symbol.name for line in lines)}
        for symbol in (*self.derivation.forward.symbols, *self.derivation.adjoint.cotangents, *read):
            if symbol.name not in defined:
                defined.add(symbol.name)
                yield LeanValue(symbol)
        for line in lines:
            try:
                yield LeanValue(line.symbol, line.expression, lean(line.expression, self.order))
            except UnsaidError as error:
                yield LeanValue(line.symbol, line.expression, None, str(error))

    def _lines(self) -> Iterator[Equation]:
        """The first line of each value: of the forward in normal form, of the definition, of a step."""
        given: set[str] = set()
        d = self.derivation
        first = [Equation(step.target, step.after if step.before is None else step.before) for step in self.steps]
        for line in (*d.forward.equations, *d.written.equations, *first):
            if line.symbol.name not in given:
                given.add(line.symbol.name)
                yield line
