# SPDX-License-Identifier: MIT
"""Results of PyTorch's modules made of the outputs of a layer: running statistics, losses, and types."""

from collections.abc import Iterable
from typing import Any

from .kernels import Tensor, torch

REDUCTIONS = ("none", "sum", "mean")
"""The values of an attribute that says how a loss is reduced."""


def keep(module: torch.nn.Module, averages: Iterable[tuple[str, Tensor]]) -> None:
    """Move running averages of a module, by their attributes, to values of a call.

    This is as PyTorch's norms do it: by the `momentum` of the module or, where that is None, so that every call counts
    the same, of which `num_batches_tracked` is the number.
    """
    with torch.no_grad():
        count, rate = getattr(module, "num_batches_tracked", None), module.momentum
        if count is not None:
            count.add_(1)
        if rate is None:
            rate = 0.0 if count is None else count.double().reciprocal()
        for attribute, value in averages:
            average = getattr(module, attribute)
            wide = torch.promote_types(average.dtype, torch.float32)
            average.copy_((1 - rate) * average.to(wide) + rate * value.to(wide))


def reduced(loss: Tensor, how: str, label: Tensor, ignored: Any) -> Tensor:
    """Reduce a loss of rows: the mean is over those whose label is not the one `ignored`."""
    if how == "none":
        return loss
    total = loss.sum(dtype=torch.promote_types(loss.dtype, torch.float32))
    return (total / (label != ignored).sum() if how == "mean" else total).to(loss.dtype)


def is_autocast(rows: Tensor) -> bool:
    """Test whether autocast has a say in the type that rows are computed in."""
    kind = rows.device.type
    is_on = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    return bool(is_on and rows.dtype != torch.float64)
