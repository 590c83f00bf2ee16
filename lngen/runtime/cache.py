# SPDX-License-Identifier: MIT
"""Cache of compiled code, by a digest of its sources: in $LNGEN_CACHE or the user's cache folder."""

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from . import trust

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

COMPILED = "compiled"
"""Folder beside a source for code that was compiled ahead of time."""

_LINES_OF_LOG = 12
_SEAL = hashlib.sha256().digest_size


def root() -> Path:
    """The folder of everything that is kept. It need not exist."""
    named = os.environ.get("LNGEN_CACHE")
    if named:
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "lngen"
    except RuntimeError:  # a user without a home folder, as in a container: as with one that cannot be written
        return Path(os.sep, ".cache", "lngen")


def folder(kind: str) -> Path:
    """Return the folder of a kind of machine code, such as "cuda", and of its measurements; it need not exist.

    If the cache is not trusted, which is reported once, the folder is a temporary one of this process.
    """
    try:
        trust.require(root() / kind, root())
    except trust.Refused as refused:
        trust.tell(refused)
        return trust.temporary() / kind
    except OSError:
        pass  # what cannot be looked at can be neither read nor written, of which `keep` tells
    return root() / kind


def make(folder: Path) -> None:
    """Make the folder of a kind, which others cannot enter. Raises OSError, and Refused if it may not be used."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    trust.require(folder, folder.parent)


def digest(parts: Iterable[str]) -> str:
    """Return a digest of some parts, which names the file that is made of them."""
    # A name in the environment may have bytes that are no text.
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


def refusal(log: str) -> str:
    """Return the errors of a compiler's log, a dozen at most, and name a file with all of it if it is longer."""
    lines = log.strip().splitlines()
    if len(lines) <= _LINES_OF_LOG:
        return "\n".join(lines)
    with tempfile.NamedTemporaryFile("w", prefix="lngen-", suffix=".log", encoding="utf-8", delete=False) as file:
        file.write(log)
    errors = [line for line in lines if "error:" in line] or lines
    return "\n".join([*errors[:_LINES_OF_LOG], f"{file.name} has all {len(lines)} lines"])


def sealed(content: bytes) -> bytes:
    """Content with its digest after it, which loaders of machine code do not look at."""
    return content + hashlib.sha256(content).digest()


def unsealed(content: bytes) -> bytes | None:
    """Take off a seal; None if the content was cut short or changed.

    >>> unsealed(sealed(b"code")), unsealed(sealed(b"code")[1:])
    (b'code', None)
    """
    return content[:-_SEAL] if sealed(content[:-_SEAL]) == content else None


def write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file whole or not at all: other processes may be doing the same. Raises OSError."""
    new = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        with open(new, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise


def keep(path: Path, content: bytes) -> None:
    """Write a file for `kept`, whole or not at all, in a folder that need not exist. Warns if it cannot be written."""
    try:
        make(path.parent)
        write(path, sealed(content))
    except OSError as error:
        warnings.warn(
            f"{path.parent}: {error.strerror or error}; compiled kernels are not kept: "
            "set LNGEN_CACHE to a folder that can be written",
            stacklevel=2,
        )


def kept(path: Path) -> bytes | None:
    """Read a cached file; None if it does not exist, is damaged, or is not trusted, which is reported once."""
    try:
        return unsealed(trust.read(path))
    except trust.Refused as refused:
        trust.tell(refused)
    except OSError:
        pass
    return None


def version(kind: str, programs: Iterable[Path], ask: Callable[[], str]) -> str:
    """Return the version that a compiler prints, asked once for each state of its program files."""
    parts = []
    for path in programs:
        there = path.resolve()
        state = there.stat()
        parts.append(f"{path.absolute()} {there} {state.st_mtime_ns} {state.st_size}")
    place = folder(kind) / f"{digest(parts)}.version"
    found = kept(place)
    if found is not None:
        return found.decode()
    said = ask()
    keep(place, said.encode())
    return said


_locked: set[int] = set()
"""Descriptors of the locks that this process holds or waits for."""


def _after_fork() -> None:
    """Close the copies of a parent's locks, which would outlive a parent that is killed."""
    for file in _locked:
        os.close(file)
    _locked.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock, so that no other process does the same work meanwhile.

    Raises OSError if the lock cannot be had. A process that is forked meanwhile does not hold it.
    """
    file = trust.lock(lock)
    _locked.add(file)
    try:
        if fcntl:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        # To close it is not enough where a forked process has a copy.
        if fcntl:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)
        if file in _locked:  # and not in a process that was forked meanwhile
            _locked.discard(file)
            os.close(file)


@contextmanager
def making(path: Path) -> Iterator[None]:
    """Hold the lock of a file of the cache while it is made, so that other processes wait for it instead.

    Without a folder that can be written there is no lock: of that, `keep` tells.
    """
    with ExitStack() as waiting:
        with suppress(OSError):
            make(path.parent)
            waiting.enter_context(alone(path.with_name(f".{path.name}.lock")))
        yield
