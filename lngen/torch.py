"""Emitted layers inside models of PyTorch's.

Importing this imports PyTorch, and needs it: `pip install 'lngen-derive[torch]'`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from lngen.errors import LngenError
from lngen.files.loading import available, load
from lngen.version import install

try:
    import torch
except ImportError as error:
    raise LngenError(f"lngen.torch needs PyTorch, which is not installed: {install('torch')}") from error

from lngen.runtime import torch_replace
from lngen.runtime.torch_replace import Replaced

__all__ = ["Replaced", "replace"]


def replace(model: torch.nn.Module, layers: Iterable[str | type[Any]] | None = None) -> list[Replaced]:
    """Put emitted modules in the place of PyTorch's, everywhere inside a model; return what was done, an entry each.

    `layers` are names of layers that come with lngen, or modules of emitted ones, `load(path, backend="torch").Mine`;
    all that come with it if none are given. What a layer can stand for is said by its definition, as `In PyTorch:
    torch.nn.Norm(...)`. Parameters are taken over, so an optimizer that was made before goes on with them. An
    entry prints as a line, and has `name`, `before`, `after` and, for a module that has to stay, the `reason`:

        for line in lngen.torch.replace(model):
            print(line)

    Raises LngenError for a layer that there is not.
    """
    modules = [
        next(_modules(load(layer, backend="torch"))) if isinstance(layer, str) else layer
        for layer in (available() if layers is None else layers)
    ]
    return torch_replace.replace(model, modules)


def _modules(backend: ModuleType) -> Iterator[Any]:
    return (value for name in backend.__all__ if isinstance(value := getattr(backend, name), type))
