"""Cases of the measurement: shapes, types and arrays."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lngen.language.definition import Definition
from lngen.language.syntax import Kind

Array = np.ndarray

FAST_PATH = ((4, 8, 16), (1, 8192), (16, 1024))
"""Rows of the fast path: the calls take more of the time than the entries. Not part of the means."""

SHAPES = (
    *FAST_PATH,
    (32, 128, 256),
    (64, 128, 512),
    (32, 512, 768),
    (16, 512, 1024),
    (8, 512, 4096),
    (4, 1024, 2048),
    (2, 64, 65536),
)
DTYPES = ("float32", "float64", "bfloat16")
_ENTRIES_A_TURN = 2**18
_FEWEST_CALLS = 3


@dataclass(frozen=True)
class Case:
    """A layer at a shape and type; `shape` is that of its rows."""

    layer: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def entries(self) -> int:
        """The entries of a row tensor."""
        return math.prod(self.shape)

    @property
    def calls(self) -> int:
        """Return the number of steps of a turn: three, or for small tensors as many as can be timed."""
        return max(_FEWEST_CALLS, _ENTRIES_A_TURN // self.entries)

    def __str__(self) -> str:
        return f"{self.layer} {'x'.join(map(str, self.shape))} {self.dtype}"


def shape_of(kind: Kind, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an input of a kind, for rows of a shape."""
    return (shape if kind.over_features else shape[:-1]) if kind.over_rows else shape[-1:] if kind.over_features else ()


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's type of a name."""
    return np.dtype(importlib.import_module("ml_dtypes").bfloat16 if name == "bfloat16" else name)


def inputs(definition: Definition, case: Case) -> dict[str, Array]:
    """Every input of a layer: normal deviates for rows, parameters around one, the same in each process."""
    generator = np.random.default_rng(0)
    made = {}
    for entry in definition.differentiable:
        values = generator.standard_normal(shape_of(entry.kind, case.shape))
        made[entry.name] = np.asarray(values if entry.kind is Kind.ROW else 1 + values / 8, dtype_of(case.dtype))
    return made


def cotangents(definition: Definition, case: Case) -> list[Array]:
    """A cotangent for each output."""
    generator = np.random.default_rng(1)
    shapes = (shape_of(definition.output_kind(name), case.shape) for name in definition.outputs)
    return [np.asarray(generator.standard_normal(shape), dtype_of(case.dtype)) for shape in shapes]
