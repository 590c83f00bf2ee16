"""The layers of derive/, derived once per process, for whatever tests read them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.shipped import of_rows
from lngen.runtime.includes import inlined

if TYPE_CHECKING:
    from lngen.pipeline.stages import Derived

ROOT = Path(__file__).parents[1]
LAYERS = tuple(sorted(path.stem for path in (ROOT / "derive").glob("*.py")))
# Most tests pass arrays of rows, as benchmarks do, and `beyond_rows` has arrays for the others.
BEYOND_ROWS = tuple(name for name in LAYERS if name not in of_rows())
NAMES = tuple(name for name in LAYERS if name not in BEYOND_ROWS)
DEFINITIONS = sorted(
    [*(ROOT / "derive" / f"{name}.py" for name in NAMES), *(ROOT / "tests" / "definitions").glob("*.py")]
)
# Of these two every matrix is run. What takes long is run for the others by `make nightly`.
WHOLE = ("layer_norm", "rms_norm")
REST = tuple(name for name in NAMES if name not in WHOLE)
FILES = (
    "__init__.py",
    "cpu_backend.py",
    "cuda_backend.py",
    "derivation.md",
    "jax_backend.py",
    "kernels.cpp",
    "kernels.cu",
    "layer.cuh",
    "layer.h",
    "layer.hpp",
    "manifest.json",
    "numpy_backend.py",
    "second_order.cpp",
    "second_order.cu",
    "torch_backend.py",
    "triton_kernels.py",
)


def sampled(mark: pytest.MarkDecorator) -> list[Any]:
    """All shipped layers to parametrize a test by: the rest of them under a mark."""
    return [*WHOLE, *(pytest.param(name, marks=mark) for name in LAYERS if name not in WHOLE)]


def whole(files: Mapping[str, str], name: str = "kernels.cu") -> str:
    """The text of a `kernels.cu`, wherever it is from, with what it includes: `layer.h` among the same files."""
    kernels = files[name].replace('#include "layer.h"', files.get("layer.h", ""))
    return inlined(ROOT / "generated" / "layer" / name, kernels)


@functools.cache
def shipped(name: str) -> Derived:
    """A shipped layer with its proofs."""
    # Every run of pytest reads the names above; SymPy takes seconds to import.
    from lngen.language.parsing import load
    from lngen.pipeline.stages import derived

    return derived(load(ROOT / "derive" / f"{name}.py"))


@functools.cache
def unproved(name: str) -> Derived:
    """A shipped layer with its text and without its proofs."""
    from lngen.language.parsing import load
    from lngen.pipeline.stages import derived

    return derived(load(ROOT / "derive" / f"{name}.py"), proved=False)
