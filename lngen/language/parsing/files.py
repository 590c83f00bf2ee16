"""A definition that is in a file."""

import os
import stat
from pathlib import Path

from lngen.errors import LngenError, printable
from lngen.language.definition import Definition
from lngen.language.parsing.parser import parse
from lngen.language.parsing.source import MAXIMUM_BYTES


def load(path: str | os.PathLike[str]) -> Definition:
    """Read a definition from a UTF-8 file.

    Raises LngenError if there is no such file or it is not text, DefinitionError (one of its kind) if
    the text is not a definition.
    """
    shown = printable(os.fspath(path))
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not Path(path).is_dir():
            # To open a named pipe would wait for a writer, and to read a device might never end.
            raise LngenError(f"{shown}: this is no regular file. Save the definition in one, and name it.")
        with Path(path).open("rb") as file:
            # One byte more than is allowed shows that there is more, without reading a file of any size.
            raw = file.read(MAXIMUM_BYTES + 1)
    except FileNotFoundError:
        raise LngenError(f"{shown}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise LngenError(f"{shown}: this is a folder. Name a definition file in it.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise LngenError(
            f"{shown}: the file cannot be read: {printable(reason)}. Check the path and its permissions."
        ) from None
    if len(raw) > MAXIMUM_BYTES:
        raise LngenError(
            f"{shown}: the file is longer than {MAXIMUM_BYTES // 1024} KiB. "
            "A definition is one short function; name its file."
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LngenError(
            f"{shown}:{line}: byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8. Save the file as UTF-8 text."
        ) from None
    return parse(text, os.fspath(path))
