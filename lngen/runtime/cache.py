# SPDX-License-Identifier: MIT
"""Where what was compiled is kept, by what it was made of: in $LNGEN_CACHE or the user's cache folder."""

import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["alone", "digest", "folder", "keep", "kept", "version", "write"]


def folder(kind: str) -> Path:
    """The folder of a kind of machine code, such as "cuda", and of what was measured of it."""
    named = os.environ.get("LNGEN_CACHE")
    if named:
        return Path(named).absolute() / kind
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lngen" / kind


def digest(parts: Iterable[str]) -> str:
    """The name of what is made of these."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: other processes may be doing the same. Raises OSError."""
    new = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise


def keep(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, in a folder that need not exist. Warns if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, content)
    except OSError as error:
        warnings.warn(
            f"{path.parent}: {error.strerror or error}; compiled kernels are not kept: "
            "set LNGEN_CACHE to a folder that can be written",
            stacklevel=2,
        )


def kept(path: Path) -> bytes | None:
    """What was kept in a file; None if nothing was."""
    with suppress(OSError):
        return path.read_bytes()
    return None


def version(kind: str, programs: Iterable[Path], ask: Callable[[], str]) -> str:
    """What a compiler says of its version, asked once for each state of the files that it is run from."""
    parts = []
    for path in programs:
        there = path.resolve()
        state = there.stat()
        parts.append(f"{path.absolute()} {there} {state.st_mtime_ns} {state.st_size}")
    place = folder(kind) / f"{digest(parts)}.version"
    try:
        return place.read_text(encoding="utf-8")
    except OSError:
        said = ask()
        keep(place, said.encode())
        return said


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """While this goes on, other processes wait, so that two do not do the same work. Raises OSError without a lock."""
    with lock.open("w") as file:
        if fcntl:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()
