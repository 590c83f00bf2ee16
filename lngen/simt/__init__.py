"""CUDA C++ on the CPU: the text of `kernels.cu`, compiled by g++, with a fibre for every CUDA thread.

It shows what kernels mean: barriers, shuffles, shared memory, atomics, the order of blocks and threads. It
does not show a GPU's speed or its last bits. `docs/simt.md` says more.
"""

from lngen.simt.arguments import Parameter, Uninitialised, Window
from lngen.simt.launch import Kernel, Kernels, Schedule, build
from lngen.simt.report import KINDS, Finding, KernelFault
from lngen.simt.toolchain import CompileError, ToolchainMissing, available

__all__ = [
    "KINDS",
    "CompileError",
    "Finding",
    "Kernel",
    "KernelFault",
    "Kernels",
    "Parameter",
    "Schedule",
    "ToolchainMissing",
    "Uninitialised",
    "Window",
    "available",
    "build",
]
