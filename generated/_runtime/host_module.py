# SPDX-License-Identifier: MIT
"""Which of a layer's modules computes for a framework on the processor."""

from pathlib import Path
from typing import Any

from . import host_compiler

__all__ = ["host"]


def host(numpy: Any, compiled: Any) -> Any:
    """What computes a layer on the processor, of its two modules."""
    return compiled if host_compiler.can_run(Path(str(compiled.__file__)).parent) else numpy
