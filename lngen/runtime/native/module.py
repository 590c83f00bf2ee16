# SPDX-License-Identifier: MIT
"""Choice between a layer's two modules for a framework on the processor."""

from pathlib import Path
from typing import Any

from . import compiler as host_compiler

__all__ = ["host"]


def host(numpy: Any, compiled: Any) -> Any:
    """Return the module that computes a layer on the processor: the compiled one if kernels are available, else
    NumPy's.
    """
    return compiled if host_compiler.can_run(Path(str(compiled.__file__)).parent) else numpy
