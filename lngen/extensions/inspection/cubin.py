"""Sections of a cubin, an ELF file, besides machine code."""

from __future__ import annotations

import struct

_SYMBOLS, _NOTHING = 2, 8
_SECTION = struct.Struct("<IIQQQQIIQQ")


def integers(cubin: bytes, symbol: str) -> tuple[int, ...] | None:
    """Return the integers of a `__device__ int` array of a module; None if it has none of that name.

    Raises ValueError if the data are not a cubin.
    """
    if not cubin.startswith(b"\x7fELF"):
        raise ValueError("not a cubin: it does not begin as an ELF file does")
    (start,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count = struct.unpack_from("<HH", cubin, 0x3A)
    sections = [_SECTION.unpack_from(cubin, start + number * size) for number in range(count)]
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        for place in range(offset, offset + length, entry) if kind == _SYMBOLS else ():
            name, _, _, section, value, extent = struct.unpack_from("<IBBHQQ", cubin, place)
            text = sections[link][4] + name
            if cubin[text : cubin.index(b"\0", text)] == symbol.encode():
                holds = sections[section]
                if holds[1] == _NOTHING:
                    return (0,) * int(extent // 4)
                numbers: tuple[int, ...] = struct.unpack_from(f"<{extent // 4}i", cubin, holds[4] + value)
                return numbers
    return None
