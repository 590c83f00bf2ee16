# SPDX-License-Identifier: MIT
"""Trust in files of the cache: they belong to the user, no other user may write to them, and no link leads to them.

Machine code and Python of the cache are run, so that anyone who can write there runs code as the user. Every access
checks here.
"""

import atexit
import errno
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Windows has neither, and no owner that could be asked for.
_NO_LINK, _NO_WAITING = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)
_told: set[str] = set()
_temporary: dict[int, Path] = {}


class Refused(OSError):
    """Error for a file that is not trusted; the message says what is refused and why, in one line."""


def objection(status: os.stat_result, closed: bool = False) -> str:
    """Return why a file or a folder of this status may not be used; empty if it may.

    Its owner is the user or root. In a `closed` folder, one that others cannot enter, the mode is of no concern; and
    a folder that others may write to is safe where they can rename nothing in it that is not theirs, such as `/tmp`.

    >>> objection(os.stat_result((stat.S_IFLNK | 0o777, *[0] * 9)))
    'is a symbolic link'
    >>> objection(os.stat_result((stat.S_IFREG | 0o666, *[0] * 9)))
    'may be written to by others'
    """
    kind = stat.S_IFMT(status.st_mode)
    if kind not in (stat.S_IFDIR, stat.S_IFREG):
        return "is a symbolic link" if kind == stat.S_IFLNK else "is neither a file nor a folder"
    if not hasattr(os, "geteuid"):
        return ""
    if not _is_own(status):
        return "belongs to another user"
    sticky = kind == stat.S_IFDIR and status.st_mode & stat.S_ISVTX
    return "may be written to by others" if status.st_mode & _OTHERS_WRITE and not (sticky or closed) else ""


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid in (0, os.geteuid())


def require(folder: Path, root: Path) -> None:
    """Check each folder from `root`, which may be a link of the user's own, to one below it.

    Raises Refused for the first folder that is not trusted, and OSError if one cannot be examined. Folders that do not
    exist yet are accepted.
    """
    with suppress(FileNotFoundError):
        if root.is_symlink() and not _is_own(root.lstat()):
            raise Refused(f"{root} belongs to another user")
        _require(root, root.stat(), folder=True)
        for name in folder.relative_to(root).parts:
            root /= name
            _require(root, root.lstat(), folder=True)


def require_tree(folder: Path) -> None:
    """Look at a folder and all that it holds. Raises Refused for the first thing that may not be used, and OSError."""

    def fail(error: OSError) -> None:
        raise error

    status = folder.lstat()
    _require(folder, status, folder=True)
    closed = not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    for place, folders, files in os.walk(folder, onerror=fail):
        for path in (Path(place, name) for name in (*folders, *files)):
            _require(path, path.lstat(), closed=closed)


def _require(path: Path, status: os.stat_result, *, folder: bool = False, closed: bool = False) -> None:
    if why := objection(status, closed):
        raise Refused(f"{path} {why}")
    if folder and not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def read(path: Path) -> bytes:
    """Return the content of a file in the cache; raises Refused if it is not trusted, and OSError if it does not
    exist.
    """
    try:
        return _read(path, _NO_LINK, _require)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"{path} is a symbolic link") from None
        raise


def regular(path: Path) -> bytes:
    """Return the content of a regular file of any owner; raises OSError if there is none, or if it is a pipe."""
    return _read(path, 0, _require_file)


def _read(path: Path, flags: int, check: Callable[[Path, os.stat_result], None]) -> bytes:
    def opened(name: str, usual: int) -> int:
        return os.open(name, usual | _NO_WAITING | flags)

    with open(path, "rb", opener=opened) as file:
        check(path, os.fstat(file.fileno()))
        return file.read()


def _require_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path} is not a regular file")


def lock(path: Path) -> int:
    """Return the descriptor of a file to be locked, created if necessary; raises OSError.

    A file that is not trusted is removed and made anew; of a link, the link is removed and never its target.
    """
    flags = os.O_RDWR | os.O_CREAT | _NO_LINK | _NO_WAITING | getattr(os, "O_CLOEXEC", 0)
    for last in (False, True):
        try:
            descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            if error.errno != errno.ELOOP or last:
                raise
        else:
            if not objection(os.fstat(descriptor)):
                return descriptor
            os.close(descriptor)
        path.unlink()
    raise Refused(
        f"{path} is created again and again by another process; remove it, or set LNGEN_CACHE to another folder"
    )


def tell(refused: Refused) -> None:
    """Warn, once for each thing, that it is not used."""
    text = f"{refused}, so it is not used: remove it, or set LNGEN_CACHE to a folder of your own"
    if text not in _told:
        _told.add(text)
        warnings.warn(text, stacklevel=2)


def temporary() -> Path:
    """Return a folder of this process alone, which is gone when it ends."""
    process = os.getpid()
    if process not in _temporary:
        _temporary[process] = Path(tempfile.mkdtemp(prefix="lngen-"))
        atexit.register(_remove, process)
    return _temporary[process]


def _remove(process: int) -> None:
    if process == os.getpid():  # a process that was forked has the other's
        shutil.rmtree(_temporary.pop(process), ignore_errors=True)
