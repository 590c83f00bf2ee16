"""The storage types that emitted code is checked in."""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPES = ("float64", "float32", "float16", "bfloat16")
"""Storage types, by NumPy's names; bfloat16 is that of ml_dtypes."""


def storage_dtype(name: str) -> Any:
    """The NumPy dtype of a storage type; bfloat16 comes from ml_dtypes. None where that is not installed."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)
