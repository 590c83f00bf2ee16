"""The steps of a derivation, as they are taken."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.reductions import identity_shown, show_sums
from lngen.algebra.symbols import TypedSymbol, operation_count, whole
from lngen.derivation.derivation import Direction, Step
from lngen.derivation.vjp import Contribution, summed

UNSIMPLIFIED = "unsimplified"
"""The rule of a step that gives up: right, only longer. The audit lists them."""


Uses = Iterable[tuple[Expr, Expr]]

_NAME = re.compile(r"[A-Za-z]\w*")


class Trail:
    """Collects steps and numbers them. `derivative` is what its rules for what is derived from a forward work on."""

    def __init__(self, derivative: Direction = "backward") -> None:
        self.steps: list[Step] = []
        self.derivative = derivative

    def add(
        self,
        part: Direction,
        rule: str,
        target: TypedSymbol,
        before: Expr | None,
        after: Expr,
        reason: str,
        *,
        uses: Uses = (),
        contributions: Iterable[Contribution] = (),
    ) -> None:
        """Append a step, unless it changed nothing, or says again where a value comes from."""
        shown = None if before is None else _shown(before)
        after = _shown(after)
        if shown == after:
            return
        if shown is None and any(step.target == target and step.after == after for step in self.steps):
            return
        self.steps.append(
            Step(
                1 + len(self.steps),
                part,
                rule,
                target,
                shown,
                after,
                reason,
                None if shown is None else operation_count(shown),
                operation_count(after),
                tuple(replace(c, expression=_shown(c.expression)) for c in contributions),
                tuple(identity_shown(whole(left), whole(right)) for left, right in uses),
            )
        )

    def derived(
        self, rule: str, target: TypedSymbol, before: Expr | None, after: Expr, reason: str, *, uses: Uses = ()
    ) -> None:
        """Append a step of what is derived from the forward."""
        self.add(self.derivative, rule, target, before, after, reason, uses=uses)

    def chain_rule(
        self, target: TypedSymbol, contributions: Sequence[Contribution], reason: str, rule: str = "chain rule"
    ) -> Expr:
        """Append the step that collects contributions to a cotangent or a tangent, and return their sum."""
        total = summed(contributions)
        reason = reason if contributions else "no result depends on it"
        self.add(self.derivative, rule, target, None, total, reason, contributions=contributions)
        return total

    def written_out(self, target: TypedSymbol, before: Expr, after: Expr) -> None:
        """Append the step in which names of the chain rule are written out, each by what its own step says."""
        chain = {step.target: step.after for step in self.steps if step.contributions}
        gone: dict[TypedSymbol, None] = {}
        pending = [before]
        while pending:
            met = pending.pop(0).free_symbols & chain.keys() - after.free_symbols - gone.keys()
            for symbol in sorted(met, key=lambda symbol: symbol.name):
                gone[symbol] = None
                pending.append(chain[symbol])
        names = ", ".join(symbol.name for symbol in gone)
        self.derived("written out", target, before, after, f"with {names} written out" if gone else "multiplied out")

    def rename(self, names: Mapping[TypedSymbol, Expr]) -> None:
        """Rename symbols in all steps so far."""
        self.steps = [renamed(step, names) for step in self.steps]

    def under_names_of_results(
        self, names: Mapping[TypedSymbol, TypedSymbol], results: Collection[TypedSymbol]
    ) -> None:
        """Rename values to the results that they are, and what stands between the two and is no result itself.

        >>> from lngen.algebra.symbols import RowSymbol
        >>> g, z, x, dx = (RowSymbol(name) for name in ("g", "z", "x", "dx"))
        >>> trail = Trail()
        >>> for target, before, after in ((g, None, 2*x), (z, None, g), (z, g, x + x), (dx, None, z), (dx, z, 3*x - x)):
        ...     trail.derived("chain rule", target, before, after, "")
        >>> trail.under_names_of_results({g: dx}, [dx])
        >>> [(step.target, step.before, step.after) for step in trail.steps]
        [(dx, None, 2*x)]
        """
        every = dict(names)
        for step in self.steps:
            result = every.get(step.after) if isinstance(step.after, TypedSymbol) else None
            if step.before is None and result is not None and step.target not in results:
                every[step.target] = result
        self.rename(every)
        last: dict[TypedSymbol, Expr] = {}
        kept = []
        for step in self.steps:
            before = last.get(step.target) if step.before == step.target else step.before
            if step.after not in (step.target, before):
                kept.append(replace(step, before=before, operations_before=before and operation_count(before)))
                last[step.target] = step.after
        self.steps = kept


def _shown(expression: Expr) -> Expr:
    return show_sums(whole(expression))


def renamed(step: Step, names: Mapping[TypedSymbol, Expr]) -> Step:
    """A step with other symbols, in its reason too."""
    words = {old.name: new.name for old, new in names.items() if isinstance(new, TypedSymbol)}

    def new(expression: Expr) -> Expr:
        return expression.xreplace(names)

    def symbol(old: TypedSymbol) -> TypedSymbol:
        found = names.get(old)
        return found if isinstance(found, TypedSymbol) else old

    return replace(
        step,
        target=symbol(step.target),
        before=None if step.before is None else new(step.before),
        after=new(step.after),
        reason=_NAME.sub(lambda found: words.get(found[0], found[0]), step.reason),
        contributions=tuple(
            Contribution(symbol(c.source), symbol(c.target), new(c.expression)) for c in step.contributions
        ),
        uses=tuple((new(left), new(right)) for left, right in step.uses),
    )


def as_read(
    steps: Sequence[Step], results: Iterable[TypedSymbol], equations: Iterable[Equation], first: int = 1
) -> tuple[Step, ...]:
    """Return the steps that lead to the equations, in reading order, numbered from `first`."""
    leading = leading_steps([q.symbol for q in equations], steps)
    return tuple(replace(step, number=number) for number, step in enumerate(in_reading_order(leading, results), first))


def leading_steps(results: Iterable[TypedSymbol], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that lead to the results, and those that show that something is zero.

    A gradient that is a sum of what is read leads to them too: the cotangent of each is its own.
    """
    read = set(results)
    found: list[Step] = []
    for step in reversed(steps):
        if step.before is None and step.after == step.target:
            continue  # a result that took the place of the value it is
        passes_on = step.rule == "gradient" and step.after.is_Add and read.issuperset(step.after.args)
        is_zero = step.before is not None and step.after == 0
        if step.target in read or step.part == "forward" or passes_on or is_zero:
            found.append(step)
            read |= {step.target, *step.read}
    return found[::-1]


def in_reading_order(steps: Sequence[Step], results: Iterable[TypedSymbol]) -> tuple[Step, ...]:
    """The steps of the forward, then those of each result with what they need before them; zeros come first.

    >>> from lngen.derivation.trail import Trail
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, u, v, a, b = (RowSymbol(name) for name in ("x", "u", "v", "da", "db"))
    >>> trail = Trail()
    >>> for target, before, after in (u, None, x**2), (v, None, 2*x), (a, None, u + 1), (b, None, v), (u, x**2, x*x/1):
    ...     trail.derived("definition", target, before, after, "")
    >>> trail.derived("written out", a, u + 1, x**2 + 1, "")
    >>> [step.target for step in in_reading_order(trail.steps, [a, b])]
    [u, da, da, v, db]
    """
    forward = [step for step in steps if step.part == "forward"]
    rest = [step for step in steps if step.part != "forward"]
    of: dict[TypedSymbol, list[Step]] = {}
    for step in rest:
        of.setdefault(step.target, []).append(step)
    place = {symbol: number for number, symbol in enumerate(of)}
    zeros = [step.target for step in rest if step.before is not None and step.after == 0]
    found: list[Step] = []
    begun: set[TypedSymbol] = set()
    # Without recursion: a definition of many lines has values that need values a thousand deep.
    for root in (*zeros, *results, *of):
        stack = [iter([root])]
        pending: list[TypedSymbol | None] = [None]
        while stack:
            symbol = next(stack[-1], None)
            if symbol is None:
                stack.pop()
                done = pending.pop()
                found += of[done] if done is not None else ()
            elif symbol in of and symbol not in begun:
                begun.add(symbol)
                met = set().union(*(_speaks_of(step) for step in of[symbol])) & place.keys()
                stack.append(iter(sorted(met, key=place.__getitem__)))
                pending.append(symbol)
    return (*forward, *found)


def _speaks_of(step: Step) -> set[TypedSymbol]:
    return step.read.union(*(side.free_symbols for pair in step.uses for side in pair))
