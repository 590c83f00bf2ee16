"""Root mean square norm for NumPy and PyTorch as people write it, right, and with one mistake each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

# ---- NumPy


def rms_norm(x, gamma=None, eps=1e-6):
    wide = x.astype(np.float64)
    y = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + eps)
    return (y if gamma is None else y * gamma).astype(x.dtype)


def rms_norm_backward(dy, x, gamma=None, eps=1e-6):
    wide, slope = x.astype(np.float64), dy.astype(np.float64)
    r = 1 / np.sqrt((wide**2).mean(-1, keepdims=True) + eps)
    xhat, g = wide * r, slope if gamma is None else slope * gamma
    dx = r * (g - xhat * (g * xhat).mean(-1, keepdims=True))
    dgamma = None if gamma is None else (slope * xhat).reshape(-1, x.shape[-1]).sum(0).astype(gamma.dtype)
    return dx.astype(x.dtype), dgamma


def without_mean_term(dy, x, gamma=None, eps=1e-6):
    _, dgamma = rms_norm_backward(dy, x, gamma, eps)
    r = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + eps)
    return (r * (dy if gamma is None else dy * gamma)).astype(x.dtype), dgamma


def writes_to_the_cotangent(dy, x, gamma=None, eps=1e-6):
    found = rms_norm_backward(dy, x, gamma, eps)
    dy *= 1
    return found


# ---- PyTorch


def of_torch() -> SimpleNamespace:
    """Right and wrong functions by name; PyTorch is imported on the first call."""
    import torch
    from torch.autograd import Function

    def wide(t: Any) -> Any:
        return t if t is None or t.dtype == torch.float64 else t.float()

    class Norm(Function):
        """A right one; each wrong one changes a step of it."""

        @classmethod
        def forward(cls, ctx: Any, x: Any, gamma: Any, eps: float) -> Any:
            ctx.save_for_backward(x, gamma)
            ctx.eps = eps
            return cls.value(x, gamma, eps)

        @classmethod
        def value(cls, x: Any, gamma: Any, eps: float) -> Any:
            y = wide(x) * torch.rsqrt((wide(x) ** 2).mean(-1, keepdim=True) + eps)
            return (y if gamma is None else y * wide(gamma)).to(x.dtype)

        @classmethod
        def backward(cls, ctx: Any, dy: Any) -> Any:
            x, gamma = ctx.saved_tensors
            dx, dgamma = cls.slopes(ctx, x, gamma, wide(dy))
            dgamma = None if gamma is None else dgamma.reshape(-1, x.shape[-1]).sum(0).to(gamma.dtype)
            return dx.to(x.dtype), dgamma, None

        @classmethod
        def slopes(cls, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
            r = torch.rsqrt((wide(x) ** 2).mean(-1, keepdim=True) + ctx.eps)
            xhat, g = wide(x) * r, dy if gamma is None else dy * wide(gamma)
            return r * (g - xhat * (g * xhat).mean(-1, keepdim=True)), dy * xhat

    right = Norm.slopes

    def changed(**steps: Any) -> Any:
        cls = type("Norm", (Norm,), {name: classmethod(step) for name, step in steps.items()})
        return lambda x, gamma, eps: cls.apply(x, gamma, eps)

    def packed(t: Any) -> Any:
        """Read memory from the first entry on, whatever the strides say."""
        flat = torch.as_strided(t, (min(t.numel(), t.untyped_storage().size() // t.element_size()),), (1,), 0)
        return torch.cat([flat, flat.new_zeros(t.numel() - flat.numel())]).view(t.shape)

    kept: dict[Any, Any] = {}

    class KeepsRoots(Norm):
        """The roots lie in memory that the next call of the same shape takes."""

        @classmethod
        def value(cls, x: Any, gamma: Any, eps: float) -> Any:
            kept[x.shape, x.dtype] = torch.rsqrt((wide(x) ** 2).mean(-1, keepdim=True) + eps).detach()
            return Norm.value(x, gamma, eps)

        @classmethod
        def slopes(cls, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
            r = kept[x.shape, x.dtype]
            xhat, g = wide(x) * r, dy if gamma is None else dy * wide(gamma)
            return r * (g - xhat * (g * xhat).mean(-1, keepdim=True)), dy * xhat

    def first_rows(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = right(ctx, x, gamma, dy)
        return dx, dgamma.reshape(-1, x.shape[-1])[:128]

    def over_input(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = right(ctx, x, gamma, dy)
        x.data.copy_(dx)
        return dx, dgamma

    def grows(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        ctx.calls = getattr(ctx, "calls", 0) + 1
        dx, dgamma = right(ctx, x, gamma, dy)
        return dx * ctx.calls, dgamma

    def needs_x(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = right(ctx, x, gamma, dy)
        return dx, dgamma if ctx.needs_input_grad[0] else dgamma * 0

    def at_random(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = right(ctx, x, gamma, dy)
        rows = dgamma.reshape(-1, x.shape[-1])
        return dx, rows[torch.randperm(len(rows))]

    def saved_root(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        r = torch.rsqrt((wide(x.detach()) ** 2).mean(-1, keepdim=True) + ctx.eps)
        xhat, g = wide(x) * r, dy if gamma is None else dy * wide(gamma)
        return r * (g - xhat * (g * xhat).mean(-1, keepdim=True)), dy * xhat

    def by_first_axis(cls: Any, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = right(ctx, x, gamma, dy)
        return dx, dgamma.reshape(-1, x.shape[-1])[: x.shape[0]] if x.ndim > 1 else dgamma

    return SimpleNamespace(
        right=changed(),
        composed=lambda x, gamma, eps: torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, eps),
        ignores_strides_of_x=changed(value=lambda cls, x, gamma, eps: Norm.value(packed(x), gamma, eps)),
        ignores_strides_of_dy=changed(slopes=lambda cls, ctx, x, gamma, dy: right(ctx, x, gamma, packed(dy))),
        sums_the_first_rows=changed(slopes=first_rows),
        writes_over_its_input=changed(slopes=over_input),
        grows_with_each_backward=changed(slopes=grows),
        needs_the_gradient_of_x=changed(slopes=needs_x),
        adds_up_at_random=changed(slopes=at_random),
        keeps_roots=lambda x, gamma, eps: KeepsRoots.apply(x, gamma, eps),
        root_is_no_input=changed(slopes=saved_root),
        counts_rows_by_the_first_axis=changed(slopes=by_first_axis),
        fixed_eps=changed(value=lambda cls, x, gamma, eps: Norm.value(x, gamma, 1e-5)),
        returns_float32=changed(value=lambda cls, x, gamma, eps: wide(Norm.value(x, gamma, eps))),
    )
