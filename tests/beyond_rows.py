"""Layers whose arrays have named axes, integers or casts: their texts, arrays to pass, and the same in PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from lngen.language.definition import Draw
from lngen.language.oracle.random import drawn_from
from tests.shipped import BEYOND_ROWS, ROOT

SHIPPED = {name: (ROOT / "derive" / f"{name}.py").read_text(encoding="utf-8") for name in BEYOND_ROWS}

_TEXTS = {
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
    "interleaved": """
def interleaved(x: Array["... (d s)"], c: Data["... d"], t: Data["... d"], s: Size = 2):
    return join(at(x, s=0)*c - at(x, s=1)*t, at(x, s=1)*c + at(x, s=0)*t)
""",
    "thirds": """
def thirds(x: Array["n (k d) t"], w: Array["(d k)"], bias: Array["k d"] = 0, k: Size = 3):
    first = at(x, k=0)
    c = first - mean(first, "d t")
    u = c*at(w, k=1) + at(bias, k=2)
    v = tanh(at(x, k=2))*u
    y = join(u, v, u*v + at(w, k=0))
    r = sum(v, "d t")
    return y, r
""",
}

DEFINITIONS = SHIPPED | _TEXTS

AXES = {name: text for name, text in DEFINITIONS.items() if "Array[" in text and "Int[" not in text}
"""Parameters with axes of the rows, of the features and of both, rows with gaps, and arrays in parts."""

SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "ada_layer_norm": {"x": (3, 5, 2, 8), "scale": (3, 8), "shift": (3, 8)},
    "ada_layer_norm_zero": {"x": (3, 5, 8), "branch": (3, 5, 8), "gate": (3, 8), "scale": (3, 8), "shift": (3, 8)},
    "add_rms_norm_fp8": {"x": (4, 9), "residual": (4, 9), "gamma": (9,), "scale": ()},
    "alibi_softmax": {"x": (2, 3, 5, 5), "slope": (3,), "position": (5,)},
    "batch_norm": {"x": (4, 3, 5, 2), "gamma": (3,), "beta": (3,)},
    "causal_softmax": {"x": (2, 3, 5, 7), "position": (5,), "scale": ()},
    "dropout_add_layer_norm": {"x": (4, 9), "residual": (4, 9), "seed": (), "gamma": (9,), "beta": (9,)},
    "focal_loss": {"x": (6, 7), "label": (6,)},
    "group_norm": {"x": (2, 64, 3, 2), "gamma": (64,), "beta": (64,)},
    "head_rms_norm": {"x": (2, 7, 3, 8), "weight": (3, 8)},
    "info_nce": {"similarity": (6, 7), "positive": (6,), "scale": ()},
    "instance_norm": {"x": (2, 3, 4, 5), "gamma": (3,), "beta": (3,)},
    "label_cross_entropy": {"x": (6, 7), "label": (6,)},
    "packed_swiglu": {"x": (2, 3, 16)},
    "rotary": {"x": (2, 3, 5, 8), "cosine": (5, 4), "sine": (5, 4)},
    "layer_norm_hw": {"x": (2, 3, 5, 4), "gamma": (5, 4), "beta": (5, 4)},
    "by_picture": {"x": (2, 3, 5, 4), "gamma": (5, 4), "bias": (4,)},
    "by_sample_and_place": {"x": (2, 7, 8), "s": (2, 8), "p": (7, 8), "m": (7,)},
    "interleaved": {"x": (3, 5, 14), "c": (3, 5, 7), "t": (3, 5, 7)},
    "thirds": {"x": (2, 12, 5), "w": (12,), "bias": (3, 4)},
}
"""The shapes of inputs that tests pass."""

DATA = ("m", "slope", "cosine", "sine", "c", "t")
INTEGERS = {
    "position": np.array([0, 1, 2, 3, 4]),
    "label": np.array([3, -100, 0, 6, 2, 5]),
    "positive": np.array([3, 1, 0, 6, 2, 5]),
    "seed": np.array(7),
}


def arrays(name: str, seed: int = 0) -> dict[str, Any]:
    """Draw the inputs of a layer, by name; what is an integer is the same for each seed."""
    rng = np.random.default_rng(seed)
    return {
        key: INTEGERS[key] if key in INTEGERS else np.asarray(rng.standard_normal(shape))
        for key, shape in SHAPES[name].items()
    }


def in_pytorch(name: str) -> Callable[..., Any]:
    """Return the function of a definition in PyTorch's own operations."""
    torch = importlib.import_module("torch")
    functional = torch.nn.functional

    def ada_layer_norm(x: Any, scale: Any, shift: Any) -> Any:
        spread = (x.shape[0], *[1] * (x.ndim - 2), -1)
        return (1 + scale.reshape(spread)) * functional.layer_norm(x, x.shape[-1:], eps=1e-6) + shift.reshape(spread)

    def ada_layer_norm_zero(x: Any, branch: Any, gate: Any, scale: Any, shift: Any) -> Any:
        h = x + gate[:, None] * branch
        return ada_layer_norm(h, scale, shift), h

    def attention(z: Any, position: Any) -> Any:
        hidden = torch.arange(z.shape[-1]) > position[:, None]
        return torch.softmax(z.masked_fill(hidden, -torch.inf), -1)

    def alibi_softmax(x: Any, slope: Any, position: Any) -> Any:
        distance = torch.arange(x.shape[-1]) - position[:, None]
        return attention(x + slope[:, None, None] * distance, position)

    def batch_norm(x: Any, gamma: Any, beta: Any) -> Any:
        mu = x.mean((0, 2, 3))
        var = ((x - mu[:, None, None]) ** 2).mean((0, 2, 3))
        return functional.batch_norm(x, None, None, gamma, beta, True, eps=1e-5), mu, var

    def by_sample_and_place(x: Any, s: Any, p: Any, m: Any) -> Any:
        z = x * s[:, None] + p
        return m[:, None] * z / (1 + (z**2).sum(-1, keepdim=True))

    def by_picture(x: Any, gamma: Any, bias: Any) -> Any:
        return gamma * functional.layer_norm(x, x.shape[-2:], eps=1e-5) + bias

    def dropout_add_layer_norm(x: Any, residual: Any, seed: Any, gamma: Any, beta: Any) -> Any:
        drawn = torch.tensor(drawn_from(Draw("seed"), {"seed": int(seed)}, tuple(x.shape)))
        h = torch.where(drawn >= 0.1, x / 0.9, 0) + residual
        return functional.layer_norm(h, h.shape[-1:], gamma, beta, eps=1e-5), h

    def focal_loss(x: Any, label: Any) -> Any:
        nll = functional.cross_entropy(x, label, ignore_index=-100, reduction="none")
        return (1 - torch.exp(-nll)) ** 2 * nll

    def interleaved(x: Any, c: Any, t: Any) -> Any:
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * c - b * t, b * c + a * t), -1).flatten(-2)

    def layer_norm_hw(x: Any, gamma: Any, beta: Any) -> Any:
        return functional.layer_norm(x, x.shape[-2:], gamma, beta, eps=1e-5)

    def packed_swiglu(x: Any) -> Any:
        gate, value = x.chunk(2, -1)
        return functional.silu(gate) * value

    def rotary(x: Any, cosine: Any, sine: Any) -> Any:
        a, b = x.chunk(2, -1)
        return x * torch.cat((cosine, cosine), -1) + torch.cat((-b, a), -1) * torch.cat((sine, sine), -1)

    def thirds(x: Any, w: Any, bias: Any) -> Any:
        first, _, last = x.reshape(2, 3, 4, 5).unbind(1)
        u = (first - first.mean((1, 2), keepdim=True)) * w[1::3, None] + bias[2][:, None]
        v = torch.tanh(last) * u
        return torch.stack((u, v, u * v + w[::3, None]), 1).reshape(x.shape), v.sum((1, 2))

    return {
        "ada_layer_norm": ada_layer_norm,
        "ada_layer_norm_zero": ada_layer_norm_zero,
        "alibi_softmax": alibi_softmax,
        "batch_norm": batch_norm,
        "by_picture": by_picture,
        "by_sample_and_place": by_sample_and_place,
        "causal_softmax": lambda x, position, scale: attention(scale * x, position),
        "dropout_add_layer_norm": dropout_add_layer_norm,
        "focal_loss": focal_loss,
        "group_norm": lambda x, gamma, beta: functional.group_norm(x, 32, gamma, beta, eps=1e-5),
        "head_rms_norm": lambda x, weight: weight * functional.rms_norm(x, x.shape[-1:], eps=1e-6),
        "info_nce": lambda similarity, positive, scale: functional.cross_entropy(
            scale * similarity, positive, reduction="none"
        ),
        "interleaved": interleaved,
        "instance_norm": lambda x, gamma, beta: functional.instance_norm(x, None, None, gamma, beta, eps=1e-5),
        "label_cross_entropy": lambda x, label: functional.cross_entropy(x, label, reduction="none"),
        "layer_norm_hw": layer_norm_hw,
        "packed_swiglu": packed_swiglu,
        "rotary": rotary,
        "thirds": thirds,
    }[name]
