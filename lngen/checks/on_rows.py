"""The layer on rows, of a module whose axes have names: calls of its mathematics by functions like the emitted ones.

All evidence but that about named axes is about this layer. Part of an array is a value of its own here.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.casts import dtype as cast_type
from lngen.runtime.protocol.directions import (
    FEATURE,
    NUMBER,
    DirectionProtocol,
    Entry,
    LayerProtocol,
    leading,
    shapes,
)


def on_rows(module: ModuleType) -> Any:
    """Return a module of a layer for its rows, which is the module itself if its axes have no names."""
    return LayerOnRows(module) if "layout" in vars(module)["INTERFACE"] else module


class LayerOnRows:
    """Functions of a layer on rows, made from the mathematics of an emitted module."""

    def __init__(self, module: ModuleType) -> None:
        given = vars(module)["forward"].__globals__  # a package has the functions of its `numpy_backend`
        is_compiled = "_numpy" in given
        own = vars(given["_numpy"]) if is_compiled else given
        self.INTERFACE = without_axes(given["INTERFACE"])
        self.__package__, self.__file__ = module.__package__, vars(module).get("__file__")  # text in a field has none
        self.protocol = LayerProtocol(self.INTERFACE)
        # Of a `cpu_backend` it is the way of all arrays.
        by = {
            name: f"_{name}_on_kernels" if is_compiled else f"_{name.upper()}" for name in self.INTERFACE["directions"]
        }
        self.functions: dict[str, Any] = {name: given[place] for name, place in by.items()}
        # Those of its own runtime, which may be in another arithmetic.
        self.calls, self.Work = own["_calls"], own["_blocks"].Work
        fields = [each.name for each in self.protocol.fields]
        first = [f"{name}_" if name in fields else name for name in ("shape", "dtype", "dtypes")]
        self.Saved: Any = _tuple_class("Saved", [*first, *fields])
        for name in self.INTERFACE["directions"][1:]:
            setattr(self, name, partial(self._later, self.protocol.directions[name]))

    def forward(self, *inputs: Any, save: bool = True, out: Any = None, threads: int = 1, **constants: Any) -> Any:
        """Return the outputs, and the saved values."""
        takes = self.protocol.directions["forward"]
        given: list[Any] = [None if value is None else np.asanyarray(value) for value in inputs]
        given += [None] * (len(takes.inputs) - len(given))
        defaults = {each["name"]: each["default"] for each in self.INTERFACE["constants"]} | constants
        row = given[leading(takes.inputs, given)]
        shape, stored = row.shape, row.dtype
        dtypes, dtype = self.calls.types(dict(enumerate(given)))
        kinds = [cast_type(each.cast, each.name) if each.cast else stored for each in takes.results]
        kinds += [dtype] * len(takes.row_scalars)
        values = [*given, *defaults.values()]
        made = self._filled(takes, self.Work(shape, dtype, threads), kinds, out, values)
        outputs = made[: len(takes.results)]
        known = dict(zip((*takes.arguments, *takes.makes), (*values, *made), strict=True))
        fields = [known[each.owner] for each in self.protocol.fields if each.owner]
        saved = self.Saved(shape, dtype, dtypes, *fields) if save else None
        return self._returned(takes, outputs), saved

    def _later(self, takes: DirectionProtocol, saved: Any, *given: Any, out: Any = None, threads: int = 1) -> Any:
        if takes.cotangents and takes.tangents:
            cotangents = given[0] if isinstance(given[0], tuple | list) else (given[0],)
            given = (*cotangents, *given[1:])
        arguments = [*given, *[None] * (len(takes.arguments) - len(given))]
        shape, kept, dtypes, *fields = saved
        dtype = self.calls.compute_type(dict(enumerate([*arguments, *fields])), kept)
        stored = dtypes[leading(self.protocol.inputs, dtypes)]
        named = dict(zip(takes.arguments, arguments, strict=True))
        kinds = [
            getattr(named[each.owner], "dtype", None)
            if each.owner in named
            else stored
            if each.follows is None
            else dtypes[each.follows]
            for each in takes.results
        ]
        made = self._filled(takes, self.Work(shape, dtype, threads), kinds, out, arguments, fields)
        return self._returned(takes, made)

    def _filled(
        self, takes: DirectionProtocol, work: Any, kinds: Sequence[Any], out: Any, *groups: Sequence[Any]
    ) -> list[Any]:
        function = self.functions[takes.name]
        given = [] if out is None else [*out] if takes.returned else [out]
        given += [None] * (len(takes.makes) - len(given))
        made = [
            own if own is not None else kind if kind is None else function.empty(shapes(work.shape)[each.part], kind)
            for each, kind, own in zip(takes.makes, kinds, given, strict=True)
        ]
        reads = iter(takes.reads)
        values = [[self._taken(next(reads), value, work) for value in group] for group in groups]
        function.fill(made, work, *values)
        return made

    def _taken(self, each: Entry, value: Any, work: Any) -> Any:
        """Return a value as functions on rows take it."""
        if each.part not in (FEATURE, NUMBER):
            return value
        taken = self.calls.parameter if each.part == FEATURE else self.calls.number
        return taken(value, np.int64 if each.is_integer else work.dtype)

    def _returned(self, takes: DirectionProtocol, made: Sequence[Any]) -> Any:
        return _tuple_class(takes.returned, takes.names)(*made) if takes.returned else made[0]


def _tuple_class(name: str, fields: Sequence[str]) -> Any:
    return namedtuple(name, fields)
