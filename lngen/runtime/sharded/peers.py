# SPDX-License-Identifier: MIT
"""Errors between processes, and how each process learns of them.

A process that refuses its arguments tells the others (`told`). They raise PeerError with its reason in the collective
in which they wait, or in their next one.
"""

import functools
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

TIMEOUT = 300.0
"""Seconds that a process waits for the others in a collective, where it is not told otherwise."""


class PeerError(RuntimeError):
    """Error of another process: it refused its arguments, has ended, or did not come in time."""

    is_told = True


def told(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Wrap a function, so that an error in one process is told to the others of its communicator.

    The communicator is its keyword `communicator`, or its first argument. The others raise PeerError in the collective
    in which they wait, or in their next one. Errors of the communicator itself are seen by all processes anyway.
    """

    @functools.wraps(function)
    def call(*arguments: Given.args, **keywords: Given.kwargs) -> Returned:
        try:
            return function(*arguments, **keywords)
        except BaseException as error:
            # The classes may be those of another package, which has a copy of this module.
            if getattr(error, "is_told", False):
                raise
            for given in (keywords.get("communicator"), *arguments[:1]):
                if callable(abort := getattr(given, "abort", None)):
                    abort(f"{type(error).__name__}: {error}")
            raise

    return call


class SeenByAllError(RuntimeError):
    """Error for messages that do not go together, which every process finds by itself."""

    is_told = True


class LostError(PeerError):
    """One that has ended or does not come, as this process has found and the others may not."""


REASON = 1024
"""Bytes of a reason that are sent."""


def raise_for(rank: int, reason: bytes) -> NoReturn:
    raise PeerError(f"rank {rank} refused the call, so this process stops too: {reason.decode(errors='replace')}")


def late(rank: int, seconds: float, whom: str = "another one") -> LostError:
    return LostError(
        f"rank {rank} has waited {seconds:g} seconds for {whom}, which did not come: each has to make the same calls; "
        "pass a longer timeout where one may take so long"
    )


def require_as_many(other: int, received: int, rank: int, sent: int) -> None:
    if received != sent:
        raise SeenByAllError(
            f"rank {other} sent {received} bytes and rank {rank} {sent}: each has to call the same functions in the "
            "same order, with as many rows of the same type"
        )
