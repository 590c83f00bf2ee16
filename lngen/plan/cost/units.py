"""The text of a shape and a number type, as `lngen cost` takes them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lngen.errors import LngenError, printable

_LARGEST = 2**62


@dataclass(frozen=True)
class DType:
    """Number type of rows: its size, and that of the type in which a kernel accumulates, in bytes."""

    name: str
    itemsize: int
    accumulate_itemsize: int


_DTYPES = {
    "f16": DType("f16", 2, 4),
    "bf16": DType("bf16", 2, 4),
    "f32": DType("f32", 4, 4),
    "f64": DType("f64", 8, 8),
}
_ALIASES = {
    "float16": "f16",
    "fp16": "f16",
    "half": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "fp32": "f32",
    "float": "f32",
    "single": "f32",
    "float64": "f64",
    "fp64": "f64",
    "double": "f64",
}


def parse_dtype(text: str) -> DType:
    """A number type by name; f16 and bf16 accumulate in f32.

    Raises LngenError for any other name.

    >>> parse_dtype("bfloat16")
    DType(name='bf16', itemsize=2, accumulate_itemsize=4)
    """
    name = text.strip().lower()
    found = _DTYPES.get(_ALIASES.get(name, name))
    if found is None:
        known = ", ".join([*_DTYPES, *sorted(_ALIASES)])
        raise LngenError(f"{_quoted(text)} is not a number type of a row. Use one of {known}.")
    return found


def parse_shape(text: str) -> tuple[int, ...]:
    """A shape from text: leading axes, then D, which is 1 at least; a leading axis may be 0.

    Raises LngenError for anything else.

    >>> parse_shape("32,512,768")
    (32, 512, 768)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[0-9]+", part) for part in parts):
        raise LngenError(f"{_quoted(text)} is not a shape. Write whole numbers with commas, D last: 32,512,768.")
    # A number of thousands of digits is not even read.
    shape = tuple(int(part) if len(part) < 20 else _LARGEST for part in parts)
    if shape[-1] < 1:
        raise LngenError(f"the shape {_quoted(text)} has D = 0. Its last number, D, has to be 1 or more.")
    if max(shape) >= _LARGEST or math.prod(max(size, 1) for size in shape) > _LARGEST:
        raise LngenError(f"the shape {_quoted(text)} has more entries than any machine holds. Write a smaller one.")
    return shape


def _quoted(text: str) -> str:
    shown = printable(text)
    return f"'{shown if len(shown) <= 60 else shown[:57] + '...'}'"
