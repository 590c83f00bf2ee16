"""Memory on a device, as far as it goes without one."""

import numpy as np
import pytest

from lngen.runtime.devices import entry


def test_numbers_are_rounded_to_nearest_even() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.random.default_rng(0).standard_normal(1000)
    halfway = 1 + np.arange(8) / 256
    for value in (*values, *halfway, 0.0, -0.0, 1e-42, 3e38):
        assert entry(float(value), "bf16") == np.float32(value).astype(ml_dtypes.bfloat16).tobytes()
        assert entry(float(value), "f64") == np.float64(value).tobytes()
