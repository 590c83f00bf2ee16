"""Steps as theorems: what each says, the hypotheses that it needs, and a proof script. No Lean has run the scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy import Expr

from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.derivation import EVERY_D, Step
from lngen.derivation.differential import Differential
from lngen.extensions.lean.conditions import FEATURES, Conditioner, Conditions
from lngen.extensions.lean.notation import UnsaidError, lean, lean_name
from lngen.extensions.lean.values import LeanValues
from lngen.prove.every_size import NotShownError
from lngen.prove.printed import PrintedEquality, claims

SORRY = ("sorry",)
_NOT_ZERO = f"have {FEATURES}' : (D : ℝ) ≠ 0 := Nat.cast_ne_zero.mpr (by omega)"
_SOME = "haveI : NeZero D := ⟨by omega⟩"
_HELD = "t"
_USES = "it uses"


@dataclass(frozen=True)
class Theorem:
    """A statement with its hypotheses and indices, and the lines of its proof."""

    name: str
    says: str
    conditions: Conditions
    indices: str
    statement: str
    proof: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """Test whether the proof is missing."""
        return self.proof == SORRY


@dataclass(frozen=True)
class LeftOut:
    """A claim of a step that is not exported, and why."""

    says: str
    reason: str


@dataclass(frozen=True)
class _StatedEquality:
    """An equation to be exported; `opened` are the values whose definitions it rests on, None if it is not proved."""

    name: str
    says: str
    left: Expr
    right: Expr
    opened: tuple[TypedSymbol, ...] | None


class Theorems:
    """The theorems of a derivation's forward and gradients."""

    def __init__(self, values: LeanValues) -> None:
        self.values, self.names, self.conditioner = values, values.names, Conditioner(values)
        self._claims: dict[int, list[PrintedEquality]] = {}
        for claim in claims(values.derivation):
            if not claim.written and claim.part in ("forward", "backward"):
                self._claims.setdefault(claim.step, []).append(claim)

    def signs(self) -> Iterator[Theorem]:
        """Yield what is known of the sign of each defined value."""
        for value in self.values.definitions:
            if self.values.sign(value.symbol) is None or value.meaning is None:
                continue
            name, relation = self.conditioner.sign_lemma(value.symbol)
            proof = [f"unfold Values.{lean_name(value.symbol.name)}", *self.conditioner.positivity(value.meaning)]
            yield Theorem(
                name,
                f"The sign of {value.symbol.name}, from those of what it is made of",
                self.conditioner.base([value.symbol]),
                self.values.binders(value.symbol),
                f"0 {relation} {lean(value.symbol, self.values.order)}",
                (_SOME, *proof),
            )

    def all(self) -> list[Theorem | LeftOut]:
        """The theorems of the derivation in order: signs, steps, results; each has a name of its own."""
        found: list[Theorem | LeftOut] = [*self.signs()]
        for step in self.values.steps:
            found += self.of_step(step)
        found += self._results([each for each in found if isinstance(each, Theorem)])
        return [*_numbered(found)]

    def of_step(self, step: Step) -> Iterator[Theorem | LeftOut]:
        """Yield the theorems of a step: equations that it uses, its two sides, contributions, local derivatives."""
        uses: list[_StatedEquality] = []
        for claim in self._claims.get(step.number, ()):
            if claim.says == _USES:
                uses.append(self._claimed(step, claim, f"step_{step.number}_use_{len(uses) + 1}"))
                yield self._theorem(uses[-1])
        if step.before is not None:
            equality = _StatedEquality(
                f"step_{step.number}", f"{_about(step)}: {step.rule}", step.before, step.after, self._opened(step)
            )
            yield self._theorem(equality, uses)
        for claim in self._claims.get(step.number, ()):
            if claim.says != _USES and not claim.is_plain:
                word = claim.says.replace(" ", "_")
                found = self._theorem(self._claimed(step, claim, f"step_{step.number}_{word}"))
                if isinstance(found, LeftOut) or len(set(found.statement.split(" = "))) > 1:
                    yield found
        yield from self._slopes(step)

    def _results(self, theorems: Sequence[Theorem]) -> Iterator[Theorem]:
        """Yield for each gradient of several lines that its first line equals its last one, step by step."""
        by_name = {theorem.name: theorem for theorem in theorems}
        for _, gradient in self.values.derivation.gradients:
            steps = [step for step in self.values.steps if step.target == gradient and step.before is not None]
            taken = [by_name[name] for step in steps if (name := f"step_{step.number}") in by_name]
            if not steps or len(taken) < len(steps):
                continue
            conditions = Conditions({})
            for theorem in taken:
                conditions = conditions.joined(theorem.conditions)
            names = [" ".join([each.name, "s", *each.conditions.hypotheses]) for each in taken]
            value, last = (lean(e, self.values.order) for e in (gradient, steps[-1].after))
            yield Theorem(
                f"{gradient.name}_result",
                f"{gradient.name}: the first line equals the last one",
                Conditions(conditions.hypotheses),
                self.values.binders(gradient),
                f"{value} = {last}",
                (f"unfold Values.{lean_name(gradient.name)}", f"rw [{', '.join(names)}]"),
            )

    def _opened(self, step: Step) -> tuple[TypedSymbol, ...] | None:
        if step.evidence is None or step.evidence.grade != EVERY_D:
            return None
        given = {symbol.name: symbol for symbol in self.names.given}
        return tuple(given[name] for name in step.evidence.names)

    def _claimed(self, step: Step, claim: PrintedEquality, name: str) -> _StatedEquality:
        try:
            opened = self.values.every.step(replace(step, before=claim.left, after=claim.right))
        except NotShownError:
            opened = None
        return _StatedEquality(name, f"{_about(step)}: {claim.says}", claim.left, claim.right, opened)

    def _theorem(self, equality: _StatedEquality, used: Sequence[_StatedEquality] = ()) -> Theorem | LeftOut:
        values, opened = self.values.values, equality.opened or ()
        sides = equality.left, equality.right
        # What is not proved may rest on all that it is made of.
        for name in self.values.reached(sides) if equality.opened is None else [s.name for s in opened]:
            if values[name].is_field and values[name].meaning is not None:
                return LeftOut(equality.says, f"it rests on {name}: {values[name].reason}")
        read = [*sides, *(meaning for s in opened if (meaning := values[s.name].meaning) is not None)]
        uses = [use for use in map(self._theorem, used) if isinstance(use, Theorem)]
        read += [side for use in used for side in (use.left, use.right)] if len(uses) == len(used) else []
        try:
            left, right = (lean(side, self.values.order) for side in sides)
            conditions = self.conditioner.of(read)
        except UnsaidError as error:
            return LeftOut(equality.says, str(error))
        for use in uses:
            conditions = conditions.joined(use.conditions)
        statement, indices = f"{left} = {right}", self.values.binders(*sides)
        if equality.opened is None:
            return Theorem(equality.name, equality.says, conditions, indices, statement, SORRY)
        mentioned = {symbol.name for use in used for side in (use.left, use.right) for symbol in side.free_symbols}
        shown = [symbol.name for symbol in reversed(opened) if symbol.name not in mentioned]
        proof = [_NOT_ZERO, *[_SOME] * bool(conditions.facts), *conditions.facts, *_script(read, shown, uses)]
        return Theorem(equality.name, equality.says, conditions, indices, statement, tuple(proof))

    def _slopes(self, step: Step) -> Iterator[Theorem | LeftOut]:
        """Yield the derivatives that the chain rule takes in a step, of what is not linear in the operand."""
        lines = {equation.symbol: equation for equation in self.values.derivation.forward.equations}
        for sent in step.contributions:
            if sent.source == sent.target or sent.source not in lines:
                continue
            rule = Differential.of(lines[sent.source])
            slope = dict(rule.slopes()).get(sent.target)
            if slope is None or sent.target not in slope.free_symbols:
                continue
            says = f"{_about(step)}: the slope of {sent.source.name} in {sent.target.name}"
            try:
                body = lean(rule.body, self.values.order, {sent.target: _HELD})
                there, at = (lean(e, self.values.order) for e in (slope, sent.target))
                conditions = self.conditioner.of([rule.body, slope])
            except UnsaidError as error:
                yield LeftOut(says, str(error))
                continue
            yield Theorem(
                f"step_{step.number}_slope_of_{sent.source.name}",
                says,
                conditions,
                self.values.binders(rule.body),
                f"HasDerivAt (fun {_HELD} : ℝ => {body}) ({there}) ({at})",
                SORRY,
            )


def _numbered(found: Sequence[Theorem | LeftOut]) -> Iterator[Theorem | LeftOut]:
    """Yield what was found, a name that occurs again with a number."""
    taken: Counter[str] = Counter()
    for each in found:
        if isinstance(each, Theorem):
            taken[each.name] += 1
            again = taken[each.name]
            each = replace(each, name=f"{each.name}_{again}") if again > 1 else each
        yield each


def _about(step: Step) -> str:
    return f"Step {step.number}, {step.target.name}"


def _script(read: Sequence[Expr], opened: Sequence[str], uses: Sequence[Theorem]) -> Iterator[str]:
    """Yield the end of a proof: equations that are used and definitions, then the algebra of rows."""
    for number, use in enumerate(uses, 1):
        yield f"have u{number} := {' '.join([use.name, 's', *use.conditions.hypotheses])}"
    names = [f"u{number}" for number in range(1, len(uses) + 1)]
    names += [f"Values.{lean_name(name)}" for name in opened]
    if names:
        yield f"simp only [{', '.join(names)}]"
    if any(e.has(sympy.exp) for e in read):
        yield "try simp only [Real.exp_add, Real.exp_sub, Real.exp_neg]"
    yield "row_algebra"
