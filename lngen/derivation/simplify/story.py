"""The steps of a derivation in the order in which they are read: what a value needs before it, the rest of it after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.derivation import Step
from lngen.derivation.simplify.trail import leading_steps


def as_read(
    steps: Sequence[Step], results: Iterable[TypedSymbol], equations: Iterable[Equation], first: int = 1
) -> tuple[Step, ...]:
    """Return the steps that lead to the equations, in reading order, numbered from `first`."""
    leading = leading_steps([q.symbol for q in equations], steps)
    return tuple(replace(step, number=number) for number, step in enumerate(in_reading_order(leading, results), first))


def in_reading_order(steps: Sequence[Step], results: Iterable[TypedSymbol]) -> tuple[Step, ...]:
    """The steps of the forward, then those of each result with what they need before them; zeros come first.

    >>> from lngen.derivation.simplify.trail import Trail
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
