"""Definitions whose axes have names, and the same in PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

DEFINITIONS = {
    "by_sample": """
def by_sample(x: Array["b ... d"], scale: Array["b d"] = 0, shift: Array["b d"] = 0, eps: Constant = 1e-6):
    c = x - mean(x, "d")
    return (1 + scale)*c*rsqrt(mean(c**2, "d") + eps) + shift
""",
    "by_group": """
def by_group(x: Array["n (g c) h w"], gamma: Array["(g c)"] = 1, beta: Array["(g c)"] = 0, g: Size = 3,
             eps: Constant = 1e-5):
    c = x - mean(x, "c h w")
    return gamma*c*rsqrt(mean(c**2, "c h w") + eps) + beta
""",
    "by_channel": """
def by_channel(x: Array["n c h w"], gamma: Array["c"] = 1, beta: Array["c"] = 0, eps: Constant = 1e-5):
    mu = mean(x, "n h w")
    c = x - mu
    var = mean(c**2, "n h w")
    y = gamma*c*rsqrt(var + eps) + beta
    return y, mu, var
""",
    "by_head": """
def by_head(x: Array["b t h d"], weight: Array["h d"] = 1, eps: Constant = 1e-6):
    return weight*x*rsqrt(mean(x**2, "d") + eps)
""",
    "by_picture": """
def by_picture(x: Array["... h w"], gamma: Array["h w"] = 1, bias: Array["w"] = 0, eps: Constant = 1e-5):
    c = x - mean(x, "h w")
    return gamma*c*rsqrt(mean(c**2, "h w") + eps) + bias
""",
    "by_sample_and_place": """
def by_sample_and_place(x: Array["b t d"], s: Array["b d"], p: Array["t d"], m: Data["t"]):
    z = x*s + p
    return m*z/(1 + sum(z**2, "d"))
""",
}
"""Parameters with axes of the rows, of the features and of both, and rows with gaps."""

SIZES = {
    "by_sample": {"x": (3, 5, 2, 8), "scale": (3, 8), "shift": (3, 8)},
    "by_group": {"x": (2, 12, 5, 3), "gamma": (12,), "beta": (12,)},
    "by_channel": {"x": (4, 3, 5, 2), "gamma": (3,), "beta": (3,)},
    "by_head": {"x": (2, 7, 3, 8), "weight": (3, 8)},
    "by_picture": {"x": (2, 3, 5, 4), "gamma": (5, 4), "bias": (4,)},
    "by_sample_and_place": {"x": (2, 7, 8), "s": (2, 8), "p": (7, 8), "m": (7,)},
}
"""The shapes of inputs that tests pass."""


def in_pytorch(name: str) -> Callable[..., Any]:
    """Return the function of a definition in PyTorch's own operations."""
    functional = importlib.import_module("torch").nn.functional

    def by_sample(x: Any, scale: Any, shift: Any) -> Any:
        spread = (x.shape[0], *[1] * (x.ndim - 2), -1)
        return (1 + scale.reshape(spread)) * functional.layer_norm(x, x.shape[-1:], eps=1e-6) + shift.reshape(spread)

    def by_channel(x: Any, gamma: Any, beta: Any) -> Any:
        mu = x.mean((0, 2, 3))
        var = ((x - mu[:, None, None]) ** 2).mean((0, 2, 3))
        return functional.batch_norm(x, None, None, gamma, beta, True, eps=1e-5), mu, var

    def by_sample_and_place(x: Any, s: Any, p: Any, m: Any) -> Any:
        z = x * s[:, None] + p
        return m[:, None] * z / (1 + (z**2).sum(-1, keepdim=True))

    def by_picture(x: Any, gamma: Any, bias: Any) -> Any:
        return gamma * functional.layer_norm(x, x.shape[-2:], eps=1e-5) + bias

    return {
        "by_sample": by_sample,
        "by_group": lambda x, gamma, beta: functional.group_norm(x, 3, gamma, beta, eps=1e-5),
        "by_channel": by_channel,
        "by_head": lambda x, weight: weight * functional.rms_norm(x, x.shape[-1:], eps=1e-6),
        "by_picture": by_picture,
        "by_sample_and_place": by_sample_and_place,
    }[name]
