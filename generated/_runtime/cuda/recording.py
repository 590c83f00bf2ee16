# SPDX-License-Identifier: MIT
"""Records of launches, of which a framework makes plans that need no Python."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

_HERE = threading.local()


class LaunchRecord(NamedTuple):
    """Kernels that a call launched, each with its blocks and its arguments, and the memory of its partial sums.

    `is_all` says that nothing but kernels wrote the results.
    """

    steps: Sequence[tuple[Any, int, tuple[Any, ...]]]
    scratch: int
    scratch_bytes: int
    is_all: bool


@contextmanager
def recorded() -> Iterator[list[LaunchRecord]]:
    """Yield a list of the calls that this thread makes meanwhile.

    >>> with recorded() as calls:
    ...     record(LaunchRecord([], 4096, 128, True))
    >>> calls
    [LaunchRecord(steps=[], scratch=4096, scratch_bytes=128, is_all=True)]
    """
    found: list[LaunchRecord] = []
    _HERE.calls = found
    try:
        yield found
    finally:
        del _HERE.calls


def is_recording() -> bool:
    """Test whether calls of this thread are recorded."""
    return hasattr(_HERE, "calls")


def record(call: LaunchRecord) -> None:
    """Add a call to the list that this thread has."""
    _HERE.calls.append(call)
