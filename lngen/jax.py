"""Emitted layers inside programs of JAX's.

Importing this imports JAX, and needs it: `pip install jax`.
"""

from __future__ import annotations

import sys
from typing import Any

from lngen.errors import LngenError
from lngen.pipeline.files.loading import load
from lngen.runtime.protocol.chunks import layer_of

try:
    import jax as jax
except ImportError as error:
    raise LngenError("lngen.jax needs JAX, which is not installed: pip install jax") from error

from lngen.runtime.jax.chunked import JaxChunkedLinear

__all__ = ["JaxChunkedLinear", "chunked_linear"]


def chunked_linear(loss: Any, rows: int | None = None) -> JaxChunkedLinear:
    """Return a loss of rows `h @ weight.T` that are made chunk by chunk, so that they are never stored.

    `loss` is a layer with one number for each row: the name of a layer that comes with lngen, or the function of an
    emitted one. Its first Row is the product. The result takes `h`, `weight`, and then the other inputs of the layer;
    its Constants are keywords.

        loss = chunked_linear("logsumexp")
        loss(h, weight, bias=None, reduction="mean")

    `h` has the shape (..., features), `weight` (entries of a row, features), `bias` (entries of a row,). `reduction` is
    "mean" over all rows, "sum", or "none". Sums over rows are in float32 or wider, and so is the loss unless it is
    "none".

    With "none", the gradient makes the rows again. Otherwise it is taken with the loss. A chunk has as many `rows`; by
    default, as many as take the memory of the weight, or of `h` if that is larger.

    Raises TypeError for a layer that is no loss of rows.
    """
    emitted = load(loss, backend="jax") if isinstance(loss, str) else loss
    return JaxChunkedLinear(layer_of(emitted, sys.modules), rows)
