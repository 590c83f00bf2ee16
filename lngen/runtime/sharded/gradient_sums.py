# SPDX-License-Identifier: MIT
"""Sums of parameters' gradients over processes that each have some of the rows.

Rows are independent, so that such processes exchange nothing else. Gradients are gathered and not reduced, for the
reason in `collectives`: every process adds the same numbers in the order of ranks, and gets the same bits as the
others, in every run. A first message of fixed length describes the arrays of each process. Arrays of different lengths
would hang some libraries, and give wrong sums in others.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from ..numpy.blocks import round_to
from ..protocol.calls import Array, DType, array
from ..protocol.directions import computed
from . import collectives
from .peers import SeenByAllError, told

_NUMBER = zlib.crc32(b"gradient sums") << 8
"""Number of the first exchange, in the numbering of a layer's directions; later exchanges follow it."""

_DESCRIPTIONS = _NUMBER + 1


@told
def summed(communicator: collectives.Communicator, gradients: Mapping[str, Any]) -> dict[str, Array]:
    """Return the sum over all processes of each array, in its own type: the same bits everywhere, in every run.

    `gradients` are arrays of floats by name, of any shape, such as `gradients` of a layer object. They are added in
    float64, or in their own type if that is wider, and rounded once. Each process calls this as often as the others,
    with the same names, shapes and types; a process without rows passes zeros.

    Raises TypeError if `gradients` is not a mapping of float arrays, and RuntimeError if processes differ. Raises
    PeerError on the other processes if one of them raises such an error, ends or does not come.

    >>> summed(collectives.Alone(), {"gamma": np.array([0.5, 2.0])})
    {'gamma': array([0.5, 2. ])}
    """
    given = _checked(communicator, gradients)
    types = {name: value.dtype for name, value in sorted(given.items())}
    _require_agreement(communicator, {name: [types[name].name, given[name].shape] for name in types})
    found: dict[str, Array] = {}
    for kind in sorted({each.name for each in types.values()}):
        names = [name for name, each in types.items() if each.name == kind]
        own = types[names[0]].newbyteorder("=")
        total = _sum(communicator, np.concatenate([given[name].reshape(-1).astype(own, copy=False) for name in names]))
        ends = np.cumsum([given[name].size for name in names])
        for name, part in zip(names, np.split(total, ends[:-1]), strict=True):
            found[name] = part.reshape(given[name].shape).astype(types[name])
    return {name: found[name] for name in given}


def _checked(communicator: Any, gradients: Any) -> dict[str, Array]:
    if not callable(getattr(communicator, "all_gather", None)):
        raise TypeError(
            f"communicator is of type {type(communicator).__name__}; pass one of `collectives`, such as "
            "MPICommunicator()"
        )
    if not isinstance(gradients, Mapping):
        raise TypeError(
            f"gradients is of type {type(gradients).__name__}; pass a mapping of names to arrays, such as gradients of "
            "a layer that is a class"
        )
    for name in gradients:
        if not isinstance(name, str):
            raise TypeError(f"gradients has the key {name!r} of type {type(name).__name__}; pass names")
    return {name: array(name, value, True) for name, value in gradients.items()}


def _require_agreement(communicator: collectives.Communicator, described: Mapping[str, Any]) -> None:
    """Refuse descriptions that differ between processes; every process gets the same answer."""
    own = json.dumps(described).encode()
    found = collectives.exchange(
        communicator, _NUMBER, len(own), np.frombuffer(sha256(own).digest(), np.uint8)[:, np.newaxis]
    )
    if (found.numbers == found.numbers[0]).all():
        return
    padded = np.frombuffer(own.ljust(found.counts.max()), np.uint8)[:, np.newaxis]
    texts = collectives.exchange(communicator, _DESCRIPTIONS, 0, padded).numbers
    first, *others = (json.loads(text.tobytes()) for text in texts)
    for rank, other in enumerate(others, 1):
        for name in sorted(first.keys() | other.keys()):
            if first.get(name) != other.get(name):
                raise SeenByAllError(
                    f"{name} is {_said(first.get(name))} on rank 0 and {_said(other.get(name))} on rank {rank}: each "
                    "has to sum gradients of the same names, shapes and types"
                )


def _said(entry: Any) -> str:
    if entry is None:
        return "not there"
    return f"an array of {entry[0]} and of shape {tuple(entry[1])}"


def _sum(communicator: Any, numbers: Array) -> Array:
    """The sums of numbers, added up by all or, where that is much to receive, some by each process."""
    sent = numbers[np.newaxis]
    if collectives.is_large(communicator, sent):
        own = added(collectives.exchange_rows(communicator, _NUMBER + 2, 0, sent).numbers)
        total = collectives.rows_gathered(communicator, _NUMBER + 3, own, numbers.size)
    else:
        total = added(collectives.exchange(communicator, _NUMBER + 2, 0, sent).numbers)
    return total.reshape(-1)


def added(parts: Sequence[Array] | Array) -> Array:
    """Add arrays of one shape in their order, in float64 or a wider type, and round to their own type."""
    wide: DType = computed([parts[0].dtype], is_wide=True)
    total = parts[0].astype(wide)
    for part in parts[1:]:
        total += part.astype(wide, copy=False)
    made = np.empty(total.shape, parts[0].dtype)
    round_to(made, ..., total)
    return made
