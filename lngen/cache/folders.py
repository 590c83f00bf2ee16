"""Folders made once and kept by the content of what they were made from.

An entry is filled under another name and renamed, so that it is there whole or not at all, and several processes may
make the same one at the same time.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from lngen.cache import folder
from lngen.errors import LngenError
from lngen.runtime.cache import alone


def place(kind: str = "simt") -> Path:
    """The folder of the entries of a kind: what the emulator compiled, or `layers`. It need not exist."""
    return folder() / kind


def entry(name: str, make: Callable[[Path], None], kind: str = "simt") -> Path:
    """The folder of that name; if there is none, `make` fills it. Raises LngenError if it cannot be written."""
    made = place(kind) / name
    if made.is_dir():
        return made
    try:
        made.parent.mkdir(parents=True, exist_ok=True)
        with alone(made.with_name(f".{name}.lock")):
            return made if made.is_dir() else _filled(made, make)
    except OSError as error:
        raise LngenError(
            f"{made.parent}: {error.strerror or error}; set LNGEN_CACHE to a folder that can be written"
        ) from error


def _filled(place: Path, make: Callable[[Path], None]) -> Path:
    new = place.with_name(f".{place.name}.{token_hex(8)}")
    new.mkdir()
    try:
        make(new)
        new.rename(place)
    except OSError as error:
        # Where files cannot be locked another process may have been faster; what it made is the same.
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY) or not place.is_dir():
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return place
