"""What the symbols of a program are called in CUDA C++.

A definition's names are C++ identifiers already (`lngen.names`); one that the emitted file uses itself gets
an underscore at its end, which no name of a definition has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lngen.errors import LngenError

# What stands beside a program's names in some function of the emitted file.
_TAKEN = frozenset(
    """
    A G N P T Arguments ColumnSums Here Pack Scalars Tile blocks chunk column columns here i larger
    lngen math narrow nearest place over_all over_rows read row rows smaller store_once sums tile to
    widen workspace
    """.split()  # noqa: SIM905
)
_PREFIXES = ("HAS_", "READS_", "LNGEN_", "out_", "save_", "stored_")


def cpp_names(names: Iterable[str]) -> dict[str, str]:
    """The identifier for each name.

    >>> cpp_names(["gamma", "rows", "out_y"])
    {'gamma': 'gamma', 'rows': 'rows_', 'out_y': 'out_y_'}
    """
    found: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            raise LngenError(f"{name!r} cannot be a name in CUDA C++; use letters, digits and underscores")
        found[name] = f"{name}_" if name in _TAKEN or name.startswith(_PREFIXES) else name
    return found
