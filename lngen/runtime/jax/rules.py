# SPDX-License-Identifier: MIT
"""Rules of differentiation for the primitives of a layer, made from rules in which values may be None."""

from collections.abc import Callable, Sequence
from typing import Any

from .primitives import PrimitiveLayer, ad, bind, expanded, jax

Values = list[Any]


class DirectionCall:
    """Direction of a layer with Constants and groups of arguments; the linear arguments may be unknown."""

    def __init__(
        self,
        name: str,
        operands: Sequence[Any],
        layer: PrimitiveLayer,
        constants: Any,
        there: Sequence[bool],
        sampled: bool,
    ) -> None:
        self.name, self.layer, self.constants, self.there, self.sampled = name, layer, constants, there, sampled
        self.direction = layer.directions[name]
        self.groups = self.direction.groups(expanded(operands, there))
        self.fixed: tuple[Values, ...] = tuple(self.groups[:2])

    def like(self, values: Sequence[Any]) -> list[Values]:
        """Tangents or the like of the operands in groups, None for one that is zero or is not there."""
        return self.direction.groups(expanded(_or_none(values), self.there))

    def moved(self, of_inputs: Sequence[Any]) -> Values:
        return [of_inputs[number] for number in self.layer.directions.differentiable]

    def bind(self, name: str, *own: Sequence[Any]) -> Values:
        """Bind a direction, of the same inputs."""
        return bind(name, self.layer, self.constants, *self.fixed, *own, sampled=self.sampled)

    def results(self, values: Sequence[Any]) -> Values:
        """A value for each result of this call, given one for each that there can be."""
        pairs = zip(self.direction.results, values, strict=True)
        return [value for each, value in pairs if each.owner is None or self.there[each.owner]]

    def of_results(self, values: Sequence[Any]) -> Values:
        """Return a value for each possible result, given those of this call; None stands for zero."""
        there = [each.owner is None or self.there[each.owner] for each in self.direction.results]
        return expanded(_or_none(values), there)

    def of_operands(self, *groups: Sequence[Any] | None) -> Values:
        """Return a cotangent for each unknown linear operand, given those of the last groups."""
        cotangents: Values = [None] * (len(self.there) - sum(len(group) for group in self.groups[-len(groups) :]))
        for own, group in zip(groups, self.groups[-len(groups) :], strict=True):
            cotangents += [None] * len(group) if own is None else own
        values = [value for group in self.groups for value in group]
        found = []
        for value, cotangent, is_there in zip(values, cotangents, self.there, strict=True):
            if is_there:
                unknown = ad.is_undefined_primal(value)
                found.append(None if not unknown else _cotangent_like(value.aval, cotangent))
        return found


def _cotangent_like(aval: Any, cotangent: Any) -> Any:
    """Return the cotangent of an operand, summed over the samples that share the operand."""
    if cotangent is None:
        return ad.Zero(aval)
    return cotangent.sum(0) if cotangent.ndim > aval.ndim else cotangent


def _or_none(values: Sequence[Any]) -> Values:
    return [None if type(each) is ad.Zero else each for each in values]


def are_any(values: Sequence[Any]) -> bool:
    return any(each is not None for each in values)


def are_unknown(values: Sequence[Any]) -> bool:
    return any(ad.is_undefined_primal(each) for each in values if each is not None)


def total(*terms: Sequence[Any]) -> Values:
    """Terms entry by entry, where None is zero."""
    first, *others = terms
    found = list(first)
    for term in others:
        pairs = zip(found, term, strict=True)
        found = [b if a is None else a if b is None else a + b for a, b in pairs]
    return found


def _with_zeros(made: Sequence[Any], tangents: Sequence[Any] | None) -> Values:
    """Return tangents of results, with zeros for those that are None or missing."""
    tangents = tangents or []
    tangents = [*tangents, *[None] * (len(made) - len(tangents))]
    return [
        ad.Zero(jax.typeof(value).to_tangent_aval()) if tangent is None else tangent
        for value, tangent in zip(made, tangents, strict=True)
    ]


def moving(
    name: str, tangents_of: Callable[[DirectionCall, list[Values], Values], Values | None]
) -> Callable[..., Any]:
    """The rule of a direction for tangents; `tangents_of` a call, the tangents in groups and the results has a tangent
    or None for each of the first results that there can be.
    """

    def rule(primals: Any, tangents: Any, **settings: Any) -> tuple[Values, Values]:
        call = DirectionCall(name, primals, **settings)
        made = bind(name, call.layer, call.constants, *call.groups, sampled=call.sampled)
        found = tangents_of(call, call.like(tangents), made)
        own = None if found is None else call.results([*found, *[None] * (len(made) - len(found))])
        made = call.results(made)
        return made, _with_zeros(made, own)

    return rule


def transposed(name: str, cotangents_of: Callable[[DirectionCall, Values], Sequence[Any]]) -> Callable[..., Values]:
    """Return the rule of a direction for cotangents.

    `cotangents_of` takes a call and the cotangents of its results. It returns cotangents for each of the last groups of
    arguments, None for one that is not needed.
    """

    def rule(cotangents: Any, *operands: Any, **settings: Any) -> Values:
        call = DirectionCall(name, operands, **settings)
        found = call.of_results(cotangents)
        return call.of_operands(*(cotangents_of(call, found) if are_any(found) else (None,)))

    return rule
