"""Adapters: how a backend is called, how an array is made for it and read back, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any

import numpy as np

from lngen.checks.bounds import ANY_ORDER, Summation
from lngen.checks.claim import FEATURES
from lngen.checks.layer import Case
from lngen.language.definition import Definition

EVERYTHING = frozenset(
    {
        "arguments left out", "cotangents left out", "leading axes", "no rows", "types", "mixed types", "out",
        "strides", "saved arrays", "workspace", "second calls",
    }
)  # fmt: skip
"""All that not every backend can be asked."""


class Adapter:
    """Functions of a backend in the form of the NumPy module: arrays are made for it, and read back.

    `functions` has them in the backend's own form: `forward`, `backward`, and `jvp` and `backward_backward` if it has
    them. `saved` is the backend's own. `can` are those words of `EVERYTHING` that can be asked of it. `summation` tells
    how it adds a row up. `eager` are the same functions an operation at a time, which
    shows what they keep between calls. With `keeps_bits` a row has the same bits beside any others. `only_features` is
    the one length of a row that they take, if there is only one. Without the inputs `needed` they may refuse to be
    called.
    """

    can: frozenset[str] = frozenset()
    summation: Summation = ANY_ORDER
    strides = "give the same result"
    repeats = "two runs"
    mixes_rows = False
    keeps_bits = True
    only_features: int | None = None
    lengths = (FEATURES, 1024)
    """Several rows per block and no vectors; a row that a block works on together, in vectors."""

    needed: frozenset[str] = frozenset()

    def __init__(self, functions: Any) -> None:
        self.functions = self.eager = functions

    def given(self, case: Case) -> Case:
        """Return the case with those inputs alone that the functions take."""
        return case

    def row_length(self, definition: Definition, wanted: int) -> int:
        """Return the length of a row that the functions and the definition take, `wanted` if they do."""
        return self.only_features or max(wanted, definition.minimum_features)

    def array(self, value: Any) -> Any:
        """Make an array of the backend; a number or None stays as it is."""
        return value

    def value(self, array: Any) -> Any:
        """Read an array back; None stays as it is."""
        return array

    def is_array(self, value: Any) -> bool:
        """Test whether a value is an array of the backend."""
        return isinstance(value, np.ndarray)

    def shares(self, a: Any, b: Any) -> bool:
        """Test whether two of the backend's arrays are one memory."""
        return bool(np.shares_memory(a, b))

    def again(self) -> Iterator[AbstractContextManager[Any]]:
        """Yield a context for each further run that has to give the same bits."""
        yield nullcontext()

    def forward(self, /, *inputs: Any, out: Any = None, **options: Any) -> tuple[Any, Any]:
        """Return the outputs, and the backend's saved values."""
        given = {} if out is None else {"out": mapped(self.array, out)}
        result, saved = self.functions.forward(*map(self.array, inputs), **given, **options)
        return self._filled(result, out), saved

    def __getattr__(self, direction: str) -> Callable[..., Any]:
        """Return a function that follows forward: `backward`, and `jvp` and `backward_backward` if the backend has
        them.
        """
        function = getattr(self.functions, direction)

        def called(saved: Any, *arguments: Any, out: Any = None, **options: Any) -> Any:
            given = {} if out is None else {"out": mapped(self.array, out)}
            return self._filled(function(saved, *[mapped(self.array, v) for v in arguments], **given, **options), out)

        return called

    def arrays_of(self, saved: Any) -> Iterator[Any]:
        """All arrays in a saved object: a tuple, a mapping, or an object with slots or attributes."""
        if self.is_array(saved):
            yield saved
        elif isinstance(saved, Mapping | tuple | list):
            for item in saved.values() if isinstance(saved, Mapping) else saved:
                yield from self.arrays_of(item)
        elif type(saved).__module__ not in ("builtins", "numpy"):
            slots = chain.from_iterable(getattr(base, "__slots__", ()) for base in type(saved).__mro__)
            for name in sorted({*slots, *getattr(saved, "__dict__", {})}):
                yield from self.arrays_of(getattr(saved, name, None))

    def _filled(self, results: Any, out: Any) -> Any:
        """Return results as NumPy arrays; arrays of `out` are filled."""
        values = mapped(self.value, results)
        if out is None:
            return values
        if not isinstance(out, tuple):
            np.copyto(out, values)
            return out
        for array, value in zip(out, values, strict=True):
            if array is not None:
                np.copyto(array, value)
        return type(values)._make(out) if hasattr(values, "_make") else out


class OnHost(Adapter):
    """Functions of a NumPy or compiled module, of which a layer is checked without an adapter."""

    can = EVERYTHING - {"workspace"}
    mixes_rows = True


def adapter_of(module: Any) -> Adapter:
    """Return a module's adapter: itself, or that of functions on NumPy arrays."""
    return module if isinstance(module, Adapter) else OnHost(module)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to a value, or to each entry of a tuple, whose type is kept."""
    if isinstance(value, tuple):
        return type(value)._make(map(function, value)) if hasattr(value, "_make") else tuple(map(function, value))
    return function(value)
