"""JVP and double backward for NumPy: their cases, and their lowering.

Both are linear in several arguments, any of which may be None. Their cases are those of the optional inputs and of
these arguments. An argument whose input is absent has to be None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lngen.backends.interface import PublicInput, PublicInterface, moved
from lngen.backends.numpy.body import Body, body
from lngen.backends.numpy.lowering import lower
from lngen.backends.numpy.presence import Cases
from lngen.backends.spelling import belongs_to, gradient
from lngen.expressions.symbols import RowScalarSymbol
from lngen.plan.presence import NEVER, Condition
from lngen.plan.program import RowProgram, Store, moved_name

MOST_FOLLOWED = 8
"""Arguments that may be None beyond so many are filled with zeros: each makes the conditions longer."""


@dataclass(frozen=True)
class Linear:
    """One argument that a direction is linear in: `ddx` belongs to the input `x`; `filled` says None becomes zeros."""

    name: str
    public: str
    of: PublicInput
    filled: bool


@dataclass(frozen=True)
class LinearDirection:
    """Direction beyond forward and backward, lowered; `cases` are those of `body`."""

    program: RowProgram
    arguments: tuple[Linear, ...]
    cases: Cases
    body: Body

    @property
    def filled(self) -> list[Linear]:
        """The arguments for which None becomes zeros."""
        return [argument for argument in self.arguments if argument.filled]


def linear_direction(
    program: RowProgram, layer: PublicInterface, cotangents: Sequence[str], residuals: Sequence[RowScalarSymbol]
) -> LinearDirection:
    """Lower a direction; `cotangents` are those that may be None, `residuals` as in `lower`."""
    loaded = {row.name for row in program.rows} | {parameter.name for parameter in program.parameters}
    order = moved(program, layer)
    results = {name for store in program.results for name in store.names}
    optional = [name for name in layer.optional if name in loaded or gradient(name) in results]
    given_up = [name for name in cotangents if name in loaded]
    followed = [name for name in order if name in loaded]
    room = max(MOST_FOLLOWED - len(optional) - len(given_up), 0)
    arguments = tuple(
        Linear(name, moved_name(program.direction, of.public), of, name in followed[room:])
        for name, of in order.items()
    )
    followed = followed[:room]
    known = [*optional, *given_up, *followed]
    implied = tuple((name, order[name].name) for name in followed if order[name].name in optional)
    groups = [tuple(given_up)] if given_up and len(given_up) == len(cotangents) else []
    groups += [tuple(followed)] if len(followed) == len(order) else []
    cases = Cases(tuple(known), _tests(program, optional, results), (), tuple(groups), implied)
    given = {}
    for store in program.results:
        for name in store.names:
            given[name] = cases.everything & cases.present(belongs_to(name))
    schedule = lower(program, cases, residuals)
    return LinearDirection(program, arguments, cases, body(schedule, by_event(program.results, given), given))


def _tests(program: RowProgram, optional: Sequence[str], results: set[str]) -> tuple[tuple[str, str], ...]:
    tests = {name: f"{gradient(name)}_out is not None" for name in optional if gradient(name) in results}
    tests |= {row.name: f"{row.name}_rows is not None" for row in program.rows if row.origin != "saved output"}
    tests |= {parameter.name: f"{parameter.name} is not None" for parameter in program.parameters}
    return tuple(tests.items())


def by_event(results: Sequence[Store], given: dict[str, Condition]) -> dict[str, Condition]:
    """The cases in which a store is wanted: those in which one of its names is."""
    wanted = {}
    for store in results:
        wanted[store.names[0]] = NEVER
        for name in store.names:
            wanted[store.names[0]] |= given[name]
    return wanted
