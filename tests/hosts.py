"""Layers of the modules for frameworks, and what computes them on the processor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def layer_of(module: Any) -> Any:
    """The layer that the functions of a module for a framework call."""
    return module._LAYER


def compile_nothing(modules: Iterable[Any], put: Callable[[Any, str, Any], None]) -> None:
    """Have layers of PyTorch computed by NumPy; `put` sets an attribute, as that of `monkeypatch` does."""
    for layer in map(layer_of, modules):
        kernels = getattr(layer, "on_rows", layer).operators.kernels
        put(kernels, "host", kernels.numpy)
