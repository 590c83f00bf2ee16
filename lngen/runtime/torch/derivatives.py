# SPDX-License-Identifier: MIT
"""Derivatives of a layer's operators, for autograd, torch.func and forward mode.

The derivative of backward is backward_backward, forwards and in reverse, since second derivatives are symmetric. The
derivative of jvp is both of them, in reverse alone. Each rule is a node of autograd for one transform; the dispatcher
brings the others to it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..protocol.casts import TARGETS
from .calls import TorchCalls
from .dispatch import Way, are_plain, forward_ad, next_transform
from .kernels import Tensor, each, only, torch
from .parts import OperatorValues

_Node: Any = torch.autograd.function._SingleLevelFunction


class ReverseLayer(Protocol):
    """Layer as its first gradient sees it.

    Its functions take `inputs` inputs, `constants` Constants, the results of forward at `kept`, then the arguments of
    their direction. The inputs at `differentiable` have gradients. `casts` are the types that outputs are rounded to,
    None for one that is not. `backward` can be differentiated again; that of `kernels`, for the processor, can not.
    """

    inputs: int
    constants: int
    outputs: int
    kept: Sequence[int]
    differentiable: Sequence[int]
    casts: Sequence[str | None]
    backward: Any
    kernels: Any


class DifferentiableLayer(ReverseLayer, Protocol):
    """Layer as derivative rules see it: its operators, and the division of their arguments."""

    results: int
    jvp: Any
    backward_backward: Any
    parts: dict[str, OperatorValues]


# ---- rules of differentiation; a node keeps its arguments as they were, which may be differentiated again


def _keep(ctx: Any, layer: ReverseLayer, args: Sequence[Any], made: Sequence[Any] = ()) -> None:
    """Save arguments of an operator, and those of its results that later directions take."""
    first, end = layer.inputs, layer.inputs + layer.constants
    tensors = (*args[:first], *args[end:], *made)
    ctx.save_for_backward(*tensors)
    if forward_ad._current_level >= 0:
        ctx.save_for_forward(*tensors)
    ctx.constants = args[first:end]
    ctx.set_materialize_grads(False)


def _kept(ctx: Any, layer: ReverseLayer) -> tuple[Any, ...]:
    tensors, first = ctx.saved_tensors, layer.inputs
    return (*tensors[:first], *ctx.constants, *tensors[first:])


def _nothing(values: Sequence[Any]) -> bool:
    return all(value is None for value in values)


def _total(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """Sums entry by entry, where None in the first is zero."""
    return [b if a is None else a + b for a, b in zip(first, second, strict=True)]


def _gradients(
    layer: ReverseLayer, arguments: Sequence[Any], cotangents: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The gradient of each input, None for one without a gradient; `arguments` are those up to saved values."""
    return _of_inputs(layer, arguments, each(layer.backward(*arguments, *cotangents)))


def _second_gradients(
    layer: DifferentiableLayer,
    arguments: Sequence[Any],
    cotangents: Sequence[Tensor | None],
    moved: Sequence[Tensor | None],
) -> tuple[list[Tensor | None], list[Tensor | None]]:
    """The gradients of a pairing of `moved` with gradients: of each input, and of each cotangent."""
    made, count = each(layer.backward_backward(*arguments, *cotangents, *moved)), len(layer.differentiable)
    own = [None if of is None else value for value, of in zip(made[count:], cotangents, strict=True)]
    return _of_inputs(layer, arguments, made[:count]), own


def _without_gradient(layer: ReverseLayer, made: Sequence[Any]) -> list[Any]:
    """The outputs that are integers."""
    return [value for value, cast in zip(made, layer.casts, strict=False) if cast and not TARGETS[cast].digits]


def _straight(layer: ReverseLayer, arguments: Sequence[Any], cotangents: Sequence[Any]) -> Sequence[Any]:
    """Cotangents of outputs, straight through casts: PyTorch gives them in the type of the output."""
    if not any(layer.casts):
        return cotangents
    rows = layer.kernels.types_of(arguments[: layer.inputs]).rows
    pairs = zip(cotangents, layer.casts, strict=True)
    return [value if value is None or cast is None else value.to(rows) for value, cast in pairs]


def _cast(layer: DifferentiableLayer, tangents: Sequence[Any]) -> list[Any]:
    """Tangents of outputs in the types of these; integers have none."""
    return [
        value if cast is None else value.to(getattr(torch, cast)) if TARGETS[cast].digits else None
        for value, cast in zip(tangents, layer.casts, strict=True)
    ]


def _of_inputs(layer: ReverseLayer, arguments: Sequence[Any], made: Sequence[Tensor]) -> list[Tensor | None]:
    found: list[Tensor | None] = [None] * layer.inputs
    for number, value in zip(layer.differentiable, made, strict=True):
        if arguments[number] is not None:
            found[number] = value
    return found


def _forward_node(layer: DifferentiableLayer, compute: Callable[..., Any]) -> Any:
    count, results, kept = layer.outputs, layer.results, layer.kept
    no_gradients = (None,) * (1 + layer.inputs + layer.constants)
    of_constants = no_gradients[: layer.constants]

    class ForwardNode(_Node):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, keyset: Any, *args: Any) -> Any:
            result = compute(keyset, args, True)
            made = each(result)
            _keep(ctx, layer, args, [made[number] for number in kept])
            ctx.mark_non_differentiable(*made[count:], *_without_gradient(layer, made))
            return result

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            cotangents = cotangents[:count]
            if _nothing(cotangents):
                return no_gradients
            kept = _kept(ctx, layer)
            return None, *_gradients(layer, kept, _straight(layer, kept, cotangents)), *of_constants

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
            moved = [tangents[number] for number in layer.differentiable]
            if _nothing(moved):
                return only((None,) * results)
            made = each(layer.jvp(*_kept(ctx, layer), *moved))
            return only((*_cast(layer, made), *(None,) * (results - count)))

    return ForwardNode


def ways(layer: ReverseLayer, kernels: Mapping[int, Any]) -> dict[int, Way]:
    """Return the ways around the dispatcher for a layer, by the keys of a device's plain tensors, given its kernels."""
    found = {}
    for device, own in kernels.items():
        node = _node_at_once(layer, own, device)
        found[device] = Way(own, node, own.recorded_by(node) if isinstance(own, TorchCalls) else None)
    return found


def _node_at_once(layer: ReverseLayer, kernels: Any, device: int) -> Any:
    """The node of a forward by kernels for a device, whose row scalars no operator has made tensors of.

    No tangent is in sight of such a call.
    """
    count, first, of_fixed = layer.outputs, layer.inputs, (None,) * layer.constants
    kept_outputs = [number for number in layer.kept if number < count]
    is_cast, has_all = any(layer.casts), [*layer.differentiable] == [*range(first)]
    at_once = kernels.gradients_at_once if isinstance(kernels, TorchCalls) else None

    class ForwardAtOnce(_Node):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            made, ctx.row_scalars = kernels.forward_in_part(args)
            ctx.save_for_backward(*args[:first], *[made[number] for number in kept_outputs])
            ctx.constants = args[first:]
            ctx.set_materialize_grads(False)
            if is_cast and (whole := _without_gradient(layer, made)):
                ctx.mark_non_differentiable(*whole)
            return only(made)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            tensors = ctx.saved_tensors
            kept = (*tensors[:first], *ctx.constants, *tensors[first:])
            if at_once and (found := at_once(kept, ctx.row_scalars, cotangents)):
                return *(found if has_all else _of_inputs(layer, kept, found)), *of_fixed
            if _nothing(cotangents):
                return *(None,) * first, *of_fixed
            own = _straight(layer, kept, cotangents)
            if not torch.is_grad_enabled() and are_plain(own, device):
                found = kernels.gradients(kept, ctx.row_scalars, own)
            else:
                found = each(layer.backward(*kept, *kernels.tensors(ctx.row_scalars), *own))
            return *_of_inputs(layer, kept, found), *of_fixed

    # The engine calls `apply` of a node, which in PyTorch looks for `backward` each time.
    ForwardAtOnce._backward_cls.apply = ForwardAtOnce.backward
    return ForwardAtOnce


def _backward_node(layer: DifferentiableLayer, compute: Callable[..., Any]) -> Any:
    of_fixed = (None,) * (layer.constants + len(layer.kept))
    first_own = layer.inputs + len(of_fixed)
    no_gradients = (None,) * (1 + first_own + layer.outputs)

    class Backward(_Node):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, keyset: Any, *args: Any) -> Any:
            result = compute(keyset, args, True)
            _keep(ctx, layer, args)
            made = zip(each(result), layer.differentiable, strict=True)
            ctx.mark_non_differentiable(*[value for value, number in made if args[number] is None])
            return result

        @staticmethod
        def backward(ctx: Any, *moved: Any) -> Any:
            if _nothing(moved):
                return no_gradients
            kept = _kept(ctx, layer)
            of_inputs, own = _second_gradients(layer, kept[:first_own], kept[first_own:], moved)
            return None, *of_inputs, *of_fixed, *own

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
            kept = _kept(ctx, layer)
            moved, along = [tangents[number] for number in layer.differentiable], tangents[first_own:]
            total: Sequence[Any] = [None] * layer.inputs
            # The second derivative is symmetric: how gradients move along a tangent is the gradient of their pairing.
            if not _nothing(moved):
                total, _ = _second_gradients(layer, kept[:first_own], kept[first_own:], moved)
            if not _nothing(along):
                found = _gradients(layer, kept[:first_own], along)
                with next_transform():
                    total = _total(total, found)
            return only([total[number] for number in layer.differentiable])

    return Backward


def _jvp_node(layer: DifferentiableLayer, compute: Callable[..., Any]) -> Any:
    of_fixed = (None,) * (layer.constants + len(layer.kept))
    first_own = layer.inputs + len(of_fixed)
    no_gradients = (None,) * (1 + first_own + len(layer.differentiable))

    class Jvp(_Node):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, keyset: Any, *args: Any) -> Any:
            _keep(ctx, layer, args)
            return compute(keyset, args, True)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            if _nothing(cotangents):
                return no_gradients
            kept = _kept(ctx, layer)
            arguments, tangents = kept[:first_own], kept[first_own:]
            of_inputs, _ = _second_gradients(layer, arguments, cotangents, tangents)
            found = _gradients(layer, arguments, cotangents)
            pairs = zip(layer.differentiable, tangents, strict=True)
            own = [None if tangent is None else found[number] for number, tangent in pairs]
            return None, *of_inputs, *of_fixed, *own

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
            if not _nothing([tangents[number] for number in layer.differentiable]):
                raise NotImplementedError(
                    "forward mode of forward mode was asked for; take one of the two in reverse, as "
                    "torch.func.jvp of torch.func.grad or torch.func.hessian do"
                )
            along = tangents[first_own:]
            if _nothing(along):
                return only([None] * layer.outputs)
            with next_transform():
                return only(each(layer.jvp(*_kept(ctx, layer)[:first_own], *along)))

    return Jvp


def _last_node(layer: DifferentiableLayer, compute: Callable[..., Any]) -> Any:
    problem = "a third derivative was asked for; layers are derived to the second order"

    class BackwardBackward(_Node):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, keyset: Any, *args: Any) -> Any:
            return compute(keyset, args, True)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            raise NotImplementedError(problem)

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            raise NotImplementedError(problem)

    return BackwardBackward


NODES: dict[str, Callable[[DifferentiableLayer, Callable[..., Any]], Any]] = {
    "forward": _forward_node,
    "backward": _backward_node,
    "jvp": _jvp_node,
    "backward_backward": _last_node,
}
"""Constructors of each direction's node, for a layer and a function that computes the direction."""
