# SPDX-License-Identifier: MIT
"""Directions of a layer as primitives of JAX, shared by all layers: a call names its layer.

There is an operand for each argument that is present: `there` says which are. The kind of an argument determines the
shapes of results, and how samples are batched. `derivatives` has derivatives and transposes.

A call is of one sample, or it is `sampled`. All its values per row, and all its results, then have an axis of samples
before the others, and so has a parameter if each sample has its own.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..protocol.casts import dtype as cast_type
from ..protocol.directions import Entries, LayerProtocol
from ..protocol.interface import AXES, SHARED

try:
    import jax
    import jax.numpy as jnp
    from jax import Array
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir, xla
except ImportError as error:
    raise ImportError("jax_backend needs JAX, which is not installed: pip install jax") from error

__all__ = ["Array", "ad", "jax", "jnp"]
"""Names of JAX that other modules have from here."""

PLATFORMS = ("cpu", "cuda")
_AXES = {str(kind): len(axes) for kind, axes in AXES.items() if kind in SHARED}
_UINT32 = np.dtype(np.uint32)

_primitives: dict[str, Any] = {}


class Result(NamedTuple):
    """Result of a direction.

    It has the shape and the type of the argument at the place `owner`, and is absent if that is. Without an owner, it
    is an output, which may be `cast` to a type, or a row scalar of kind `Computed`.
    """

    kind: str
    owner: int | None
    cast: str | None = None


class DirectionSignature:
    """The arguments of a direction, in groups, by their kinds, and its results."""

    def __init__(self, results: Sequence[Result], groups: Sequence[Entries]) -> None:
        self.results, self.kinds = results, [str(each.kind) for group in groups for each in group]
        self.ends = [0, *accumulate(map(len, groups))]

    def groups(self, values: Sequence[Any]) -> list[list[Any]]:
        """One value for each argument, divided by groups."""
        return [list(values[first:end]) for first, end in pairwise(self.ends)]

    def made(self, there: Sequence[bool]) -> list[Result]:
        """The results of a call."""
        return [each for each in self.results if each.owner is None or there[each.owner]]


class DirectionSignatures(dict[str, DirectionSignature]):
    """Directions of a layer: the four that kernels compute, and two derivatives that are linear in tangents.

    `backward_along` is the derivative of `backward` along tangents of its inputs and of its cotangents.
    `second_tangent` is the derivative of `jvp` along tangents of its inputs.
    """

    def __init__(self, layer: LayerProtocol) -> None:
        super().__init__()
        self.rows = [number for number, each in enumerate(layer.inputs) if each.kind == "Row"]
        self.differentiable, self.kept, self.draws = layer.differentiable, layer.kept, layer.draws
        first = len(layer.inputs) + len(layer.kept)
        groups = {name: layer.functional(direction) for name, direction in layer.directions.items()}
        for name, direction in layer.directions.items():
            pairs = zip(direction.makes, direction.owner_places(first), strict=True)
            self[name] = DirectionSignature(
                [Result(each.kind, place, each.cast) for each, place in pairs], groups[name]
            )
        fixed, cotangents, tangents = groups["jvp"][:2], groups["backward"][2], groups["jvp"][2]
        along = self["backward"].results, (*fixed, cotangents, tangents, cotangents)
        self.update(
            backward_along=DirectionSignature(*along),
            second_tangent=DirectionSignature(self["jvp"].results, (*fixed, tangents, tangents)),
        )


class PrimitiveLayer(Protocol):
    """Layer as primitives see it."""

    directions: DirectionSignatures
    kernels: Any
    gpu: Any

    def computed(self, inputs: Sequence[Any]) -> np.dtype[Any]:
        """Return the compute type of a call, given its inputs or arrays like them, None for an absent one."""


def expanded(operands: Iterable[Any], there: Sequence[bool]) -> list[Any]:
    """Return a value for each argument, None for an absent one."""
    values = iter(operands)
    return [next(values) if is_there else None for is_there in there]


def has_samples(kind: str, value: Any) -> bool:
    """Test whether an argument has a sample axis, in a call that has samples."""
    return kind not in _AXES or value.ndim > _AXES[kind]


def bind(
    name: str, layer: PrimitiveLayer, constants: Sequence[float], *groups: Sequence[Any], sampled: bool = False
) -> list[Any]:
    """The results of a direction, None for each that there is not."""
    values = [value for group in groups for value in group]
    there = tuple([value is not None for value in values])
    direction = layer.directions[name]
    operands = _varying_together([value for value in values if value is not None])
    sampled = sampled and _tells_samples(name, layer, values)
    made = iter(_primitives[name].bind(*operands, layer=layer, constants=constants, there=there, sampled=sampled))
    return [next(made) if each.owner is None or there[each.owner] else None for each in direction.results]


def _varying_together(operands: list[Any]) -> list[Any]:
    """Operands that vary over the same axes of a mesh: a parameter that all devices share has a sum for its gradient,
    and that stands where it begins to vary.
    """
    axes = [jax.typeof(each).mat.varying for each in operands]
    every = frozenset().union(*axes)
    if not every:
        return operands
    missing = [tuple(sorted(every - own, key=str)) for own in axes]
    return [
        jax.lax.pcast(each, names, to="varying") if names else each
        for each, names in zip(operands, missing, strict=True)
    ]


def define(
    name: str,
    evaluate: Callable[..., Sequence[Any]],
    moves: Callable[..., tuple[Sequence[Any], Sequence[Any]]],
    transposed: Callable[..., Sequence[Any]] | None = None,
) -> None:
    """Make the primitive of a direction from its evaluation, its rule for tangents, and its rule for cotangents.

    The last is given if the direction is linear in some arguments. `evaluate` takes the platform first.
    """
    primitive = Primitive(f"lngen_{name}")
    primitive.multiple_results = True
    primitive.def_impl(partial(xla.apply_primitive, primitive))
    primitive.def_abstract_eval(partial(_shaped, name))
    batching.primitive_batchers[primitive] = partial(_batched, primitive, name)
    ad.primitive_jvps[primitive] = moves
    if transposed is not None:
        ad.primitive_transposes[primitive] = transposed
    mlir.register_lowering(primitive, _refused)
    for platform in PLATFORMS:
        of_platform = mlir.lower_fun(partial(evaluate, platform), multiple_results=True)
        mlir.register_lowering(primitive, of_platform, platform=platform)
    _primitives[name] = primitive


def _refused(ctx: Any, *operands: Any, layer: PrimitiveLayer, **settings: Any) -> Any:
    platform = " and ".join(ctx.module_context.platforms)
    raise NotImplementedError(
        f"{layer} has no kernel for JAX's arrays on {platform}; "
        'compute it on the CPU, as under jax.default_device(jax.devices("cpu")[0])'
    )


# ---- shapes and samples


def _tells_samples(name: str, layer: PrimitiveLayer, values: Sequence[Any]) -> bool:
    """Test whether the division of rows into samples matters.

    It does not matter for results that are computed from each row alone. Random numbers go by the number of a row too.
    """
    direction = layer.directions[name]
    pairs = [(kind, value) for kind, value in zip(direction.kinds, values, strict=True) if value is not None]
    made = direction.made([value is not None for value in values])
    has_sums = any(each.kind in _AXES for each in made)
    return layer.directions.draws or has_sums or any(kind in _AXES and has_samples(kind, v) for kind, v in pairs)


def _shaped(
    name: str, *operands: Any, layer: PrimitiveLayer, constants: Any, there: Sequence[bool], sampled: bool
) -> list[Any]:
    return shaped(name, layer, expanded(operands, there), sampled)


def shaped(name: str, layer: PrimitiveLayer, values: Sequence[Any], sampled: bool) -> list[Any]:
    """Return the results of a direction as shapes and types, from its arguments or arrays like them."""
    direction, there = layer.directions[name], [value is not None for value in values]
    row = next(values[number] for number in layer.directions.rows if values[number] is not None)
    computed = layer.computed(direction.groups(values)[0])
    found = []
    for each in direction.made(there):
        if each.owner is not None:
            owner = values[each.owner]
            is_shared = sampled and not has_samples(each.kind, owner)
            shape = (row.shape[0], *owner.shape)
            found.append(_like(owner, shape, owner.dtype) if is_shared else owner.update(weak_type=False))
            continue
        shape = row.shape if each.kind == "Row" else row.shape[:-1]
        dtype = cast_type(each.cast) if each.cast else row.dtype
        if each.kind == "Computed":
            is_there = computed.itemsize < 8 or jax.config.jax_enable_x64
            # Without float64 in JAX, each number is carried as its two halves.
            shape, dtype = (shape, computed) if is_there else ((*shape, 2), _UINT32)
        found.append(_like(row, shape, dtype))
    return found


def _like(value: Any, shape: Sequence[int], dtype: Any) -> Any:
    spec = jax.sharding.PartitionSpec(*[None] * len(shape))
    return value.update(shape=shape, dtype=dtype, weak_type=False, sharding=value.sharding.update(spec=spec))


def _batched(
    primitive: Any,
    name: str,
    operands: Sequence[Any],
    places: Sequence[int | None],
    *,
    layer: PrimitiveLayer,
    constants: Sequence[float],
    there: Sequence[bool],
    sampled: bool,
) -> tuple[Sequence[Any], Sequence[int]]:
    """The rule for operands with a dimension more: one call. Samples of samples are samples."""
    direction = layer.directions[name]
    kinds = [kind for kind, is_there in zip(direction.kinds, there, strict=True) if is_there]
    given = [*zip(kinds, operands, places, strict=True)]
    samples = [next(each.shape[at] for _, each, at in given if at is not None)]
    if sampled:
        row, at = next((each, at) for kind, each, at in given if kind == "Row")
        samples.append(row.shape[0 if at != 0 else 1])

    def of_samples(kind: str, value: Any, at: int | None) -> Any:
        has_own = sampled and (kind not in _AXES or value.ndim - (at is not None) > _AXES[kind])
        if kind in _AXES and at is None and not has_own:
            return value
        value = value[None] if at is None else jnp.moveaxis(value, at, 0)
        value = value[:, None] if sampled and not has_own else value
        rest = value.shape[len(samples) :]
        return jnp.broadcast_to(value, (*samples, *rest)).reshape(prod(samples), *rest)

    values = [of_samples(*each) for each in given]
    tells = _tells_samples(name, layer, expanded(values, there))
    made = primitive.bind(*values, layer=layer, constants=constants, there=there, sampled=tells)
    return [each.reshape(*samples, *each.shape[1:]) for each in made], [0] * len(made)
