# SPDX-License-Identifier: MIT
"""Arrays of other libraries without a copy: those with DLPack alone, and results that are to be of a library.

PyCUDA has no DLPack. CuPy or PyTorch take such an array, and hand results on.
"""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

HOST, CUDA, CUDA_MANAGED = 1, 2, 13
"""Device types in DLPack."""


def device_of(value: Any) -> tuple[int, int] | None:
    """Return the kind and the number of an array's device; None for an object without DLPack."""
    where = getattr(value, "__dlpack_device__", None)
    if where is None or not hasattr(value, "__dlpack__"):
        return None
    kind, number = where()
    return int(kind), int(number)


def root(value: Any) -> str:
    """Return the name of the library that a value or a module is of."""
    name: str = value.__name__ if isinstance(value, ModuleType) else type(value).__module__
    return name.partition(".")[0]


def exchange(own: str = "") -> ModuleType | None:
    """Return PyTorch or CuPy if it is imported and has a device; the one of that name if there are both.

    PyTorch comes first, for CuPy before 14 has no bfloat16.
    """
    names = sorted(("torch", "cupy"), key=lambda name: name != own)
    found = (sys.modules.get(name) for name in names)
    return next((each for each in found if each is not None and each.cuda.is_available()), None)


def stream_of(library: Any) -> int:
    """Return the handle of the current stream of PyTorch or CuPy, on which it leaves and takes arrays."""
    if library.__name__ == "torch":
        return library.cuda.current_stream().cuda_stream or 1
    return library.cuda.get_current_stream().ptr or 1


class Imported:
    """Array that came by DLPack, held until this object goes; `owner` is the array as the caller has it.

    It is ready on a `stream`, that of the library that took it.
    """

    def __init__(self, owner: Any, library: Any) -> None:
        self.owner, self.dtype, self.stream = owner, getattr(owner, "dtype", None), stream_of(library)
        self.taken = taken = library.from_dlpack(owner)
        is_raw = library.__name__ == "torch" and taken.dtype == library.bfloat16
        interface = (taken.view(library.int16) if is_raw else taken).__cuda_array_interface__
        self.__cuda_array_interface__ = {**interface, "stream": None, **({"typestr": "<V2"} if is_raw else {})}


def imported(value: Any) -> Imported | None:
    """Return an array by DLPack; None if it is not in CUDA memory, or there is no library that takes it."""
    where = device_of(value)
    if where is None or where[0] not in (CUDA, CUDA_MANAGED):
        return None
    library = exchange(root(value))
    return None if library is None else Imported(value, library)


# ---- results


class Taker:
    """Function of a library that makes its arrays from others, and the library that hands results to it."""

    def __init__(self, function: Callable[[Any], Any], library: Any) -> None:
        self.function, self.library = function, library

    def __call__(self, made: Any, ordinal: int) -> Any:
        """Return a GPUArray on a device as an array of the library, once the current stream of the other is behind."""
        if self.library.__name__ != "torch":
            return self.function(self.library.asarray(made))
        kind, interface = made.dtype, made.__cuda_array_interface__
        own = {}
        if kind.kind == "V":  # of no type of NumPy's own
            interface = {**interface, "typestr": "<i2" if kind.itemsize == 2 else "|u1"}
            own = {"dtype": getattr(self.library, "bfloat16" if kind.name.startswith("void") else kind.name)}
        # The tensor holds what it is made of, and that holds the memory.
        given = SimpleNamespace(__cuda_array_interface__=interface, owner=made)
        found = self.library.as_tensor(given, device=f"cuda:{ordinal}")
        return self.function(found.view(**own) if own else found)


def taker(like: Any) -> Taker | None:
    """Return what makes arrays of a library, from the library or one of its arrays.

    Returns None for PyCUDA, whose arrays need no conversion. Raises TypeError for an unknown library, or one whose
    arrays are in host memory, and ImportError without PyTorch and CuPy.
    """
    if like is None or root(like) == "pycuda":
        return None
    found = getattr(like, "from_dlpack", None)
    if found is None:
        namespace = getattr(like, "__array_namespace__", None)
        found = getattr(namespace() if namespace else sys.modules.get(root(like)), "from_dlpack", None)
    if found is np.from_dlpack:
        raise TypeError("like is NumPy, whose arrays are in host memory; omit like, and call .get() on the results")
    kind = getattr(like, "__name__", type(like).__name__)
    if not callable(found):
        raise TypeError(
            f"like is {kind}, which has no from_dlpack; pass an array of CuPy, PyTorch or JAX, or a module such as cupy"
        )
    library = exchange(root(like))
    if library is None:
        raise ImportError(
            f"like is {kind}, whose results PyTorch or CuPy hand on: import one that sees the GPU, or omit like"
        )
    return Taker(found, library)
