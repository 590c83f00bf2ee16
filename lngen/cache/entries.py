"""Small files kept between runs, in a folder that is the user's alone.

A file that is damaged, or belongs to somebody else, is as good as none. What cannot be written is not kept, and nobody
is told: the next run takes longer, that is all. `usage` says why nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from lngen.cache import folder

MAXIMUM_BYTES = 128 * 2**20
"""How much is kept; beyond, what was not read for the longest time goes first."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Usage:
    """What is kept. `obstacle` says why nothing is kept, or is empty."""

    place: Path
    count: int
    size: int
    obstacle: str


def place() -> Path:
    """The folder of the entries. It need not exist."""
    return folder() / "derivations"


def read(name: str) -> bytes | None:
    """What was written under that name; None if nothing was, or if it cannot be trusted."""
    if _obstacle(place()):
        return None
    try:
        file = os.open(place() / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(file, "rb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or not _is_ours_alone(status):
                return None
            checksum, packed = stream.read(hashlib.sha256().digest_size), stream.read()
            os.utime(file)
        return zlib.decompress(packed) if checksum == _checksum(name, packed) else None
    except (OSError, zlib.error):
        return None


def write(name: str, content: bytes) -> None:
    """Keep content under a name. Whoever reads at any moment finds all of it or nothing."""
    packed = zlib.compress(content, level=1)
    new = place() / f".{name}.{token_hex(8)}"
    try:
        place().mkdir(mode=0o700, parents=True, exist_ok=True)
        if _obstacle(place()):
            return
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as stream:
                stream.write(_checksum(name, packed) + packed)
            new.replace(place() / name)
        finally:
            new.unlink(missing_ok=True)
    except OSError:
        return
    _drop_the_oldest(MAXIMUM_BYTES)


def usage() -> Usage:
    """What is kept now."""
    sizes = [size for _, size, _ in _files()]
    return Usage(place(), len(sizes), sum(sizes), _obstacle(place()))


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
    """When each file was last used, its size and its path; a half-written one counts too."""
    found: list[tuple[int, int, str]] = []
    if _obstacle(place()):
        return found
    with contextlib.suppress(OSError), os.scandir(place()) as listed:
        for file in listed:
            with contextlib.suppress(OSError):  # another process was faster
                status = file.stat(follow_symlinks=False)
                found.append((status.st_mtime_ns, status.st_size, file.path))
    return found


def _obstacle(place: Path) -> str:
    """Why nothing in the folder can be trusted; empty if it can, or if there is none yet."""
    try:
        status = place.lstat()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    if not _is_ours_alone(status):
        return "it belongs to another user, or others may read or write it (chmod 700 makes it private)"
    return "" if os.access(place, os.R_OK | os.W_OK | os.X_OK) else "it may not be written to"


def _is_ours_alone(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS


def _checksum(name: str, packed: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + packed).digest()
