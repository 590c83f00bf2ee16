# SPDX-License-Identifier: MIT
"""Derivatives of calls that kernels compute: gradients by kernels, or by the decomposition.

PyTorch differentiates the latter, which is computed anew: to any order, and along or over whatever looks on.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..protocol.casts import TARGETS
from .calls import TorchCalls
from .dispatch import Way, are_plain, forward_ad
from .kernels import Tensor, each, only, torch

_Node: Any = torch.autograd.function._SingleLevelFunction


class ReverseLayer(Protocol):
    """Layer as its first gradient sees it.

    The functions of `kernels` take `inputs` inputs, `constants` further values, the results of forward at `kept`, then
    the cotangents. The inputs at `differentiable` have gradients. `casts` are the types that outputs are rounded to,
    None for one that is not. `decomposed` computes the outputs of the inputs and the further values.
    """

    inputs: int
    constants: int
    outputs: int
    kept: Sequence[int]
    differentiable: Sequence[int]
    casts: Sequence[str | None]
    kernels: Any

    def decomposed(self, values: Sequence[Any]) -> Any:
        """Compute the outputs by operations of PyTorch."""


def by_decomposition(layer: ReverseLayer, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Tensor | None]:
    """The gradient of each input that requires one, which can be differentiated again where autograd is on."""
    is_recorded, own = torch.is_grad_enabled(), [*values]
    # Inside a node both modes of autograd may be off.
    with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
        moved = [n for n in layer.differentiable if isinstance(own[n], Tensor) and own[n].requires_grad]
        for place in moved:  # one input may depend on another, and its gradient is not by way of that
            own[place] = own[place].view_as(own[place])
        pairs = zip(each(layer.decomposed(own)), cotangents, strict=True)
        there = [(made, by) for made, by in pairs if by is not None and made.requires_grad]
        found: list[Tensor | None] = [None] * layer.inputs
        if there and moved:
            made, by = zip(*there, strict=True)
            of = [own[place] for place in moved]
            gradients = torch.autograd.grad(made, of, by, create_graph=is_recorded, allow_unused=True)
            for place, gradient in zip(moved, gradients, strict=True):
                found[place] = gradient
    return found


def _nothing(values: Sequence[Any]) -> bool:
    return all(value is None for value in values)


def without_gradient(layer: ReverseLayer, made: Sequence[Any]) -> list[Any]:
    """The outputs that are integers."""
    return [value for value, cast in zip(made, layer.casts, strict=False) if cast and not TARGETS[cast].digits]


def straight(layer: ReverseLayer, arguments: Sequence[Any], cotangents: Sequence[Any]) -> Sequence[Any]:
    """Cotangents of outputs, straight through casts: PyTorch gives them in the type of the output."""
    if not any(layer.casts):
        return cotangents
    rows = layer.kernels.types_of(arguments[: layer.inputs]).rows
    pairs = zip(cotangents, layer.casts, strict=True)
    return [value if value is None or cast is None else value.to(rows) for value, cast in pairs]


def of_inputs(layer: ReverseLayer, arguments: Sequence[Any], made: Sequence[Tensor]) -> list[Tensor | None]:
    """The gradient of each input, None for one without; `made` are those that kernels make."""
    found: list[Tensor | None] = [None] * layer.inputs
    for number, value in zip(layer.differentiable, made, strict=True):
        if arguments[number] is not None:
            found[number] = value
    return found


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
            if is_cast and (whole := without_gradient(layer, made)):
                ctx.mark_non_differentiable(*whole)
            return only(made)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            tensors = ctx.saved_tensors
            kept = (*tensors[:first], *ctx.constants, *tensors[first:])
            if at_once and (found := at_once(kept, ctx.row_scalars, cotangents)):
                return *(found if has_all else of_inputs(layer, kept, found)), *of_fixed
            if _nothing(cotangents):
                return *(None,) * first, *of_fixed
            if torch.is_grad_enabled() or not are_plain([*tensors, *cotangents], device):
                return *by_decomposition(layer, kept[: first + layer.constants], cotangents), *of_fixed
            found = kernels.gradients(kept, ctx.row_scalars, straight(layer, kept, cotangents))
            return *of_inputs(layer, kept, found), *of_fixed

    # The engine calls `apply` of a node, which in PyTorch looks for `backward` each time.
    ForwardAtOnce._backward_cls.apply = ForwardAtOnce.backward
    return ForwardAtOnce
