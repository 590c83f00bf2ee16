"""The layers of derive/, derived once a process, for whatever tests read them."""

import functools
from pathlib import Path

from lngen.definition import load
from lngen.emission import Derived, derived

ROOT = Path(__file__).parents[1]
NAMES = tuple(sorted(path.stem for path in (ROOT / "derive").glob("*.py")))
FILES = ("__init__.py", "cuda_backend.py", "derivation.md", "kernels.cu", "manifest.json", "numpy_backend.py")


@functools.cache
def shipped(name: str) -> Derived:
    """A shipped layer with its proofs."""
    return derived(load(ROOT / "derive" / f"{name}.py"))
