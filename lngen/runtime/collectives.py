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
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

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


class TorchCommunicator:
    """The processes of a group of `torch.distributed`, all of them where none is given.

    `device` is where the group's backend wants what it sends: "cuda" for NCCL.
    """

    def __init__(self, group: Any = None, device: Any = "cpu") -> None:
        self._torch = _module("torch", "PyTorch", "torch")
        self._distributed = _module("torch.distributed", "PyTorch", "torch")
        self._group, self._device = group, device
        self.rank: int = self._distributed.get_rank(group)
        self.size: int = self._distributed.get_world_size(group)

    def all_gather(self, sent: Array) -> Array:
        """What every process has sent."""
        own = self._torch.from_numpy(np.ascontiguousarray(sent)).to(self._device)
        parts = [self._torch.empty_like(own) for _ in range(self.size)]
        self._distributed.all_gather(parts, own, group=self._group)
        return np.stack([part.cpu().numpy() for part in parts])


class MPICommunicator:
    """The processes of a communicator of mpi4py, `MPI.COMM_WORLD` where none is given."""

    def __init__(self, communicator: Any = None) -> None:
        self._mpi = _module("mpi4py.MPI", "mpi4py", "mpi4py")
        self._communicator = self._mpi.COMM_WORLD if communicator is None else communicator
        self.rank: int = self._communicator.Get_rank()
        self.size: int = self._communicator.Get_size()

    def all_gather(self, sent: Array) -> Array:
        """What every process has sent."""
        found = np.empty((self.size, sent.size), np.uint8)
        self._communicator.Allgather([np.ascontiguousarray(sent), self._mpi.BYTE], [found, self._mpi.BYTE])
        return found

    def all_to_all(self, sent: Array) -> Array:
        """What every process has sent to this one."""
        found = np.empty_like(sent)
        self._communicator.Alltoall([np.ascontiguousarray(sent), self._mpi.BYTE], [found, self._mpi.BYTE])
        return found


class JAXCommunicator:
    """The processes of `jax.distributed`, one where it was not initialized; each sends from its first device.

    JAX compiles a collective for each number of bytes that is sent, which takes some hundredths of a second.
    """

    def __init__(self) -> None:
        self._jax = _module("jax", "JAX", "jax")
        self.rank: int = self._jax.process_index()
        self.size: int = self._jax.process_count()
        firsts: dict[int, Any] = {}
        for each in sorted(self._jax.devices(), key=lambda device: device.id):
            firsts.setdefault(each.process_index, each)
        self._own, sharding = firsts[self.rank], self._jax.sharding
        mesh = sharding.Mesh(np.array([firsts[rank] for rank in range(self.size)]), ("processes",))
        everywhere, first, second = (
            sharding.PartitionSpec(*axes) for axes in ((), ("processes",), (None, "processes"))
        )
        self._of_each = sharding.NamedSharding(mesh, first)
        self._all_gather, self._all_to_all = (
            self._jax.jit(_as_it_is, out_shardings=sharding.NamedSharding(mesh, to)) for to in (everywhere, second)
        )

    def all_gather(self, sent: Array) -> Array:
        """What every process has sent."""
        return self._exchanged(self._all_gather, sent)

    def all_to_all(self, sent: Array) -> Array:
        """What every process has sent to this one."""
        return self._exchanged(self._all_to_all, sent)[:, 0]

    def _exchanged(self, collective: Any, sent: Array) -> Array:
        own = self._jax.device_put(sent[np.newaxis], self._own)
        every = self._jax.make_array_from_single_device_arrays((self.size, *sent.shape), self._of_each, [own])
        return np.asarray(collective(every).addressable_data(0))


def _as_it_is(value: Any) -> Any:
    return value


class PipeCommunicator:
    """Processes of one machine, each with a `multiprocessing.Pipe` to every other: `pipes` maps ranks to them."""

    def __init__(self, rank: int, pipes: Mapping[int, Any]) -> None:
        self.rank, self.size, self._pipes = rank, len(pipes) + 1, pipes

    def all_gather(self, sent: Array) -> Array:
        """What every process has sent."""
        return self.all_to_all(np.broadcast_to(sent, (self.size, sent.size)))

    def all_to_all(self, sent: Array) -> Array:
        """What every process has sent to this one. Pairs meet in the same order everywhere, so that none waits."""
        found = np.array(sent, order="C")
        for other in sorted(self._pipes):
            pipe, own = self._pipes[other], sent[other].tobytes()
            if self.rank < other:
                pipe.send_bytes(own)
            received = np.frombuffer(pipe.recv_bytes(), np.uint8)
            if self.rank > other:
                pipe.send_bytes(own)
            _require_as_many(other, received.size, self.rank, len(own))
            found[other] = received
        return found


class _Meeting:
    """Where threads meet: each leaves what it sends, and takes what all have left."""

    def __init__(self, size: int, seconds: float) -> None:
        self.left: list[Array] = [np.empty(0, np.uint8)] * size
        self.barrier = threading.Barrier(size, timeout=seconds)


class ThreadCommunicator:
    """A thread among several of one process: `together` makes them."""

    def __init__(self, rank: int, size: int, meeting: _Meeting) -> None:
        self.rank, self.size, self._meeting = rank, size, meeting

    @classmethod
    def together(cls, size: int, seconds: float = 60.0) -> Sequence["ThreadCommunicator"]:
        """One for each of so many threads, none of which waits for others longer than that.

        >>> len(ThreadCommunicator.together(3))
        3
        """
        meeting = _Meeting(size, seconds)
        return [cls(rank, size, meeting) for rank in range(size)]

    def all_gather(self, sent: Array) -> Array:
        """What every thread has sent. Raises RuntimeError where one does not come."""
        return np.stack(self._all(sent))

    def all_to_all(self, sent: Array) -> Array:
        """What every thread has sent to this one."""
        return np.stack([each[self.rank] for each in self._all(sent)])

    def _all(self, sent: Array) -> list[Array]:
        meeting = self._meeting
        meeting.left[self.rank] = sent
        try:
            meeting.barrier.wait()
            for other, left in enumerate(meeting.left):
                _require_as_many(other, left.size, self.rank, sent.size)
            found = [*meeting.left]
            meeting.barrier.wait()
        except threading.BrokenBarrierError:
            raise RuntimeError(
                f"rank {self.rank} waits for what another one never sends: each has to make the same calls"
            ) from None
        except RuntimeError:
            meeting.barrier.abort()
            raise
        return found


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
            raise RuntimeError(
                f"rank {other} sent {its[2]} numbers of each of {its[1]} rows in exchange {its[3]}, and rank {rank} "
                f"sent {head[2]} of each of {head[1]} in exchange {head[3]}: each has to call the same functions in "
                "the same order, with as many rows"
            )
    rest = np.ascontiguousarray(found[:, head.nbytes :]).view(like.dtype)
    numbers = np.ascontiguousarray(rest[:, : like.size]).reshape(len(found), *like.shape)
    return Gathered(heads[:, 0].copy(), numbers, rest[:, like.size :])


def _require_as_many(other: int, received: int, rank: int, sent: int) -> None:
    if received != sent:
        raise RuntimeError(
            f"rank {other} sent {received} bytes and rank {rank} {sent}: each has to call the same functions in the "
            "same order, with as many rows of the same type"
        )


def _module(name: str, what: str, distribution: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{what} is not installed; pip install {distribution} installs it") from None
