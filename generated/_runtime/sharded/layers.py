# SPDX-License-Identifier: MIT
"""Direction of a layer whose rows are sharded over several processes, each with some features of every row.

It runs in steps: the numbers that a shard reduces are sent to all processes, and all merge them in the same way, so
that row scalars are the same everywhere. A process without features takes part in every exchange, with the sum or the
extreme of nothing.
"""

import copy
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..native.memory import empty
from ..numpy import blocks, casts, random
from ..numpy.directions import ForwardCall, LaterCall
from ..numpy.layers import HostLayer, Kept
from ..protocol.calls import Array, DType, Shape
from ..protocol.interface import Interface
from . import collectives
from .collectives import Communicator, Gathered

Results = TypeVar("Results")
Function = Callable[[Sequence[Any], Sequence[Any], blocks.Work], Sequence[Any] | None]

COUNTS, WHOLE, LARGEST, PLACES = "part_features", "all_features", "largest", "places"
"""Names of four values in functions: the features of each shard, all features, the largest finite number, and the
positions of a shard's features in the whole row.
"""


class ExchangeStep(NamedTuple):
    """Exchange between processes: a function of each shard, and one that merges all shards.

    Functions take (values, results, call). `part` computes, from the values it `reads`, the row scalars to send:
    `sends` are their names, each with the value sent by a process without features. Its further results are summed over
    rows and processes; `totals` names these sums. `merge` computes row scalars from the values it `needs`, with an
    entry for each process where they were sent. `own` are results with an entry for each process.
    """

    part: Function
    reads: Sequence[str]
    sends: Sequence[tuple[str, float]]
    totals: Sequence[str] = ()
    merge: Function | None = None
    needs: Sequence[str] = ()
    makes: Sequence[str] = ()
    own: Sequence[str] = ()


class Last(NamedTuple):
    """Last function of a process, after all exchanges: it `makes` results from the values it `reads`."""

    function: Function
    reads: Sequence[str]
    makes: Sequence[str]


def without_least(interface: Interface) -> Interface:
    """Return the interface of a layer of which a process may have no features."""
    parts = interface.copy()
    parts["minimum_features"] = 0
    return parts


def layer(interface: Interface, saved: Callable[..., Kept], *, is_wide: bool = False) -> HostLayer[Kept]:
    """Return a layer of which a process may have no features."""
    return HostLayer(without_least(interface), saved, is_wide=is_wide)


class ShardSteps:
    """Steps of a direction, whose `title` is the same on all processes.

    `last` has the results that vary over features, and `common` the other results that no exchange gave. `known_as`
    maps results to their names in an exchange, and `cast_to` those that are rounded to a type of their own to its name.
    `drawn` maps rows of 24 random bits to the name of their seed and the number of their stream. With `counts_first`
    the first step reads `WHOLE`, `PLACES` or such a row.
    """

    def __init__(
        self,
        title: str,
        *,
        exchanges: Sequence[ExchangeStep] = (),
        last: Last | None = None,
        common: Last | None = None,
        known_as: Mapping[str, str] = MappingProxyType({}),
        cast_to: Mapping[str, str] = MappingProxyType({}),
        drawn: Mapping[str, tuple[str, int]] = MappingProxyType({}),
        minimum_features: int = 1,
        counts_first: bool = False,
    ) -> None:
        self.exchanges, self.last, self.common = exchanges, last, common
        self.known_as, self.cast_to, self.drawn = known_as, cast_to, drawn
        self.minimum_features, self.counts_first = minimum_features, counts_first
        self.number = zlib.crc32(title.encode()) << 8

    def run(self, values: Mapping[str, Any], results: Mapping[str, Any], call: Any, communicator: Communicator) -> None:
        """Compute the results of a call, some of which may be None, in their arrays.

        Functions get the call as it is; it has a `shape`, `features` and a `dtype` as `blocks.Work` has.
        """
        features, leading, dtype = call.features, call.shape[:-1], call.dtype
        known = {**values, LARGEST: np.asarray(np.finfo(dtype).max, dtype)}
        if self.counts_first:
            found = collectives.exchange(communicator, self.number, features, np.empty((0, 1), dtype))
            self._count(known, found, (), communicator.rank, call)
        for number, step in enumerate(self.exchanges, 1):
            sent = np.empty((len(step.sends) + len(step.totals), *leading), dtype)
            if features:
                places = [sent[slot, ...] for slot in range(len(sent))]
                blocks.stored(places, step.part([known[name] for name in step.reads], places, call))
            else:
                of_nothing = [*(value for _, value in step.sends), *(0.0 for _ in step.totals)]
                sent[...] = np.reshape(of_nothing, (-1, *(1,) * len(leading)))
            every = sent.reshape(len(sent), prod(leading))
            numbers, totals = every[: len(step.sends)], np.add.reduce(every[len(step.sends) :], axis=1)
            which = self.number + 2 * number
            if not step.own and collectives.is_large(communicator, numbers):
                self._merge_rows_apart(step, known, numbers, totals, which, communicator, call)
                continue
            found = collectives.exchange(communicator, which, features, numbers, totals)
            self._count(known, found, step.totals, communicator.rank, call)
            needed = {name: self.fetched(known.get(name), call) for name in step.needs}
            known |= _merged(step, needed, found.numbers, communicator.rank, leading, dtype)
        if self.last is not None and features:
            places = [results[name] for name in self.last.makes]
            blocks.stored(places, self.last.function([known[name] for name in self.last.reads], places, call))
        made = self._in_common(known, results, call)
        for name, result in results.items():
            if name in made:
                self.store(result, made[name], call)
            elif result is not None and (self.last is None or name not in self.last.makes):
                value = known.get(self.known_as.get(name, name), 0.0)
                self.store(result, casts.cast(value, self.cast_to[name]) if name in self.cast_to else value, call)

    def fetched(self, value: Any, call: Any) -> Any:
        """Return a known value as a function for NumPy takes it."""
        return value

    def store(self, result: Any, value: Any, call: Any) -> None:
        """Write the value of a function into a result, in the result's own type."""
        blocks.write(result, value)

    def _in_common(self, known: Mapping[str, Any], results: Mapping[str, Any], call: Any) -> dict[str, Any]:
        """Compute the results that are the same on all processes.

        They are computed from rows of one feature, so that sums over rows have one order.
        """
        common = self.common
        if common is None:
            return {}
        made = {
            name: np.empty(each.rows if isinstance(each, blocks.Scattered) else each.shape, call.dtype)
            for name in common.makes
            if (each := results[name]) is not None
        }
        values = [self.fetched(known[name], call) for name in common.reads]
        places = [made.get(name) for name in common.makes]
        blocks.stored(places, common.function(values, places, blocks.Work((*call.shape[:-1], 1), call.dtype, 1)))
        return made

    def _merge_rows_apart(
        self,
        step: ExchangeStep,
        known: dict[str, Any],
        numbers: Array,
        totals: Array,
        which: int,
        communicator: Any,
        call: Any,
    ) -> None:
        """Add merged row scalars to the known values, where each process merges some of the rows."""
        leading, rows = call.shape[:-1], numbers.shape[1]
        found = collectives.exchange_rows(communicator, which, call.features, numbers, totals)
        self._count(known, found, step.totals, communicator.rank, call)
        height = found.numbers.shape[-1]
        first = communicator.rank * height
        own = {name: self.fetched(known.get(name), call) for name in step.needs}
        for name, value in own.items():
            if isinstance(value, np.ndarray) and value.shape == leading:
                own[name] = np.ones(height, value.dtype)
                run = value.reshape(-1)[first : first + height]
                own[name][: run.size] = run
        with np.errstate(all="ignore"):  # the last rows may be none
            made = _merged(step, own, found.numbers, communicator.rank, (height,), call.dtype)
        together = np.stack([made[name] for name in step.makes])
        every = collectives.rows_gathered(communicator, which + 1, together, rows).reshape(-1, *leading)
        known |= dict(zip(step.makes, every, strict=True))

    def _count(self, known: dict[str, Any], found: Gathered, totals: Sequence[str], rank: int, call: Any) -> None:
        """Add the number of features, the places of a shard's own, its random bits, and the sums of all totals to the
        known values.
        """
        dtype = call.dtype
        whole = int(found.counts.sum())
        if whole < self.minimum_features:
            raise ValueError(
                f"the parts of a row have {whole} features in all; "
                f"pass parts of rows with {self.minimum_features} or more"
            )
        known[COUNTS], known[WHOLE] = found.counts.astype(dtype), np.asarray(whole, dtype)
        known |= {name: np.asarray(np.add.reduce(found.totals[:, slot])) for slot, name in enumerate(totals)}
        if PLACES in known:
            return
        first = int(found.counts[:rank].sum())
        known[PLACES] = np.arange(first, first + call.features)
        for name, (seed, stream) in self.drawn.items():
            rows, entries = slice(0, prod(call.shape[:-1])), slice(first, first + call.features)
            bits = random.bits_of(self.fetched(known[seed], call), stream, rows, entries)
            known[name] = bits.astype(np.int32).reshape(call.shape)


def _merged(
    step: ExchangeStep, known: Mapping[str, Any], numbers: Array, rank: int, leading: Shape, dtype: DType
) -> dict[str, Any]:
    """Merge the numbers of all processes, of shape (processes, numbers of a row, rows)."""
    if step.merge is None:
        return {}
    shape = (*leading, len(numbers))
    columns = np.ascontiguousarray(numbers.transpose(1, 2, 0)).reshape(len(step.sends), *shape)
    values = {**known, **{name: column for (name, _), column in zip(step.sends, columns, strict=True)}}
    made = {name: np.empty(leading, dtype) for name in step.makes}
    own = {name: np.empty(shape, dtype) for name in step.own}
    places = [*own.values(), *made.values()]
    blocks.stored(places, step.merge([values[name] for name in step.needs], places, blocks.Work(shape, dtype, 1)))
    return made | {name: np.ascontiguousarray(entries[..., rank]) for name, entries in own.items()}


class ShardedForward(Generic[Results, Kept]):
    """`forward` of a layer over parts of rows; `results` is as for `ForwardCall`."""

    kind: type[ForwardCall[Any, Any]] = ForwardCall

    def __init__(self, layer: HostLayer[Kept], results: Callable[..., Results], steps: ShardSteps) -> None:
        self._call: ForwardCall[Results, Kept] = self.kind(layer, results, _never, empty=empty)
        self.layer, self.results, self._steps = layer, results, steps
        self._direction = layer.directions["forward"]
        self._values = [each.variable for each in self._direction.reads]
        self._results = [each.variable for each in self._direction.makes]

    def over(self, communicator: Communicator) -> ForwardCall[Results, Kept]:
        """The call for one process of these."""
        call = copy.copy(self._call)
        call.function = partial(self._run, communicator)
        return call

    def _run(self, communicator: Communicator, values: Sequence[Any], made: Sequence[Any], call: blocks.Work) -> Any:
        known = dict(zip(self._values, values, strict=True))
        self._steps.run(known, dict(zip(self._results, made, strict=True)), call, communicator)


class ShardedLater(Generic[Results]):
    """Direction that follows forward, over shards of rows; `results` is as for `LaterCall`.

    Tangents, and cotangents of gradients, that are None come as zeros.
    """

    kind: type[LaterCall[Any]] = LaterCall

    def __init__(
        self,
        layer: HostLayer[Any],
        direction: str,
        results: Callable[..., Results],
        steps: ShardSteps,
    ) -> None:
        self.layer, self.results, self._steps = layer, results, steps
        self._direction = layer.directions[direction]
        filled = [each.name for each in self._direction.tangents]
        self._call: LaterCall[Results] = self.kind(layer, direction, results, _never, filled=filled, empty=empty)
        self._results = [each.variable for each in self._direction.results]
        self._values = [each.variable for each in self._direction.reads]

    def over(self, communicator: Communicator) -> LaterCall[Results]:
        """The call for one process of these."""
        call = copy.copy(self._call)
        call.function = partial(self._run, communicator)
        return call

    def _run(
        self,
        communicator: Communicator,
        arguments: Sequence[Any],
        fields: Sequence[Any],
        made: Sequence[Any],
        call: blocks.Work,
    ) -> Any:
        known = dict(zip(self._values, (*arguments, *fields), strict=True))
        self._steps.run(known, dict(zip(self._results, made, strict=True)), call, communicator)


def _never(*arguments: Any) -> None:
    raise AssertionError("a sharded call is made over a communicator")
