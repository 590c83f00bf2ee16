"""The path entry of an editable install: `lngen` and `generated` of this checkout, and none of its other folders.

A folder on `sys.path` would offer each folder in it, `tests` and `docs` included, to every program of the environment.
So an entry of `sys.path` stands for the checkout, and a finder for it knows two names. `generated` is found as a
namespace package, beside that of a project of the user's.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path

NAMES = ("lngen", "generated")
ROOT = Path(__file__).resolve().parents[2]
ENTRY = f"{ROOT}:{','.join(NAMES)}"
"""The entry of `sys.path`; no folder has such a name."""


class CheckoutFinder:
    """Finds the two packages; it is made for the entry alone, as a hook of `sys.path_hooks`."""

    def __init__(self, entry: str) -> None:
        if entry != ENTRY:
            raise ImportError(f"{entry} is another entry")
        self._finder = FileFinder(str(ROOT), (SourceFileLoader, SOURCE_SUFFIXES))

    def find_spec(self, name: str, target: object = None) -> ModuleSpec | None:
        """The specification of a package of the checkout, None for another name."""
        return self._finder.find_spec(name) if name in NAMES else None


if ENTRY not in sys.path:
    sys.path_hooks.append(CheckoutFinder)
    sys.path.append(ENTRY)
