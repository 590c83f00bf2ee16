"""The names that a definition imports, and that they are the reference."""

from __future__ import annotations

import math

import pytest

from lngen import language
from lngen.language import ANNOTATIONS, FUNCTIONS, KIND_NAMES, names, public_names

# The names of the specification, written out: what a definition may call is a promise.
SPECIFIED = [
    *("mean", "sum", "max", "min", "pick", "index", "uniform", "dropout"),
    *(
        "sqrt",
        "rsqrt",
        "exp",
        "log",
        "log1p",
        "expm1",
        "sin",
        "cos",
        "asin",
        "acos",
        "atan",
        "tanh",
        "sigmoid",
        "softplus",
        "relu",
    ),
    *("silu", "gelu", "erf", "abs", "sign", "maximum", "minimum", "clip", "where", "stop_gradient"),
]


def test_the_table_has_the_specified_functions() -> None:
    assert list(FUNCTIONS) == SPECIFIED
    assert KIND_NAMES == ("Row", "RowScalar", "Feature", "Scalar", "Data", "Int", "Constant")
    assert (*KIND_NAMES, "Array", "Size") == ANNOTATIONS
    assert set(public_names()) == {"D", "pi", *ANNOTATIONS, "cast", "at", "join", *SPECIFIED}


def test_every_public_name_is_real_and_documented() -> None:
    for name in public_names():
        value = getattr(language, name)
        assert name in ("D", "pi") or value.__doc__, name


@pytest.mark.parametrize("name", SPECIFIED)
def test_a_function_is_a_reference_and_not_a_computation(name: str) -> None:
    entry = FUNCTIONS[name]
    assert entry.name == name
    assert entry.doc == getattr(language, name).__doc__.replace("\n    ", "\n").strip()
    assert "erivative" in entry.doc
    assert entry.domain
    assert all(math.isfinite(point) for point in entry.hard_points)
    with pytest.raises(TypeError, match=rf"{name} belongs to the definition language.*lngen derive FILE"):
        getattr(language, name)(1.0)


# --- names -----------------------------------------------------------------------------------------


RESERVED = [
    "lambda",
    "None",
    "type",
    "print",
    "range",
    "len",
    "input",
    "object",
    "class",
    "and",
    "__shared__",
    "__global__",
    "assert",
    "saved",
    "out",
    "threads",
    "stream",
    "workspace",
    "D",
    "pi",
    "mean",
    "erf",
    "Row",
    "Constant",
    "pow",
    "_x",
    "x_",
    "cotangents",
    "like",
    "save",
]

# What C++ or CUDA reserve, what emitted code calls its own, and Python's soft keywords.
FREE = [
    "match",
    "case",
    "template",
    "typename",
    "new",
    "this",
    "nullptr",
    "co_await",
    "requires",
    "concept",
    "char8_t",
    "constinit",
    "namespace",
    "xor",
    "not_eq",
    "int32_t",
    "size_t",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "half",
    "half2",
    "float2",
    "float4",
    "int4",
    "uchar4",
    "dim3",
    "longlong2",
    "double4_16a",
    "NAN",
    "INFINITY",
    "NULL",
    "linux",
    "np",
    "numpy",
    "rows",
    "self",
    "forward",
    "backward",
    "jvp",
    "dtype",
    "sqrtf",
    "fma",
    "a__b",
    "match",
    "case",
]


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names_are_refused(name: str) -> None:
    assert names.fault(name)


@pytest.mark.parametrize("name", FREE)
def test_what_only_others_reserve_is_legal(name: str) -> None:
    assert names.fault(name) is None


@pytest.mark.parametrize("name", ["", "1x", "é", "a b", "a-b", "x\n", "v" * 41, "ｘ"])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert names.fault(name)
