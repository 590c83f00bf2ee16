"""Dependencies of a derivation besides its definition: lngen's own text, and the libraries it computes with."""

from __future__ import annotations

import importlib.metadata
import os
import struct
import sys
import time
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import cache_from_source
from pathlib import Path

from lngen import paths
from lngen.pipeline.cache import key
from lngen.version import DISTRIBUTION, STARTED

_PACKAGE = Path(__file__).resolve().parents[2]
_LIBRARIES = ("jinja2", "mpmath", "numpy", "sympy")
# The clock of a file system is some milliseconds behind the one that programs read.
_SLACK = 50_000_000


@cache
def fingerprint() -> str | None:
    """Return a name for the sources and the libraries of this process; None if they are not known.

    They are not known if a source has changed since lngen was imported, for the running code may be older. They are not
    known either if a source cannot be read, such as one in an archive.
    """
    try:
        changed = max(map(_changed, [__file__, *_files()]))
        return None if changed > STARTED - _SLACK else _hashed()
    except (OSError, importlib.metadata.PackageNotFoundError):
        return None


def are_known() -> bool:
    """Test whether the fingerprint describes the code that ran up to now, so that results may be cached under it.

    Templates are read while a layer is emitted. Python takes a compiled module for current if its time and its size
    agree with the source, to a second, so it may have run an older source.
    """
    try:
        python = (path for path in _files() if path.endswith(".py"))
        return fingerprint() == _hashed() and all(map(_is_compiled_from_its_source, python))
    except (OSError, struct.error):
        return False


def _is_compiled_from_its_source(source: str) -> bool:
    """Tell from the two files whether Python's compiled module is that of the source, whatever modules are loaded."""
    cached = cache_from_source(source)
    if not os.path.exists(cached):
        return True
    with open(cached, "rb") as compiled:
        header, made = compiled.read(16), os.fstat(compiled.fileno()).st_mtime_ns
    # PEP 552: the magic number, flags, and the source's time and size, or its hash.
    _, flags, seconds, size = struct.unpack("<4I", header)
    if flags:
        return bool(flags & 0b10)
    status = os.stat(source)
    taken = (seconds, size) == (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    return not taken or _changed(source) < made


def _hashed() -> str:
    parts = [sys.implementation.name, *map(str, sys.version_info[:2]), *map(importlib.metadata.version, _LIBRARIES)]
    if paths.packaged:
        parts += importlib.metadata.requires(DISTRIBUTION) or []
    return key([*parts, _hashed_files()])


def _hashed_files() -> str:
    """Return a name for the content of the files, which are read again only if the status of one has changed."""
    now = time.time_ns()
    found = tuple((path, _status(path)) for path in _files())
    # A file that has just changed may change again with the same status.
    settled = all(changed < now - _SLACK for _, (changed, *_) in found)
    return _hash_of(found) if settled else _hash_of.__wrapped__(found)


def _status(path: str) -> tuple[int, ...]:
    """Return file properties that change with the file, first the time of its inode, which no user can set."""
    status = os.stat(path)
    return status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev


@lru_cache(maxsize=1)
def _hash_of(files: tuple[tuple[str, tuple[int, ...]], ...]) -> str:
    return key(part for path, _ in files for part in (os.path.relpath(path, _PACKAGE.parent), Path(path).read_bytes()))


def _changed(path: str) -> int:
    """Return the time of a file's last change, in nanoseconds."""
    status = os.stat(path)
    # One that was put in another's place may be as old as it pleases, but its inode was changed then. In an environment
    # of packages it is changed by links, too.
    return status.st_mtime_ns if paths.packaged else max(status.st_mtime_ns, status.st_ctime_ns)


def _files() -> Iterator[str]:
    """Every file that lngen's behaviour is written in, in a fixed order."""
    for root in (_PACKAGE, *([] if paths.packaged else [paths.templates_folder()])):
        for folder, folders, names in os.walk(root):
            kept = (name for name in folders if name != "__pycache__" and not _holds_layers(Path(folder, name)))
            folders[:] = sorted(kept)
            yield from (os.path.join(folder, name) for name in sorted(names))
    if paths.checkout is not None:
        yield str(paths.checkout / "pyproject.toml")


def _holds_layers(folder: Path) -> bool:
    return folder in (paths.derive_folder(), paths.generated_folder())
