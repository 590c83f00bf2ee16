import sys

import numpy as np
import pytest

from lngen.language.oracle.evaluate import rounded
from lngen.runtime.numpy.casts import cast
from lngen.runtime.protocol.casts import TARGETS
from tests import roundings


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("computed", [np.float32, np.float64, np.longdouble])
def test_cast_of_every_16_bit_value_is_that_of_ml_dtypes(name, kind, computed):
    values = roundings.every(kind, computed)
    assert roundings.same(cast(values, name), roundings.expected(values, name))


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.itemsize < 4])
@pytest.mark.parametrize("computed", [np.float32, np.float64, np.longdouble])
def test_cast_near_every_tie_rounds_once_and_to_even(name, computed):
    values, wanted = roundings.ties(name, computed)
    found = cast(values, name)
    np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))
    np.testing.assert_array_equal(rounded(values, name).astype(np.float64), wanted.astype(np.float64))


@pytest.mark.parametrize("name", [name for name in roundings.FLOATS if TARGETS[name].itemsize < 4])
def test_cast_by_way_of_float32_would_round_twice(name):
    values, wanted = roundings.ties(name, np.float64)
    twice = cast(values.astype(np.float32), name).astype(np.float64)
    assert np.count_nonzero(twice != wanted) > len(values) // 10


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("computed", [np.float32, np.float64, np.longdouble])
def test_cast_saturates_and_keeps_nan(name, computed):
    _, lowest, highest, *_ = TARGETS[name]
    values = np.array([np.inf, -np.inf, 3e38, -3e38, np.nan, 0.0], computed)
    with np.errstate(all="raise"):
        found = cast(values, name)
    found = roundings.in_type(found, np.float64)
    beyond = highest if highest < 3e38 else float(np.float32(3e38).astype(roundings.dtype(name)))
    below = lowest if lowest > -3e38 else -beyond
    assert found[[0, 1, 2, 3, 5]].tolist() == [highest, lowest, beyond, below, 0]
    assert found[4] == 0 if name in roundings.INTEGERS else np.isnan(found[4])


def test_cast_without_ml_dtypes_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert cast(np.array([1.5]), "int8")[0] == 2
    with pytest.raises(ImportError, match="of type float8_e5m2, which NumPy has from ml_dtypes: pip install ml_dtypes"):
        cast(np.array([1.5]), "float8_e5m2")
