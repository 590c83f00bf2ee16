"""Results for a definition, kept between runs; no result is stale, and one is read back only unchanged.

The name of an entry is a digest of everything that the result depends on: the definition, the options, and the
fingerprint of lngen itself from `lngen.pipeline.cache.sources`. A change of any of them gives another name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from lngen.language.definition import Definition
from lngen.pipeline.cache import entries, key, sources
from lngen.runtime import cache

Value = TypeVar("Value")


class NotKept(Exception):
    """A value that cannot be written such that it is read back as it was."""


def kept(
    what: str,
    definition: Definition,
    make: Callable[[], Value],
    write: Callable[[Value], bytes],
    read: Callable[[bytes], Value],
) -> Value:
    """Return the cached result of `make` for a definition, or make it now and cache it.

    `what` names the result among others for the same definition, options included. `write` may raise NotKept, and
    `read` ValueError; neither leaves this function, and a cache that cannot be used is no error.
    """
    if (name := name_of(what, definition)) is None:
        return make()
    if (found := _read(name, read)) is not None:
        return found
    # Processes that begin with the same layer derive it once, and the others wait.
    with cache.making(entries.place() / name):
        if (found := _read(name, read)) is not None:
            return found
        made = make()
        with contextlib.suppress(NotKept):
            content = write(made)
            if sources.are_known():
                entries.write(name, content)
        return made


def _read(name: str, read: Callable[[bytes], Value]) -> Value | None:
    with contextlib.suppress(ValueError):
        if (content := entries.read(name)) is not None:
            return read(content)
    return None


def is_kept(what: str, definition: Definition) -> bool:
    """Test whether the cache has the result that `kept` would return."""
    name = name_of(what, definition)
    return name is not None and (entries.place() / name).exists()


def name_of(what: str, definition: Definition) -> str | None:
    """Return the name of a result's entry; None where lngen's own files cannot be read."""
    fingerprint = sources.fingerprint()
    # The result depends on the file's name, and not on its folder.
    anywhere = replace(definition, filename=PurePath(definition.filename).name)
    return None if fingerprint is None else key([what, repr(anywhere), fingerprint])
