"""Inputs of a layer as callers have them, whatever names its axes have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from lngen.language.definition import Definition

SIZES = {"n": 2, "g": 2, "c": 3, "b": 2, "h": 2, "t": 3, "d": 5, "q": 4, "k": 6, "s": 2, "w": 4}


def drawn(
    definition: Definition,
    leading: tuple[int, ...],
    features: int,
    absent: bool,
    sizes: Mapping[str, int] = MappingProxyType(SIZES),
) -> dict[str, Any]:
    """Inputs by the names that callers know."""
    random, found = np.random.default_rng(0), {}
    whole = {name: each for each in definition.parts for name in each.names if name}
    for entry in definition.positional:
        part = whole.get(entry.name)
        name, pattern = (part.name, part.pattern) if part else (definition.public(entry.name), entry.pattern)
        if pattern is not None:
            shape = ()
            for axis in pattern.axes:
                shape += leading if axis == ("...",) else (int(np.prod([sizes[each] for each in axis])),)
        else:
            over = entry.kind
            rows = () if definition.layout else leading
            shape = (*rows * over.over_rows, *(features,) * over.over_features)
        if absent and entry.default is not None:
            found[name] = None
        elif entry.kind.is_integer:
            found[name] = random.integers(0, 4, shape) if shape else np.int64(7)
        else:
            found[name] = random.normal(size=shape) + (0 if len(shape) > 1 else 1.5)
    return {k: v for k, v in found.items() if v is not None} | {k: None for k, v in found.items() if v is None}
