# SPDX-License-Identifier: MIT
"""Losses of rows that are a product of tensors, `h @ weight.T`, made chunk by chunk.

The gradient of a chunk is taken while its rows are there, with 1 for the cotangent of each of its losses. The cotangent
of their sum is one number, which is multiplied in later. If each loss has a cotangent of its own, its rows are made
again.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from ..protocol.chunks import ChunkedLinear, Chunks, check_product, chunk_rows
from .asked import SAME_SHAPE, Tensor, torch
from .layers import each_of, is_autocast

_OTHERWISE = "for one, call the layer with h @ weight.T"
_ONCE = f"a loss of chunks has a gradient and no second derivative; {_OTHERWISE}"
_Function: Any = torch.autograd.Function
_linear: Any = torch.nn.functional.linear


class TorchChunkedLinear(ChunkedLinear):
    """Loss of rows that are a product of tensors."""

    def __call__(
        self,
        h: Tensor,
        weight: Tensor,
        /,
        *inputs: Any,
        bias: Tensor | None = None,
        reduction: str | None = None,
        **named: Any,
    ) -> Tensor:
        """Return the loss. Raises TypeError or ValueError for arguments that it does not take."""
        _check(h, weight, bias)
        lead, entries = tuple(h.shape[:-1]), len(weight)
        h = h.reshape(prod(lead), h.shape[-1])
        bound, kind = self.loss.bound(inputs, named, reduction), _kind(h)
        values = [*bound.inputs, *bound.constants]
        # It takes no memory, and is looked at for the rows.
        values[self.loss.place] = torch.empty((), dtype=kind, device=h.device).expand(*lead, entries)
        values = [*self.layer.taken(*values)]
        if not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
            raise NotImplementedError(f"a loss of chunks has no transform of torch.func; {_OTHERWISE}")
        count = len(bound.inputs)
        values[self.loss.place] = None
        rows = chunk_rows(len(h), h.shape[-1], entries, self.rows)
        constants, wide = tuple(values[count:]), torch.promote_types(kind, torch.float32)
        task = Chunks(self.layer, self.loss, constants, kind, wide, rows, bound.reduction)
        made: Tensor = _ChunkedLoss.apply(task, h, weight, bias, *self.loss.rows_of(values[:count], lead))
        return made.reshape(lead) if task.is_each else made


class _ChunkedLoss(_Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, task: Chunks, *tensors: Any) -> Any:
        ctx.task, ctx.kinds = task, [None if value is None else value.dtype for value in tensors]
        ctx.share = 1 / max(len(tensors[0]), 1) if task.reduction == "mean" else 1.0
        wanted = [False] * len(tensors) if task.is_each else ctx.needs_input_grad[1:]
        losses, gradients = _computed(task, tensors, wanted)
        if task.is_each:
            ctx.save_for_backward(*tensors)
            return torch.cat(losses)
        ctx.save_for_backward(*gradients)
        total = torch.stack([each.sum(dtype=task.wide) for each in losses]).sum()
        return total / len(tensors[0]) if task.reduction == "mean" else total

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> Any:
        task: Chunks = ctx.task
        if torch.is_grad_enabled():
            raise NotImplementedError(_ONCE)
        gradients, scale = ctx.saved_tensors, cotangent * ctx.share
        if task.is_each:
            _, gradients = _computed(task, gradients, ctx.needs_input_grad[1:], cotangent)
        else:
            gradients = [value if value is None else value * scale for value in gradients]
        pairs = zip(gradients, ctx.kinds, strict=True)
        return None, *(value if value is None else value.to(kind) for value, kind in pairs)


def _computed(
    task: Chunks, tensors: Sequence[Any], wanted: Sequence[bool], cotangent: Tensor | None = None
) -> tuple[list[Tensor], list[Tensor | None]]:
    """Return the losses of each chunk, and the gradients of the tensors that are wanted, None for another.

    `cotangent` has a number for each row; without it, the cotangents are 1.
    """
    with torch.autocast(tensors[0].device.type, enabled=False):
        product: list[Any] = [value if value is None else value.to(task.kind) for value in tensors[:3]]
        sums, losses = _zeros(task, tensors, wanted), []
        for first in range(0, max(len(product[0]), 1), task.rows):
            part = slice(first, first + task.rows)
            pairs = zip(tensors[3:], task.loss.per_row, strict=True)
            given = [value[part] if value is not None and is_per_row else value for value, is_per_row in pairs]
            own = cotangent if cotangent is None else cotangent[part]
            losses.append(_of_chunk(task, product, part, given, own, sums))
        return losses, sums


def _of_chunk(
    task: Chunks,
    product: Sequence[Any],
    part: slice,
    given: list[Any],
    cotangent: Tensor | None,
    sums: Sequence[Tensor | None],
) -> Tensor:
    """Return the losses of a chunk, and add its gradients to those sums that there are.

    Its rows and their gradient are gone when it returns.
    """
    layer, loss, (h, weight, bias) = task.layer, task.loss, product
    given[loss.place] = _linear(h[part], weight, bias)
    values = (*_placed(layer, given), *task.constants)
    made = each_of(layer.operators.forward(*values))
    losses: Tensor = made[0].reshape(-1)
    if any(total is not None for total in sums):
        by = torch.ones_like(made[0]) if cotangent is None else cotangent.reshape(made[0].shape)
        found = each_of(layer.operators.backward(*values, made[-1], *[made[n] for n in layer.kept], by))
        pairs = zip(layer.differentiable, found, strict=True)
        gradients = {n: value.reshape(given[n].shape) for n, value in pairs if given[n] is not None}
        _add(sums, part, gradients.pop(loss.place), h[part], weight)
        for number, value in gradients.items():
            if (total := sums[3 + number]) is not None:
                _put(total, part, value, loss.per_row[number])
    return losses


def _placed(layer: Any, given: Sequence[Any]) -> Sequence[Any]:
    """Inputs of a chunk beside its rows, where axes have names: rows lie along the first axis that numbers them."""
    layout, row = layer.interface.get("layout"), layer.row(given)
    if layout is None:
        return given
    ones = len(layout["pattern"]) - len(layout["features"]), len(layout["features"])
    rows, features = [(size, *[1] * (count - 1)) for size, count in zip(row.shape, ones, strict=True)]
    shapes = {"r": (*rows, *features), "s": rows, "f": features, "n": ()}
    letters = (SAME_SHAPE.get(each, each) for each in layer.letters)
    return [each if each is None else each.reshape(shapes[n]) for n, each in zip(letters, given, strict=True)]


def _zeros(task: Chunks, tensors: Sequence[Any], wanted: Sequence[bool]) -> list[Tensor | None]:
    """Zeros for the gradients that are wanted: those of rows in their type, and sums over rows in a wide one."""
    per_row = [True, False, False, *task.loss.per_row]
    return [
        torch.zeros_like(value, dtype=task.kind if is_per_row else task.wide, memory_format=torch.contiguous_format)
        if is_wanted
        else None
        for value, is_wanted, is_per_row in zip(tensors, wanted, per_row, strict=True)
    ]


def _add(sums: Sequence[Tensor | None], part: slice, dx: Tensor, h: Tensor, weight: Tensor) -> None:
    """Add the gradients of a product, of a chunk whose rows have the gradient `dx`."""
    of_h, of_weight, of_bias = sums[:3]
    if of_h is not None:
        of_h[part] = dx @ weight
    if of_weight is not None and of_weight.dtype == dx.dtype:
        of_weight.addmm_(dx.T, h)
    elif of_weight is not None:
        of_weight += dx.T @ h
    if of_bias is not None:
        of_bias += dx.sum(0, dtype=of_bias.dtype)


def _put(total: Tensor, part: slice, value: Tensor, is_per_row: bool) -> None:
    if is_per_row:
        total[part] = value
    else:
        total += value


def _check(h: Any, weight: Any, bias: Any) -> None:
    """Raises TypeError or ValueError for tensors without a product."""
    tensors = {"h": h, "weight": weight, "bias": bias}
    for name, value in tensors.items():
        if not isinstance(value, Tensor) and (name != "bias" or value is not None):
            raise TypeError(f"{name} is of type {type(value).__name__}; pass a tensor")
    check_product(tensors, is_autocast(h))


def _kind(h: Tensor) -> Any:
    """The type of products: that of `h`, or autocast's."""
    return torch.get_autocast_dtype(h.device.type) if is_autocast(h) else h.dtype
