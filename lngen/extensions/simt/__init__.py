"""CUDA C++ on the CPU: the text of `kernels.cu`, compiled by g++, with a fibre for every CUDA thread.

It shows the semantics of kernels: barriers, shuffles, shared memory, the order of blocks and threads. It does
not show a GPU's speed or its last bits. `docs/simt.md` says more.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lngen.extensions.simt.arguments import Uninitialised, Window
    from lngen.extensions.simt.launch import EmulatedKernels, build
    from lngen.extensions.simt.report import KernelFault
    from lngen.extensions.simt.schedule import Schedule
    from lngen.extensions.simt.toolchain import available

# Imported on first use: the stand-in for nvcc is a process for each kernel, and needs no NumPy.
_HOMES = {
    "KernelFault": "report",
    "EmulatedKernels": "launch",
    "Schedule": "schedule",
    "Uninitialised": "arguments",
    "Window": "arguments",
    "available": "toolchain",
    "build": "launch",
}

__all__ = [
    "EmulatedKernels",
    "KernelFault",
    "Schedule",
    "Uninitialised",
    "Window",
    "available",
    "build",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lngen.extensions.simt' has no attribute {name!r}")
    return getattr(import_module(f"lngen.extensions.simt.{_HOMES[name]}"), name)
