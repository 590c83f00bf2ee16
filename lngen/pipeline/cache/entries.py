"""Small files kept between runs, in a folder of the user alone.

A damaged file counts as missing, and so does a file that another user may have written, which is reported. A file that
cannot be written is not kept, without a report: the next run only takes longer. `usage` says why no file is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from lngen.runtime import cache, trust

MAXIMUM_BYTES = 128 * 2**20
"""Largest size of the cache; beyond it, the entries unread for longest are removed first."""

_CHECKSUM = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Usage:
    """Size of the cache.

    `obstacle` says why it cannot be used, and is empty if it can.
    """

    place: Path
    count: int
    size: int
    obstacle: str


def place() -> Path:
    """The folder of the entries. It need not exist."""
    return cache.root() / "derivations"


def read(name: str) -> bytes | None:
    """Read the entry of that name; None if it does not exist, or if it is not trusted, which is reported once."""
    if _obstacle(told=True):
        return None
    path = place() / name
    try:
        content = trust.read(path)
        os.utime(path, follow_symlinks=False)
        checksum, packed = content[:_CHECKSUM], content[_CHECKSUM:]
        return zlib.decompress(packed) if checksum == _checksum(name, packed) else None
    except trust.Refused as refused:
        trust.tell(refused)
    except (OSError, zlib.error):
        pass
    return None


def write(name: str, content: bytes) -> None:
    """Keep content under a name. Whoever reads at any moment finds all of it or nothing."""
    packed = zlib.compress(content, level=1)
    if _obstacle(told=True):
        return
    try:
        cache.make(place())
        cache.write(place() / name, _checksum(name, packed) + packed)
    except OSError:
        return
    _drop_the_oldest(MAXIMUM_BYTES)


def usage() -> Usage:
    """Return the present size of the cache."""
    sizes = [size for _, size, _ in _files()]
    return Usage(place(), len(sizes), sum(sizes), _obstacle())


def clear() -> None:
    """Remove every entry; nothing in a folder that is not the user's alone."""
    _drop_the_oldest(0)


def _drop_the_oldest(most: int) -> None:
    files = sorted(_files())
    size = sum(size for _, size, _ in files)
    for _, of_this, path in files:
        if size <= most:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        size -= of_this


def _files() -> list[tuple[int, int, str]]:
    """Return the last use, the size and the path of each file, half-written ones included."""
    found: list[tuple[int, int, str]] = []
    if _obstacle():
        return found
    with contextlib.suppress(OSError), os.scandir(place()) as listed:
        for file in listed:
            with contextlib.suppress(OSError):  # another process was faster
                status = file.stat(follow_symlinks=False)
                found.append((status.st_mtime_ns, status.st_size, file.path))
    return found


def _obstacle(*, told: bool = False) -> str:
    """Return why the folder cannot be used, and print it if `told`; empty if it can, or if it does not exist yet."""
    try:
        trust.require(place(), cache.root())
    except trust.Refused as refused:
        if told:
            trust.tell(refused)
        return str(refused)
    except OSError as error:
        return error.strerror or str(error)
    return "" if not place().exists() or os.access(place(), os.R_OK | os.W_OK | os.X_OK) else "it may not be written to"


def _checksum(name: str, packed: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + packed).digest()
