"""Layers whose arrays have named axes, integers or casts, and some of rows: texts, arrays to pass, and the same in
PyTorch.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from lngen.language.definition import Draw
from lngen.language.oracle.random import drawn_from
from tests.shipped import BEYOND_ROWS, ROOT

OF_ROWS = ("dual_rms_norm", "orpo", "poly_norm", "relu_squared")
SHIPPED = {name: (ROOT / "derive" / f"{name}.py").read_text(encoding="utf-8") for name in (*BEYOND_ROWS, *OF_ROWS)}

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
    "attention_residuals": {"x": (3, 2, 4, 7), "query": (7,)},
    "batch_norm": {"x": (4, 3, 5, 2), "gamma": (3,), "beta": (3,)},
    "causal_softmax": {"x": (2, 3, 5, 7), "position": (5,), "scale": ()},
    "cispo": {"x": (6, 7), "label": (6,), "advantage": (6,), "old": (6,)},
    "clamped_swiglu": {"x": (2, 3, 16)},
    "distillation": {"x": (6, 7), "teacher": (6, 7), "label": (6,)},
    "dpo": {"chosen": (6,), "rejected": (6,), "reference_chosen": (6,), "reference_rejected": (6,)},
    "dropout_add_layer_norm": {"x": (4, 9), "residual": (4, 9), "seed": (), "gamma": (9,), "beta": (9,)},
    "dual_rms_norm": {"x": (4, 9), "residual": (4, 9), "after": (9,), "before": (9,)},
    "focal_loss": {"x": (6, 7), "label": (6,)},
    "geglu": {"x": (2, 3, 16)},
    "group_norm": {"x": (2, 64, 3, 2), "gamma": (64,), "beta": (64,)},
    "grpo": {"x": (6, 7), "label": (6,), "advantage": (6,), "old": (6,), "reference": (6,)},
    "head_rms_norm": {"x": (2, 7, 3, 8), "weight": (3, 8)},
    "info_nce": {"similarity": (6, 7), "positive": (6,), "scale": ()},
    "instance_norm": {"x": (2, 3, 4, 5), "gamma": (3,), "beta": (3,)},
    "jsd": {"x": (6, 7), "teacher": (6, 7)},
    "kda_gate": {"x": (2, 4, 3, 5), "rate": (3,), "bias": (3, 5)},
    "kto": {"logp": (6,), "reference": (6,), "desirable": (6,), "divergence": (6,)},
    "label_cross_entropy": {"x": (6, 7), "label": (6,)},
    "modulated_rms_norm": {"x": (3, 5, 2, 8), "scale": (3, 8), "shift": (3, 8)},
    "orpo": {"chosen": (6,), "rejected": (6,)},
    "packed_swiglu": {"x": (2, 3, 16)},
    "poly_norm": {"x": (4, 9), "cubic": (), "square": (), "linear": (), "bias": ()},
    "pow_glu": {"x": (2, 3, 16)},
    "relu_squared": {"x": (4, 9)},
    "rms_norm_rotary": {"x": (2, 3, 5, 8), "cosine": (5, 4), "sine": (5, 4), "weight": (8,)},
    "rotary": {"x": (2, 3, 5, 8), "cosine": (5, 4), "sine": (5, 4)},
    "sink_softmax": {"x": (2, 3, 5, 7), "sink": (3,)},
    "situ_glu": {"x": (2, 3, 16)},
    "softcap_cross_entropy": {"x": (6, 7), "label": (6,), "class_weight": (7,)},
    "tvd": {"x": (6, 7), "teacher": (6, 7)},
    "layer_norm_hw": {"x": (2, 3, 5, 4), "gamma": (5, 4), "beta": (5, 4)},
    "by_picture": {"x": (2, 3, 5, 4), "gamma": (5, 4), "bias": (4,)},
    "by_sample_and_place": {"x": (2, 7, 8), "s": (2, 8), "p": (7, 8), "m": (7,)},
    "interleaved": {"x": (3, 5, 14), "c": (3, 5, 7), "t": (3, 5, 7)},
    "thirds": {"x": (2, 12, 5), "w": (12,), "bias": (3, 4)},
}
"""The shapes of inputs that tests pass."""

DATA = (
    *("m", "slope", "cosine", "sine", "c", "t", "teacher", "advantage", "old", "reference", "divergence"),
    *("reference_chosen", "reference_rejected", "class_weight"),
)
INTEGERS = {
    "position": np.array([0, 1, 2, 3, 4]),
    "label": np.array([3, -100, 0, 6, 2, 5]),
    "positive": np.array([3, 1, 0, 6, 2, 5]),
    "desirable": np.array([1, 0, 1, 1, 0, 0]),
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
        return modulated(functional.layer_norm(x, x.shape[-1:], eps=1e-6), scale, shift)

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

    def attention_residuals(x: Any, query: Any) -> Any:
        scores = (query * functional.rms_norm(x, x.shape[-1:], eps=1e-6)).sum(-1, keepdim=True)
        return (torch.softmax(scores, 0) * x).sum(0)

    def cispo(x: Any, label: Any, advantage: Any, old: Any) -> Any:
        logp = picked(x, label)
        return -(logp - old).exp().clamp(max=4).detach() * advantage * logp

    def clamped_swiglu(x: Any) -> Any:
        gate, value = x[..., ::2].clamp(max=7), x[..., 1::2].clamp(-7, 7)
        return gate * torch.sigmoid(1.702 * gate) * (value + 1)

    def distillation(x: Any, teacher: Any, label: Any) -> Any:
        student, wanted = torch.log_softmax(x / 2, -1), torch.softmax(teacher / 2, -1)
        soft = functional.kl_div(student, wanted, reduction="none").sum(-1)
        return -picked(x, label) / 2 + 4 * soft / 2

    def dpo(chosen: Any, rejected: Any, reference_chosen: Any, reference_rejected: Any) -> Any:
        return -functional.logsigmoid(0.1 * ((chosen - rejected) - (reference_chosen - reference_rejected)))

    def dual_rms_norm(x: Any, residual: Any, after: Any, before: Any) -> Any:
        r = residual + functional.rms_norm(x, x.shape[-1:], after, eps=1e-6)
        return functional.rms_norm(r, r.shape[-1:], before, eps=1e-6), r

    def geglu(x: Any) -> Any:
        gate, value = x.chunk(2, -1)
        return functional.gelu(gate, approximate="tanh") * value

    def grpo(x: Any, label: Any, advantage: Any, old: Any, reference: Any) -> Any:
        logp = picked(x, label)
        ratio, gap = (logp - old).exp(), reference - logp
        gained = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        return 0.04 * (gap.exp() - gap - 1) - gained

    def jsd(x: Any, teacher: Any) -> Any:
        logq, logp = torch.log_softmax(x, -1), torch.log_softmax(teacher, -1)
        mixed = torch.log((logp.exp() + logq.exp()) / 2)
        divergence = functools.partial(functional.kl_div, mixed, reduction="none", log_target=True)
        return (divergence(logp) + divergence(logq)).sum(-1) / 2

    def kto(logp: Any, reference: Any, desirable: Any, divergence: Any) -> Any:
        reward = 0.1 * (logp - reference - divergence)
        return 1 - torch.sigmoid(torch.where(desirable > 0, reward, -reward))

    def modulated_rms_norm(x: Any, scale: Any, shift: Any) -> Any:
        return modulated(functional.rms_norm(x, x.shape[-1:], eps=1e-6), scale, shift)

    def modulated(xhat: Any, scale: Any, shift: Any) -> Any:
        spread = (xhat.shape[0], *[1] * (xhat.ndim - 2), -1)
        return (1 + scale.reshape(spread)) * xhat + shift.reshape(spread)

    def picked(x: Any, label: Any) -> Any:
        rows = torch.cat((x, torch.zeros_like(x[:, :1])), -1)
        entry = rows.gather(-1, torch.where(label < 0, x.shape[-1], label)[:, None])[:, 0]
        return entry - torch.logsumexp(x, -1)

    def poly_norm(x: Any, cubic: Any, square: Any, linear: Any, bias: Any) -> Any:
        first, second, third = (functional.rms_norm(x**power, x.shape[-1:], eps=1e-6) for power in (1, 2, 3))
        return cubic * third + square * second + linear * first + bias

    def pow_glu(x: Any) -> Any:
        gate, value = x.chunk(2, -1)
        base = torch.where(gate > 0, gate, 1)
        grown = base ** (3 / (base.sqrt() + 1)) * torch.sigmoid(gate)
        return torch.where(gate > 0, grown, functional.silu(gate)) * value

    def rms_norm_rotary(x: Any, cosine: Any, sine: Any, weight: Any) -> Any:
        return rotary(functional.rms_norm(x, x.shape[-1:], weight, eps=1e-6), cosine, sine)

    def orpo(chosen: Any, rejected: Any) -> Any:
        c, r = chosen.clamp(max=-1e-7), rejected.clamp(max=-1e-7)
        odds = c - r - (torch.log(-torch.expm1(c)) - torch.log(-torch.expm1(r)))
        return -0.1 * functional.logsigmoid(odds) - c

    def sink_softmax(x: Any, sink: Any) -> Any:
        beside = torch.cat((x, sink[:, None, None].expand(*x.shape[:-1], 1)), -1)
        return torch.softmax(beside, -1)[..., :-1]

    def situ_glu(x: Any) -> Any:
        gate, value = x.chunk(2, -1)
        return 4 * torch.tanh(gate / 4) * torch.sigmoid(gate) * 25 * torch.tanh(value / 25)

    def softcap_cross_entropy(x: Any, label: Any, class_weight: Any) -> Any:
        return functional.cross_entropy(30 * torch.tanh(x / 30), label, class_weight, reduction="none")

    def tvd(x: Any, teacher: Any) -> Any:
        return (torch.softmax(x, -1) - torch.softmax(teacher, -1)).abs().sum(-1) / 2

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
        "attention_residuals": attention_residuals,
        "batch_norm": batch_norm,
        "by_picture": by_picture,
        "by_sample_and_place": by_sample_and_place,
        "causal_softmax": lambda x, position, scale: attention(scale * x, position),
        "cispo": cispo,
        "clamped_swiglu": clamped_swiglu,
        "distillation": distillation,
        "dpo": dpo,
        "dropout_add_layer_norm": dropout_add_layer_norm,
        "dual_rms_norm": dual_rms_norm,
        "focal_loss": focal_loss,
        "geglu": geglu,
        "group_norm": lambda x, gamma, beta: functional.group_norm(x, 32, gamma, beta, eps=1e-5),
        "grpo": grpo,
        "head_rms_norm": lambda x, weight: weight * functional.rms_norm(x, x.shape[-1:], eps=1e-6),
        "info_nce": lambda similarity, positive, scale: functional.cross_entropy(
            scale * similarity, positive, reduction="none"
        ),
        "instance_norm": lambda x, gamma, beta: functional.instance_norm(x, None, None, gamma, beta, eps=1e-5),
        "interleaved": interleaved,
        "jsd": jsd,
        "kda_gate": lambda x, rate, bias: -rate.exp()[:, None] * functional.softplus(x + bias),
        "kto": kto,
        "label_cross_entropy": lambda x, label: functional.cross_entropy(x, label, reduction="none"),
        "layer_norm_hw": layer_norm_hw,
        "modulated_rms_norm": modulated_rms_norm,
        "orpo": orpo,
        "packed_swiglu": packed_swiglu,
        "poly_norm": poly_norm,
        "pow_glu": pow_glu,
        "relu_squared": lambda x: functional.relu(x) ** 2,
        "rms_norm_rotary": rms_norm_rotary,
        "rotary": rotary,
        "sink_softmax": sink_softmax,
        "situ_glu": situ_glu,
        "softcap_cross_entropy": softcap_cross_entropy,
        "thirds": thirds,
        "tvd": tvd,
    }[name]
