"""The derivation as a value: what is printed, and what the code is emitted from.

A `Derivation` is the list of steps from a definition to its gradients. Each step names its rule and its reason and
holds the expression before and after; the last line of each quantity is the one that is planned and emitted. There is
no second derivation for show. The unsimplified adjoint is kept beside it and compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sympy import Expr

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.vjp import Adjoint, Contribution
from lngen.language.definition import Definition

Direction = Literal["forward", "backward", "jvp", "backward_backward"]


EVERY_D = "exact at every D"
FIFTY = "50 digits"
NONE = "none"
"""Grades of evidence, each in words that mean one thing.

*Exact at every D*: the difference of both sides is zero in the algebra of row expressions, whatever the number of
features. *50 digits*: both sides were computed to 50 digits at random points, and agree. *None*: no evidence was found.
"""

QUOTIENTS = "gradients by difference quotients"
"""Subject of evidence that moves the definition by a little, and asks no derivative."""


@dataclass(frozen=True)
class StepEvidence:
    """Evidence for the equality of a step.

    `names` are the equations that the proof opened. `digits` is the number of equal digits if the sides were compared
    as numbers, and `reason` says why there is no better proof.
    """

    grade: str
    names: tuple[str, ...] = ()
    digits: int | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """The grade, with the digits that it stands for."""
        return f"both sides agree to {self.digits} of 50 digits" if self.digits is not None else self.grade


@dataclass(frozen=True)
class Step:
    """One line of a derivation: a name's first appearance, or a rewrite of what it stands for.

    In a rewrite `before` and `after` are equal, given the steps before it and `uses`, equations that hold: what was
    put in another one's place, an identity. A first appearance has no `before`: an equation of the definition, a name
    given to an expression, or, where there are `contributions`, a step of the chain rule, whose `after` is their sum.

    `rule` is a name in `lngen.derivation.rules`. `evidence` says how the two sides of a rewrite were seen to be equal
    (None before `lngen.prove` looked).
    """

    number: int
    part: Direction
    rule: str
    target: TypedSymbol
    before: Expr | None
    after: Expr
    reason: str
    operations_before: int | None
    operations_after: int
    contributions: tuple[Contribution, ...] = ()
    uses: tuple[tuple[Expr, Expr], ...] = ()
    evidence: StepEvidence | None = None

    @property
    def read(self) -> set[TypedSymbol]:
        """The symbols in the step, besides its target."""
        sides = [self.after] if self.before is None else [self.before, self.after]
        sides += [side for sent in self.contributions for side in (sent.expression, sent.source)]
        return set().union(*(side.free_symbols for side in sides))


@dataclass(frozen=True)
class Proof:
    """Evidence for a whole derivation: what was shown, and how, `kind` being a grade.

    `about` names its subjects, in the plural, and `count` is their number.
    """

    kind: str
    statement: str
    passed: bool
    about: str = ""
    count: int = 1

    @property
    def claimed(self) -> bool:
        """Test whether anything was shown; otherwise the proof counts neither for the derivation nor against it."""
        return self.kind != NONE

    @property
    def outcome(self) -> str:
        """Return the outcome in a word: `ok`, `FAILED`, or `open` if nothing is claimed."""
        return "FAILED" if not self.passed else "ok" if self.claimed else "open"


@dataclass(frozen=True)
class Derivative:
    """The gradients, the JVP or the double backward.

    `arguments` are what it is linear in besides cotangents of the outputs, one per differentiable input: tangents, or
    cotangents of the gradients. `equations` lead from them, and from values of the forward, to `results`: pairs of a
    name and its symbol. They are the simplified ones. The `steps` of the JVP and the double backward go on where those
    of the derivation end. A line of the VJP that the double backward reads is among the equations.
    """

    arguments: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    results: tuple[tuple[str, TypedSymbol], ...]
    steps: tuple[Step, ...]
    note: str = ""


@dataclass(frozen=True)
class Derivation:
    """A definition, its forward in normal form, its gradients, and every step between.

    `backward` are the equations of the gradients, from cotangents to results, in order of computation; their right-hand
    sides hold reductions. `gradients` pairs each differentiable input with the symbol of its gradient. `identities` are
    equations that follow from the definition's reductions in the chosen bases, such as `mean(xhat) = 0`. `jvp` and
    `backward_backward` are None until `lngen.derivation.second_order` derives them.
    """

    definition: Definition
    written: Forward
    forward: Forward
    adjoint: Adjoint
    backward: tuple[Equation, ...]
    gradients: tuple[tuple[TypedSymbol, TypedSymbol], ...]
    identities: tuple[tuple[TypedSymbol, Expr, Expr], ...]
    steps: tuple[Step, ...]
    proofs: tuple[Proof, ...] = ()
    jvp: Derivative | None = None
    backward_backward: Derivative | None = None

    @property
    def bases(self) -> tuple[TypedSymbol, ...]:
        """The row values that the gradients were written in."""
        return tuple(dict.fromkeys(symbol for symbol, _, _ in self.identities))

    def step_of(self) -> Mapping[str, int]:
        """The number of the last step that wrote each symbol, by name."""
        return {step.target.name: step.number for step in self.steps}

    def derivatives(self) -> dict[Direction, Derivative]:
        """All that is derived from the forward, in one form, in the order in which it is planned."""
        gradients = tuple((gradient.name, gradient) for _, gradient in self.gradients)
        found: dict[Direction, Derivative | None] = {
            "backward": Derivative((), self.backward, gradients, self.steps),
            "jvp": self.jvp,
            "backward_backward": self.backward_backward,
        }
        return {direction: derivative for direction, derivative in found.items() if derivative is not None}
