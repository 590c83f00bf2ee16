# SPDX-License-Identifier: MIT
"""Kernels of a layer for the processor: the choice of the kernels of a call, and their arguments.

`directions` calls them with checked arrays. Rows are read and written where they lie if the entries of each are one
behind the other (places.py). Others, and those that are not all of one type that kernels take, are passed as dense
copies in the compute type.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from ..numpy.axes import AxesForward, AxesLater
from ..numpy.blocks import Work, round_to
from ..numpy.blocks import stored as store_results
from ..numpy.directions import ForwardCall, LaterCall
from ..numpy.layers import HostLayer
from ..protocol import directions as protocol
from ..protocol.calls import INT32, Array, DType, Shape, whole
from ..protocol.casts import dtype as cast_type
from ..protocol.directions import ROW, ROW_SCALAR, DirectionProtocol
from ..protocol.interface import INTEGERS, PER_ROW
from ..protocol.kernels import KernelTable
from . import binding
from . import compiler as host_compiler
from . import threads as host_threads
from .calls import TYPES, HostCall, Running
from .memory import empty
from .places import Places, is_in_rows, placed

Function = TypeVar("Function", bound=Callable[..., Any])

CHUNKS = 16
"""Largest number of chunks of the rows, which threads share."""

CHUNK_ENTRIES = 1 << 15
"""Smallest number of entries in a chunk; for fewer, one thread is as fast as two."""

CHUNK_ROWS, FEW_CHUNKS = 32, 4
"""Smallest number of rows in a chunk that has partial sums over rows, if there are more than FEW_CHUNKS."""

LINE = 16
"""Entries that the arrays of a workspace are a multiple of: as in host_rows.h."""

MOST_FEATURES = 1 << 30
"""Largest number of entries of a row: kernels count columns by `int`, a piece of a row beyond the last one."""

STREAMED_BYTES = 1 << 25
"""The size of a result from which it bypasses the cache, which would not keep it."""

_ROW_AXES = {ROW: 1, ROW_SCALAR: 0}
_ENDS = ("the rows", "the features", "the blocks")


def _macros(stored: str, computed: str, absent: Iterable[str]) -> tuple[str, ...]:
    """Return the macros of a source, for rows of a type, for a compute type, and for absent values."""
    return f"LNGEN_ROWS={stored}", f"LNGEN_COMPUTED={computed}", *(f"LNGEN_WITHOUT_{name}" for name in sorted(absent))


class HostKernels:
    """The kernels of a layer, in files beside `file`, by direction, as a table describes them.

    `backend` is its `numpy_backend`, which computes in types that kernels do not.
    """

    def __init__(self, backend: ModuleType, file: str, tables: Mapping[str, KernelTable]) -> None:
        self.file, names = Path(file), vars(backend)
        self.layer: HostLayer[Any] = names["_LAYER"]
        rows: HostLayer[Any] = getattr(self.layer, "on_rows", self.layer)
        optional = [each.symbol for each in rows.protocol.inputs if each.may_be_none]
        self.kernels = {
            name: DirectionKernels(
                rows.protocol.directions[name], table, self.file.parent, optional, names[_variable(name)]
            )
            for name, table in tables.items()
        }
        self.calls = {name: self._call(kernels) for name, kernels in self.kernels.items()}
        self.names = {**names, **{_variable(name): call for name, call in self.calls.items()}}

    def _call(self, kernels: "DirectionKernels") -> Any:
        of = kernels.otherwise
        function = kernels.forward if kernels.takes.is_forward else kernels.later
        if isinstance(of, AxesForward | AxesLater):
            return of.compiled(function, empty, lambda call: HostCall(call, kernels.running()))
        if kernels.takes.is_forward:
            call: Any = ForwardCall(self.layer, of.results, function, empty=empty)
        else:
            call = LaterCall(self.layer, kernels.takes.name, of.results, function, empty=empty)
        return HostCall(call, kernels.running())

    def compiled(self, function: Function) -> Function:
        """Return a function of `numpy_backend` with the same code, which calls these kernels."""
        given: Any = function
        made = FunctionType(given.__code__, self.names, given.__name__)
        made.__kwdefaults__, made.__defaults__ = given.__kwdefaults__, given.__defaults__
        made.__doc__, made.__annotations__ = given.__doc__, given.__annotations__
        made.__module__ = f"{given.__module__.rpartition('.')[0]}.{self.file.stem}"
        return cast(Function, made)

    def builds(self, stored: str) -> list[tuple[Path, tuple[str, ...]]]:
        """Return the sources to compile ahead of time for rows of a type, such as "bf16", each with macros.

        They serve calls with every value, calls of later directions without the arguments of optional inputs, and
        calls without optional inputs.
        """
        rows = np.dtype({"f32": np.float32, "f64": np.float64}.get(stored, np.float16))
        computed = TYPES[protocol.computed([rows]).name]
        found = [
            (kernels.source, _macros(stored, computed, absent))
            for kernels in self.kernels.values()
            for absent in kernels.absences()
        ]
        return list(dict.fromkeys(found))


def _variable(direction: str) -> str:
    """Return the name of a direction's call in `numpy_backend`."""
    return f"_{direction.upper()}"


class DirectionKernels:
    """The kernels of one direction, in a file of `folder`. Its values are a list; the table calls each by a name.

    `optional` are the inputs that may be None, and `otherwise` is the call of `numpy_backend`.
    """

    def __init__(
        self, takes: DirectionProtocol, table: KernelTable, folder: Path, optional: Sequence[str], otherwise: Any = None
    ) -> None:
        self.takes, self.optional, self.otherwise = takes, optional, otherwise
        self.source = folder / f"{table.source}.cpp"
        self.names, self.first_made = takes.slots, len(takes.reads)
        self.kinds = [each.kind for each in (*takes.reads, *takes.makes)]
        # The axes that a row has, or None for a value without rows.
        self.row_axes = [_ROW_AXES.get(each.part) for each in (*takes.reads, *takes.makes)]
        self.casts = [each.cast for each in (*takes.reads, *takes.makes)]
        self.numbers = {place for place, kind in enumerate(self.kinds) if kind == "Constant"}
        places = {each: place for place, each in enumerate([*self.names, "the workspace"])}
        constants = takes.numbers
        self.kernels = {
            kernel: (
                [places[part] for part in parts.split(", ") if part not in _ENDS and part not in constants],
                [places[part] for part in parts.split(", ") if part in constants],
            )
            for kernel, parts in table.kernels.items()
        }
        self.zeros = [places[f"out {each}"] for each in table.zeros]
        # If a value is None, its terms are compiled away. A value that no kernel reads is known by its gradient.
        own = [each.symbol for each in takes.arguments if each.owner is not None]
        self.may_be_absent = {each: places[each] for each in (*optional, *own) if each in places}
        if not takes.is_forward:
            gradients = {each.owner.symbol: places[f"out {each.symbol}"] for each in takes.results if each.owner}
            self.may_be_absent |= {of: gradients[of] for of in optional if of in gradients and of not in places}
        columns, scalars = table.sums
        self.has_sums, self.columns, self.scalars = columns + scalars > 0, 2 * columns, scalars
        self.plans: dict[Any, list[HostKernel]] = {}

    def forward(self, values: Sequence[Any], results: Sequence[Any], call: Work) -> None:
        """Compute forward, as `ForwardCall` calls it."""
        if call.dtype in protocol.COMPUTED:
            self.any([*values, *results], call)
        else:
            store_results(results, self.otherwise.function(values, results, call))

    def later(self, arguments: Sequence[Any], fields: Sequence[Any], results: Sequence[Any], call: Work) -> None:
        """Compute another direction, as `LaterCall` calls it."""
        if call.dtype in protocol.COMPUTED:
            self.any([*arguments, *fields, *results], call)
        else:
            given = self.otherwise.with_zeros(arguments, call)
            store_results(results, self.otherwise.function(given, fields, results, call))

    def running(self) -> Running:
        """Return the functions by which calls run these kernels."""
        # As many entries as `run` has, or a few more: lines are filled up.
        workspace = self.columns, (2 * self.columns + self.scalars + 2) * LINE
        return Running(self.prepare, self.run, CHUNK_ENTRIES, workspace if self.has_sums else (0, 0), self.zeros)

    def any(self, given: list[Any], call: Work, samples: int | None = None) -> None:
        """Run the kernels on any arrays; an array that kernels cannot take is copied.

        A parameter that is constant in runs has an axis of these, and one of their entries, of stride 0; its gradient
        gets the sum of each run, in the compute type. With `samples`, each array has an axis of samples first, of
        stride 0 if they share it, and `call` is that of one sample, with the threads of all. The results of each sample
        have the bits of a call for it alone.
        """
        computed, rows = call.dtype, len(call.shape) - 1
        usual = len(call.shape) + (samples is not None)
        features = [
            of if of is None or value is None else of + (value.ndim > usual)
            for of, value in zip(self.row_axes, given, strict=True)
        ]
        wide = self._wide(given, computed, features)
        ones = given if samples is None else [_first(value) for value in given]
        stored = self.stored(given, computed, wide)
        wide = wide if stored != computed else []
        copied: list[tuple[Any, Array]] = []
        for place, (dtype, value) in enumerate(zip(self.wanted(given, stored, computed, wide), given, strict=True)):
            if dtype is None:
                continue
            one: Any = ones[place]
            axes = features[place]
            is_as_wanted = type(value) is np.ndarray and value.dtype == dtype
            if is_as_wanted and (one.flags.c_contiguous or (axes is not None and is_in_rows(one, axes))):
                continue
            if place >= self.first_made:
                given[place] = np.empty(value.shape, dtype)
                copied.append((value, given[place]))
            elif axes == 2:
                given[place] = np.broadcast_to(_dense(value[..., :1], dtype), value.shape)
            elif samples is not None and value.strides[0] == 0:
                shared = _dense(one, dtype).reshape(value.shape[1:])
                given[place] = np.broadcast_to(shared, value.shape)
            else:
                given[place] = _dense(value, dtype)
        ones = given if samples is None else [_first(value) for value in given]
        places = placed(ones, features, wide, rows)
        self.run(given, call.shape, stored, computed, call.threads, samples, places)
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

    def prepare(self, given: list[Any], stored: DType, computed: DType) -> bytes:
        """Return the kernels of a call as binding.h reads them."""
        return _steps(self.chosen(given, stored, computed))

    def run(
        self,
        given: list[Any],
        shape: Shape,
        stored: DType,
        computed: DType,
        threads: int,
        samples: int | None = None,
        places: Places | None = None,
    ) -> None:
        """Compute the results at the end of a list from the values before them, of each sample if there are some."""
        kernels = self.chosen(given, stored, computed, places)
        cut = self.cut(shape, stored, 1 if samples is None else samples)
        for place in self.zeros:
            if given[place] is not None:
                given[place].fill(0.0)
        arrays = [None if place in self.numbers else value for place, value in enumerate(given)]
        numbers = tuple([float(given[place]) if place in self.numbers else 0.0 for place in range(len(given))])
        apart = [0 if each is None or samples is None else each.strides[0] for each in arrays]
        # The workspace has no table, and a place for one.
        tables, run = ((), 0) if places is None else ((*places.tables, None), places.run or 0)
        strides = () if samples is None and places is None else (*apart, 0, *[0] * len(tables))

        def call(steps: bytes, space: Array | None, of: tuple[int, int], first: int, end: int) -> None:
            sizes = (cut.rows, cut.features, cut.chunks, first, end, cut.streams, run)
            binding.call(steps, (*arrays, space, *tables), numbers, sizes, strides, *of)

        def workspace() -> Array | None:
            return np.empty(cut.workspace, computed) if self.has_sums else None

        if threads == 1 or (cut.chunks == 1 and cut.parts == 1):
            call(_steps(kernels), workspace(), (0, cut.samples), 0, cut.chunks)
        elif cut.parts > 1:
            steps = _steps(kernels)
            host_threads.run(
                lambda first, end: call(steps, workspace(), (first, end), 0, cut.chunks), cut.samples, threads
            )
        else:
            space = workspace()
            for sample in range(cut.samples):
                for kernel in kernels:
                    part = partial(call, kernel.steps, space, (sample, sample + 1))
                    host_threads.run(part, cut.chunks, threads) if kernel.over_rows else part(0, cut.chunks)

    def cut(self, shape: Shape, stored: DType, samples: int = 1) -> "Cut":
        """Divide the rows of a shape into chunks, or the rows of each of several samples."""
        rows, features = prod(shape[:-1]), shape[-1]
        if features > MOST_FEATURES:
            raise ValueError(f"rows have {features} entries, and kernels take 2**30 at most; numpy_backend takes any")
        entries = rows * features
        chunks = 1
        if entries > CHUNK_ENTRIES:
            most = max(FEW_CHUNKS, rows // CHUNK_ROWS) if self.has_sums else CHUNKS
            chunks = min(CHUNKS, most, rows, entries // CHUNK_ENTRIES)
        column = _in_lines(features) + LINE
        workspace = chunks * (self.columns * column + _in_lines(self.scalars)) + LINE
        streams = int(samples * entries * stored.itemsize >= STREAMED_BYTES)
        parts = min(CHUNKS, samples, samples * entries // CHUNK_ENTRIES)
        workspace = workspace if self.has_sums else 0
        return Cut(samples, parts if parts > chunks else 1, rows, features, chunks, streams, workspace)

    def absences(self) -> list[list[str]]:
        """Return the absent values of the calls that `HostKernels.builds` compiles for."""
        optional = {*self.optional}
        arguments = {each.symbol for each in self.takes.arguments if each.owner and each.owner.symbol in optional}
        results = {f"out {each.symbol}" for each in self.takes.results if each.owner and each.owner.symbol in optional}
        without: tuple[set[str], ...] = set(), arguments, optional | arguments | results
        return [self._absent([None if name in none else 0 for name in self.names]) for none in without]

    def _absent(self, given: Sequence[Any]) -> list[str]:
        return [name for name, place in self.may_be_absent.items() if given[place] is None]

    def chosen(
        self, given: Sequence[Any], stored: DType, computed: DType, places: Places | None = None
    ) -> list["HostKernel"]:
        """Return the kernels for the present values of a call, compiled if necessary."""
        key = (stored, computed, places and places.plan, *[value is None for value in given])
        if key not in self.plans:
            self.plans[key] = self._loaded(given, stored, computed, places)
        return self.plans[key]

    def _loaded(
        self, given: Sequence[Any], stored: DType, computed: DType, places: Places | None
    ) -> list["HostKernel"]:
        macros = _macros(TYPES[stored.name], TYPES[computed.name], self._absent(given))
        if places is not None:
            macros = (*macros, *self._placed(places))
        library = host_compiler.library(self.source, macros)
        found: list[HostKernel] = []
        for name, (pointers, constants) in self.kernels.items():
            if places is not None:  # the table of each array is so many places behind it
                pointers = [*pointers, *[place + len(self.names) + 1 for place in pointers]]
            address = library.address(name)
            # The first one works on the rows, and another one ends their sums.
            steps, is_over_rows = binding.step(address, pointers, constants), not found
            found.append(HostKernel(f"{library.path}:{name}", address, pointers, constants, steps, is_over_rows))
        return found

    def _placed(self, places: Places) -> list[str]:
        """Return the macros for rows that lie where tables say."""
        pointers, _ = next(iter(self.kernels.values()))
        rows = [place for place in pointers if place < len(self.row_axes) and self.row_axes[place]]
        read = [place for place in rows if place < self.first_made and self.kinds[place] not in INTEGERS]
        made = [place for place in rows if place >= self.first_made]
        sets = {
            "WIDE": (made, places.wide),
            "OF_RUNS": (read, places.of_runs),
            "SUMMED_BY_RUN": (made, {*places.of_runs} - {*self.zeros}),
        }
        found = ["LNGEN_PLACED", *(["LNGEN_RUNS"] if places.of_runs else [])]
        for name, (among, chosen) in sets.items():
            bits = sum(1 << number for number, place in enumerate(among) if place in chosen)
            found.append(f"LNGEN_{name}={bits}ull")
        return found


def _first(value: Any) -> Any:
    """Return the array of the first sample; a number and None are those of all."""
    return value[0] if isinstance(value, np.ndarray) and value.ndim else value


def _dense(value: Any, dtype: DType) -> Array:
    """Return an array without gaps in a type; of integers beyond 32 bits the nearest."""
    return np.ascontiguousarray(whole(np.asarray(value)) if dtype == INT32 else value, dtype)


class Cut(NamedTuple):
    """Division of rows into chunks.

    `chunks` is the number for each sample, `streams` is 1 if results bypass the cache, and `workspace` counts entries.
    Threads share the `parts` of the samples if there are several, else the chunks.
    """

    samples: int
    parts: int
    rows: int
    features: int
    chunks: int
    streams: int
    workspace: int


def _in_lines(entries: int) -> int:
    """Round a number of entries up to whole cache lines."""
    return -(-entries // LINE) * LINE


class HostKernel(NamedTuple):
    """A loaded kernel, the places of the pointers and the numbers that it is passed, and all of it as bytes.

    One that is not `over_rows` runs once, at the end of the sums over them.
    """

    name: str
    address: int
    pointers: Sequence[int]
    numbers: Sequence[int]
    steps: bytes
    over_rows: bool


def _steps(kernels: Iterable[HostKernel]) -> bytes:
    return b"".join([kernel.steps for kernel in kernels])
