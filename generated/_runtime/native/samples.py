# SPDX-License-Identifier: MIT
"""Direction of a layer on many samples, each with rows, parameters and sums of its own.

The results of each sample have the bits of a call for it alone. host_samples.c loops over the samples, so that a sample
of a few rows takes less than half a microsecond besides its kernels.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..numpy.blocks import Work, round_to
from ..protocol.calls import Array, DType
from . import threads as host_threads
from .extensions import extension
from .kernels import Cut, DirectionKernels

__all__ = ["compute"]


def compute(kernels: DirectionKernels, given: Sequence[Any], samples: int, of_one: Work) -> None:
    """Compute the results at the end of a list from the values before them, for each of some samples.

    `given` is as for `DirectionKernels.any`, with an axis of samples first in each array, of stride 0 if samples share
    it. `of_one` is the call of one sample, with the threads of all.
    """
    computed = of_one.dtype
    stored = kernels.stored(given, computed)
    dense, copied = _dense(kernels, given, stored, computed)
    cut = kernels.cut(of_one.shape, stored, samples)
    call = extension("host_samples")
    if call is None or (of_one.threads > 1 and cut.chunks > 1 == cut.parts):
        for number in range(samples):
            own = [value[number, ...] if isinstance(value, np.ndarray) else value for value in dense]
            kernels.run(own, of_one.shape, stored, computed, of_one.threads)
    else:
        _called(call, kernels, dense, of_one, cut, stored)
    for result, made in copied:
        round_to(result, ..., made)


def _called(call: Any, kernels: DirectionKernels, dense: list[Any], of_one: Work, cut: Cut, stored: DType) -> None:
    """Call the kernels in C, whose places and sizes are as host_samples.c reads them."""
    arrays = [value if isinstance(value, np.ndarray) else None for value in dense]
    addresses = [0 if value is None else value.__array_interface__["data"][0] for value in arrays]
    strides = [0 if value is None else value.strides[0] for value in arrays]
    numbers = np.array([value if isinstance(value, float) else 0.0 for value in dense])
    zeros = [(place, value.nbytes // cut.samples) for place in kernels.zeros if (value := arrays[place]) is not None]
    steps: list[int] = []
    for kernel in kernels.chosen(dense, stored, of_one.dtype):
        steps += kernel.address, len(kernel.pointers), *kernel.pointers, len(kernel.numbers), *kernel.numbers
    sizes = [cut.rows, cut.features, cut.chunks, 0, cut.chunks, cut.streams]
    tables = [np.array(table, np.int64) for table in ([*strides, 0], steps, zeros, sizes)]

    def part(first: int, end: int) -> None:
        workspace = np.empty(cut.workspace, of_one.dtype)
        own = np.array([*addresses, workspace.__array_interface__["data"][0]], np.int64)
        call(own, *tables, numbers, first, end)

    host_threads.run(part, cut.samples, of_one.threads if cut.parts > 1 else 1)


def _dense(
    kernels: DirectionKernels, given: Sequence[Any], stored: DType, computed: DType
) -> tuple[list[Any], list[tuple[Any, Array]]]:
    """Return values whose samples are dense, as kernels take them.

    The second result pairs each result that kernels cannot write with the array written in its place.
    """
    found: list[Any] = list(given)
    copied = []
    for place, (dtype, value) in enumerate(zip(kernels.wanted(given, stored, computed), given, strict=True)):
        if dtype is None or (value.dtype == dtype and value[0].flags.c_contiguous):
            continue
        if place >= kernels.first_made:
            found[place] = np.empty(value.shape, dtype)
            copied.append((value, found[place]))
        elif value.strides[0] == 0:
            found[place] = np.broadcast_to(np.ascontiguousarray(value[0], dtype).reshape(value.shape[1:]), value.shape)
        else:
            found[place] = np.array(value, dtype, order="C")
    return found, copied
