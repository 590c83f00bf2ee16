"""Shipped layers as PyTorch's own functions compute them, by name: each is called with the module `torch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

EPS = 1e-5
"""The default of every layer here that has one."""

Function = Callable[..., Any]


def _layer_norm(torch: Any) -> Function:
    return lambda x, gamma, beta: torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, EPS)


def _rms_norm(torch: Any) -> Function:
    return lambda x, gamma: torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, EPS)


def _softmax(torch: Any) -> Function:
    return lambda x: torch.nn.functional.softmax(x, -1)


def _log_softmax(torch: Any) -> Function:
    return lambda x: torch.nn.functional.log_softmax(x, -1)


def _cross_entropy(torch: Any) -> Function:
    return lambda x, target: torch.nn.functional.cross_entropy(
        x.flatten(0, -2), target.flatten(0, -2), reduction="none"
    ).reshape(x.shape[:-1])


def _add_rms_norm(torch: Any) -> Function:
    norm = _rms_norm(torch)

    def both(x: Any, residual: Any, gamma: Any) -> Any:
        h = x + residual
        return norm(h, gamma), h

    return both


def _gated_rms_norm(torch: Any) -> Function:
    norm = _rms_norm(torch)
    return lambda x, gate, gamma: norm(x, gamma) * torch.nn.functional.silu(gate)


def _layer_norm_gelu(torch: Any) -> Function:
    norm = _layer_norm(torch)
    return lambda x, gamma, beta: torch.nn.functional.gelu(norm(x, gamma, beta))


LAYERS: Mapping[str, Callable[[Any], Function]] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "cross_entropy": _cross_entropy,
    "add_rms_norm": _add_rms_norm,
    "gated_rms_norm": _gated_rms_norm,
    "layer_norm_gelu": _layer_norm_gelu,
}
