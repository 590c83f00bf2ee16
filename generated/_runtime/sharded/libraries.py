# SPDX-License-Identifier: MIT
"""Communicators of libraries: `torch.distributed`, MPI and JAX. Each is imported where one is made."""

import contextlib
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from .peers import REASON, TIMEOUT, PeerError, late, raise_for, require_as_many

Array = npt.NDArray[Any]

_GIVES_UP = -1
_TELLING = 30.0
"""Seconds that one which gives up waits for the others to be told."""


class _Agreeing:
    """Processes that a library joins; each announces its message first.

    A library hangs, or ends the process, if processes send different numbers of bytes. So each first sends two
    integers: the number of bytes, or that it sends a reason to give up instead.
    """

    rank: int
    size: int
    _timeout: float

    def all_gather(self, sent: Array) -> Array:
        """Gather the bytes of every process."""
        self._agree(sent.size)
        return self._gathered(np.ascontiguousarray(sent))

    def abort(self, reason: str) -> None:
        """Have the collective that the others wait in, or come to next, raise PeerError there with this reason."""
        # Another one may give up too, or none come: the caller raises its own error, and not long after.
        timeout, self._timeout = self._timeout, min(self._timeout, _TELLING)
        try:
            with contextlib.suppress(PeerError):
                self._agree(_GIVES_UP, reason)
        finally:
            self._timeout = timeout

    def _agree(self, size: int, reason: str = "") -> None:
        sizes = self._gathered(np.array([size], np.int64).view(np.uint8)).view(np.int64)[:, 0]
        if _GIVES_UP in sizes:
            text = np.frombuffer(reason.encode()[:REASON].ljust(REASON, b"\0"), np.uint8)
            reasons = self._gathered(text)
            first = int(np.argmax(sizes == _GIVES_UP))
            raise_for(first, reasons[first].tobytes().rstrip(b"\0"))
        for other, its in enumerate(sizes):
            require_as_many(other, int(its), self.rank, size)

    def _gathered(self, sent: Array) -> Array:
        raise NotImplementedError


class TorchCommunicator(_Agreeing):
    """Processes of a group of `torch.distributed`, all of them by default.

    `device` is the device of the group's backend: "cuda" for NCCL. A group has to be made anew after a `timeout`, or if
    a process has ended.
    """

    def __init__(self, group: Any = None, device: Any = "cpu", timeout: float = TIMEOUT) -> None:
        self._torch = _module("torch", "PyTorch", "torch")
        self._distributed = _module("torch.distributed", "PyTorch", "torch")
        self._group, self._device, self._timeout = group, device, timeout
        self.rank: int = self._distributed.get_rank(group)
        self.size: int = self._distributed.get_world_size(group)

    def _gathered(self, sent: Array) -> Array:
        own = self._torch.from_numpy(np.ascontiguousarray(sent)).to(self._device)
        parts = [self._torch.empty_like(own) for _ in range(self.size)]
        seconds = timedelta(seconds=self._timeout)
        try:
            self._distributed.all_gather(parts, own, group=self._group, async_op=True).wait(seconds)
        except RuntimeError as error:
            raise PeerError(
                f"rank {self.rank} has lost the connection to another rank, or waited {seconds} for it: {error}"
            ) from error
        return np.stack([part.cpu().numpy() for part in parts])


class MPICommunicator(_Agreeing):
    """The processes of a communicator of mpi4py, `MPI.COMM_WORLD` where none is given.

    An MPI ends all of them where one has ended. After a `timeout` its collective still waits: end the process.
    """

    def __init__(self, communicator: Any = None, timeout: float = TIMEOUT) -> None:
        self._mpi = _module("mpi4py.MPI", "mpi4py", "mpi4py")
        self._communicator = self._mpi.COMM_WORLD if communicator is None else communicator
        self._timeout = timeout
        self.rank: int = self._communicator.Get_rank()
        self.size: int = self._communicator.Get_size()

    def all_to_all(self, sent: Array) -> Array:
        """Gather the bytes that every process sends to this one."""
        self._agree(sent.size)
        found = np.empty_like(sent)
        return self._done(self._communicator.Ialltoall, np.ascontiguousarray(sent), found)

    def _gathered(self, sent: Array) -> Array:
        return self._done(self._communicator.Iallgather, sent, np.empty((self.size, sent.size), np.uint8))

    def _done(self, collective: Callable[..., Any], sent: Array, found: Array) -> Array:
        request = collective([sent, self._mpi.BYTE], [found, self._mpi.BYTE])
        start = time.monotonic()
        while not request.Test():
            waited = time.monotonic() - start
            if waited > self._timeout:
                raise late(self.rank, self._timeout)
            if waited > 1e-3:
                time.sleep(1e-4)
        return found


class JAXCommunicator(_Agreeing):
    """The processes of `jax.distributed`, one where it was not initialized; each sends from its first device.

    JAX compiles a collective for each number of bytes that is sent, which takes some hundredths of a second. After a
    `timeout` its collective still waits, in a thread: end the process.
    """

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self._jax = _module("jax", "JAX", "jax")
        self._timeout = timeout
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

    def all_to_all(self, sent: Array) -> Array:
        """Gather the bytes that every process sends to this one."""
        self._agree(sent.size)
        return self._exchanged(self._all_to_all, sent)[:, 0]

    def _gathered(self, sent: Array) -> Array:
        return self._exchanged(self._all_gather, sent)

    def _exchanged(self, collective: Any, sent: Array) -> Array:
        if self.size == 1:
            return self._at_once(collective, sent)
        found: list[Any] = []
        thread = threading.Thread(target=self._into, args=(found, collective, sent), daemon=True)
        thread.start()
        thread.join(self._timeout)
        if not found:
            raise late(self.rank, self._timeout)
        if isinstance(found[0], Exception):
            raise PeerError(f"rank {self.rank} has lost the connection to another rank: {found[0]}") from found[0]
        return np.asarray(found[0])

    def _into(self, found: list[Any], collective: Any, sent: Array) -> None:
        try:
            found.append(self._at_once(collective, sent))
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            found.append(error)

    def _at_once(self, collective: Any, sent: Array) -> Array:
        own = self._jax.device_put(sent[np.newaxis], self._own)
        every = self._jax.make_array_from_single_device_arrays((self.size, *sent.shape), self._of_each, [own])
        return np.asarray(collective(every).addressable_data(0))


def _as_it_is(value: Any) -> Any:
    return value


def _module(name: str, what: str, distribution: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{what} is not installed; pip install {distribution} installs it") from None
