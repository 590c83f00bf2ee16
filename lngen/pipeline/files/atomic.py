"""Putting a file or a folder in another's place so that whoever looks sees one or the other, never a mix."""

import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from lngen.errors import LngenError, printable

_STREAMS = (stat.S_IFIFO, stat.S_IFCHR)
_REFUSED = {stat.S_IFDIR: "is a folder", stat.S_IFBLK: "is a device", stat.S_IFSOCK: "is a socket"}


def write(target: Path, text: str) -> None:
    """Write a text to a path; an existing file keeps its kind.

    A regular file is replaced, whole or not at all, and so is the target of a symbolic link; the link stays. A pipe, a
    terminal, and the target of standard output or error, such as `/dev/stdout`, are written into. Raises LngenError for
    a folder, a disk, a socket, and a pipe without a reader, and OSError if the system refuses.
    """
    if why := obstacle(target):
        raise LngenError(f"{printable(str(target))} {why}. Name another file.")
    status = _status(target)
    if status is not None and (printed := _printed(status)) is not None:
        _write_into(os.dup(printed), text)
        return
    if status is not None and stat.S_IFMT(status.st_mode) in _STREAMS:
        _write_into(_opened(target), text)
        return
    file = target.resolve()
    new = file.with_name(f".{file.name}.{token_hex(8)}")
    try:
        new.write_text(text, encoding="utf-8", newline="\n")
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def obstacle(target: Path) -> str:
    """Say why `write` would refuse a path, as the rest of a sentence; empty if it would not.

    >>> obstacle(Path(".")), obstacle(Path("no such folder/file"))
    ('is a folder', 'is in a folder that is not there')
    """
    status = _status(target)
    if status is not None:
        return _REFUSED.get(stat.S_IFMT(status.st_mode), "") if _printed(status) is None else ""
    return "" if target.resolve().parent.is_dir() else "is in a folder that is not there"


def _status(target: Path) -> os.stat_result | None:
    with suppress(FileNotFoundError, NotADirectoryError):
        return target.stat()
    return None


def _printed(status: os.stat_result) -> int | None:
    """Return the descriptor, 1 or 2, that this process prints to a file by; None if it does not."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None


def _opened(stream: Path) -> int:
    try:
        # A pipe without a reader is told at once, and not waited for.
        descriptor = os.open(stream, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise LngenError(f"{printable(str(stream))} is a pipe without a reader. Start the reader first.") from None
    os.set_blocking(descriptor, True)
    return descriptor


def _write_into(descriptor: int, text: str) -> None:
    for printed in (sys.stdout, sys.stderr):
        printed.flush()  # what was printed before stands before
    with open(descriptor, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


@contextmanager
def replacing(*targets: Path) -> Iterator[list[Path]]:
    """Give an empty folder for each target to fill; when the block ends without an exception, they replace the targets.

    A folder stands beside its target, so on the same file system. The old content of the targets is deleted after the
    exchange. On an exception the new folders are deleted, and all targets stay unchanged. If the process is killed,
    each target is whole, and hidden folders may remain beside them.
    """
    # Not tempfile.mkdtemp: its folders are closed to other users, and these stay.
    news = [target.parent / f".{target.name}.{token_hex(8)}" for target in targets]
    exchanged: list[tuple[Path, Path]] = []
    try:
        for new in news:
            new.mkdir(parents=True)
        yield news
        for new, target in zip(news, targets, strict=True):
            exchange(new, target)
            exchanged.append((new, target))
    except BaseException:
        for new, target in exchanged:
            target.rename(new) if not new.exists() else exchange(new, target)
        raise
    finally:
        for new in news:
            shutil.rmtree(new, ignore_errors=True)


def exchange(new: Path, target: Path) -> None:
    """Rename `new` to `target`, and move the old target, if any, to the name of `new`."""
    if not target.exists():
        new.rename(target)
    elif not _exchange_at_once(new, target):
        aside = new.with_name(new.name + ".old")
        target.rename(aside)
        try:
            new.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        aside.rename(new)


def _exchange_at_once(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system has no such step."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    at_working_directory, exchange = -100, 2
    if rename(at_working_directory, os.fsencode(one), at_working_directory, os.fsencode(other), exchange) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(code, os.strerror(code), str(other))
