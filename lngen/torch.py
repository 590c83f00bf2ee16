"""Emitted layers inside models of PyTorch's.

Importing this imports PyTorch, and needs it: `pip install 'lngen-derive[torch]'`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from lngen.errors import LngenError
from lngen.pipeline.files.loading import available, load
from lngen.version import install

try:
    import torch
except ImportError as error:
    raise LngenError(f"lngen.torch needs PyTorch, which is not installed: {install('torch')}") from error

from lngen.runtime.torch import replace as torch_replace
from lngen.runtime.torch.replace import Replaced, Replacement

__all__ = ["Replaced", "Replacement", "replace"]


def replace(model: torch.nn.Module, layers: Iterable[str | type[Any]] | None = None) -> Replacement:
    """Let emitted layers compute the `forward` of a model's modules, and report the modules.

    The modules stay: class, parameters and their names, state, hooks. Only the computation of their `forward` changes,
    and `undo()` of the result restores it. `layers` are names of layers that come with lngen, or modules of emitted
    ones, `load(path, backend="torch").Mine`; by default, all that come with lngen. A definition names the module that
    its layer can replace, as `In PyTorch: torch.nn.Norm(weight=gamma, eps=eps)`.

        print(lngen.torch.replace(model))

    prints a line for each module that was `replaced` or that `stayed`, with the reason. A module that stays is listed
    if its class is a norm by name, or if a definition names its class.

    Raises LngenError for an unknown layer, attribute or class; nothing is changed then.
    """
    modules = [
        next(_modules(load(layer, backend="torch"))) if isinstance(layer, str) else layer
        for layer in (available() if layers is None else layers)
    ]
    try:
        return torch_replace.replace(model, modules, are_chosen=layers is not None)
    except torch_replace.Misnamed as error:
        raise LngenError(f"{error}; correct its line `In PyTorch: ...`") from None


def _modules(backend: ModuleType) -> Iterator[Any]:
    return (value for name in backend.__all__ if isinstance(value := getattr(backend, name), type))
