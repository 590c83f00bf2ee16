# SPDX-License-Identifier: MIT
"""Shared part of the class of every layer: a layer as a class, with parameters and their gradients."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..emitted import backend_module, is_emitted
from ..protocol.calls import Array, DType, array, constant, is_float, thread_count

Backend: TypeAlias = Literal["numpy", "cpu", "auto"]


class Parameters(MutableMapping[str, Array]):
    """Parameters of a layer by name.

    Each array stays the same object: setting one writes to it, so that an optimizer which holds the array has the
    loaded values. A value is an array of the right shape, of any type of floats. Raises TypeError or ValueError for
    another value, or for an unknown name; nothing is written then.
    """

    def __init__(self, layer: str, arrays: Mapping[str, Array]) -> None:
        self._layer, self._arrays = layer, arrays

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"a parameter of {self._layer} cannot be taken out; make a layer without it, by {name}=False")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return repr(self._arrays)

    def update(self, *others: Any, **values: Any) -> None:
        """Write to the arrays of some names, as `dict.update` is called: with a mapping, such as the result of
        np.load.
        """
        checked = [(name, self._checked(name, value)) for name, value in dict(*others, **values).items()]
        for name, value in checked:
            self._arrays[name][...] = value

    def _checked(self, name: str, value: Any) -> Array:
        if name not in self._arrays:
            there = ", ".join(self._arrays) or "none"
            raise ValueError(f"{self._layer} has no parameter {name!r}; there are: {there}")
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        found: Array = array(name, float(value) if is_whole else value, True)
        shape = self._arrays[name].shape
        if found.shape != shape:
            raise ValueError(f"{name} has shape {found.shape}; pass an array of shape {shape}")
        return found


class NumpyModule:
    """Layer as an object: `forward` keeps the values for `backward`, and `backward` releases them."""

    _package: ClassVar[str]

    def __init__(self, backend: Backend, threads: int, dtype: npt.DTypeLike = np.float32, **sizes: int) -> None:
        """`sizes` are the number of features, `D`, or those of axes, by the names of the constructor's arguments.

        Raises TypeError or ValueError for an invalid type, backend or number of threads.
        """
        self.backend: Backend = _checked_backend(backend)
        self.threads = thread_count(threads)
        self._dtype, self._sizes = _float_type(dtype), sizes
        self._arrays, self._absent, self._constants = dict[str, Array](), list[str](), list[str]()
        self.parameters = Parameters(type(self).__name__, self._arrays)
        self.gradients: dict[str, Array] = {}
        self._saved: Any = None

    def _parameter(self, name: str, is_there: bool, shape: tuple[int, ...], start: float) -> None:
        """Add a parameter, or leave it out. Raises TypeError for what does not say if it is there."""
        if not isinstance(is_there, (bool, np.bool_)):
            remedy = f"pass True or False, and set its values by parameters[{name!r}] = ..."
            raise TypeError(f"{name} is of type {type(is_there).__name__}; {remedy}")
        if is_there:
            self._arrays[name] = np.full(shape, start, self._dtype)
        else:
            self._absent.append(name)

    def _constant(self, name: str, value: float, signed: bool) -> float:
        """Add a Constant, and return it. Raises TypeError or ValueError for one that no call would take."""
        self._constants.append(name)
        return float(constant(name, value, signed))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("parameters", ()):
            raise AttributeError(f"{name} is a parameter; set its values by parameters[{name!r}] = ...")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        shown = [str(value) if name == "D" else f"{name}={value}" for name, value in self._sizes.items()]
        shown += [f"{name}={getattr(self, name)!r}" for name in self._constants]
        return f"{type(self).__name__}({', '.join([*shown, *(f'{name}=False' for name in self._absent)])})"

    def _check_rows(self, **rows: Any) -> None:
        """Refuse rows of another length than the parameters have; the first that are present tell it."""
        name, value = next(((name, value) for name, value in rows.items() if value is not None), ("", None))
        shape = array(name, value, False).shape if name else ()
        if shape and shape[-1] != self._sizes["D"]:
            D, layer = self._sizes["D"], type(self).__name__
            made = f"this {layer} was made for rows of {D} features; pass (..., {D})"
            raise ValueError(f"{name} has shape {shape}, and {made}")

    def _gradients(self, *cotangents: Any) -> Any:
        """The gradients of all inputs; the saved values are released."""
        if self._saved is None:
            raise RuntimeError(f"{type(self).__name__} has no saved values; call forward before each backward")
        made = self._layer().backward(self._saved, *cotangents, threads=self.threads)
        self._saved = None
        return made

    def _of_parameters(self, **gradients: Any) -> dict[str, Array]:
        """The gradients of the parameters that are present."""
        return {name: np.asarray(value) for name, value in gradients.items() if name in self._arrays}

    def _layer(self) -> Any:
        # No attribute of an object: one that is pickled may be loaded where there is no compiler.
        return _backend(self._package, self.backend)


def size(name: str, count: Any, least: int = 1) -> int:
    """Check a size of a constructor; raises TypeError or ValueError if it is no whole number from the `least` on."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(f"{name} is {count!r} of type {type(count).__name__}; pass a whole number, {least} or more")
    if count < least:
        raise ValueError(f"{name} is {count}; pass {least} or more")
    return int(count)


def multiple(name: str, count: Any, of: int) -> int:
    """Check a size of an axis that is another one of a known size, several times. Raises as `size` does."""
    if size(name, count) % of:
        raise ValueError(f"{name} is {count}; pass a multiple of the other size, {of}")
    return int(count)


def _checked_backend(wanted: Any) -> Any:
    if wanted not in ("numpy", "cpu", "auto"):
        raise ValueError(f'backend is {wanted!r}; pass "numpy", "cpu" or "auto"')
    return wanted


def _backend(package: str, wanted: Backend) -> Any:
    """The module of a layer that computes."""
    _checked_backend(wanted)  # an attribute may have been set since
    if wanted == "auto":
        folder = Path(str(import_module(package).__file__)).parent
        wanted = "cpu" if is_emitted(folder, "cpu") and _can_run_compiled(folder) else "numpy"
    return backend_module(package, wanted)


def _can_run_compiled(folder: Path) -> bool:
    # By its name: what looks for a compiler takes time to load, and is there with compiled code alone.
    found: bool = import_module("..native.compiler", __package__).can_run(folder)
    return found


def _float_type(dtype: npt.DTypeLike) -> DType:
    try:
        # NumPy takes None for float64, and is not asked: it is what is left out.
        found = np.dtype(np.float32 if dtype is None else dtype)
    except TypeError:
        found = None
    if found is None or not is_float(found):
        raise TypeError(f"dtype is {dtype!r}; pass a type of floats, such as np.float32")
    return found
