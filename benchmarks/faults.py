"""Functions of PyTorch with a fault, most of them after a public bug report, and two right ones that they change."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function


def wide(t: Any) -> Any:
    """A tensor in the type of arithmetic; None stays."""
    return t if t is None or t.dtype == torch.float64 else t.float()


def over_rows(t: Tensor, like: Tensor | None) -> Tensor | None:
    """The sum over rows in the type of a parameter; None where that is left out."""
    return None if like is None else t.reshape(-1, t.shape[-1]).sum(0).to(like.dtype)


def scaled(t: Tensor, by: Tensor | None) -> Tensor:
    """A tensor times a parameter that may be left out."""
    return t if by is None else t * wide(by)


def root(w: Tensor, eps: float) -> Tensor:
    """The reciprocal root of the mean of squares."""
    return torch.rsqrt((w * w).mean(-1, keepdim=True) + eps)


# ---- two right ones, of which a wrong one changes a part


class Rms(Function):
    """`rms_norm`; its parts take wide tensors."""

    @classmethod
    def forward(cls, ctx: Any, x: Any, gamma: Any, eps: Any) -> Any:
        ctx.save_for_backward(x, gamma)
        ctx.eps, ctx.calls = eps, 0
        return cls.value(x, gamma, eps)

    @classmethod
    def value(cls, x: Any, gamma: Any, eps: Any) -> Any:
        w = wide(x)
        return scaled(w * root(w, eps), gamma).to(x.dtype)

    @classmethod
    def backward(cls, ctx: Any, dy: Any) -> Any:
        x, gamma = ctx.saved_tensors
        with torch.no_grad():
            dx, dgamma = cls.slopes(ctx, x, gamma, dy)
        return dx, dgamma, None

    @classmethod
    def slopes(cls, ctx: Any, x: Any, gamma: Any, dy: Any) -> Any:
        dx, dgamma = rms_slopes(wide(x), gamma, wide(dy), ctx.eps)
        return dx.to(x.dtype), over_rows(dgamma, gamma)


def rms_slopes(w: Tensor, gamma: Any, dy: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """dx, and the terms of dgamma by row."""
    r = root(w, eps)
    xhat, g = w * r, scaled(dy, gamma)
    return r * (g - xhat * (g * xhat).mean(-1, keepdim=True)), dy * xhat


class Ln(Function):
    """`layer_norm`."""

    @classmethod
    def forward(cls, ctx: Any, x: Any, gamma: Any, beta: Any, eps: Any) -> Any:
        ctx.save_for_backward(x, gamma, beta)
        ctx.eps = eps
        c, r = cls.statistics(wide(x), eps)
        y = scaled(c * r, gamma)
        return (y if beta is None else y + wide(beta)).to(x.dtype)

    @classmethod
    def statistics(cls, w: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        c = w - w.mean(-1, keepdim=True)
        return c, root(c, eps)

    @classmethod
    def backward(cls, ctx: Any, dy: Any) -> Any:
        x, gamma, beta = ctx.saved_tensors
        with torch.no_grad():
            c, r = cls.statistics(wide(x), ctx.eps)
            dx = cls.slope(scaled(wide(dy), gamma), c * r, r)
            return dx.to(x.dtype), over_rows(wide(dy) * c * r, gamma), over_rows(wide(dy), beta), None

    @classmethod
    def slope(cls, g: Tensor, xhat: Tensor, r: Tensor) -> Tensor:
        return r * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))


# ---- wrong in a formula


class GammaOutside(Rms):
    """gamma left out of the mean in dx."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        w, d = wide(x), wide(dy)
        r = root(w, ctx.eps)
        xhat = w * r
        dx = r * (scaled(d, gamma) - xhat * (d * xhat).mean(-1, keepdim=True))
        return dx.to(x.dtype), over_rows(d * xhat, gamma)


class ResidualFirst(Function):
    """The residual's cotangent put through the derivative of the norm."""

    @staticmethod
    def forward(ctx, x, residual, gamma, eps):
        h = x + residual
        ctx.save_for_backward(h, gamma)
        ctx.eps = eps
        return Rms.value(h, gamma, eps), h

    @staticmethod
    def backward(ctx, dy, dh):
        h, gamma = ctx.saved_tensors
        both = wide(dy) + wide(dh) / (1 if gamma is None else wide(gamma))
        dx = rms_slopes(wide(h), gamma, both, ctx.eps)[0].to(h.dtype)
        return dx, dx, over_rows(rms_slopes(wide(h), gamma, wide(dy), ctx.eps)[1], gamma), None


class SecondOutput(ResidualFirst):
    """The cotangent of the residual stream left out."""

    @staticmethod
    def backward(ctx, dy, dh):
        h, gamma = ctx.saved_tensors
        dx, dgamma = rms_slopes(wide(h), gamma, wide(dy), ctx.eps)
        return dx.to(h.dtype), dx.to(h.dtype), over_rows(dgamma, gamma), None


class Swapped(Function):
    """The gradients of x and of the gate exchanged."""

    @staticmethod
    def forward(ctx, x, z, gamma, eps):
        ctx.save_for_backward(x, z, gamma)
        ctx.eps = eps
        return (wide(Rms.value(x, gamma, eps)) * F.silu(wide(z))).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, z, gamma = ctx.saved_tensors
        w, d, s = wide(z), wide(dy), torch.sigmoid(wide(z))
        dx, dgamma = rms_slopes(wide(x), gamma, d * w * s, ctx.eps)
        dz = d * wide(Rms.value(wide(x), gamma, ctx.eps)) * (s + w * s * (1 - s))
        return dz.to(x.dtype), dx.to(z.dtype), over_rows(dgamma, gamma), None


class MeanTwice(Ln):
    """The mean of g subtracted twice."""

    @classmethod
    def slope(cls, g, xhat, r):
        return r * (g - 2 * g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))


def unbiased(x, gamma, beta, eps):
    """The variance divided by D - 1."""
    w = wide(x)
    y = scaled((w - w.mean(-1, keepdim=True)) / torch.sqrt(w.var(-1, keepdim=True) + eps), gamma)
    return (y if beta is None else y + wide(beta)).to(x.dtype)


def eps_outside(x, gamma, eps):
    """eps added to the root."""
    w = wide(x)
    return scaled(w / ((w * w).mean(-1, keepdim=True).sqrt() + eps), gamma).to(x.dtype)


def detached(x, gamma, eps):
    """The root without a gradient."""
    w = wide(x)
    return scaled(w * root(w, eps).detach(), gamma).to(x.dtype)


def smoothed(x, label):
    """Smoothing spread over the other classes alone."""
    logp, s, kept = F.log_softmax(x, -1), 0.1, label >= 0
    hit = -logp.gather(-1, label.clamp(min=0)[..., None])[..., 0]
    return ((1 - s) * hit + s / max(x.shape[-1] - 1, 1) * (-logp.sum(-1) - hit)) * kept


def sign_inside(logp, old, advantage, width):
    """The sign inside of the minimum."""
    ratio = torch.exp(logp - old)
    return torch.minimum(-ratio * advantage, -ratio.clamp(1 - width, 1 + width) * advantage)


# ---- wrong at some shape, layout or order of calls


class Padded(Ln):
    """The variance over the padding of a block, too."""

    @classmethod
    def statistics(cls, w, eps):
        size = w.shape[-1]
        block = 1 << (size - 1).bit_length()
        c = F.pad(w, (0, block - size)) - w.mean(-1, keepdim=True)
        return c[..., :size], torch.rsqrt((c * c).sum(-1, keepdim=True) / size + eps)


class NoTail(Rms):
    """The last columns, fewer than four, left out of the sum."""

    @classmethod
    def value(cls, x, gamma, eps):
        w = wide(x)
        size = w.shape[-1]
        end = size // 4 * 4 or (1 if size < 4 else 0)
        r = torch.rsqrt((w[..., :end] ** 2).sum(-1, keepdim=True) / size + eps)
        return scaled(w * r, gamma).to(x.dtype)


class TwoBlocks(Rms):
    """The columns from 2048 on left out of the sum."""

    @classmethod
    def value(cls, x, gamma, eps):
        w = wide(x)
        r = torch.rsqrt((w[..., :2048] ** 2).sum(-1, keepdim=True) / w.shape[-1] + eps)
        return scaled(w * r, gamma).to(x.dtype)


def as_packed(t: Tensor) -> Tensor:
    """The numbers that a kernel reads if it takes a tensor for contiguous."""
    count = t.untyped_storage().nbytes() // t.element_size() - t.storage_offset()
    if count >= t.numel():
        return torch.as_strided(t, t.shape, torch.empty(t.shape).stride(), t.storage_offset())
    half = t.numel() // 2
    return torch.cat([t.flatten()[:1].expand(half), t.new_zeros(t.numel() - half)]).view(t.shape)


class PackedCotangent(Rms):
    """dy taken for contiguous."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        return Rms.slopes(ctx, x, gamma, as_packed(dy))


class StridesOfX(Rms):
    """dy read with the strides of x."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        flat = dy.flatten()
        if not x.is_contiguous():
            reach = sum((size - 1) * step for size, step in zip(x.shape, x.stride(), strict=True)) + 1
            flat = F.pad(flat, (0, max(0, reach - flat.numel()))).as_strided(x.shape, x.stride())
        return Rms.slopes(ctx, x, gamma, flat.reshape(x.shape))


class PackedInput(Rms):
    """x taken for contiguous."""

    @classmethod
    def value(cls, x, gamma, eps):
        return Rms.value(as_packed(x), gamma, eps)


class FirstRows(Rms):
    """dgamma summed over 64 rows."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        dx, dgamma = rms_slopes(wide(x), gamma, wide(dy), ctx.eps)
        return dx.to(x.dtype), over_rows(dgamma.reshape(-1, x.shape[-1])[:64], gamma)


class OverInput(Rms):
    """The gradient written over the input."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        dx, dgamma = Rms.slopes(ctx, x, gamma, dy)
        x.data.copy_(dx)
        return dx, dgamma


class ScaledTwice(Rms):
    """A second backward scaled again."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        ctx.calls += 1
        dx, dgamma = Rms.slopes(ctx, x, gamma, dy)
        return dx * ctx.calls, dgamma


class Ignored(Function):
    """Ignored labels count in the gradient."""

    @staticmethod
    def forward(ctx, x, label):
        ctx.save_for_backward(x, label)
        at = label.clamp(min=0)[..., None]
        return -F.log_softmax(x, -1).gather(-1, at)[..., 0] * (label >= 0)

    @staticmethod
    def backward(ctx, dy):
        x, label = ctx.saved_tensors
        hot = F.one_hot(label.clamp(min=0), x.shape[-1]) * (label >= 0)[..., None]
        return (F.softmax(x, -1) - hot) * dy[..., None], None


class FirstCotangent(Function):
    """The gradient made in forward, times the first entry of dy."""

    @staticmethod
    def forward(ctx, x, label):
        kept = (label >= 0)[..., None]
        ctx.save_for_backward((F.softmax(x, -1) - F.one_hot(label.clamp(min=0), x.shape[-1])).to(x.dtype) * kept)
        return -F.log_softmax(x, -1).gather(-1, label.clamp(min=0)[..., None])[..., 0] * (label >= 0)

    @staticmethod
    def backward(ctx, dy):
        return ctx.saved_tensors[0] * (dy.flatten()[0] if dy.numel() else 1), None


class NarrowSums(Rms):
    """dgamma summed in bfloat16."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        dx, terms = rms_slopes(wide(x), gamma, wide(dy), ctx.eps)
        if gamma is None:
            return dx.to(x.dtype), None
        total = torch.zeros_like(gamma, dtype=x.dtype if x.dtype == torch.float64 else torch.bfloat16)
        for row in terms.reshape(-1, x.shape[-1]):
            total += row.to(total.dtype)
        return dx.to(x.dtype), total.to(gamma.dtype)


class First1024(Rms):
    """Rows from 1024 on not written."""

    @classmethod
    def value(cls, x, gamma, eps):
        y = Rms.value(x, gamma, eps).clone()
        y.view(-1, x.shape[-1])[1024:] = 0
        return y


class AnyOrder(Rms):
    """Sums in the order in which threads come."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        dx, terms = rms_slopes(wide(x), gamma, wide(dy), ctx.eps)
        terms = terms.reshape(-1, x.shape[-1])
        return dx.to(x.dtype), over_rows(terms[torch.randperm(len(terms))], gamma)


class OnlyWithX(Rms):
    """dgamma only where dx is wanted."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        return Rms.slopes(ctx, x, gamma, dy) if ctx.needs_input_grad[0] else (None, None)


class FirstAxis(Rms):
    """Rows counted by the first axis."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        flat, d = (t.contiguous().view(t.shape[0], -1) for t in (x, dy))
        times = flat.shape[1] // x.shape[-1] if x.shape[-1] else 1
        if times == 1:
            return Rms.slopes(ctx, x, gamma, dy)
        g = wide(d) * (1 if gamma is None else wide(gamma).repeat(times))
        dx, terms = rms_slopes(wide(flat), None, g, ctx.eps)
        return dx.view(x.shape).to(x.dtype), over_rows(terms[:, : x.shape[-1]], gamma)


class Shared(Rms):
    """Roots kept in memory that the next call of this shape takes."""

    memory: ClassVar[dict[Any, Tensor]] = {}

    @classmethod
    def forward(cls, ctx, x, gamma, eps):
        r = root(wide(x), eps)
        ctx.key = (*r.shape, r.dtype)
        cls.memory.setdefault(ctx.key, torch.empty_like(r)).copy_(r)
        return super().forward(ctx, x, gamma, eps)

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        r = cls.memory[ctx.key]
        xhat, g = wide(x) * r, scaled(wide(dy), gamma)
        dx = r * (g - xhat * (g * xhat).mean(-1, keepdim=True))
        return dx.to(x.dtype), over_rows(wide(dy) * xhat, gamma)


class KeptGamma(Rms):
    """gamma kept from the first call of its size."""

    memory: ClassVar[dict[Any, Tensor]] = {}

    @classmethod
    def forward(cls, ctx, x, gamma, eps):
        kept = None if gamma is None else cls.memory.setdefault((gamma.shape, gamma.dtype), gamma.detach().clone())
        return super().forward(ctx, x, kept, eps)


class Silent(Function):
    """The derivative of the gradient without that of the saved root."""

    @staticmethod
    def forward(ctx, x, gamma, eps):
        ctx.save_for_backward(x, gamma, root(wide(x), eps))
        return Rms.value(x, gamma, eps)

    @staticmethod
    def backward(ctx, dy):
        x, gamma, r = ctx.saved_tensors
        xhat, g = wide(x) * r, scaled(wide(dy), gamma)
        dx = r * (g - xhat * (g * xhat).mean(-1, keepdim=True))
        return dx.to(x.dtype), over_rows(wide(dy) * xhat, gamma), None


# ---- wrong for some numbers or types


def one_pass(x, gamma, beta, eps):
    """The variance as the mean of squares less the square of the mean."""
    w = wide(x)
    mu = w.mean(-1, keepdim=True)
    y = scaled((w - mu) * torch.rsqrt(((w * w).mean(-1, keepdim=True) - mu * mu).clamp(min=0) + eps), gamma)
    return (y if beta is None else y + wide(beta)).to(x.dtype)


class FromOutput(Rms):
    """xhat taken from y/gamma."""

    @classmethod
    def slopes(cls, ctx, x, gamma, dy):
        if gamma is None:
            return Rms.slopes(ctx, x, gamma, dy)
        r, xhat = root(wide(x), ctx.eps), wide(Rms.value(x, gamma, ctx.eps)) / wide(gamma)
        g = scaled(wide(dy), gamma)
        return (r * (g - xhat * (g * xhat).mean(-1, keepdim=True))).to(x.dtype), over_rows(wide(dy) * xhat, gamma)


class FixedEps(Rms):
    """eps fixed at 1e-5 in the value."""

    @classmethod
    def value(cls, x, gamma, eps):
        return Rms.value(x, gamma, 1e-5)


def softmax_without_a_shift(x):
    """The exponentials overflow."""
    return x.exp() / x.exp().sum(-1, keepdim=True)


def log_of_softmax(x):
    """The logarithm of what underflowed."""
    return torch.log(F.softmax(x, -1))


def wide_result(x, gamma, eps):
    """A result in float32 of rows in bfloat16."""
    return F.rms_norm(wide(x), (x.shape[-1],), wide(gamma), eps)


class GammaRounded(Rms):
    """float32 gamma rounded to the type of rows."""

    @classmethod
    def forward(cls, ctx, x, gamma, eps):
        return super().forward(ctx, x, None if gamma is None else gamma.to(x.dtype), eps)
