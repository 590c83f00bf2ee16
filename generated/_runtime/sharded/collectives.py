# SPDX-License-Identifier: MIT
"""Communication between processes that each hold some features of every row.

A communicator needs one collective, `all_gather` of a few numbers of each row. An `all_reduce` would send fewer where
processes are many, but it can only sum. A mean with a spread, or a maximum with a sum of exponentials, is merged by a
formula that no library has as an operator. A library's own order of summation may also give other bits in another run
or on another process. Bytes are gathered, which no library rounds, and every process merges them in the order of ranks.

For large exchanges, `all_gather` receives more than needed. If the communicator also has `all_to_all`, each process
receives and merges some of the rows, and then gathers the merged rows: two collectives, in each of which a process
receives no more than one process has sent.

No process waits for ever. A process that refuses its arguments tells the others (`told`), and they raise PeerError with
its reason. They also raise it if a process has ended, or has not come within `timeout` seconds. The functions can be
called again after that, unless a process has ended.
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
        """Gather the bytes of every process, in the order of ranks: an array of shape (size, len(sent)).

        `sent` are bytes (uint8), as many on every process. Each process calls this as often as the others.
        """
        ...


class Scatters(Communicator, Protocol):
    """One that may send something else to each."""

    def all_to_all(self, sent: Array) -> Array:
        """Exchange a row of bytes with every process.

        Row r of `sent` goes to rank r; row r of the result is from rank r.
        """
        ...


class Alone:
    """The only process there is.

    >>> Alone().all_gather(np.array([1, 2], np.uint8))
    array([[1, 2]], dtype=uint8)
    """

    rank, size = 0, 1

    def all_gather(self, sent: Array) -> Array:
        """Return the bytes sent, as of one process."""
        return sent[np.newaxis]


class Gathered(NamedTuple):
    """Values gathered from all processes.

    `counts` are the features of each, `numbers` has shape (size, numbers of a row, rows), and `totals` are sums over
    rows.
    """

    counts: Array
    numbers: Array
    totals: Array


_NO_TOTALS = np.empty(0)


GATHERED_BYTES = 1 << 20
"""Size from which an exchange is merged by rows, if the communicator can; smaller ones are gathered whole."""


def is_large(communicator: Communicator, numbers: Array) -> bool:
    """Test whether each process should merge some of the rows; all processes get the same answer."""
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
    """Gather merged rows from all processes: from (numbers of a row, rows of a run) to (numbers of a row, all rows)."""
    found = exchange(communicator, which, 0, made).numbers
    return np.ascontiguousarray(found.swapaxes(0, 1)).reshape(len(made), -1)[:, :rows]


def _head(which: int, features: int, numbers: Array, totals: Array) -> Array:
    return np.array([features, numbers.shape[1], numbers.shape[0], which, totals.size], np.int64)


def _bytes(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers).reshape(-1).view(np.uint8)


def _opened(found: Array, head: Array, rank: int, like: Array) -> Gathered:
    """Split received bytes into counts, numbers and totals.

    Raises SeenByAllError if a process has sent another exchange, or another number of rows.
    """
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
