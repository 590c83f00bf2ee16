"""Folders made once and kept by the content of their sources.

An entry is filled under another name and renamed, so that it is whole or missing, and several processes may make the
same one at the same time. Its content is run, so it has to be the user's own.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from lngen.errors import LngenError
from lngen.runtime import cache, trust


def place(kind: str = "simt") -> Path:
    """Return the folder of the entries of a kind: modules of the emulator, or `layers`; it need not exist."""
    return cache.root() / kind


def entry(name: str, make: Callable[[Path], None], kind: str = "simt") -> Path:
    """Return the folder of that name; if it does not exist, `make` fills it. Raises LngenError if it cannot be written.

    If the cache or the entry is not trusted, which is reported once, the folder is made for this process alone.
    """
    try:
        return _entry(cache.folder(kind) / name, make)
    except trust.Refused as refused:
        trust.tell(refused)
        return _entry(trust.temporary() / kind / name, make)


def own(kind: str) -> Path:
    """A folder that another library keeps something in that it runs; made if it is not there. Raises OSError."""
    folder = cache.folder(kind)
    try:
        cache.make(folder)
        trust.require_tree(folder)
    except trust.Refused as refused:
        trust.tell(refused)
        folder = trust.temporary() / kind
        cache.make(folder)
    return folder


def _entry(made: Path, make: Callable[[Path], None]) -> Path:
    try:
        if _is_made(made):
            return made
        cache.make(made.parent)
        with cache.alone(made.with_name(f".{made.name}.lock")):
            return made if _is_made(made) else _filled(made, make)
    except trust.Refused:
        raise
    except OSError as error:
        raise LngenError(
            f"{made.parent}: {error.strerror or error}; set LNGEN_CACHE to a folder that can be written"
        ) from error


def _is_made(entry: Path) -> bool:
    """Test whether an entry exists; raises Refused if a file in it is not trusted."""
    try:
        trust.require_tree(entry)
    except FileNotFoundError:
        return False
    return True


def _filled(place: Path, make: Callable[[Path], None]) -> Path:
    new = place.with_name(f".{place.name}.{token_hex(8)}")
    new.mkdir(mode=0o700)
    try:
        make(new)
        new.rename(place)
    except OSError as error:
        # Without locks another process may have been faster; its files are the same.
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY) or not place.is_dir():
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return place
