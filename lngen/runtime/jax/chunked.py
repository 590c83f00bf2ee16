# SPDX-License-Identifier: MIT
"""Losses of rows that are a product of JAX's arrays, `h @ weight.T`, made chunk by chunk in a `lax.scan`.

The gradient of a chunk is taken while its rows are there, with 1 for the cotangent of each of its losses. The cotangent
of their sum is one number, which is multiplied in later. If each loss has a cotangent of its own, its rows are made
again.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

from ..protocol.calls import is_float
from ..protocol.chunks import ChunkedLinear, Chunks, check_product, chunk_rows
from .primitives import Array, jax, jnp


class JaxChunkedLinear(ChunkedLinear):
    """Loss of rows that are a product of JAX's arrays."""

    def __call__(
        self, h: Any, weight: Any, /, *inputs: Any, bias: Any = None, reduction: str | None = None, **named: Any
    ) -> Array:
        """Return the loss. Raises TypeError or ValueError for arguments that it does not take."""
        h, weight, bias = (None if value is None else jnp.asarray(value) for value in (h, weight, bias))
        if not is_float(np.dtype(h.dtype)):
            raise TypeError(f"h is of type {h.dtype}; pass real floats, such as h.astype(jnp.float32)")
        check_product({"h": h, "weight": weight, "bias": bias})
        lead, entries = h.shape[:-1], len(weight)
        h = h.reshape(prod(lead), h.shape[-1])
        bound = self.loss.bound(inputs, named, reduction)
        values = [*bound.inputs]
        values[self.loss.place] = jnp.zeros((1, entries), h.dtype)
        values = self.layer.taken.arrays(values)
        values[self.loss.place] = None
        rows = chunk_rows(len(h), h.shape[-1], entries, self.rows)
        constants, wide = tuple(bound.constants), jnp.promote_types(h.dtype, jnp.float32)
        task = Chunks(self.layer, self.loss, constants, h.dtype, wide, rows, bound.reduction)
        made = _function(task)(h, weight, bias, self.loss.rows_of(values, lead))
        return made.reshape(lead) if task.is_each else made


def _reduced(task: Chunks, losses: Array, rows: int) -> Array:
    """The result of a call."""
    if task.is_each:
        return losses
    total = losses.sum(dtype=task.wide)
    return total / rows if task.reduction == "mean" else total


class _Gradients(NamedTuple):
    """Gradients of arrays by their places: those of rows, and sums over rows."""

    per_row: dict[int, Array]
    shared: dict[int, Array]


_WEIGHT, _BIAS = -2, -1
"""Places of arrays before those of the layer's inputs; the gradient of `h` has that of the rows."""


def _function(task: Chunks) -> Callable[..., Any]:
    """The loss as a function of arrays that is differentiable in reverse."""

    def result(h: Array, *others: Any) -> Array:
        return _reduced(task, _computed(task, h, *others)[0], len(h))

    def forward(h: Array, weight: Array, bias: Any, given: list[Any]) -> tuple[Array, Any]:
        kinds = [None if each is None else jnp.zeros(0, each.dtype) for each in given]
        if task.is_each:
            return result(h, weight, bias, given), (h, weight, bias, given)
        losses, gradients = _computed(task, h, weight, bias, given, jnp.ones(len(h), task.kind))
        return _reduced(task, losses, len(h)), (gradients, kinds)

    def backward(kept: Any, cotangent: Array) -> Any:
        if task.is_each:
            h, weight, bias, given = kept
            _, gradients = _computed(task, h, weight, bias, given, cotangent)
        else:
            gradients, given = kept
            rows = max(len(gradients.per_row[task.loss.place]), 1)
            scale = cotangent / rows if task.reduction == "mean" else cotangent
            gradients = jax.tree.map(lambda each: each * scale, gradients)
        found = {**gradients.per_row, **gradients.shared}
        of_product = [
            each if each is None else each.astype(task.kind)
            for each in (found.pop(task.loss.place), found.pop(_WEIGHT), found.pop(_BIAS, None))
        ]
        of_given = [found[place].astype(each.dtype) if place in found else None for place, each in enumerate(given)]
        return *of_product, of_given

    loss: Any = jax.custom_vjp(result)
    loss.defvjp(forward, backward)
    return cast(Callable[..., Any], loss)


def _computed(
    task: Chunks, h: Array, weight: Array, bias: Any, given: Sequence[Any], cotangent: Any = None
) -> tuple[Array, Any]:
    """Return the losses of rows or of chunks, and the gradients with respect to arrays if there is a `cotangent`.

    The rows that are no whole chunk come last.
    """
    per_row = {place: each for place, each in enumerate(given) if each is not None and task.loss.per_row[place]}
    arrays = {"h": h, "given": per_row, "cotangent": cotangent}
    count, rows = len(h) // task.rows, task.rows

    def of_chunk(arrays: Any) -> tuple[Any, dict[int, Array]]:
        values = [arrays["given"].get(place, each) for place, each in enumerate(given)]
        losses, gradients = _chunk(task, arrays["h"], weight, bias, values, arrays["cotangent"])
        return (losses, gradients and gradients.per_row), gradients.shared if gradients else {}

    def add(sums: Any, arrays: Any) -> tuple[Any, Any]:
        made, shared = of_chunk(arrays)
        return jax.tree.map(jnp.add, sums, shared), made

    begins = jax.tree.map(lambda each: each[: count * rows].reshape(count, rows, *each.shape[1:]), arrays)
    ends = jax.tree.map(lambda each: each[count * rows :], arrays)
    shapes = jax.eval_shape(lambda each: of_chunk(each)[1], ends)
    zeros = jax.tree.map(lambda each: jnp.zeros(each.shape, each.dtype), shapes)
    sums, (losses, found) = jax.lax.scan(add, zeros, begins)
    joined = jax.tree.map(lambda each: each.reshape(-1, *each.shape[2:]), (losses, found))
    if count * rows < len(h) or not count:
        sums, last = add(sums, ends)
        joined = jax.tree.map(lambda one, other: jnp.concatenate([one, jnp.atleast_1d(other)]), joined, last)
    losses, found = joined
    return losses, None if cotangent is None else _Gradients(found, sums)


def _chunk(
    task: Chunks, h: Array, weight: Array, bias: Any, given: Sequence[Any], cotangent: Any
) -> tuple[Array, _Gradients | None]:
    """The losses of a chunk, and its gradients if there is a `cotangent`: a number for each row."""
    place, layer, per_row = task.loss.place, task.layer, task.loss.per_row
    x = jax.lax.dot_general(h, weight, (((1,), (1,)), ((), ())))
    x = x if bias is None else x + bias
    values = [*given]
    values[place] = x
    differentiated = [each for each in layer.directions.differentiable if values[each] is not None]

    def losses(*arrays: Array) -> Array:
        own = dict(zip(differentiated, arrays, strict=True))
        made: Array = layer.call(*(own.get(number, each) for number, each in enumerate(values)), *task.constants)
        return made

    arrays = [values[each] for each in differentiated]
    if cotangent is None:
        return losses(*arrays), None
    made, pulled = jax.vjp(losses, *arrays)
    found = dict(zip(differentiated, pulled(cotangent), strict=True))
    dx = found.pop(place)
    rows = {number: each for number, each in found.items() if per_row[number]}
    shared = {number: each.astype(task.wide) for number, each in found.items() if not per_row[number]}
    shared[_WEIGHT] = jax.lax.dot_general(dx, h, (((0,), (0,)), ((), ())), preferred_element_type=task.wide)
    if bias is not None:
        shared[_BIAS] = dx.sum(0, dtype=task.wide)
    return made, _Gradients({**rows, place: dx @ weight}, shared)
