# SPDX-License-Identifier: MIT
"""A layer's directions on arrays of JAX's in the memory of the processor.

They are computed by the kernels of `cpu_backend` where there is a C++ compiler or machine code that was made ahead of
time, else by `numpy_backend`, which XLA calls back.
"""

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..native.module import HostModule
from ..protocol.calls import Array, DType, Shape
from ..protocol.directions import LayerProtocol, held, not_derived
from . import calls as jax_calls
from .primitives import PrimitiveLayer, expanded, has_samples, jax, shaped

_UINT32 = np.dtype(np.uint32)


class _JaxTypes(NamedTuple):
    """Shape of the rows of a call or of a sample, its compute type, and the types of the inputs."""

    shape: Shape
    computed: DType
    inputs: tuple[DType | None, ...]


class KernelCall(NamedTuple):
    """Call of kernels for rows, or for those of each of some samples.

    `read` are the arguments of kernels, in their order. `like` are values like their results, None for an absent one.
    `made` are the present results.
    """

    types: _JaxTypes
    samples: int | None
    read: Sequence[Any]
    like: Sequence[Any]
    made: Sequence[Any]


class JaxKernels(HostModule):
    """Kernels of a layer's directions."""

    def __init__(self, layer: PrimitiveLayer, protocol: LayerProtocol, numpy: Any, compiled: Any) -> None:
        super().__init__(protocol, numpy, compiled)
        self.layer, self.inputs = layer, len(protocol.inputs)
        inputs, kept, *_ = protocol.functional(protocol.directions["backward"])
        self.fields = held(protocol.fields, (*inputs, *kept, *protocol.constants))
        self.first_own = len(inputs) + len(kept)

    def asked(self, direction: str, values: Sequence[Any], constants: Sequence[float], sampled: bool) -> "KernelCall":
        """A call of a direction, given a value for each of its arguments, None for one that is not there."""
        inputs = values[: self.inputs]
        row = next(inputs[number] for number in self.layer.directions.rows if inputs[number] is not None)
        dtypes = tuple([None if each is None else each.dtype for each in inputs])
        types = _JaxTypes(row.shape[1:] if sampled else row.shape, self.layer.computed(inputs), dtypes)
        avals = [value if value is None else jax.typeof(value) for value in values]
        made = shaped(direction, self.layer, avals, sampled)
        fixed, own = [*values[: self.first_own], *constants], values[self.first_own :]
        read = [*values, *constants] if direction == "forward" else [*own, *[fixed[place] for place in self.fields]]
        results = self.layer.directions[direction].results
        like = expanded(made, [each.owner is None or values[each.owner] is not None for each in results])
        return KernelCall(types, row.shape[0] if sampled else None, read, like, made)

    def compute(self, direction: str, values: Sequence[Any], constants: Sequence[float], sampled: bool) -> list[Any]:
        """The results of a direction, given a value for each of its arguments, None for one that is not there."""
        asked = self.asked(direction, values, constants, sampled)
        types, made = asked.types, asked.made
        if self.module() is self.compiled:
            kernels = self.compiled._KERNELS.kernels.get(direction)
            if kernels is None:
                raise not_derived(direction)
            given = [*asked.read, *asked.like]
            called = jax_calls.call(kernels, given, types.shape, types.computed, made, asked.samples)
            if called is not None:
                return called
        is_read = [
            value is not None and (direction == "forward" or place >= self.inputs or place in self.fields)
            for place, value in enumerate(values)
        ]
        read = [_carried(value) for value, one in zip(values, is_read, strict=True) if one]
        computed = partial(self._computed, direction, tuple(is_read), tuple(constants), types)
        carriers = [*map(_carrier, made)]
        if sampled:
            pairs = zip(self.layer.directions[direction].kinds, values, strict=True)
            own = [has_samples(*each) for each, one in zip(pairs, is_read, strict=True) if one]
            computed = partial(_each_sample, computed, carriers, own)
        called_back = jax.pure_callback(partial(_called, computed), carriers, *read)
        return [_uncarried(each, like.dtype) for each, like in zip(called_back, made, strict=True)]

    def _computed(
        self, direction: str, is_read: Sequence[bool], constants: Sequence[float], types: _JaxTypes, *arrays: Any
    ) -> list[Array]:
        """The results of a direction as NumPy has them, of the arrays that are read."""
        given = iter(arrays)
        values = [_halves_joined(np.asarray(next(given))) if one else None for one in is_read]
        if direction == "forward":
            outputs, row_scalars = self.made_by_forward(values, constants, _threads())
            return [*map(_halves, [*outputs, *row_scalars])]
        fixed = [*values[: self.first_own], *constants]
        saved = (types.shape, types.computed, types.inputs, *[fixed[place] for place in self.fields])
        made = self.made_by_later(self.protocol.directions[direction], saved, values[self.first_own :], _threads())
        return [_halves(each) for each in made if each is not None]


def _called(computed: Callable[..., list[Array]], *arrays: Any) -> list[Array]:
    with _plain_arithmetic():
        return computed(*arrays)


def _each_sample(
    computed: Callable[..., list[Array]], like: Sequence[Any], own: Sequence[bool], *arrays: Any
) -> list[Array]:
    """Return the results for all samples, of arrays some of which have an `own` part for each sample."""
    made = [np.empty(each.shape, each.dtype) for each in like]
    read = [np.asarray(each) for each in arrays]
    for sample in range(len(made[0])):
        given = [each[sample] if one else each for each, one in zip(read, own, strict=True)]
        for result, value in zip(made, computed(*given), strict=True):
            result[sample] = value
    return made


@contextmanager
def _plain_arithmetic() -> Iterator[None]:
    """XLA has its threads take subnormal numbers for zero; here a thread computes as any other does."""
    library: Any = ctypes.CDLL(None) if os.name == "posix" else None
    if not hasattr(library, "fesetenv"):
        yield
        return
    try:
        plain = ctypes.addressof(ctypes.c_char.in_dll(library, "_FE_DFL_ENV"))
    except ValueError:  # it has a name on macOS alone
        plain = -1
    was = ctypes.create_string_buffer(256)
    library.fegetenv(was)
    library.fesetenv(ctypes.c_void_p(plain))
    try:
        yield
    finally:
        library.fesetenv(was)


def _threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- numbers of 64 bits, each as its two halves: a thread of XLA's that calls back would make them narrower where JAX
# does not have them everywhere


def _halves(array: Array) -> Array:
    return array if array.dtype != np.float64 else np.asarray(array, order="C")[..., None].view(_UINT32)


def _halves_joined(array: Array) -> Array:
    return array if array.dtype != _UINT32 else np.asarray(array, order="C").view(np.float64)[..., 0]


def _carried(value: Any) -> Any:
    return value if value.dtype != np.float64 else jax.lax.bitcast_convert_type(value, _UINT32)


def _carrier(like: Any) -> Any:
    is_double = like.dtype == np.float64
    return jax.ShapeDtypeStruct((*like.shape, 2) if is_double else like.shape, _UINT32 if is_double else like.dtype)


def _uncarried(value: Any, dtype: DType) -> Any:
    return value if value.dtype == dtype else jax.lax.bitcast_convert_type(value, dtype)
