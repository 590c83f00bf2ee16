"""Emitted `cuda_backend.py` on NumPy arrays: on a GPU if there is one, else on the emulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, get_args

import numpy as np

from lngen.checks import emulator
from lngen.checks.adapter import EVERYTHING, Adapter
from lngen.derivation.derivation import Direction
from lngen.pipeline.files import gpu

_RUNS = 5


@dataclass(frozen=True)
class RunningOn:
    """Device that runs kernels: its name, and whether it is emulated on this CPU."""

    name: str
    emulated: bool


@contextmanager
def device() -> Iterator[RunningOn]:
    """Make the device current for kernels, by its primary context, while the `with` statement lasts.

    Raises LngenError if PyCUDA or a part of the emulator is missing, and ImportError if PyCUDA cannot be used.
    """
    if not gpu.has_device_files():
        emulator.emulator().enable()
    import pycuda.driver

    pycuda.driver.init()
    first = pycuda.driver.Device(0)
    context = first.retain_primary_context()
    context.push()
    try:
        yield RunningOn(first.name(), emulator.enabled())
    finally:
        pycuda.driver.Context.pop()


class OnDevice(Adapter):
    """Functions of a `cuda_backend` in the form of the NumPy module: arrays are copied to the device and back.

    Use it within `device()`. On the emulator one module holds both directions, and all `types` (such as "f32") that the
    layer will run in: g++ takes only twice as long for all kernels as for one. There memory that was never written is
    NaN, so that a read of it is visible.
    """

    can = EVERYTHING
    strides = "give the same result between rows, and are refused within"

    def __init__(self, backend: ModuleType, types: Sequence[str] = ()) -> None:
        super().__init__(backend)
        if emulator.enabled():
            backend._LAYER = _together(backend, types)  # type: ignore[attr-defined]

    @property
    def repeats(self) -> str:  # type: ignore[override]
        """Return the words for all runs of `again` and the one before."""
        return f"{_RUNS} runs" + (f" and {len(emulator.emulator().SCHEDULES)} schedules" if emulator.enabled() else "")

    def again(self) -> Iterator[AbstractContextManager[Any]]:
        """Yield a context for each further run that has to give the same bits."""
        yield from [nullcontext()] * (_RUNS - 1)
        for schedule in emulator.emulator().SCHEDULES if emulator.enabled() else ():
            yield emulator.emulator().using(schedule=schedule, seed=1)

    def array(self, value: Any) -> Any:
        """An array in device memory; a number or None as it is."""
        return upload(value)

    def value(self, array: Any) -> Any:
        """An array from device memory; None as it is."""
        return download(array)

    def is_array(self, value: Any) -> bool:
        """Test whether a value is an array in device memory."""
        return hasattr(value, "gpudata")

    def shares(self, a: Any, b: Any) -> bool:
        """Test whether two arrays are one."""
        return a is b


def _together(backend: ModuleType, types: Sequence[str]) -> Any:
    return replace(backend._LAYER, macros=lambda macros: together(macros, types))


@contextmanager
def compiled_for(backend: ModuleType, types: Sequence[str]) -> Iterator[None]:
    """Let a backend's modules hold these types on the emulator, and no others, while the `with` statement lasts.

    Rows have one block each.
    """
    kept: Any = backend._LAYER

    def of_one_block(macros: Sequence[str]) -> list[str]:
        return [each for each in together(macros, types) if not each.startswith("LNGEN_BLOCKS_PER_ROW=")]

    if emulator.enabled():
        backend._LAYER = replace(kept, macros=of_one_block)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        backend._LAYER = kept  # type: ignore[attr-defined]


def together(macros: Sequence[str], types: Sequence[str]) -> list[str]:
    """Return the macros of a module that replaces the modules of single kernels.

    Types stay separate if inputs are omitted or have a type of their own; such calls are checked in one type.

    >>> together(["LNGEN_FORWARD", "LNGEN_F32", "LNGEN_D=7"], ["f32", "f64"])
    ['LNGEN_D=7', 'LNGEN_F32', 'LNGEN_F64']
    >>> together(["LNGEN_FORWARD", "LNGEN_F32", "LNGEN_D=7", "LNGEN_WITHOUT_gamma"], ["f32", "f64"])
    ['LNGEN_D=7', 'LNGEN_F32', 'LNGEN_WITHOUT_gamma']
    """
    named = {f"LNGEN_{name.upper()}" for name in types}
    kept = set(macros) - {f"LNGEN_{direction.upper()}" for direction in get_args(Direction)}
    if kept & named and all(macro.startswith(("LNGEN_D=", "LNGEN_INTEGER")) for macro in kept - named):
        kept |= named
    return sorted(kept)


def upload(value: Any) -> Any:
    """An array in device memory; a number or None as it is."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    from pycuda import gpuarray

    array = np.ascontiguousarray(value).reshape(np.shape(value))
    return gpuarray.to_gpu(array.view(np.uint8)).view(array.dtype) if _is_strange(array) else gpuarray.to_gpu(array)


def download(value: Any) -> Any:
    """An array from device memory; None as it is."""
    if value is None:
        return None
    return value.view(np.uint8).get().view(value.dtype) if _is_strange(value) else value.get()


def _is_strange(array: Any) -> bool:
    """Test whether PyCUDA does not copy arrays of a type: floats of 8 bits, whose name NumPy does not read."""
    return bool(array.dtype.itemsize == 1 and array.dtype.kind not in "biu")
