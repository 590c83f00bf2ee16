# SPDX-License-Identifier: MIT
"""Processes that have a part of the features of every row each, and what they tell each other.

One collective is asked for: `all_gather` of a few numbers of each row. An `all_reduce` would send fewer where processes
are many, but of sums alone: a mean and a spread, or a maximum and a sum of exponentials, are merged by formulas that no
library has as an operator, and a sum in an order that the library chooses need not have the same bits in two runs, nor
on two processes. What is gathered is bytes, which no library can round, and every process merges them in the order of
ranks.

Where all of it is large, a process receives more than it has to. A communicator that has `all_to_all` too is then asked
for that, so that each process merges some of the rows, and to gather what they have made of them: two collectives, each
with no more than one process has sent.

No process waits for ever. One that refuses what it is given tells the others (`told`), which then raise PeerError with
its reason; so do they where one has ended, or has not come within `timeout` seconds. Each of them may be called again
after that, unless a process has ended.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .joined import PipeCommunicator, ThreadCommunicator
from .libraries import JAXCommunicator, MPICommunicator, TorchCommunicator
from .peers import TIMEOUT, PeerError, SeenByAllError, told

__all__ = [
    "GATHERED_BYTES",
    "TIMEOUT",
    "Alone",
    "Communicator",
    "Gathered",
    "JAXCommunicator",
    "MPICommunicator",
    "PeerError",
    "PipeCommunicator",
    "Scatters",
    "ThreadCommunicator",
    "TorchCommunicator",
    "exchange",
    "exchange_rows",
    "is_large",
    "rows_gathered",
    "told",
]

Array = npt.NDArray[Any]


class Communicator(Protocol):
    """A process among `size`, which has the number `rank`: features of a lower rank come first in a row."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    def all_gather(self, sent: Array) -> Array:
        """What every process has sent, in the order of ranks, of shape (size, len(sent)).

        `sent` are bytes (uint8), as many on every process. Each process calls it as often as the others.
        """
        ...


class Scatters(Communicator, Protocol):
    """One that may send something else to each."""

    def all_to_all(self, sent: Array) -> Array:
        """What every process has sent to this one, in the order of ranks: `sent` has a row of bytes for each."""
        ...


class Alone:
    """The only process there is.

    >>> Alone().all_gather(np.array([1, 2], np.uint8))
    array([[1, 2]], dtype=uint8)
    """

    rank, size = 0, 1

    def all_gather(self, sent: Array) -> Array:
        """What was sent."""
        return sent[np.newaxis]


class Gathered(NamedTuple):
    """What all processes have sent: how many features each has, (size, numbers of a row, rows) numbers, and totals."""

    counts: Array
    numbers: Array
    totals: Array


_NO_TOTALS = np.empty(0)


GATHERED_BYTES = 1 << 20
"""So many bytes are gathered from all processes; what is more is merged by rows, where a communicator can."""


def is_large(communicator: Communicator, numbers: Array) -> bool:
    """Whether it is better that each process merges some of the rows: the same on all of them."""
    many = communicator.size > 2 and communicator.size * numbers.nbytes > GATHERED_BYTES
    return many and callable(getattr(communicator, "all_to_all", None))


def exchange(
    communicator: Communicator, which: int, features: int, numbers: Array, totals: Array = _NO_TOTALS
) -> Gathered:
    """One collective: `numbers` are (numbers of a row, rows), `totals` some of no row; `which` exchange it is, all have
    to agree on.

    Raises RuntimeError where they do not, as processes that make different calls, or the same ones in another order.

    >>> exchange(Alone(), 7, 3, np.array([[0.5, 2.0]])).counts
    array([3])
    """
    head = _head(which, features, numbers, totals)
    sent = np.concatenate([head.view(np.uint8), _bytes(numbers), _bytes(totals)])
    return _opened(communicator.all_gather(sent), head, communicator.rank, numbers)


def exchange_rows(
    communicator: Scatters, which: int, features: int, numbers: Array, totals: Array = _NO_TOTALS
) -> Gathered:
    """The same of some of the rows, another run of them on each process; the last ones may be zeros, to be as many."""
    size = communicator.size
    height = -(-numbers.shape[1] // size)
    padded = np.zeros((len(numbers), size * height), numbers.dtype)
    padded[:, : numbers.shape[1]] = numbers
    runs = padded.reshape(len(numbers), size, height).swapaxes(0, 1)
    head = _head(which, features, runs[0], totals)
    sent = np.stack([np.concatenate([head.view(np.uint8), _bytes(run), _bytes(totals)]) for run in runs])
    return _opened(communicator.all_to_all(sent), head, communicator.rank, runs[0])


def rows_gathered(communicator: Communicator, which: int, made: Array, rows: int) -> Array:
    """What processes have made of their runs of rows, (numbers of a row, rows of a run), for all rows."""
    found = exchange(communicator, which, 0, made).numbers
    return np.ascontiguousarray(found.swapaxes(0, 1)).reshape(len(made), -1)[:, :rows]


def _head(which: int, features: int, numbers: Array, totals: Array) -> Array:
    return np.array([features, numbers.shape[1], numbers.shape[0], which, totals.size], np.int64)


def _bytes(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers).reshape(-1).view(np.uint8)


def _opened(found: Array, head: Array, rank: int, like: Array) -> Gathered:
    """What was received, of which every process has to have sent as much from the same exchange."""
    heads = np.ascontiguousarray(found[:, : head.nbytes]).view(np.int64)
    for other, its in enumerate(heads):
        if not np.array_equal(its[1:], head[1:]):
            raise SeenByAllError(
                f"rank {other} sent {its[2]} numbers of each of {its[1]} rows in exchange {its[3]}, and rank {rank} "
                f"sent {head[2]} of each of {head[1]} in exchange {head[3]}: each has to call the same functions in "
                "the same order, with as many rows"
            )
    rest = np.ascontiguousarray(found[:, head.nbytes :]).view(like.dtype)
    numbers = np.ascontiguousarray(rest[:, : like.size]).reshape(len(found), *like.shape)
    return Gathered(heads[:, 0].copy(), numbers, rest[:, like.size :])
