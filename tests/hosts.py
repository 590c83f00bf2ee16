"""Inner parts of emitted modules that tests set or call: who computes a layer, and from which sizes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def layer_of(module: Any) -> Any:
    """The layer that the functions of a module for a framework call."""
    return module._LAYER


def decomposed(module: Any) -> Any:
    """The function of a `torch_backend` in operations of PyTorch."""
    return module._decomposed


def private(of: Any, name: str) -> Any:
    """An inner part of a module by its name."""
    return getattr(of, name)


def rows_of(module: Any) -> Any:
    """The module `rows` of the runtime beside a `numpy_backend`, which has its sizes."""
    return module._blocks._rows


def kernels_of(module: Any) -> dict[str, Any]:
    """The kernels of each direction that the functions of a `cpu_backend` call."""
    return {name: vars(module)[f"_{name.upper()}"] for name in module.INTERFACE["directions"]}


def on_kernels(module: Any, direction: str) -> Any:
    """The function of a `cpu_backend` that passes arrays of any layout to the kernels of a direction."""
    return vars(module)[f"_{direction}_on_kernels"].compute


def compile_nothing(modules: Iterable[Any], put: Callable[[Any, str, Any], None]) -> None:
    """Have layers of PyTorch computed by its operations; `put` sets an attribute, as that of `monkeypatch` does."""
    for layer in map(layer_of, modules):
        put(layer, "has_kernels", False)
