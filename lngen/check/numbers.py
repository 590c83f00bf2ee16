"""The storage types that emitted code is checked in."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

DTYPES = ("float64", "float32", "float16", *(["bfloat16"] if find_spec("ml_dtypes") else []))
"""Storage types, by NumPy's names; bfloat16 is that of ml_dtypes, where that is installed."""


def storage_dtype(name: str) -> Any:
    """The NumPy dtype of a storage type."""
    if name != "bfloat16":
        return np.dtype(name)
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)
