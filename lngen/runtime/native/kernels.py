# SPDX-License-Identifier: MIT
"""Long way of a call on compiled kernels: arrays of any type and layout, which the straight way does not take.

`numpy_backend` has them called with arrays that it has checked. Rows are read and written where they lie if the entries
of each are one behind the other (places.py). Others, and those that are not all of one type that kernels take, are
passed as dense copies in the compute type.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..numpy.blocks import ArrayFunction, Work, round_to
from ..protocol.axes import without_axes
from ..protocol.calls import COMPUTED, INT32, Array, DType, Shape, computed, whole
from ..protocol.casts import dtype as cast_type
from ..protocol.directions import ROW, ROW_SCALAR, DirectionProtocol, LayerProtocol
from ..protocol.interface import INTEGERS, PER_ROW, Interface
from ..protocol.kernels import KernelTable
from .compiled import Call, CompiledDirection
from .memory import empty
from .places import Places, is_in_rows, placed
from .straight import TYPES, addresses, is_dense

_ROW_AXES = {ROW: 1, ROW_SCALAR: 0}
_OF_PYTORCH = "forward", "backward"
"""Directions that PyTorch calls with parameters of 16 bits as they are."""

_ENDS = ("the rows", "the features", "the blocks", "the workspace")


class HostKernels:
    """The kernels of a layer by direction, as a table describes them, for calls that take the long way.

    They compute in types that kernels take, and the functions of `otherwise` in any other.
    """

    def __init__(
        self,
        interface: Interface,
        tables: Mapping[str, KernelTable],
        directions: Mapping[str, CompiledDirection],
        otherwise: Mapping[str, ArrayFunction],
    ) -> None:
        self.of_rows = rows = LayerProtocol(without_axes(interface))
        optional = [each.symbol for each in rows.inputs if each.may_be_none]
        self.kernels = {
            name: DirectionKernels(rows.directions[name], table, directions[name], optional, otherwise[name])
            for name, table in tables.items()
        }

    def function(self, direction: str) -> ArrayFunction:
        """Return the function that computes a direction."""
        return ArrayFunction(self.kernels[direction].compute, empty, takes_runs=True)

    def builds(self, stored: str) -> list[tuple[Path, tuple[str, ...]]]:
        """Return the sources to compile ahead of time for rows of a type, such as "bf16", each with macros.

        They serve calls with every value, calls of later directions without the arguments of optional inputs, and
        calls without optional inputs.
        """
        rows = np.dtype({"f32": np.float32, "f64": np.float64}.get(stored, np.float16))
        wide = TYPES[computed([rows]).name]
        has_parameters = any(each.kind in ("Feature", "Scalar") for each in self.of_rows.inputs)
        found = [
            (kernels.direction.source, kernels.direction.macros(stored, wide, absent, parameters))
            for name, kernels in self.kernels.items()
            for absent in kernels.absences()
            for parameters in (["", stored] if stored != wide and name in _OF_PYTORCH and has_parameters else [""])
        ]
        return list(dict.fromkeys(found))


class DirectionKernels:
    """The kernels of one direction. Its values are a list; the table calls each by a name.

    `optional` are the inputs that may be None, and `otherwise` computes in types that kernels do not.
    """

    def __init__(
        self,
        takes: DirectionProtocol,
        table: KernelTable,
        direction: CompiledDirection,
        optional: Sequence[str],
        otherwise: ArrayFunction,
    ) -> None:
        self.takes, self.direction, self.optional, self.otherwise = takes, direction, optional, otherwise
        self.names, self.first_made = takes.slots, len(takes.reads)
        self.kinds = [each.kind for each in (*takes.reads, *takes.makes)]
        # The axes that a row has, or None for a value without rows.
        self.row_axes = [_ROW_AXES.get(each.part) for each in (*takes.reads, *takes.makes)]
        self.casts = [each.cast for each in (*takes.reads, *takes.makes)]
        places = {each: place for place, each in enumerate(self.names)}
        self.kernels = {
            kernel: [places[part] for part in parts.split(", ") if part not in (*_ENDS, *takes.numbers)]
            for kernel, parts in table.kernels.items()
        }
        first = next(iter(table.kernels.values()))
        self.numbers = [places[part] for part in first.split(", ") if part in takes.numbers]
        self.has_sums = any(table.sums)
        self.zeros = [places[f"out {each}"] for each in table.zeros]
        # If a value is None, its terms are compiled away. A value that no kernel reads is known by its gradient.
        gradients = {each.owner.symbol: places[f"out {each.symbol}"] for each in takes.results if each.owner}
        self.may_be_absent = {each: places.get(each, gradients.get(each)) for each in direction.optional}
        self.plans: dict[Any, Call] = {}

    def compute(self, *given: Any) -> Sequence[Any] | None:
        """Compute the direction: arguments, then fields of `Saved` if it follows forward, results, and the work."""
        *values, results, work = given
        if work.dtype not in COMPUTED:
            return self.otherwise.compute(*given)
        self.any([*chain.from_iterable(values), *results], work)
        return None

    def any(self, given: list[Any], call: Work) -> None:
        """Run the kernels on any arrays; an array that kernels cannot take is copied.

        A parameter that is constant in runs has an axis of these, and one of their entries, of stride 0; its gradient
        gets the sum of each run, in the compute type.
        """
        computed, rows = call.dtype, len(call.shape) - 1
        features = [
            of if of is None or value is None else of + (value.ndim > len(call.shape))
            for of, value in zip(self.row_axes, given, strict=True)
        ]
        wide = self._wide(given, computed, features)
        stored = self.stored(given, computed, wide)
        wide = wide if stored != computed else []
        copied: list[tuple[Any, Array]] = []
        for place, (dtype, value) in enumerate(zip(self.wanted(given, stored, computed, wide), given, strict=True)):
            if dtype is None:
                continue
            axes = features[place]
            is_as_wanted = type(value) is np.ndarray and value.dtype == dtype
            if is_as_wanted and (is_dense(value) or (axes is not None and is_in_rows(value, axes))):
                continue
            if place >= self.first_made:
                given[place] = np.empty(value.shape, dtype)
                copied.append((value, given[place]))
            elif axes == 2:
                given[place] = np.broadcast_to(_dense(value[..., :1], dtype), value.shape)
            else:
                given[place] = _dense(value, dtype)
        self.run(given, call.shape, stored, computed, call.threads, placed(given, features, wide, rows))
        for result, made in copied:
            round_to(result, ..., made)

    def _wide(self, given: Sequence[Any], computed: DType, features: Sequence[int | None]) -> list[int]:
        """Return the places of results that are in the compute type, whatever rows are stored in."""
        return [
            place
            for place in range(self.first_made, len(given))
            if features[place] and given[place] is not None and given[place].dtype == computed and not self.casts[place]
        ]

    def stored(self, given: Sequence[Any], computed: DType, wide: Sequence[int] = ()) -> DType:
        """Return the type that rows are stored in, if kernels take it; else the compute type."""
        of_rows = {*PER_ROW} - {*INTEGERS}
        kinds = {
            value.dtype
            for place, (kind, cast, value) in enumerate(zip(self.kinds, self.casts, given, strict=True))
            if value is not None and kind in of_rows and not cast and place not in wide
        }
        stored = kinds.pop() if len(kinds) == 1 else computed
        return stored if stored.name in TYPES and stored.isnative else computed

    def wanted(
        self, given: Sequence[Any], stored: DType, computed: DType, wide: Sequence[int] = ()
    ) -> list[DType | None]:
        """Return the type in which kernels take each array; None for a Constant, and for an absent value."""
        return [
            None
            if value is None or kind == "Constant"
            else cast_type(cast)
            if cast
            else INT32
            if kind in INTEGERS
            else stored
            if kind in PER_ROW and place not in wide
            else computed
            for place, (kind, cast, value) in enumerate(zip(self.kinds, self.casts, given, strict=True))
        ]

    def run(
        self, given: list[Any], shape: Shape, stored: DType, computed: DType, threads: int, places: Places | None = None
    ) -> None:
        """Compute the results at the end of a list from the values before them."""
        for place in self.zeros:
            if given[place] is not None:
                given[place].fill(0.0)
        of_rows, *of_ends = ([given[place] for place in own] for own in self.kernels.values())
        tables: list[Array | None] = []
        if places is not None:
            # The workspace has no table, and a place for one.
            tables = [places.tables[place] for place in next(iter(self.kernels.values()))] + [None] * self.has_sums
        self.chosen(given, stored, computed, places)(
            addresses(*of_rows),
            [float(given[place]) for place in self.numbers],
            prod(shape[:-1]),
            shape[-1],
            threads,
            addresses(*of_ends[0]) if of_ends else (),
            addresses(*tables),
            places.run or 0 if places else 0,
        )

    def absences(self) -> list[list[str]]:
        """Return the absent values of the calls that `HostKernels.builds` compiles for."""
        optional = {*self.optional}
        arguments = {each.symbol for each in self.takes.arguments if each.owner and each.owner.symbol in optional}
        results = {f"out {each.symbol}" for each in self.takes.results if each.owner and each.owner.symbol in optional}
        without: tuple[set[str], ...] = set(), arguments, optional | arguments | results
        return [self._absent([None if name in none else 0 for name in self.names]) for none in without]

    def _absent(self, given: Sequence[Any]) -> list[str]:
        return [name for name, place in self.may_be_absent.items() if place is not None and given[place] is None]

    def chosen(self, given: Sequence[Any], stored: DType, computed: DType, places: Places | None = None) -> Call:
        """Return the kernels for the present values of a call, compiled if necessary."""
        absent = self._absent(given)
        key = stored, computed, places and places.plan, *absent
        if key not in self.plans:
            macros = self.direction.macros(TYPES[stored.name], TYPES[computed.name], absent)
            self.plans[key] = self.direction.compiled((*macros, *(self._placed(places) if places else ()))).call
        return self.plans[key]

    def _placed(self, places: Places) -> list[str]:
        """Return the macros for rows that lie where tables say."""
        rows = [place for place in next(iter(self.kernels.values())) if self.row_axes[place]]
        read = [place for place in rows if place < self.first_made and self.kinds[place] not in INTEGERS]
        made = [place for place in rows if place >= self.first_made]
        sets = {
            "WIDE": (made, places.wide),
            "OF_RUNS": (read, places.of_runs),
            "SUMMED_BY_RUN": (made, {*places.of_runs} - {*self.zeros}),
        }
        found = ["LNGEN_PLACED"]
        for name, (among, chosen) in sets.items():
            bits = sum(1 << number for number, place in enumerate(among) if place in chosen)
            found.append(f"LNGEN_{name}={bits}ull")
        return found


def _dense(value: Any, dtype: DType) -> Array:
    """Return an array without gaps in a type; of integers beyond 32 bits the nearest."""
    return np.require(whole(np.asarray(value)) if dtype == INT32 else value, dtype, ["C", "A"])
