"""Hypotheses of a theorem, and the facts that its proof begins with: what the prover knows of signs and of divisors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Pow

from lngen.algebra.symbols import NOTHING, D, SumRows, TypedSymbol, axes
from lngen.extensions.lean.notation import FEATURE, ROW, lean, lean_name
from lngen.extensions.lean.values import LeanValues

FEATURES = "hD"
"""Name of the hypothesis about the number of features."""


@dataclass(frozen=True)
class Conditions:
    """Hypotheses by name, and the lines that bring facts into a proof."""

    hypotheses: dict[str, str]
    facts: tuple[str, ...] = ()

    @property
    def binders(self) -> str:
        """The hypotheses as binders."""
        return "".join(f" ({name} : {says})" for name, says in self.hypotheses.items())

    def joined(self, other: Conditions) -> Conditions:
        """Return these, and the hypotheses of others."""
        return Conditions(self.hypotheses | other.hypotheses, self.facts)


class Conditioner:
    """Finds the conditions of statements; a divisor has one name in all of them."""

    def __init__(self, values: LeanValues) -> None:
        self.values = values
        self._numbers: dict[Expr, int] = {}

    def of(self, read: Sequence[Expr]) -> Conditions:
        """The conditions of what is read: its divisors are not zero, and what its roots are taken of is not negative.

        A sign that the prover knows is a fact, which the positivity of given values implies; others are hypotheses.
        """
        known: list[Expr] = []
        open_: dict[str, str] = {}
        facts: list[str] = []
        for base, divides in _bases(read).items():
            number = self._numbers.setdefault(base, len(self._numbers) + 1)
            sign, term = self.values.names.sign(base), lean(base, self.values.order)
            root = any(power.base == base for e in read for power in e.atoms(Pow) if _is_root(power))
            quantified = for_all(self.values.binders(base))
            if sign is not None:
                known.append(base)
                instance = not axes(base).features and not any(e.has(SumRows) for e in read)
                facts += self._fact(base, f"k{number}", term, sign, "" if instance else quantified, root)
            elif root:
                open_[f"r{number}"] = f"{quantified}0 ≤ {term}"
            if divides and sign != 1:
                open_[f"h{number}"] = f"{quantified}{term} ≠ 0"
        return Conditions(self.base(known).hypotheses | open_, tuple(facts))

    def base(self, known: Iterable[Expr]) -> Conditions:
        """The hypotheses that the signs of expressions rest on: the smallest D, and signs of given values."""
        found = {FEATURES: f"{self.values.derivation.definition.minimum_features} ≤ D"}
        for value in self.values.given_signs(known):
            relation = "<" if self.values.sign(value.symbol) == 1 else "≤"
            term = lean(value.symbol, self.values.order)
            found[f"h_{value.symbol.name}"] = f"{for_all(self.values.binders(value.symbol))}0 {relation} {term}"
        return Conditions(found)

    def sign_lemma(self, symbol: TypedSymbol) -> tuple[str, str]:
        """The name of the theorem about the sign of a value, and the relation that it states."""
        return (f"{symbol.name}_pos", "<") if self.values.sign(symbol) == 1 else (f"{symbol.name}_nonneg", "≤")

    def positivity(self, e: Expr) -> list[str]:
        """The lines that end a proof about the sign of an expression, whose indices are at hand.

        The signs of its values are brought in for these indices. A value inside a sum is opened instead, for
        `positivity` asks for no facts about all features.
        """
        opened, lines = self._opened(e, axes(e).features)
        unfolded = [f"Values.{lean_name(name)}" for name in opened]
        return [*lines, *[f"simp only [{', '.join(unfolded)}]"] * bool(unfolded), "positivity"]

    def _opened(self, e: Expr, features: bool) -> tuple[list[str], list[str]]:
        opened: list[str] = []
        lines: list[str] = []
        for symbol in sorted(e.free_symbols, key=lambda s: str(s.name)):
            value = self.values.values.get(symbol.name)
            if value is None or self.values.sign(symbol) is None:
                continue
            if axes(symbol).features and not features and value.meaning is not None and not value.is_field:
                inner, brought = self._opened(value.meaning, features)
                opened += [symbol.name, *inner]
                lines += brought
            elif value.is_field and axes(symbol) != NOTHING:
                lines.append(f"have := h_{symbol.name}{_at(symbol)}")
            elif not value.is_field:
                passed = self.base([symbol]).hypotheses
                lines.append(" ".join(["have :=", self.sign_lemma(symbol)[0], "s", *passed]) + _at(symbol))
        return list(dict.fromkeys(opened)), list(dict.fromkeys(lines))

    def _fact(self, base: Expr, name: str, term: str, sign: int, quantified: str, root: bool) -> Iterator[str]:
        names = indices(quantified)
        steps = [f"intro {names}"] * bool(names) + self.positivity(base)
        yield f"have {name} : {quantified}0 {'<' if sign else '≤'} {term} := by {'; '.join(steps)}"
        if sign:
            of_each = f"fun {names} => ({name} {names}).ne'" if names else f"{name}.ne'"
            yield f"have {name}' : {quantified}{term} ≠ 0 := {of_each}"
        if sign and root and not names:
            yield f"have {name}_root : Real.sqrt ({term}) ≠ 0 := (Real.sqrt_pos.mpr {name}).ne'"
            yield f"have {name}_square : Real.sqrt ({term}) ^ 2 = {term} := Real.sq_sqrt {name}.le"


def _at(symbol: TypedSymbol) -> str:
    varies = axes(symbol)
    return f" {ROW}" * varies.rows + f" {FEATURE}" * varies.features


def _is_root(power: Pow) -> bool:
    return bool(power.exp.is_Rational and power.exp.q % 2 == 0)


def _bases(read: Iterable[Expr]) -> dict[Expr, bool]:
    """Divisors, and values under a root or in a logarithm, in order; True where one must not be zero."""
    found: dict[Expr, bool] = {}
    for e in read:
        for part in sympy.preorder_traversal(e):
            if isinstance(part, (Pow, sympy.log)) and part.args[0] != D and not part.args[0].is_number:
                divides = isinstance(part, sympy.log) or bool(part.exp.is_negative)
                if divides or not part.exp.is_integer:
                    found[part.args[0]] = found.get(part.args[0], False) or divides
    return found


def for_all(binders: str) -> str:
    """A statement's beginning for all indices."""
    return f"∀{binders}, " if binders else ""


def indices(quantified: str) -> str:
    """The names of the indices that a statement is about."""
    return " ".join(name for name in (ROW, FEATURE) if f"({name} :" in quantified)
