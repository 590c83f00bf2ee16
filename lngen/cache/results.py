"""What was made of a definition, kept between runs: never stale, and only what is read back as it was.

An entry's name is made from everything that the result depends on: the definition, the options, and what
`lngen.cache.sources` says of lngen itself. So a change of any of it is another name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from lngen.cache import entries, key, sources
from lngen.language.definition import Definition

Value = TypeVar("Value")


class NotKept(Exception):
    """A value that cannot be written such that it is read back as it was."""


def kept(
    what: str,
    definition: Definition,
    make: Callable[[], Value],
    write: Callable[[Value], str],
    read: Callable[[str], Value],
) -> Value:
    """What `make` makes of a definition, or made before.

    `what` tells it from all else that is made of one, options included. `write` may raise NotKept, and `read`
    ValueError; neither is seen here, nor does it matter whether anything can be kept.
    """
    fingerprint = sources.fingerprint()
    if fingerprint is None:
        return make()
    # What is made tells the file's name, and never where it is.
    anywhere = replace(definition, filename=PurePath(definition.filename).name)
    name = key([what, repr(anywhere), fingerprint])
    if (content := entries.read(name)) is not None:
        with contextlib.suppress(ValueError):
            return read(content.decode())
    made = make()
    with contextlib.suppress(NotKept):
        text = write(made)
        if sources.are_known():
            entries.write(name, text.encode())
    return made
