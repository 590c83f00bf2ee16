"""Directions of a layer as functions: their cases, their lowering, and the arguments for which None becomes zeros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lngen.algebra.symbols import Axes, FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol
from lngen.emit.interface import PublicInterface, moved
from lngen.emit.numpy.body import DirectionBody
from lngen.emit.numpy.lowering import lower
from lngen.emit.numpy.naming import LocalNames, names_of
from lngen.emit.numpy.presence import Cases
from lngen.emit.spelling import belongs_to, gradient, tangent
from lngen.plan.program import RowProgram

MOST_FOLLOWED = 8
"""Arguments that may be None beyond so many are filled with zeros: each makes the conditions longer."""

_AXES = {"Row": RowSymbol, "RowScalar": RowScalarSymbol, "Feature": FeatureSymbol, "Scalar": ScalarSymbol}


@dataclass(frozen=True)
class DirectionFunction:
    """A direction, lowered."""

    program: RowProgram
    body: DirectionBody


def direction_function(
    program: RowProgram,
    layer: PublicInterface,
    groups: Mapping[str, Sequence[str]],
    results: Sequence[str],
    residuals: Sequence[RowScalarSymbol] = (),
) -> DirectionFunction:
    """Lower a direction. `groups` has the values of each parameter, and `residuals` are as in `lower`.

    Any optional input may be None, any cotangent of several, but not all, and so may the
    arguments that the direction is linear in. One of those whose input is absent has to be None.
    """
    loaded = {row.name for row in program.rows} | {parameter.name for parameter in program.parameters}
    cotangents = [output.derivative.name for output in layer.outputs]
    order = moved(program, layer)
    optional = [name for name in layer.optional if name in loaded or gradient(name) in results]
    given_up = [name for name in cotangents if name in loaded and len(cotangents) > 1]
    linear = [name for name in order if name in loaded]
    room = max(MOST_FOLLOWED - len(optional) - len(given_up), 0)
    followed, filled = linear[:room], linear[room:]
    implied = tuple((name, order[name].name) for name in followed if order[name].name in optional)
    groups_of = [tuple(given_up)] if given_up and len(given_up) == len(cotangents) else []
    groups_of += [tuple(followed)] if followed and len(followed) == len(order) else []
    names = names_of(program, results)
    known = (*optional, *given_up, *followed)
    cases = Cases(known, _variables(program, optional, results, names), tuple(groups_of), implied)
    is_forward = program.direction == "forward"
    wanted = {name: cases.everything & cases.present("" if is_forward else belongs_to(name)) for name in results}
    computed = {name for store in program.results for name in store.names} | {symbol.name for symbol in program.saved}
    kinds = {given.derivative.name: given.kind for given in layer.inputs}
    for output in layer.outputs:
        kinds |= dict.fromkeys((gradient(output.derivative.name), tangent(output.name)), output.kind)
    zeros: dict[str, Axes] = {name: _AXES[kinds[name]].varies for name in results if name not in computed}
    schedule = lower(program, cases, wanted, residuals, zeros)
    return DirectionFunction(program, DirectionBody(schedule, names, wanted, groups, filled))


def _variables(
    program: RowProgram, optional: Sequence[str], results: Sequence[str], names: LocalNames
) -> tuple[tuple[str, str], ...]:
    """Map each argument to the variable that is None where the argument is absent."""
    found = {name: names.with_suffix(gradient(name), "out") for name in optional if gradient(name) in results}
    found |= {row.name: names.parameter(row.name, True) for row in program.rows if row.origin != "saved output"}
    found |= {parameter.name: names.own(parameter.name) for parameter in program.parameters}
    return tuple(found.items())
