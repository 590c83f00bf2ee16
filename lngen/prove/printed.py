"""Claims of the printed lines of a derivation, besides the two sides of a rewrite.

A report prints contributions of the chain rule, first appearances of names, equations that a step uses, and identities
of the definition. It also reads as one chain, from the first line of a name to the emitted line. Each of these is an
equality, and is listed here, so that it is shown as rewrites are.

The chain rule is checked line by line. The cotangents of a value's readers have names by then, so that their
contributions to it are one application of `lngen.derivation.vjp`, with these names as unknowns. The value's own
cotangent follows in the same way, up to the gradients. Tangents go the other way.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import D, FeatureSum, Mean, TypedSymbol
from lngen.derivation.derivation import Derivation, Direction, Step
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import moves
from lngen.derivation.short_lines import in_short_lines
from lngen.derivation.vjp import Contribution, contributions, summed


@dataclass(frozen=True)
class PrintedEquality:
    """Claim of a printed line that two expressions are equal; the right one is the reference.

    `step` is the number of that line; 0 for an output or an identity of the definition, which `about` tells apart.
    `opened` are names that the two sides need not share. `written` means that the right side has the definition's own
    values, and the left one those of the normal form, which may have the same names.
    """

    step: int
    part: Direction
    says: str
    left: Expr
    right: Expr
    opened: frozenset[TypedSymbol] = frozenset()
    written: bool = False
    about: str = "steps"

    @property
    def is_plain(self) -> bool:
        """Test whether both sides are one expression already."""
        return not self.written and self.left == self.right


def claims(derivation: Derivation) -> tuple[PrintedEquality, ...]:
    """All claims of a derivation beside its rewrites, in the order in which they are printed.

    >>> from lngen.derivation.gradients import derive
    >>> from lngen.language.parsing import parse
    >>> for claim in claims(derive(parse("def f(x: Row): return x*mean(x)"))):
    ...     print(claim.step, claim.says, claim.left, "=", claim.right)
    0 y y = y
    2 the definition x*Mean(x) = y
    3 through y FeatureSum(dy*x) = D*Mean(dy*x)
    4 through y mu*dy = mu*dy
    5 through mu dmu/D = dmu/D
    """
    d = derivation
    found = [*_of_the_definition(d)]
    for direction, derivative in d.derivatives().items():
        found += _of_chains(derivative.steps, [*d.forward.equations, *d.backward, *derivative.equations])
        steps = [step for step in derivative.steps if step.part == direction]
        found += _of_gradients(d, steps)
        if direction == "jvp":
            found += _tangents(d, steps)
        elif direction == "backward":
            own = dict(zip(d.forward.outputs, map(d.forward.cotangent, d.forward.outputs), strict=True))
            found += _cotangents(d.forward.equations, dict(d.gradients), own, steps)
        else:
            own = dict(zip((gradient for _, gradient in d.gradients), derivative.arguments, strict=True))
            inputs = (*d.forward.differentiable, *d.adjoint.cotangents)
            results = dict(zip(inputs, (symbol for _, symbol in derivative.results), strict=True))
            found += _cotangents(_lines(d, steps), results, own, steps)
    return tuple(sorted(found, key=lambda claim: claim.step))


def _of_the_definition(d: Derivation) -> Iterator[PrintedEquality]:
    """Yield the claims of the definition: outputs, identities, and the first line of each value with a statement."""
    for name, value, plain in zip(d.definition.outputs, d.forward.outputs, d.written.outputs, strict=True):
        yield PrintedEquality(0, "forward", d.definition.public(name), value, plain, written=True, about="outputs")
    for _, left, right in d.identities:
        yield PrintedEquality(0, "backward", f"{left} = {right}", left, right, about="identities")
    in_normal_form = {q.symbol for q in d.forward.equations}
    said = {q.symbol.name: q.symbol for q in d.written.equations if q.named or q.symbol not in in_normal_form}
    for step in (step for step in d.steps if step.part == "forward"):
        symbol = said.pop(step.target.name, None)
        if symbol is not None:
            first = step.after if step.before is None else step.before
            yield PrintedEquality(step.number, "forward", "the definition", first, symbol, written=True)


def _of_chains(steps: Sequence[Step], equations: Iterable[Equation]) -> Iterator[PrintedEquality]:
    """Claims that each step goes on where the last one of its target ended, up to the emitted line; equations used."""
    last: dict[TypedSymbol, Step] = {}
    for step in steps:
        for left, right in step.uses:
            yield PrintedEquality(step.number, step.part, "it uses", left, right)
        earlier = last.get(step.target)
        if earlier is not None:
            start = step.after if step.before is None else step.before
            yield from _unless_plain(PrintedEquality(step.number, step.part, "it goes on", earlier.after, start))
        last[step.target] = step
    for equation in equations:
        if equation.symbol in last:
            end = last[equation.symbol]
            claim = PrintedEquality(
                end.number, end.part, "the emitted line", _means(end.after), _means(equation.expression)
            )
            yield from _unless_plain(claim)


def _of_gradients(d: Derivation, steps: Iterable[Step]) -> Iterator[PrintedEquality]:
    """Yield the claim that each gradient printed a second time equals its derivation."""
    derived = {q.symbol: q.expression for q in d.backward}
    for step in steps:
        if step.rule == "gradient" and step.target in derived:
            again = _means(step.after), _means(derived[step.target])
            yield PrintedEquality(step.number, step.part, "as derived above", *again)


def _unless_plain(claim: PrintedEquality) -> Iterator[PrintedEquality]:
    if not claim.is_plain:
        yield claim


def _means(e: Expr) -> Expr:
    """Sums as rules work on them: multiples of means."""
    return e.replace(FeatureSum, lambda body: D * Mean(body))


# ---- the chain rule


def _cotangents(
    equations: Sequence[Equation],
    results: Mapping[TypedSymbol, TypedSymbol],
    own: Mapping[TypedSymbol, TypedSymbol],
    steps: Sequence[Step],
) -> Iterator[PrintedEquality]:
    """Yield claims of the steps of a reverse pass, from the cotangents of outputs to those of the inputs."""
    story = _Story(steps, own)
    sent: dict[TypedSymbol, list[Contribution]] = {
        symbol: [Contribution(symbol, symbol, e)] for symbol, e in own.items()
    }
    for equation in reversed(equations):
        bar = yield from story.collected(equation.symbol, sent.get(equation.symbol, ()))
        for contribution in contributions(equation, bar) if bar != 0 else ():
            sent.setdefault(contribution.target, []).append(contribution)
    for symbol, result in results.items():
        yield from story.collected(symbol, sent.get(symbol, ()))
        yield from (
            PrintedEquality(step.number, step.part, "nothing reaches it", step.after, summed(sent.get(symbol, ())))
            for step in steps
            if step.target == result and step.before is None and step.after == 0
        )


def _tangents(d: Derivation, steps: Sequence[Step]) -> Iterator[PrintedEquality]:
    """Claims of the steps of a forward pass."""
    assert d.jvp is not None
    story = _Story(steps, {})
    known: dict[TypedSymbol, Expr] = dict(zip(d.forward.differentiable, d.jvp.arguments, strict=True))
    for equation in _lines(d, steps):
        moved = yield from story.collected(equation.symbol, moves(equation, known))
        if moved != 0:
            known[equation.symbol] = moved


def _lines(d: Derivation, steps: Sequence[Step]) -> tuple[Equation, ...]:
    """Return the equations that a direction differentiates: the forward's, in short lines if printed so.

    A gradient that only passes on a contribution has no line of its own there.
    """
    told = {step.target: Equation(step.target, _means(step.after)) for step in steps if _is_line(step)}
    short = in_short_lines(d.forward).equations
    parts = {q.symbol for q in short} - {q.symbol for q in d.forward.equations}
    layer = short if parts & told.keys() else d.forward.equations
    lines = [*layer, *(line for symbol, line in told.items() if symbol not in parts)]
    if not any(step.part == "backward_backward" for step in steps):
        return tuple(lines)
    whole = backward_as_forward(d.forward, d.adjoint.cotangents, d.backward, d.gradients).forward
    known = {q.symbol for q in lines}.union(whole.symbols)
    handed = (q for q in whole.equations if q.symbol in whole.outputs and q.symbol not in known)
    return (*lines, *(q for q in handed if q.expression.free_symbols - {D} <= known))


def _is_line(step: Step) -> bool:
    return step.rule in ("gradient", "name") and step.before is None


class _Story:
    """The steps in which cotangents or tangents are collected, by the value that they are of."""

    def __init__(self, steps: Sequence[Step], own: Mapping[TypedSymbol, TypedSymbol]) -> None:
        self._own = own
        self._steps: dict[TypedSymbol, list[Step]] = {}
        self._last = {step.target: step.after for step in steps}
        for step in steps:
            if step.contributions:
                self._steps.setdefault(step.contributions[0].target, []).append(step)

    def collected(self, value: TypedSymbol, sent: Sequence[Contribution]) -> Generator[PrintedEquality, None, Expr]:
        """Yield the claims of a value's steps; return the name of all contributions to it, or their sum.

        A step may collect a part of the contributions, on which a later one builds. A step on which no later one builds
        collects all.
        """
        steps = self._steps.get(value, ())
        sources = frozenset(c.source for c in sent)
        taken = {c.expression for step in steps for c in step.contributions if c.source == c.target}
        parts: dict[Expr, frozenset[TypedSymbol]] = {}
        whole: Expr | None = None
        for step in steps:
            named = frozenset(c.source for c in step.contributions if c.source != c.target)
            covered = named
            for told in step.contributions:
                if told.expression in parts and told.source == value:
                    covered |= parts[told.expression]
                    continue
                ways, says = frozenset({told.source}), f"through {told.source}"
                if told.source == value:
                    ways, says = ways if told.expression == self._own.get(value) else sources - named, "it has"
                covered |= ways
                yield PrintedEquality(
                    step.number, step.part, says, told.expression, _from(ways, sent), frozenset({told.source})
                )
            yield from _unless_plain(
                PrintedEquality(step.number, step.part, "their sum", step.after, summed(step.contributions))
            )
            parts[step.target] = covered
            if covered >= sources:
                whole = step.target
            elif step.target not in taken:
                left_out = _from(sources - covered, sent)
                yield PrintedEquality(step.number, step.part, "nothing is left out", left_out, sympy.S.Zero)
        if whole is None:
            return summed(sent)
        return sympy.S.Zero if self._last[whole] == 0 else whole


def _from(sources: Collection[TypedSymbol], sent: Iterable[Contribution]) -> Expr:
    return summed(c for c in sent if c.source in sources)
