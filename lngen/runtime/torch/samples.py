# SPDX-License-Identifier: MIT
"""Operators on samples: the rule of `torch.vmap`.

Rows of all samples are rows. Where samples have parameters or sums of their own, the operator is called by sample, once
for all of them. So it is for random numbers, which go by the number of a row in its sample.
"""

from collections.abc import Callable
from typing import Any

from .kernels import Tensor, each, only
from .parts import OperatorValues


def batched(operator: Any, parts: OperatorValues) -> Callable[..., Any]:
    """The rule of an operator for arguments with a dimension more."""
    is_row = [each.is_per_row for each in parts.arguments]
    sums = [owner for owner, each in zip(parts.owners, parts.results, strict=True) if not each.is_per_row]

    def rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        size, was_by_sample = info.batch_size, args[parts.by_sample]
        shared = [at is None for at in in_dims]
        values = [value if at is None else value.movedim(at, 0) for value, at in zip(args, in_dims, strict=True)]
        has_sums = any(owner is not None and args[owner] is not None for owner in sums)
        by_sample = was_by_sample or has_sums or parts.draws or not all(map(max, shared, is_row))
        for place, value in enumerate(values):
            if isinstance(value, Tensor) and shared[place] and (by_sample or is_row[place]):
                values[place] = value.expand(size, *value.shape)
        if was_by_sample:
            values = [value.flatten(0, 1) if isinstance(value, Tensor) else value for value in values]
        values[parts.by_sample] = by_sample
        made = operator(*values)
        is_there = [owner is None or args[owner] is not None for owner in parts.owners]
        if was_by_sample:
            made = only(
                [
                    value.unflatten(0, (size, -1)) if one else value
                    for value, one in zip(each(made), is_there, strict=True)
                ]
            )
        return made, only([0 if one else None for one in is_there])

    return rule
