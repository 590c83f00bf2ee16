"""Putting a file or a folder in another's place so that whoever looks sees one or the other, never a mix."""

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


def write(target: Path, text: str) -> None:
    """Write a text file, whole or not at all. Its folder has to be there."""
    new = target.with_name(f".{target.name}.{token_hex(8)}")
    try:
        new.write_text(text, encoding="utf-8", newline="\n")
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty folder to fill; when the block ends without an exception it takes the place of `target`.

    The folder stands beside `target`, so on the same file system. What `target` held is deleted after the
    exchange. On an exception it is the new folder that is deleted, and `target` is as it was. A process that
    is killed leaves `target` whole, and at worst a hidden folder beside it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile.mkdtemp: its folders are closed to other users, and this one stays.
    new = target.parent / f".{target.name}.{token_hex(8)}"
    new.mkdir()
    try:
        yield new
        _exchange(new, target)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _exchange(new: Path, target: Path) -> None:
    """Rename `new` to `target`; what was there, if anything, is left where `new` was."""
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
