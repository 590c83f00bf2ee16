"""The storage types that emitted code is checked in."""

DTYPES = ("float64", "float32", "float16", "bfloat16")
"""Storage types, by NumPy's names; bfloat16 is that of ml_dtypes."""
