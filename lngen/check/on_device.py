"""Emitted `cuda_backend.py` on NumPy arrays: on a GPU if there is one, else on the emulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, get_args

import numpy as np

from lngen.check import emulator
from lngen.derivation.derivation import Direction
from lngen.pipeline.files import gpu


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


class OnDevice:
    """Functions of a `cuda_backend` in the form of the NumPy module: arrays are copied to the device and back.

    `saved` is the backend's own. Use it within `device()`. On the emulator one module holds both directions, and all
    `types` (such as "f32") that the layer will run in: g++ takes only twice as long for all kernels as for one.
    """

    widest = np.float64
    """The widest type that kernels compute in."""

    def __init__(self, backend: ModuleType, types: Sequence[str] = ()) -> None:
        self.backend = backend
        if emulator.enabled():
            backend._LAYER = _together(backend, types)  # type: ignore[attr-defined]

    def forward(self, /, *inputs: Any, out: Any = None, **options: Any) -> tuple[Any, Any]:
        """Return the outputs, and the saved values on the device."""
        target = _mapped(upload, out)
        result, saved = self.backend.forward(*(upload(value) for value in inputs), out=target, **options)
        return _filled(result, out), saved

    def __getattr__(self, direction: str) -> Callable[..., Any]:
        """Return a function that follows forward: `backward`, and `jvp` and `backward_backward` if the backend has
        them.
        """
        function = getattr(self.backend, direction)

        def called(saved: Any, *arguments: Any, out: Any = None, **options: Any) -> Any:
            given = [_mapped(upload, value) for value in arguments]
            return _filled(function(saved, *given, out=_mapped(upload, out), **options), out)

        return called


def _together(backend: ModuleType, types: Sequence[str]) -> Any:
    return replace(backend._LAYER, macros=lambda macros: together(macros, types))


@contextmanager
def compiled_for(backend: ModuleType, types: Sequence[str]) -> Iterator[None]:
    """Let a backend's modules hold these types on the emulator, and no others, while the `with` statement lasts."""
    kept: Any = backend._LAYER
    if emulator.enabled():
        backend._LAYER = _together(backend, types)  # type: ignore[attr-defined]
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
    if kept & named and all(macro.startswith("LNGEN_D=") for macro in kept - named):
        kept |= named
    return sorted(kept)


def upload(value: Any) -> Any:
    """An array in device memory; a number or None as it is."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    from pycuda import gpuarray

    return gpuarray.to_gpu(np.ascontiguousarray(value).reshape(np.shape(value)))


def download(value: Any) -> Any:
    """An array from device memory; None as it is."""
    return None if value is None else value.get()


def _mapped(function: Any, value: Any) -> Any:
    """Apply a function to a value, or to each entry of a tuple, whose type is kept."""
    if isinstance(value, tuple):
        return type(value)._make(map(function, value)) if hasattr(value, "_make") else tuple(map(function, value))
    return function(value)


def _filled(results: Any, out: Any) -> Any:
    """Return results as NumPy arrays; arrays of `out` are filled."""
    values = _mapped(download, results)
    if out is None:
        return values
    if not isinstance(out, tuple):
        np.copyto(out, values)
        return out
    for array, value in zip(out, values, strict=True):
        if array is not None:
            np.copyto(array, value)
    return type(values)._make(out) if hasattr(values, "_make") else out
