"""Frozen dataclasses and SymPy expressions as bytes and back: pickled, and evaluated neither way.

SymPy's own pickling calls constructors that evaluate. Here the structure that is read is the one that was written.
Reading calls constructors of lngen's and SymPy's classes, and nothing else.

>>> from lngen.algebra.symbols import RowSymbol
>>> x = RowSymbol("x")
>>> decode(encode(sympy.Mul(x, x, evaluate=False)))
x*x
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import sympy
from sympy import Basic

from lngen.language.definition import Definition
from lngen.pipeline.cache.results import NotKept

_PACKAGES = ("fractions", "lngen", "sympy")


def encode(value: Any, given: Definition | None = None) -> bytes:
    """Encode a value, in which `given` is replaced by a mark; raises NotKept unless it is read back as it was."""
    stream = io.BytesIO()
    try:
        _UnevaluatedPickler(stream, given).dump(value)
        again = decode(stream.getvalue(), given)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise NotKept(str(error)) from error
    if again != value:
        raise NotKept("it is read back as another value")
    return stream.getvalue()


def decode(content: bytes, given: Definition | None = None) -> Any:
    """The value that was written. Raises ValueError if the content is of no such value."""
    try:
        return _UnevaluatedUnpickler(content, given).load()
    except Exception as error:  # a constructor raises any, for parts that it was not written with
        raise ValueError(f"no content of {__name__}") from error


class _UnevaluatedPickler(pickle.Pickler):
    """Writer of expressions as their class and their parts; equal parts are written once."""

    def __init__(self, stream: io.BytesIO, given: Definition | None) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._given = given
        self._parts: dict[Basic, Basic] = {}

    def persistent_id(self, value: Any) -> str | None:
        return "given" if self._given is not None and value is self._given else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Basic) and value.args:
            return _unevaluated, (type(value), *(self._parts.setdefault(part, part) for part in value.args))
        return NotImplemented


class _UnevaluatedUnpickler(pickle.Unpickler):
    """Reader that knows classes of three packages, and no function of them."""

    def __init__(self, content: bytes, given: Definition | None) -> None:
        super().__init__(io.BytesIO(content))
        self._given = given

    def persistent_load(self, mark: str) -> Definition | None:
        return self._given

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] in _PACKAGES and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) or found is _unevaluated:
                return found
        raise ValueError(f"{module}.{name} is no class of a kept value")


def _unevaluated(kind: Any, *parts: Basic) -> Basic:
    """An expression of parts, in their order, as it would stand if SymPy did not evaluate it."""
    made: Basic = kind._from_args(parts) if issubclass(kind, (sympy.Add, sympy.Mul)) else kind(*parts, evaluate=False)
    return made
