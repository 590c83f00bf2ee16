# SPDX-License-Identifier: MIT
"""Communicators of processes of one machine, and of threads, that are joined to one another."""

import contextlib
import queue
import select
import time
from collections import deque
from collections.abc import Mapping, Sequence
from multiprocessing import connection, get_context
from typing import Any

import numpy as np
import numpy.typing as npt

from .peers import (
    REASON,
    TIMEOUT,
    LostError,
    SeenByAllError,
    late,
    raise_for,
    require_as_many,
)

Array = npt.NDArray[Any]

_DATA, _ABORT = 0, 1
_HEAD = 3 * np.dtype(np.int64).itemsize
_PIECE = 1 << 16
"""Bytes that are written at once, which an empty pipe has room for."""


class _Joined:
    """Process among several, of which any two are joined by a link of the subclass.

    Messages come in pieces. Each has its kind, the number of its collective, and the number of bytes that follow. The
    number separates the rest of an aborted collective from the next one. Pairs meet in the same order everywhere, so
    that no two processes wait for each other.
    """

    def __init__(self, rank: int, size: int, timeout: float) -> None:
        self.rank, self.size, self.timeout = rank, size, timeout
        self._others = [other for other in range(size) if other != rank]
        self._number = 0
        self._come: dict[int, deque[tuple[int, bytes]]] = {other: deque() for other in self._others}
        self._ended: set[int] = set()

    def all_gather(self, sent: Array) -> Array:
        """Gather the bytes of every process; raises PeerError if one refused, has ended or does not come in time."""
        return self._exchanged(np.broadcast_to(sent, (self.size, sent.size)))

    def all_to_all(self, sent: Array) -> Array:
        """Gather the bytes that every process sends to this one; raises as `all_gather` does."""
        return self._exchanged(sent)

    def _exchanged(self, sent: Array) -> Array:
        found, end = np.array(sent, order="C"), time.monotonic() + self.timeout
        try:
            for other in self._others:
                own = sent[other].tobytes()
                if self.rank < other:
                    self._send(other, own, end)
                received = np.frombuffer(self._received(other, end), np.uint8)
                if self.rank > other:
                    self._send(other, own, end)
                require_as_many(other, received.size, self.rank, len(own))
                found[other] = received
        except (LostError, SeenByAllError) as error:
            self._tell(str(error))
            raise
        finally:
            self._number += 1
        return found

    def abort(self, reason: str) -> None:
        """Have the collective that the others wait in, or come to next, raise PeerError there with this reason."""
        self._tell(reason)
        self._number += 1

    def _tell(self, reason: str) -> None:
        for other in self._others:
            # Whoever has ended, or does not read, is not to be told.
            with contextlib.suppress(LostError):
                self._put(other, self._head(_ABORT, 0) + reason.encode()[:REASON], time.monotonic() + 1.0)

    def _head(self, kind: int, left: int) -> bytes:
        return np.array([kind, self._number, left], np.int64).tobytes()

    def _send(self, other: int, message: bytes, end: float) -> None:
        for start in range(0, len(message) or 1, _PIECE):
            piece = message[start : start + _PIECE]
            self._put(other, self._head(_DATA, len(message) - start - len(piece)) + piece, end)

    def _received(self, other: int, end: float) -> bytes:
        pieces: list[bytes] = []
        left = 1
        while left:
            while not self._come[other]:
                if other in self._ended:
                    raise LostError(f"rank {other} has ended, which rank {self.rank} waits for")
                self._take(other, end)
            left, piece = self._come[other].popleft()
            pieces.append(piece)
        return b"".join(pieces)

    def _take(self, other: int, end: float) -> None:
        """Take the next piece from any of the others, while this one waits for `other`."""
        come = self._next(max(0.0, end - time.monotonic()))
        if come is None:
            raise late(self.rank, self.timeout, f"rank {other}")
        sender, piece = come
        if not piece:
            self._ended.add(sender)
            return
        kind, number, left = map(int, np.frombuffer(piece[:_HEAD], np.int64))
        if number < self._number:
            return
        if kind == _ABORT:
            raise_for(sender, piece[_HEAD:])
        self._come[sender].append((left, piece[_HEAD:]))

    def _put(self, other: int, piece: bytes, end: float) -> None:
        """Give a piece to another one. Raises LostError where it has ended, or does not read until the end."""
        raise NotImplementedError

    def _next(self, seconds: float) -> tuple[int, bytes] | None:
        """Return the sender and the next piece, empty if the sender has ended; None if there is none in time."""
        raise NotImplementedError


class PipeCommunicator(_Joined):
    """Processes of one machine, each with a `multiprocessing.Pipe` to every other: `pipes` maps ranks to them.

    `together` makes them. None waits longer than `timeout` seconds for the others.
    """

    def __init__(self, rank: int, pipes: Mapping[int, Any], timeout: float = TIMEOUT) -> None:
        super().__init__(rank, len(pipes) + 1, timeout)
        self.pipes = dict(pipes)
        self._ranks = {pipe: other for other, pipe in self.pipes.items()}
        self._foreign: list[Any] = []

    @classmethod
    def together(cls, size: int, timeout: float = TIMEOUT, context: Any = None) -> Sequence["PipeCommunicator"]:
        """Make a communicator for each of some processes, which are started after this, each with its own as an
        argument.

        `context` starts them, as `multiprocessing.get_context("spawn")`. The calling process then calls `close` on the
        others' communicators. An ended process is detected by its pipes, which no other process may hold. A forked
        process inherits all pipes, and its communicator closes those that it does not need.

        >>> [each.rank for each in PipeCommunicator.together(3)]
        [0, 1, 2]
        """
        made = context or get_context()
        pipes: list[dict[int, Any]] = [{} for _ in range(size)]
        for one in range(size):
            for other in range(one):
                pipes[one][other], pipes[other][one] = made.Pipe()
        group = [cls(rank, own, timeout) for rank, own in enumerate(pipes)]
        for each in group:
            each._foreign = [pipe for other in pipes if other is not pipes[each.rank] for pipe in other.values()]
        return group

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rank, self.pipes, self.timeout)

    def close(self) -> None:
        """Close the pipes of another process's communicator in this process."""
        for pipe in self.pipes.values():
            pipe.close()

    def _exchanged(self, sent: Array) -> Array:
        while self._foreign:
            self._foreign.pop().close()
        return super()._exchanged(sent)

    def _put(self, other: int, piece: bytes, end: float) -> None:
        pipe = self.pipes[other]
        try:
            if len(piece) > _PIECE // 2:
                self._wait_for_room(other, pipe, end)
            pipe.send_bytes(piece)
        except OSError:
            raise LostError(f"rank {other} has ended, which rank {self.rank} sends to") from None

    def _wait_for_room(self, other: int, pipe: Any, end: float) -> None:
        while True:
            try:
                open_ = [each for each, sender in self._ranks.items() if sender not in self._ended]
                _, room, _ = select.select(open_, [pipe], [], max(0.0, end - time.monotonic()))
            except ValueError:
                return  # no pipe that can be asked, as on Windows
            if room:
                return
            self._take(other, end)

    def _next(self, seconds: float) -> tuple[int, bytes] | None:
        ready = connection.wait([pipe for pipe, other in self._ranks.items() if other not in self._ended], seconds)
        if not ready:
            return None
        pipe: Any = ready[0]
        try:
            return self._ranks[pipe], pipe.recv_bytes()
        except (EOFError, OSError):
            return self._ranks[pipe], b""


class ThreadCommunicator(_Joined):
    """A thread among several of one process: `together` makes them."""

    def __init__(self, rank: int, boxes: Sequence["queue.SimpleQueue[tuple[int, bytes]]"], timeout: float) -> None:
        super().__init__(rank, len(boxes), timeout)
        self._boxes = boxes

    @classmethod
    def together(cls, size: int, timeout: float = TIMEOUT) -> Sequence["ThreadCommunicator"]:
        """Make a communicator for each of some threads, which wait for each other at most `timeout` seconds.

        >>> len(ThreadCommunicator.together(3))
        3
        """
        boxes: list[queue.SimpleQueue[tuple[int, bytes]]] = [queue.SimpleQueue() for _ in range(size)]
        return [cls(rank, boxes, timeout) for rank in range(size)]

    def _put(self, other: int, piece: bytes, end: float) -> None:
        self._boxes[other].put((self.rank, piece))

    def _next(self, seconds: float) -> tuple[int, bytes] | None:
        try:
            return self._boxes[self.rank].get(timeout=seconds)
        except queue.Empty:
            return None
