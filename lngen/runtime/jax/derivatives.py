# SPDX-License-Identifier: MIT
"""Derivatives and transposes of the directions of a layer.

A jvp is linear in its tangents, and backward in its cotangents: each is the transpose of the other. The derivative of
backward along the inputs is backward_backward, which is its own transpose, since second derivatives are symmetric.
JAX's reverse mode is its forward mode transposed, and therefore needs no further kernel.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from ..protocol.casts import TARGETS
from ..protocol.interface import SHARED
from .primitives import PrimitiveLayer, bind, define, expanded, has_samples, jax, jnp
from .rules import DirectionCall, Values, are_any, are_unknown, moving, total, transposed


def _backward_along(call: DirectionCall, cotangents: Values, moved: Values, own: Values) -> Values:
    """Return the derivatives of gradients along tangents of the inputs and of the cotangents."""
    if are_any(cotangents) and are_any(moved):
        return call.bind("backward_along", cotangents, moved, own or [None] * len(cotangents))
    if are_any(own):
        return call.bind("backward", own)
    return [None] * len(moved)


def _second_tangent(call: DirectionCall, tangents: Values, moved: Values) -> Values:
    if are_any(tangents) and are_any(moved):
        return call.bind("second_tangent", tangents, moved)
    return [None] * len(call.layer.directions["jvp"].results)


def _kernel(name: str) -> Callable[..., Values]:
    def evaluate(
        platform: str, *operands: Any, layer: PrimitiveLayer, constants: Any, there: Sequence[bool], sampled: bool
    ) -> Values:
        kernels = layer.gpu if platform == "cuda" else layer.kernels
        made: Values = kernels.compute(name, expanded(operands, there), constants, sampled)
        return made

    return evaluate


# ---- forward


def _forward_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values | None:
    moved = call.moved(tangents[0])
    # Saved values have tangents too, which do not matter: other directions are differentiated along the inputs.
    call.fixed = call.groups[0], [made[number] for number in call.layer.directions.kept]
    if not are_any(moved):
        return None
    # Straight through a cast: a tangent has the type of its value, and an integer has none.
    pairs = zip(call.bind("jvp", moved), call.layer.directions["forward"].results, made, strict=False)
    return [
        tangent if each.cast is None else tangent.astype(value.dtype) if TARGETS[each.cast].digits else None
        for tangent, each, value in pairs
    ]


# ---- backward, linear in its cotangents


def _backward_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values:
    return _backward_along(call, call.groups[2], call.moved(tangents[0]), tangents[2])


# ---- jvp, linear in its tangents


def _jvp_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values:
    second = _second_tangent(call, call.groups[2], call.moved(tangents[0]))
    return total(second, call.bind("jvp", tangents[2])) if are_any(tangents[2]) else second


# ---- second derivatives, linear in all but the inputs


def _refuse_a_third(call: DirectionCall, tangents: list[Values]) -> None:
    if are_any(call.moved(tangents[0])):
        raise NotImplementedError(
            f"a third derivative of {call.layer} was asked for; layers are derived to the second order"
        )


def _backward_backward_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values:
    _refuse_a_third(call, tangents)
    _, _, cotangents, moved = call.groups
    _, _, of_cotangents, of_moved = tangents
    found = [*_backward_along(call, of_cotangents, moved, []), *[None] * len(cotangents)]
    if are_any(of_moved):
        found = total(found, call.bind("backward_backward", cotangents, of_moved))
    return found


def _backward_backward_transposed(call: DirectionCall, values: Values) -> Sequence[Any]:
    _, _, cotangents, moved = call.groups
    of_gradients, of_own = values[: len(moved)], values[len(moved) :]
    if are_unknown(cotangents):
        return _second_tangent(call, moved, of_gradients), None
    return None, _backward_along(call, cotangents, of_gradients, of_own)


def _backward_along_evaluated(platform: str, *operands: Any, **settings: Any) -> Values:
    call = DirectionCall("backward_along", operands, **settings)
    _, _, cotangents, moved, own = call.groups
    found = call.bind("backward_backward", cotangents, moved)[: len(moved)]
    if are_any(own):
        found = total(found, call.bind("backward", own))
    return call.results(found)


def _backward_along_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values:
    _refuse_a_third(call, tangents)
    _, _, cotangents, moved, _ = call.groups
    _, _, of_cotangents, of_moved, of_own = tangents
    first = _backward_along(call, of_cotangents, moved, [])
    return total(first, _backward_along(call, cotangents, of_moved, of_own))


def _backward_along_transposed(call: DirectionCall, values: Values) -> Sequence[Any]:
    _, _, cotangents, moved, own = call.groups
    if are_unknown(cotangents):
        of_own = call.bind("jvp", values) if are_unknown(own) else None
        return _second_tangent(call, moved, values), None, of_own
    made = call.bind("backward_backward", cotangents, values)
    of_moved, of_own = made[: len(moved)], made[len(moved) :]
    # One that has no cotangent, and moves all the same.
    if any(there is not None and value is None for there, value in zip(own, of_own, strict=True)):
        of_own = call.bind("jvp", values)
    return None, of_moved, of_own


def _second_tangent_evaluated(platform: str, *operands: Any, **settings: Any) -> Values:
    """Compute second tangents, one entry of each row at a time, by the derivatives of gradients.

    A call of these is of one row; where random numbers go by the number of a row, it is of all rows of a call.
    """
    call = DirectionCall("second_tangent", operands, **settings)
    kinds, count = call.direction.kinds, len(call.layer.directions["jvp"].results)
    row = next(call.groups[0][number] for number in call.layer.directions.rows if call.groups[0][number] is not None)
    batch, features = row.shape[:-1], row.shape[-1]
    axes = int(call.sampled) if call.layer.directions.draws else len(batch)
    calls, within = batch[:axes], batch[axes:]
    values = [value for group in call.groups for value in group]
    if call.sampled:
        values = [_of_calls(calls, kind, value) for kind, value in zip(kinds, values, strict=True)]
    per_row = [
        value is not None and (kind not in SHARED or (call.sampled and has_samples(kind, value)))
        for kind, value in zip(kinds, values, strict=True)
    ]

    def of_call(sample: Sequence[Any]) -> Values:
        entries = iter(sample)
        own = [next(entries) if one else value for one, value in zip(per_row, values, strict=True)]
        inputs, kept, first, second = call.direction.groups(own)

        def of_entry(number: int, shape: Sequence[int], entry: Any) -> Any:
            cotangent = jnp.zeros(prod(shape), row.dtype).at[entry].set(1).reshape(shape)
            none: Values = [None] * count
            cotangents = [*none[:number], cotangent, *none[number + 1 :]]
            moved = bind("backward_along", call.layer, call.constants, inputs, kept, cotangents, first, none)
            pairs = zip(moved, second, strict=True)
            return sum((a.astype(wide) * b.astype(wide)).sum() for a, b in pairs if a is not None and b is not None)

        found = []
        for number, each in enumerate(call.direction.results):
            shape = (*within, features) if each.kind == "Row" else within
            found.append(jax.lax.map(partial(of_entry, number, shape), jnp.arange(prod(shape))).reshape(shape))
        return found

    wide = jnp.promote_types(row.dtype, jnp.float32)
    own = [value for value, one in zip(values, per_row, strict=True) if one]
    made = jax.lax.map(of_call, [value.reshape(prod(calls), *value.shape[axes:]) for value in own])
    return [each.reshape(*calls, *each.shape[1:]).astype(row.dtype) for each in made]


def _of_calls(calls: Sequence[int], kind: str, value: Any) -> Any:
    """A parameter of each sample as one of each call."""
    if value is None or kind not in SHARED or not has_samples(kind, value):
        return value
    samples, *entries = value.shape
    return jnp.broadcast_to(value.reshape(samples, *[1] * (len(calls) - 1), *entries), (*calls, *entries))


def _second_tangent_moves(call: DirectionCall, tangents: list[Values], made: Values) -> Values:
    _refuse_a_third(call, tangents)
    _, _, first, second = call.groups
    _, _, of_first, of_second = tangents
    return total(_second_tangent(call, of_first, second), _second_tangent(call, first, of_second))


def _second_tangent_transposed(call: DirectionCall, values: Values) -> Sequence[Any]:
    _, _, first, second = call.groups
    if are_unknown(first):
        return _backward_along(call, values, second, []), None
    return None, _backward_along(call, values, first, [])


def _define(
    name: str,
    moves: Callable[[DirectionCall, list[Values], Values], Values | None],
    cotangents: Callable[[DirectionCall, Values], Sequence[Any]] | None = None,
    evaluate: Callable[..., Values] | None = None,
) -> None:
    define(name, evaluate or _kernel(name), moving(name, moves), cotangents and transposed(name, cotangents))


_define("forward", _forward_moves)
_define("backward", _backward_moves, lambda call, cotangents: (call.bind("jvp", cotangents),))
_define("jvp", _jvp_moves, lambda call, cotangents: (call.bind("backward", cotangents),))
_define("backward_backward", _backward_backward_moves, _backward_backward_transposed)
_define("backward_along", _backward_along_moves, _backward_along_transposed, _backward_along_evaluated)
_define("second_tangent", _second_tangent_moves, _second_tangent_transposed, _second_tangent_evaluated)
