"""The names that a definition imports, and that they are the reference."""

from __future__ import annotations

import pytest

from lngen.language import ANNOTATIONS, FUNCTIONS, KIND_NAMES, names, public_names

# The names of the specification, written out: what a definition may call is a promise.
SPECIFIED = """
    mean sum max min pick index uniform dropout sqrt rsqrt exp log log1p expm1
    sin cos asin acos atan tanh sigmoid softplus relu silu gelu erf abs sign maximum minimum clip where stop_gradient
""".split()  # noqa: SIM905


def test_the_table_has_the_specified_functions() -> None:
    assert list(FUNCTIONS) == SPECIFIED
    assert KIND_NAMES == ("Row", "RowScalar", "Feature", "Scalar", "Data", "Int", "Constant")
    assert (*KIND_NAMES, "Array", "Size") == ANNOTATIONS
    assert set(public_names()) == {"D", "pi", *ANNOTATIONS, "cast", "at", "join", *SPECIFIED}


# --- names -----------------------------------------------------------------------------------------


RESERVED = """
    lambda None type print range len input object class and __shared__ __global__ assert saved out threads
    stream workspace D pi mean erf Row Constant pow _x x_ cotangents like save
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names_are_refused(name: str) -> None:
    assert names.fault(name)


@pytest.mark.parametrize("name", ["", "1x", "é", "a b", "a-b", "x\n", "v" * 41, "ｘ"])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert names.fault(name)
