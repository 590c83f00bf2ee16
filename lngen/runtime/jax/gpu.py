# SPDX-License-Identifier: MIT
"""A layer's directions on arrays of JAX's in the memory of a GPU, by the kernels of `cuda_backend`.

They are compiled while a program is lowered, and launched on XLA's stream and into its memory, without Python. Nothing
is synchronized, and nothing but XLA allocates.
"""

import ctypes
import hashlib
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ..cuda import driver, kernels, plans
from ..cuda.words import PASSED, words_of
from ..emitted import backend_module
from ..native.compiler import Library, NoCompiler
from ..protocol.calls import DType
from .calls import stride
from .handlers import handler, target
from .kernels import JaxKernels, KernelCall
from .primitives import jax, jnp

DRIVER = (
    "cuCtxGetCurrent",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuLaunchKernelEx",
    "cuMemsetD8Async",
    "cuGetErrorString",
)
"""Driver functions that the handler calls, in the order of its structure."""

_NAME = "jax_gpu_call"
_START = 4096
"""Placeholder address: memory of XLA begins at multiples of more bytes than any vector has."""

_NONE = PASSED["q"]
"""An array that is not there: the number 0, as its address."""


@cache
def _handler() -> Library:
    """Return the library that XLA calls, with the driver's addresses set; raises RuntimeError if it cannot be
    compiled.
    """
    try:
        found = handler(_NAME)
    except NoCompiler as error:
        raise RuntimeError(
            f"kernels are called from JAX on a GPU by what is compiled in C++ on first use: {error.reason}; install a "
            "C++ compiler, or build the layers where there is one (lngen build)"
        ) from error
    addresses = (ctypes.c_void_p * len(DRIVER))(*map(driver.address, DRIVER))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(found.address(f"{_NAME}_uses"))(ctypes.addressof(addresses))
    return found


class _Placeholder:
    """Placeholder of an array in a plan: its type and shape, at an address that is aligned for vectors.

    Samples of rows and of features are aligned as rows are, so that the kernels of the first sample serve all samples.
    """

    def __init__(self, shape: Sequence[int], dtype: DType) -> None:
        self.dtype = dtype
        self.__cuda_array_interface__ = {
            "shape": tuple(shape),
            "typestr": dtype.str,
            "data": (_START, False),
            "strides": None,
            "version": 2,
        }


class JaxOnGPU:
    """Kernels on a GPU for those in `host`, of the layer whose package is `package`."""

    def __init__(self, host: JaxKernels, package: str) -> None:
        self.host, self.package = host, package

    def compute(self, direction: str, values: Sequence[Any], constants: Sequence[float], sampled: bool) -> list[Any]:
        """The results of a direction, given a value for each of its arguments, None for one that is not there.

        Raises ImportError without PyCUDA or a driver, RuntimeError where nothing can be compiled, and TypeError for
        types that do not go together.
        """
        asked = self.host.asked(direction, values, constants, sampled)
        if asked.samples == 0 or not prod(asked.types.shape[:-1]):
            return [jnp.zeros(each.shape, each.dtype) for each in asked.made]
        layer = backend_module(self.package, "cuda")._LAYER
        takes, slots = layer.takes[direction], plans.slots(layer, direction)
        given = dict(zip(slots, [*asked.read, *asked.like], strict=False))
        arrays = {name: value for name, value in given.items() if value is not None and type(value) is not float}
        kinds = {name: each.kind for name, each in zip(slots, (*takes.reads, *takes.makes), strict=False)}
        strides = {name: stride(kinds[name], value, asked.samples) for name, value in arrays.items()}
        seen = given | {name: _memory(value, strides[name]) for name, value in arrays.items()}
        objects = [seen.get(name) for name in slots]
        launches = kernels.launches_like(layer, direction, objects, asked.types)
        made = _called(launches, given, arrays, strides, asked)
        return made[: len(asked.made)]


def _memory(value: Any, step: int) -> _Placeholder:
    """Return the placeholder of an array, or of its first sample."""
    shape, dtype = value.shape, np.dtype(value.dtype)
    if dtype == np.uint32:  # two for each number of 64 bits
        shape, dtype = shape[:-1], np.dtype(np.float64)
    return _Placeholder(shape[1:] if step else shape, dtype)


def _called(
    launches: Any, given: dict[str, Any], arrays: dict[str, Any], strides: dict[str, int], asked: KernelCall
) -> list[Any]:
    """The results of launches, and behind them their workspace, as one call of XLA's."""
    plan, found = launches.plan, _handler()
    operands = [each for each in asked.read if each is not None and type(each) is not float]
    structs = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in asked.made]
    places = {name: place for place, name in enumerate(arrays)}
    if launches.partial_bytes:
        places["the workspace"] = len(places)
        structs.append(jax.ShapeDtypeStruct((launches.partial_bytes,), np.uint8))
    know = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)(found.address(f"{_NAME}_knows"))
    names = ""
    for kernel, _, _ in launches.steps:
        image = hashlib.sha256(kernel.code.cubin).hexdigest()
        know(image.encode(), kernel.code.cubin, len(kernel.code.cubin))
        names += f"{image}\n{kernel.name}\n"
    constants = [name for name, value in given.items() if type(value) is float]

    def place(part: str) -> int:
        return constants.index(part) if part in plan.takes.numbers else places.get(part, _NONE)

    # An address is of one process, and a program may be kept for another: the handler finds kernels by their names.
    words = words_of(launches, place, lambda kernel: 0)
    zeros = [places[plan.names[slot]] - len(operands) for slot, _ in plan.zeros]
    called: list[Any] = jax.ffi.ffi_call(target(_NAME), structs)(
        *operands,
        names=names,
        sizes=np.array([1 if asked.samples is None else asked.samples, *zeros], np.int64),
        strides=np.array([*strides.values(), 0], np.int64),
        words=np.array(words, np.int64),
        numbers=np.array([*(given[name] for name in constants), 0], np.float64),
    )
    return called
