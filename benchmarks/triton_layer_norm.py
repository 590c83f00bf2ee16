"""Layer norm in Triton, by the algorithm of Triton's tutorial: what many projects have where they have no better.

A program has a row, whole, in registers. In backward it adds the row's share of the sums over rows to one of a few
partial rows, each guarded by a lock, and a second kernel adds up those. Needs `torch` and `triton`.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

MOST_BYTES = 65536
"""The longest row: one that is longer does not stay in registers."""

_COLUMNS, _PARTS = 128, 32


@triton.jit
def _forward(x, gamma, beta, y, means, scales, features, eps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < features
    entries = tl.load(x + row * features + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(entries, 0) / features
    centred = tl.where(inside, entries - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / features + eps)
    weight = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(beta + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * features + at, (weight * (centred * scale) + shift).to(y.dtype.element_ty), mask=inside)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    x, dy, gamma, means, scales, dx, sums, locks, features, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < features
    entries = tl.load(x + row * features + at, mask=inside, other=0.0).to(tl.float32)
    cotangent = tl.load(dy + row * features + at, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(scales + row)
    xhat = tl.where(inside, (entries - tl.load(means + row)) * scale, 0.0)
    g = weight * cotangent
    along = tl.sum(g * xhat, 0) / features
    gradient = scale * (g - tl.sum(g, 0) / features - xhat * along)
    tl.store(dx + row * features + at, gradient.to(dx.dtype.element_ty), mask=inside)
    group = row % GROUPS
    of_gamma = sums + group * features + at
    of_beta = of_gamma + GROUPS * features
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    tl.store(of_gamma, tl.load(of_gamma, mask=inside, other=0.0) + cotangent * xhat, mask=inside)
    tl.store(of_beta, tl.load(of_beta, mask=inside, other=0.0) + cotangent, mask=inside)
    # Every thread's part has to be there before the lock is given up.
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


@triton.jit
def _columns(  # type: ignore[no-untyped-def]
    sums, dgamma, dbeta, features, GROUPS: tl.constexpr, PARTS: tl.constexpr, COLUMNS: tl.constexpr
):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    of_gamma = tl.zeros((PARTS, COLUMNS), tl.float32)
    of_beta = tl.zeros((PARTS, COLUMNS), tl.float32)
    for first in range(0, GROUPS, PARTS):
        part = first + tl.arange(0, PARTS)
        inside = (part[:, None] < GROUPS) & (column[None, :] < features)
        at = part[:, None] * features + column[None, :]
        of_gamma += tl.load(sums + at, mask=inside, other=0.0)
        of_beta += tl.load(sums + GROUPS * features + at, mask=inside, other=0.0)
    there = column < features
    tl.store(dgamma + column, tl.sum(of_gamma, 0).to(dgamma.dtype.element_ty), mask=there)
    tl.store(dbeta + column, tl.sum(of_beta, 0).to(dbeta.dtype.element_ty), mask=there)


class _LayerNorm(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: Any, gamma: Any, beta: Any, eps: float) -> Any:
        rows, features = x.shape
        if features * x.element_size() > MOST_BYTES:
            raise ValueError(f"no row of more than {MOST_BYTES} bytes")
        y = torch.empty_like(x)
        means, scales = torch.empty((2, rows), dtype=torch.float32, device=x.device)
        block, warps = _shape(features)
        _forward[(rows,)](x, gamma, beta, y, means, scales, features, eps, BLOCK=block, num_warps=warps)
        ctx.save_for_backward(x, gamma, means, scales)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        x, gamma, means, scales = ctx.saved_tensors
        rows, features = x.shape
        groups = 256 if features <= 1024 else 128 if features <= 4096 else 96 if features <= 8192 else 64
        dx, dgamma, dbeta = torch.empty_like(x), torch.empty_like(gamma), torch.empty_like(gamma)
        sums = torch.zeros((2, groups, features), dtype=torch.float32, device=x.device)
        locks = torch.zeros(groups, dtype=torch.int32, device=x.device)
        block, warps = _shape(features)
        _backward[(rows,)](
            x, dy, gamma, means, scales, dx, sums, locks, features, GROUPS=groups, BLOCK=block, num_warps=warps
        )
        grid = (triton.cdiv(features, _COLUMNS),)
        _columns[grid](sums, dgamma, dbeta, features, GROUPS=groups, PARTS=_PARTS, COLUMNS=_COLUMNS)
        return dx, dgamma, dbeta, None


def layer_norm(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Layer norm of a dense (rows, D) tensor, with gradients. Raises ValueError for a row longer than `MOST_BYTES`."""
    return _LayerNorm.apply(x, gamma, beta, eps)


def _shape(features: int) -> tuple[int, int]:
    """The entries that a program holds, and its warps."""
    block = triton.next_power_of_2(features)
    return block, min(8, max(1, block // 256))
