"""Emitted layers inside models of PyTorch's.

Importing this imports PyTorch, and needs it: `pip install torch`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from lngen.errors import LngenError
from lngen.pipeline.files.loading import available, load

try:
    import torch
except ImportError as error:
    raise LngenError("lngen.torch needs PyTorch, which is not installed: pip install torch") from error

from lngen.runtime.protocol.chunks import layer_of
from lngen.runtime.torch import replace as torch_replace
from lngen.runtime.torch.chunked import TorchChunkedLinear
from lngen.runtime.torch.replace import Replaced, Replacement

__all__ = ["Replaced", "Replacement", "TorchChunkedLinear", "chunked_linear", "replace"]


def chunked_linear(loss: Any, rows: int | None = None) -> TorchChunkedLinear:
    """Return a loss of rows `h @ weight.T` that are made chunk by chunk, so that they are never stored.

    `loss` is a layer with one number for each row: the name of a layer that comes with lngen, or the function of an
    emitted one. Its first Row is the product. The result takes `h`, `weight`, and then the other inputs of the layer;
    its Constants are keywords.

        loss = chunked_linear("logsumexp")
        loss(h, weight, bias=None, reduction="mean")

    `h` has the shape (..., features), `weight` (entries of a row, features), `bias` (entries of a row,). `reduction` is
    "mean" over all rows, "sum", or "none". Sums over rows are in float32 or wider, and so is the loss unless it is
    "none".

    With "none", backward makes the rows again. Otherwise the gradients are taken in forward. A chunk has as many
    `rows`; by default, as many as take the memory of the weight, or of `h` if that is larger.

    Raises TypeError for a layer that is no loss of rows.
    """
    emitted = load(loss, backend="torch") if isinstance(loss, str) else loss
    return TorchChunkedLinear(layer_of(emitted, sys.modules), rows)


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
    for layer in modules:
        if not isinstance(layer, type) or not hasattr(layer, "_layer"):
            remedy = "pass its name, or the class of its module in torch_backend"
            raise LngenError(f"layers has {layer!r:.80}, which is no layer's class; {remedy}")
    try:
        return torch_replace.replace(model, modules, are_chosen=layers is not None)
    except torch_replace.Misnamed as error:
        raise LngenError(f"{error}; correct its line `In PyTorch: ...`") from None


def _modules(backend: ModuleType) -> Iterator[Any]:
    return (value for name in backend.__all__ if isinstance(value := getattr(backend, name), type))
