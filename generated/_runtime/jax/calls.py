# SPDX-License-Identifier: MIT
"""Compiled kernels as calls of XLA's, which take its buffers as they are and run on its threads, without Python."""

import ctypes
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..native.compiler import Library, NoCompiler
from ..protocol.calls import DType
from .handlers import handler, target
from .primitives import has_samples, jax

_NAME = "jax_call"
_WORKSPACE, _NONE = -1, -2
_EXACT = {("float16", "float32"), ("bfloat16", "float32"), ("float32", "float16"), ("float32", "bfloat16")}
_EXACT |= {("float32", "float64"), ("float64", "float32")}


@cache
def _handler() -> Library | None:
    """Return the library that XLA calls, and that is told of kernels; None if it cannot be compiled."""
    try:
        return handler(_NAME)
    except NoCompiler:
        return None
    except RuntimeError as error:
        warnings.warn(f"kernels are called by way of Python: {error}", stacklevel=2)
        return None


def _know(found: Library, name: str, address: int) -> None:
    know = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)(found.address("jax_call_knows"))
    know(name.encode(), address)


def call(
    kernels: Any,
    given: Sequence[Any],
    shape: Sequence[int],
    computed: DType,
    made: Sequence[Any],
    samples: int | None,
) -> list[Any] | None:
    """Return the results of the kernels of a direction, None if kernels cannot be called this way.

    `given` are the arguments of kernels by their places, and then values like the results, None for an absent one;
    `made` are the present results. The rows, or those of each of some `samples`, have this shape.
    """
    found = _handler()
    stored = kernels.stored(given, computed)
    wanted = kernels.wanted(given, stored, computed)
    if found is None or not all(map(_is_exact, given, wanted)):
        return None
    operands: list[Any] = []
    structs: list[Any] = []
    references, numbers = [], [0.0]
    for place, (value, dtype) in enumerate(zip(given, wanted, strict=True)):
        if value is None:
            references.append(_NONE)
        elif dtype is None:
            references.append(len(numbers))
            numbers.append(value)
        elif place < kernels.first_made:
            references.append(len(operands))
            operands.append(value if _is_carried(value) else value.astype(dtype))
        else:
            references.append(len(operands) + len(structs))
            structs.append(value if _is_carried(value) else jax.ShapeDtypeStruct(value.shape, dtype))
    kinds = [kind for kind, dtype in zip(kernels.kinds, wanted, strict=True) if dtype is not None]
    strides = [stride(kind, each, samples) for kind, each in zip(kinds, [*operands, *structs], strict=True)]
    cut = kernels.cut(tuple(shape), stored, 1 if samples is None else samples)
    sizes = [cut.samples, cut.parts, cut.rows, cut.features, cut.chunks, cut.streams, cut.workspace * computed.itemsize]
    sizes += [references[place] - len(operands) for place in kernels.zeros if references[place] != _NONE]
    references.append(_WORKSPACE)
    names, steps = "", []
    for kernel in kernels.chosen(given, stored, computed):
        _know(found, kernel.name, kernel.address)
        names += f"{kernel.name}\n"
        steps.append(int(kernel.over_rows))
        for places in (kernel.pointers, kernel.numbers):
            steps += [len(places), *(references[place] for place in places)]
    called = jax.ffi.ffi_call(target(_NAME), structs)(
        *operands,
        names=names,
        sizes=np.array(sizes, np.int64),
        strides=np.array(strides, np.int64),
        steps=np.array(steps, np.int64),
        numbers=np.array(numbers, np.float64),
    )
    return [
        each if each.dtype == like.dtype else each.astype(like.dtype) for each, like in zip(called, made, strict=True)
    ]


def stride(kind: str, value: Any, samples: int | None) -> int:
    """Return the bytes between one sample of an array and the next; 0 if samples share it."""
    is_own = samples and has_samples(kind, value)
    return value.size // samples * value.dtype.itemsize if is_own else 0


def _is_carried(value: Any) -> bool:
    """Test whether numbers of 64 bits are carried as two of 32."""
    return bool(value.dtype == np.uint32)


def _is_exact(value: Any, wanted: DType | None) -> bool:
    """Test whether XLA converts a value between its type and that of kernels with the same bits as NumPy."""
    if wanted is None or _is_carried(value) or value.dtype == wanted:
        return True
    is_there = wanted != np.float64 or jax.config.jax_enable_x64
    return bool(is_there and {(value.dtype.name, wanted.name), (wanted.name, value.dtype.name)} <= _EXACT)
