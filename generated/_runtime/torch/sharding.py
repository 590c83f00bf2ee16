# SPDX-License-Identifier: MIT
"""The operators of a layer on rows that several processes share: tensors of `torch.distributed.tensor`."""

from typing import Any

from ..protocol.directions import ROW
from .operators import Operators
from .parts import OperatorValues


def register(operators: Operators) -> None:
    """Let every direction take DTensors: rows are sharded along any of their axes but the last, or replicated.

    Parameters are replicated; sums over rows, which their gradients are, are partial until they are asked for. By
    sample all of it may be sharded along the samples. Rows with random numbers are replicated, since these go by the
    number of a row among all.
    """
    from torch.distributed.tensor.experimental import register_sharding

    for direction, parts in operators.parts.items():
        register_sharding(getattr(operators, direction))(_placements(parts))


def _placements(parts: OperatorValues) -> Any:
    from torch.distributed.tensor import Partial, Replicate, Shard

    by_sample = parts.by_sample

    def acceptable(*args: Any) -> list[tuple[list[Any], list[Any]]]:
        is_there = [hasattr(each, "ndim") for each in args]
        # A row scalar has the axes of a row but the last, which none is sharded along.
        axes = max(
            each.ndim - 1
            for each, part, there in zip(args, parts.arguments, is_there, strict=True)
            if there and part.part == ROW
        )
        found = [([Replicate()] * len(parts.results), [Replicate() if there else None for there in is_there])]
        for axis in range(min(axes, args[by_sample]) if parts.draws else axes):
            of_samples = axis == 0 and args[by_sample]
            results = [Shard(axis) if of_samples or part.is_per_row else Partial() for part in parts.results]
            given = [
                None if not there else Shard(axis) if of_samples or part.is_per_row else Replicate()
                for part, there in zip(parts.arguments, is_there, strict=True)
            ]
            found.append((results, given))
        return found

    return acceptable
