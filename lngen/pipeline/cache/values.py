"""Frozen dataclasses and SymPy expressions as bytes and back: pickled, and evaluated neither way.

SymPy's own pickling calls constructors that evaluate. Here the structure that is read is the one that was written.

A content may be anybody's. Reading it makes frozen dataclasses, enumerations, numbers, symbols, and expressions of
parts that are expressions. No other class is looked up, because most of SymPy's evaluate a text as Python.

>>> from lngen.algebra.symbols import RowSymbol
>>> x = RowSymbol("x")
>>> decode(encode(sympy.Mul(x, x, evaluate=False)))
x*x
"""

from __future__ import annotations

import io
import pickle
import sys
from enum import Enum
from fractions import Fraction
from typing import Any

import sympy
from sympy import Basic
from sympy.logic.boolalg import BooleanAtom

from lngen.language.definition import Definition
from lngen.pipeline.cache.results import NotKept

_PACKAGES = ("fractions", "lngen", "sympy")
_ATOMS = (sympy.Number, sympy.NumberSymbol, sympy.Symbol, BooleanAtom)


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
            kind = type(value)
            return _unevaluated, (kind.__module__, kind.__name__, *(self._parts.setdefault(p, p) for p in value.args))
        return NotImplemented


class _UnevaluatedUnpickler(pickle.Unpickler):
    """Reader that makes what `_is_plain` allows, and expressions by `_unevaluated`."""

    def __init__(self, content: bytes, given: Definition | None) -> None:
        super().__init__(io.BytesIO(content))
        self._given = given

    def persistent_load(self, mark: str) -> Definition | None:
        return self._given

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name == _unevaluated.__name__:
            return _unevaluated
        found = _class(module, name)
        if not _is_plain(found):
            raise ValueError(f"{module}.{name} is no class of a kept value")
        return found


def _class(module: str, name: str) -> Any:
    """The class of a name in a module that is loaded. Raises ValueError for what is none of the three packages'."""
    found = getattr(sys.modules.get(module), name, None)
    if module.partition(".")[0] not in _PACKAGES or not isinstance(found, type):
        raise ValueError(f"{module}.{name} is no class of a kept value")
    return found


def _is_plain(kind: type) -> bool:
    """Test whether a class makes a value of its arguments and evaluates none of them."""
    if issubclass(kind, Basic):
        return issubclass(kind, _ATOMS)
    dataclass = getattr(kind, "__dataclass_params__", None)
    return kind is Fraction or issubclass(kind, Enum) or bool(dataclass and dataclass.frozen)


def _unevaluated(module: str, name: str, *parts: Basic) -> Basic:
    """An expression of parts, in their order, as it would stand if SymPy did not evaluate it."""
    kind = _class(module, name)
    if not issubclass(kind, Basic) or not all(isinstance(part, Basic) for part in parts):
        raise ValueError(f"{module}.{name} is no expression of expressions")
    made: Basic = kind._from_args(parts) if issubclass(kind, (sympy.Add, sympy.Mul)) else kind(*parts, evaluate=False)
    return made
