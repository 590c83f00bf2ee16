# SPDX-License-Identifier: MIT
"""Handlers that XLA calls for kernels: C++ of this folder, compiled with the headers that JAX ships."""

import ctypes
from functools import cache
from pathlib import Path

from ..native.compiler import Library, ahead_of_time, library
from .primitives import jax

HANDLERS = {"jax_call": "cpu", "jax_gpu_call": "CUDA"}
"""The files, without .cpp, each with a function of its own name, and the platform of XLA's that calls it."""

_FOLDER = Path(__file__).parent


def target(name: str) -> str:
    """Return the name of a handler in XLA; packages of layers have their own, since lngen's version may differ."""
    return f"lngen {name} of {__package__.rpartition('.')[0]}"


@cache
def handler(name: str) -> Library:
    """Return a handler that is registered with XLA; raises the errors of `host_compiler.library`."""
    found = library(_FOLDER / f"{name}.cpp", _of_this(), includes=[Path(jax.ffi.include_dir())])
    function = ctypes.CFUNCTYPE(ctypes.c_void_p)(found.address(name))
    jax.ffi.register_ffi_target(target(name), jax.ffi.pycapsule(function), platform=HANDLERS[name])
    return found


def compile_ahead(source: Path, architecture: str) -> Path:
    """Compile a copy of a handler for this JAX and processors of an architecture, where `handler` finds it.

    Returns its path. Raises the errors of `ahead_of_time`.
    """
    return ahead_of_time(source, _of_this(), architecture, includes=[Path(jax.ffi.include_dir())])


def _of_this() -> list[str]:
    """The macro by which a handler for this JAX differs from that for another."""
    return ["FOR_JAX_" + "".join(letter if letter.isalnum() else "_" for letter in jax.__version__)]
