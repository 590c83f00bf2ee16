"""The text of a shape, a number type and a bandwidth, as `lngen cost` takes them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lngen.errors import LngenError, printable

_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_BINARY = {"ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40, "pi": 2.0**50}
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


def parse_bandwidth(text: str) -> float:
    """A bandwidth from text, in bytes per second; `B` is a byte, and 1 GB is 1e9 of them, 1 GiB 2**30.

    Raises LngenError for anything else, bits (`Gb/s`) among it.

    >>> parse_bandwidth("4.3TB/s"), parse_bandwidth("900 GB/s")
    (4300000000000.0, 900000000000.0)
    """
    form = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?)\s*([kKMGTPmgtp]?i?)(b|B)(?:/s|ps)\s*", text)
    remedy = "Write a number and a unit of bytes per second: 4.3TB/s, 900 GB/s, 35GB/s."
    if form is None:
        raise LngenError(f"{_quoted(text)} is not a bandwidth. {remedy}")
    number, prefix, unit = form.groups()
    if unit == "b" and prefix != prefix.lower():
        raise LngenError(f"the bandwidth {_quoted(text)} is in bits, as its small b says. {remedy}")
    scale = (_UNITS | _BINARY).get(prefix.lower())
    value = math.nan if scale is None else float(number) * scale
    if not 0 < value < math.inf:
        raise LngenError(f"{_quoted(text)} is not a bandwidth: it has to be above 0 and finite. {remedy}")
    return value


def microseconds(size: float, bandwidth: float) -> float:
    """Return the microseconds that a number of bytes takes at a bandwidth in bytes per second.

    >>> round(microseconds(50_331_648, 4.3e12), 2)
    11.71
    """
    return size / bandwidth * 1e6


def _quoted(text: str) -> str:
    shown = printable(text)
    return f"'{shown if len(shown) <= 60 else shown[:57] + '...'}'"
