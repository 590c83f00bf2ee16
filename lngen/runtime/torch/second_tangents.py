# SPDX-License-Identifier: MIT
"""Tangents of tangents, in forward mode over forward mode.

No direction computes them; backward_backward does, one entry at a time. Let y'' be the second derivative, and c the
cotangent that is 1 at the entry e of an output. The second tangent of e is the result of backward_backward for c along
the first tangents, paired with the second tangents. Every entry of every row is a sample, so that a row of D entries
takes D calls of a kernel on D entries. Where random numbers go by the number of a row, each such call is of all rows.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from ..protocol.interface import SHARED
from .kernels import Tensor, each, torch
from .parts import OperatorValues

_ENTRIES = 2**22
"""About how many entries an argument has for all samples of a call."""


def second_tangents(
    operator: Any, parts: OperatorValues, arguments: Sequence[Any], first: Sequence[Any], second: Sequence[Any]
) -> list[Tensor]:
    """Return the second tangents of the outputs along `first` and `second`, tangents of the inputs, None for zero.

    `operator` is backward_backward. `parts` are those of jvp, and `arguments` precede its own. `second` is ordered as
    `first`.
    """
    is_row = [part.kind == "Row" for part in parts.arguments]
    row = next(value for value, one in zip(arguments, is_row, strict=False) if one and value is not None)
    batch, features = row.shape[:-1], row.shape[-1]
    has_samples = arguments[parts.by_sample]
    # The axes that number calls, and those that number the rows of a call.
    count = bool(has_samples) if parts.draws else len(batch)
    calls, within = batch[:count], batch[count:]
    kinds = [part.kind for part in parts.arguments]
    own_kinds = kinds[len(arguments) :]
    fixed = [_of_calls(value, kind, calls, has_samples) for value, kind in zip(arguments, kinds, strict=False)]
    moved = [_of_calls(value, kind, calls, has_samples) for value, kind in zip(first, own_kinds, strict=True)]
    along = [_of_calls(value, kind, calls, has_samples) for value, kind in zip(second, own_kinds, strict=True)]
    fixed[parts.by_sample] = True
    at_once = max(1, _ENTRIES // max(features * features * prod(within), 1))
    found = []
    for place, output in enumerate(parts.results):
        basis = torch.eye(features, dtype=row.dtype, device=row.device)
        if output.kind != "Row":
            basis = basis.new_ones(1)
        cotangents: list[Any] = [None] * len(parts.results)
        made = []
        for begin in range(0, end := prod(calls) * prod(within), at_once):
            numbers = torch.arange(begin, min(begin + at_once, end), device=row.device)
            of = numbers // prod(within)
            cotangents[place] = _ones(basis, numbers % prod(within), within)
            entries = [_of_entries(value, of, len(basis)) for value in (*fixed, *moved)]
            gradients = each(operator(*entries[: len(fixed)], *cotangents, *entries[len(fixed) :]))
            made.append(_paired(gradients, [value if value is None else value[of] for value in along], len(basis)))
        whole = torch.cat(made) if made else row.new_zeros(0, len(basis))
        found.append(whole.to(row.dtype).reshape(row.shape if output.kind == "Row" else batch))
    return found


def _ones(basis: Tensor, places: Tensor, rows: Sequence[int]) -> Tensor:
    """Return cotangents that are those of a basis in the row at a place, and 0 in the other rows of a call."""
    is_there = torch.arange(prod(rows), device=places.device) == places.unsqueeze(1)
    shape = (len(places), 1, prod(rows), *[1] * (basis.ndim - 1))
    return (is_there.reshape(shape) * basis.unsqueeze(1)).reshape(-1, *rows, *basis.shape[1:])


def _of_calls(value: Any, kind: str, calls: Sequence[int], has_samples: bool) -> Any:
    """Return a tensor with one axis for all calls."""
    if not isinstance(value, Tensor):
        return value
    if kind in SHARED:
        own = value.shape[1:] if has_samples else value.shape
        shared = value.reshape(*value.shape[:1], *[1] * (len(calls) - 1), *own) if has_samples else value
        return shared.expand((*calls, *own)).reshape(prod(calls), *own)
    return value.reshape(prod(calls), *value.shape[len(calls) :])


def _of_entries(value: Any, numbers: Tensor, entries: int) -> Any:
    """Return some calls as samples, each repeated once per entry."""
    if not isinstance(value, Tensor):
        return value
    some = value[numbers]
    return some.unsqueeze(1).expand(len(some), entries, *some.shape[1:]).flatten(0, 1)


def _paired(gradients: Sequence[Tensor], along: Sequence[Tensor | None], entries: int) -> Tensor:
    """Return the sum of products of gradients and tangents, for some entries of each row."""
    terms = []
    for gradient, tangent in zip(gradients, along, strict=False):
        if tangent is not None:
            wide = torch.promote_types(gradient.dtype, torch.float32)
            product = gradient.unflatten(0, (-1, entries)).to(wide) * tangent.unsqueeze(1).to(wide)
            terms.append(product.flatten(2).sum(-1) if product.ndim > 2 else product)
    return torch.stack(terms).sum(0)
